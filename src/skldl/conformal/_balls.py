"""Balls on the simplex: distance, extent in each label, labels that may be largest."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skldl._typing import FloatArray
from skldl.conformal._log_ratio_ball import log_ratio_bounds

#: Scores that are metrics, so that the triangle inequality holds.
METRICS = ("tv", "aitchison", "label")
_HALVINGS = 60


@dataclass(frozen=True)
class Ball:
    """All distributions within some distance of a given one.

    Attributes
    ----------
    score : {"tv", "kl", "aitchison", "label"}
        The distance.
    smoothing : float
        Share of the uniform distribution that is mixed in before logarithms.
    scale : ndarray of shape (n_labels,) or None
        What the errors of labels are divided by; for "label".
    """

    score: str = "tv"
    smoothing: float = 0.01
    scale: Any = None

    def distance(self, Q: FloatArray, P: FloatArray) -> FloatArray:
        """Distance of distributions from the centres of their balls.

        Parameters
        ----------
        Q, P : ndarray of shape (n_samples, n_labels)
            Distributions and centres; shapes may broadcast.

        Returns
        -------
        distance : ndarray of shape (n_samples,)
        """
        if self.score == "tv":
            return np.abs(Q - P).sum(axis=-1) / 2
        if self.score == "label":
            return (np.abs(Q - P) / self.scale).max(axis=-1)
        P = self._smooth(P)
        if self.score == "kl":
            logs = np.log(np.where(Q > 0, Q, 1.0))
            return np.maximum((Q * (logs - np.log(P))).sum(axis=-1), 0.0)
        Z = np.log(self._smooth(Q)) - np.log(P)
        Z = Z - Z.mean(axis=-1, keepdims=True)
        return np.sqrt(np.square(Z).sum(axis=-1))

    def bounds(
        self, P: FloatArray, radius: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest degree of each label in the ball.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_labels)
            Centres.
        radius : ndarray of shape (n_samples,)
            Radii; infinity is the whole simplex.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_labels)
        """
        lower, upper = np.zeros(P.shape), np.ones(P.shape)
        known = np.isfinite(radius)
        found = getattr(self, f"_{self.score}_bounds")(P[known], radius[known, None])
        lower[known], upper[known] = np.clip(found, 0.0, 1.0)
        if P.shape[1] == 1:
            lower[:] = upper[:] = 1.0
        return lower, upper

    def largest(self, P: FloatArray, radius: FloatArray) -> Any:
        """Whether the ball has a distribution in which a label is the largest.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_labels)
            Centres.
        radius : ndarray of shape (n_samples,)
            Radii.

        Returns
        -------
        labels : bool ndarray of shape (n_samples, n_labels)
        """
        if self.score == "label":
            possible = self._label_largest(P, radius)
        else:
            possible = self._to_largest(P) <= radius[:, None] * (1 + 1e-12)
        # the predicted label always may: rounding must not say no
        possible |= P.max(axis=1, keepdims=True) == P
        return possible

    def _smooth(self, P: FloatArray) -> FloatArray:
        return (1 - self.smoothing) * P + self.smoothing / P.shape[-1]

    def _tv_bounds(self, P: FloatArray, radius: FloatArray) -> Any:
        return P - radius, P + radius

    def _label_bounds(self, P: FloatArray, radius: FloatArray) -> Any:
        """A box, and of it what the other labels leave."""
        low = np.maximum(P - radius * self.scale, 0.0)
        high = np.minimum(P + radius * self.scale, 1.0)
        least = 1 - (high.sum(axis=1, keepdims=True) - high)
        most = 1 - (low.sum(axis=1, keepdims=True) - low)
        # the centre is in the region, whatever rounding says
        lower = np.minimum(np.maximum(low, least), P)
        return lower, np.maximum(np.minimum(high, most), P)

    def _kl_bounds(self, P: FloatArray, radius: FloatArray) -> Any:
        """Other labels keep their proportions, so two labels are enough."""
        P = np.clip(self._smooth(P), None, 1 - 1e-15)
        return tuple(_solve_binary(P, radius, end) for end in (0.0, 1.0))

    def _aitchison_bounds(self, P: FloatArray, radius: FloatArray) -> Any:
        found = log_ratio_bounds(self._smooth(P), radius[:, 0])
        extra = self.smoothing / P.shape[1]
        return [(bound - extra) / (1 - self.smoothing) for bound in found]

    def _to_largest(self, P: FloatArray) -> FloatArray:
        """Distance of the nearest distribution in which a label is the largest.

        The label is pooled with the largest others until the rest is smaller: at their
        mean, or at the mean of their logarithms.
        """
        if self.score == "tv":
            return _pooled(P) - P
        P = self._smooth(P)
        Z = np.log(P)
        level = _pooled(Z)
        if self.score == "kl":
            total = [np.minimum(P, np.exp(t)[:, None]).sum(axis=1) for t in level.T]
            grown = np.exp(level) - np.minimum(P, np.exp(level))
            return np.maximum(-np.log(np.column_stack(total) + grown), 0.0)
        above = [np.square(np.maximum(Z - t[:, None], 0)).sum(axis=1) for t in level.T]
        return np.sqrt(np.column_stack(above) + np.square(level - Z))

    def _label_largest(self, P: FloatArray, radius: FloatArray) -> Any:
        """A label at its upper bound, the others at most as large."""
        lower, upper = self.bounds(P, radius)
        possible = np.zeros(P.shape, dtype=bool)
        for j in range(P.shape[1]):
            top = upper[:, [j]]
            room = np.minimum(upper, top).sum(axis=1)
            possible[:, j] = (lower <= top + 1e-12).all(axis=1) & (room >= 1 - 1e-12)
        return possible


def _pooled(Z: FloatArray) -> FloatArray:
    """Mean of a label and of the larger ones that lift it most."""
    ranked = -np.sort(-Z, axis=1)
    best, total = Z.copy(), np.zeros(len(Z))
    for m in range(Z.shape[1] - 1):
        total = total + ranked[:, m]
        np.maximum(best, (Z + total[:, None]) / (m + 2), out=best)
    return best


def _solve_binary(P: FloatArray, radius: FloatArray, end: float) -> FloatArray:
    """Degree between p and an end whose divergence from p is the radius."""
    inside, outside = P.copy(), np.full(P.shape, end)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        near = _binary_divergence(middle, P) <= radius
        inside = np.where(near, middle, inside)
        outside = np.where(near, outside, middle)
    # the outer side, so that the interval is never too short
    return outside


def _binary_divergence(q: FloatArray, p: FloatArray) -> FloatArray:
    first = q * np.log(np.where(q > 0, q, 1.0) / p)
    rest = 1 - q
    return first + rest * np.log(np.where(rest > 0, rest, 1.0) / (1 - p))
