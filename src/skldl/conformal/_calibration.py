"""Scores of calibration samples, and the radii that follow from them."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skldl._text import listed
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.conformal._quantile import (
    conformal_quantile,
    needed_samples,
    row_quantiles,
)

_CELLS = 4_000_000  # numbers in one piece of scores as new samples see them


@dataclass
class NewSamples:
    """What the models say about new samples.

    Attributes
    ----------
    offset : ndarray of shape (n_models, n_samples)
        Distance of each model's prediction from the centre.
    difficulty : ndarray of shape (n_models, n_samples)
        What each model's scores are multiplied by.
    group : ndarray of int or None
        Groups.
    weight : ndarray of shape (n_samples,)
        Weights.
    """

    offset: FloatArray
    difficulty: FloatArray
    group: NDArray[np.int64] | None
    weight: FloatArray


@dataclass
class Calibration:
    """Scores of samples that a model has not seen.

    Attributes
    ----------
    scores : ndarray of shape (n_samples,)
        Distances of true from predicted distributions, divided by the difficulty.
    residuals : ndarray of shape (n_samples, n_labels)
        Absolute errors of the labels, divided by the difficulty.
    model : ndarray of shape (n_samples,)
        Number of the model that predicted the sample.
    group : ndarray of shape (n_samples,) or None
        Number of the group.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    group_names : list
        Names of the groups.
    """

    scores: FloatArray
    residuals: FloatArray
    model: NDArray[np.int64]
    group: NDArray[np.int64] | None
    weight: FloatArray | None
    group_names: list[Any]

    def radius(self, coverage: float, new: NewSamples) -> FloatArray:
        """Radius of the region of each new sample.

        Parameters
        ----------
        coverage : float
            Wanted probability.
        new : NewSamples
            What the models say.

        Returns
        -------
        radius : ndarray of shape (n_samples,)
            Infinite, with a warning, where there are too few calibration samples.
        """
        found = self._quantiles(self.scores, coverage, new)
        self._warn(coverage, found, new)
        return found

    def widths(
        self, coverage: float, new: NewSamples, errors: FloatArray
    ) -> FloatArray:
        """Half the width of the interval of each label, one by one.

        Parameters
        ----------
        coverage : float
            Wanted probability of each interval.
        new : NewSamples
            What the models say.
        errors : ndarray of shape (n_models, n_samples, n_labels)
            Absolute differences of the models' predictions from the centre.

        Returns
        -------
        widths : ndarray of shape (n_samples, n_labels)
        """
        columns = []
        for j in range(self.residuals.shape[1]):
            part = NewSamples(errors[:, :, j], new.difficulty, new.group, new.weight)
            columns.append(self._quantiles(self.residuals[:, j], coverage, part))
        self._warn(coverage, columns[0], new)
        return np.column_stack(columns)

    def _quantiles(
        self, scores: FloatArray, coverage: float, new: NewSamples
    ) -> FloatArray:
        found = np.empty(len(new.weight))
        for rows, mine in self._groups(new):
            weights = None if self.weight is None else self.weight[mine]
            models = self.model[mine]
            if len(new.offset) == 1:
                common = _common_quantile(
                    scores[mine], coverage, weights, new.weight[rows]
                )
                found[rows] = common * new.difficulty[0, rows]
                continue
            step = max(1, _CELLS // max(1, len(mine)))
            for part in (rows[i : i + step] for i in range(0, len(rows), step)):
                factor = new.difficulty[models[:, None], part].T
                shifted = scores[mine] * factor + new.offset[models[:, None], part].T
                found[part] = row_quantiles(
                    shifted, coverage, weights, new.weight[part]
                )
        return found

    def _groups(self, new: NewSamples) -> list[tuple[Any, Any]]:
        """New samples and calibration samples of the same group."""
        if self.group is None or new.group is None:
            return [(np.arange(len(new.weight)), np.arange(len(self.scores)))]
        present = np.unique(new.group)
        return [
            (np.flatnonzero(new.group == g), np.flatnonzero(self.group == g))
            for g in present
        ]

    def _warn(self, coverage: float, radius: FloatArray, new: NewSamples) -> None:
        whole = np.isinf(radius)
        if not whole.any():
            return
        where, counted = "", len(self.scores)
        if self.group is not None and new.group is not None:
            codes = np.unique(new.group[whole])
            where = f" of the groups {listed([self.group_names[c] for c in codes])}"
            counted = int(min((self.group == c).sum() for c in codes))
        weighted = "" if self.weight is None else " of weight 1 together"
        warnings.warn(
            f"Regions{where} are the whole simplex: a coverage of {coverage:g} needs "
            f"{needed_samples(coverage)} calibration samples{weighted}, there are "
            f"{counted}. Give more samples, or ask for a coverage below "
            f"{counted / (counted + 1):.2f}.",
            UserWarning,
            stacklevel=caller_level(),
        )


def _common_quantile(
    scores: FloatArray, coverage: float, weights: Any, new: FloatArray
) -> FloatArray:
    """Quantiles that differ only with the weights of new samples."""
    if weights is None and (new == 1).all():
        return np.full(len(new), conformal_quantile(scores, coverage))
    if weights is None:
        weights = np.ones(len(scores))
    values, place = np.unique(new, return_inverse=True)
    found = [
        conformal_quantile(scores, coverage, sample_weight=weights, new_weight=w)
        for w in values
    ]
    return np.asarray(found, dtype=np.float64)[place]


def whole_or(radius: FloatArray, factor: float) -> FloatArray:
    """Radii times a factor; infinity stays."""
    return np.where(np.isinf(radius), math.inf, radius * factor)
