"""From decision values to distributions, by values for samples left out."""

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.ldl._maxent import SABFGS
from skldl.objectives import log_degrees, softmax_kl

# from the strongest on, for values with a mean square of 1; the first is infinite
_RIDGES = (None, 100.0, 10.0, 1.0)
_ROUNDING = 1e-9  # values that vary by less than this share of their size are constant


class Calibration:
    r"""Softmax of decision values, :math:`\mathrm{softmax}(A f + b)`.

    Parameters
    ----------
    unseen : ndarray of shape (n_samples, n_labels)
        Decision values for samples that the machine of their fold had not seen, less
        the center of that machine.
    D : ndarray of shape (n_samples, n_labels)
        Distributions; every label has a positive degree somewhere.
    size : float
        What the values are measured by: a spread that is lost beside it is rounding.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in all divergences and means; None is 1 for every sample.

    Notes
    -----
    Values beyond the range of those that were fitted are moved to its ends: nothing is
    known there. So values without any spread give the mean distribution everywhere.
    """

    def __init__(
        self,
        unseen: FloatArray,
        D: FloatArray,
        size: float,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        squares = unseen**2
        if sample_weight is not None:
            squares *= (sample_weight / sample_weight.mean())[:, None]
        self.scale = float(np.sqrt(np.mean(squares)))
        if self.scale <= _ROUNDING * size:
            self.scale, unseen = 1.0, np.zeros_like(unseen)
        self.values = unseen / self.scale
        self.low, self.high = self.values.min(axis=0), self.values.max(axis=0)
        # in the manner of Platt's targets: no degree is 0, so that a label that a fold
        # lacks does not make its divergence infinite
        n_samples = len(D)
        mean = np.average(D, axis=0, weights=sample_weight)
        self.targets = (n_samples * D + mean) / (n_samples + 1)

    def held_out(self, ridge: float | None, folds: IndexArray) -> float:
        """Divergence for folds that the softmax was not fitted to."""
        total = 0.0
        for fold in np.unique(folds):
            there = folds == fold
            model = self._fit(ridge, ~there)
            total += self._divergence(model, self.values[there], there)
        return total

    def _divergence(
        self, model: SABFGS, values: FloatArray, rows: FloatArray | slice
    ) -> float:
        D, weights = self.targets[rows], self.sample_weight
        own = None if weights is None else weights[rows]
        scores = values @ model.coef_.T + model.intercept_
        return softmax_kl(scores, D, log_degrees(D), own)[0]

    def _fit(self, ridge: float | None, rows: FloatArray | slice) -> SABFGS:
        values = self.values[rows] * (ridge is not None)
        model = SABFGS(ridge or 1.0, fit_intercept=True, max_iter=2000, tol=1e-5)
        weights = self.sample_weight
        own = None if weights is None else weights[rows]
        return model.fit(values, self.targets[rows], sample_weight=own)

    def choose(
        self, folds: IndexArray, seen: FloatArray
    ) -> tuple[SABFGS, FloatArray, FloatArray]:
        """The softmax with the ridge that is best for folds left out.

        A ridge is passed over if it is worse than the mean distribution for the
        training samples themselves, whose values are larger than any others.

        Parameters
        ----------
        folds : ndarray of shape (n_samples,)
            Numbers of the folds that values are for.
        seen : ndarray of shape (n_samples, n_labels)
            Values of the final machine for its own samples, less its center.

        Returns
        -------
        model : SABFGS
            Of values less the center.
        low, high : ndarray of shape (n_labels,)
            Range of the values.
        """
        inside = np.clip(seen / self.scale, self.low, self.high)
        everyone = slice(None)
        mean = self._divergence(self._fit(None, everyone), inside, everyone)
        losses = [self.held_out(ridge, folds) for ridge in _RIDGES]
        for place in np.argsort(losses, kind="stable"):
            model = self._fit(_RIDGES[place], everyone)
            if self._divergence(model, inside, everyone) <= mean:
                break
        model.coef_ /= self.scale
        return model, self.low * self.scale, self.high * self.scale
