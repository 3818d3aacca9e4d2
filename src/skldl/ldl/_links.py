"""Targets that a least-squares regression predicts, and the way back to the simplex."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skldl._typing import FloatArray
from skldl.linalg import clr, replace_zeros

_FLOOR = 1e-9  # share of the uniform distribution, for labels that never occur
_LEAST = 1e-300
_LEAST_MEAN = 1e-12
_ROUNDS = 5  # in which a shift is found


@dataclass(frozen=True)
class Link:
    """Degrees themselves, or centred log-ratios, smoothed towards a mean.

    Attributes
    ----------
    name : {"identity", "clr"}
        What is predicted.
    smoothing : float
        Share of the mean in targets ("clr") or in predictions ("identity").
    mean : ndarray of shape (n_labels,)
        The mean distribution.
    shift : ndarray of shape (..., n_labels) or float
        Added to log-ratios before the softmax.
    """

    name: str
    smoothing: float
    mean: FloatArray
    shift: Any = 0.0

    def targets(self, D: FloatArray) -> FloatArray:
        """What is regressed.

        Parameters
        ----------
        D : ndarray of shape (n_samples, n_labels)
            Distributions.
        """
        if self.name == "identity":
            return D
        base = replace_zeros(self.mean[None], _FLOOR)[0]
        return clr(replace_zeros(D, max(self.smoothing, _FLOOR), base=base))

    def distributions(self, Z: FloatArray) -> FloatArray:
        """Rows on the simplex from predicted targets.

        Parameters
        ----------
        Z : ndarray of shape (..., n_labels)
            Predictions of targets.
        """
        if self.name == "clr":
            P = Z + self.shift
            P -= P.max(axis=-1, keepdims=True)
            np.exp(P, out=P)
            P /= P.sum(axis=-1, keepdims=True)
            return P
        P = np.maximum(Z, 0.0)
        P /= np.maximum(P.sum(axis=-1, keepdims=True), _LEAST)
        P *= 1 - self.smoothing
        P += self.smoothing * self.mean
        return P

    def calibrated(self, Z: FloatArray, D: FloatArray, weights: FloatArray) -> "Link":
        """Shift log-ratios so that predictions have the mean of the distributions.

        The mean of logarithms is that of a geometric mean, which is not the mean. The
        shift is the one with the least divergence: there the two means are equal.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_settings, n_labels)
            Predictions of targets, of left-out samples.
        D : ndarray of shape (n_samples, n_labels)
            Their distributions.
        weights : ndarray of shape (n_samples,)
            Their weights.
        """
        if self.name != "clr":
            return self
        return replace(self, shift=mean_shift(Z, D, weights))

    def at(self, setting: int) -> "Link":
        """Keep the shift of one setting."""
        return replace(self, shift=self.shift[setting]) if np.ndim(self.shift) else self


def mean_shift(Z: FloatArray, D: FloatArray, weights: FloatArray) -> FloatArray:
    """Shifts of scores after which softmax rows have the mean of the distributions.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_settings, n_labels)
        Scores.
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.

    Returns
    -------
    shift : ndarray of shape (n_settings, n_labels)
    """
    shares = weights / weights.sum()
    wanted = np.log(np.maximum(shares @ D, _LEAST_MEAN))
    parts = np.exp(Z - Z.max(axis=-1, keepdims=True))
    shift = np.zeros(Z.shape[1:])
    for _ in range(_ROUNDS):
        # means of parts e^s / sum(parts e^s), without an exponential of each entry
        factors = np.exp(shift)
        sums = np.einsum("ijl,jl->ij", parts, factors)
        means = np.einsum("ij,ijl->jl", shares[:, None] / sums, parts) * factors
        shift += wanted - np.log(np.maximum(means, _LEAST_MEAN))
    return shift - shift.mean(axis=-1, keepdims=True)


def divergences(D: FloatArray, P: FloatArray) -> FloatArray:
    """Divergence of each prediction; a degree of 0 adds nothing.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    P : ndarray of shape (n_samples, n_settings, n_labels)
        Predictions.

    Returns
    -------
    kl : ndarray of shape (n_samples, n_settings)
    """
    own = (D * np.log(np.maximum(D, _LEAST))).sum(axis=1)
    crossed = np.einsum("il,ijl->ij", D, np.log(np.maximum(P, _LEAST)))
    return own[:, None] - crossed
