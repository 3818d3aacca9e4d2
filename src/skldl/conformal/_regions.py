"""Regions of distributions, one per sample."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skldl._typing import FloatArray
from skldl.conformal._balls import Ball
from skldl.validation import check_distribution, check_label_names

_CELLS = 4_000_000  # numbers in one piece of a Monte-Carlo estimate


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions that hold the distributions of samples with a given probability.

    Attributes
    ----------
    center : ndarray of shape (n_samples, n_labels)
        Predicted distributions.
    radius : ndarray of shape (n_samples,)
        Distance from the centre up to which a distribution is in the region; infinity
        for the whole simplex.
    coverage : float
        Probability asked for.
    classes : ndarray of shape (n_labels,)
        Label names.
    index : array-like or None
        Row names.
    """

    center: FloatArray
    radius: FloatArray
    coverage: float
    classes: NDArray[Any]
    index: Any = None
    _ball: Ball = field(default_factory=Ball, repr=False)

    def __len__(self) -> int:
        return len(self.center)

    @property
    def distance(self) -> str:
        """Name of the distance."""
        return self._ball.score

    @cached_property
    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        return self._ball.bounds(self.center, self.radius)

    @property
    def lower(self) -> FloatArray:
        """Smallest degree of each label in the region, shape (n_samples, n_labels).

        A distribution in the region is in the intervals of all labels at once, so they
        are jointly valid.
        """
        return self._bounds[0]

    @property
    def upper(self) -> FloatArray:
        """Largest degree of each label in the region, shape (n_samples, n_labels)."""
        return self._bounds[1]

    @cached_property
    def labels(self) -> NDArray[np.bool_]:
        """Whether a label may be the largest, shape (n_samples, n_labels).

        It may if the region has a distribution in which it is.
        """
        return self._ball.largest(self.center, self.radius)

    @property
    def size(self) -> FloatArray:
        """Mean width of the intervals of each sample, from 0 to 1."""
        return (self.upper - self.lower).mean(axis=1)

    def contains(self, D: Any) -> NDArray[np.bool_]:
        """Whether distributions are in the regions.

        Parameters
        ----------
        D : array-like of shape (n_samples, n_labels)
            One distribution per region, or a single one for all.

        Returns
        -------
        inside : bool ndarray of shape (n_samples,)
        """
        check_label_names(D, self.classes)
        D = check_distribution(D, on_unnormalized="normalize")
        if D.shape[1] != self.center.shape[1] or len(D) not in (1, len(self)):
            raise ValueError(
                f"D has shape {D.shape}, but the regions are of shape "
                f"{self.center.shape}; give one row per region."
            )
        return self._inside(D, self.center, self.radius)

    def _inside(self, D: FloatArray, P: FloatArray, radius: FloatArray) -> Any:
        return self._ball.distance(D, P) <= radius * (1 + 1e-12) + 1e-15

    def distances(self, D: Any, row: int) -> FloatArray:
        """Distance of distributions from the centre of one region.

        Parameters
        ----------
        D : array-like of shape (n_distributions, n_labels)
            Distributions.
        row : int
            Number of the region.

        Returns
        -------
        distances : ndarray of shape (n_distributions,)
            Up to ``radius[row]`` in the region.
        """
        D = check_distribution(D, on_unnormalized="normalize")
        return self._ball.distance(D, self.center[row])

    def share(self, *, n_draws: int = 10_000, random_state: Any = None) -> FloatArray:
        """Estimate which share of the simplex each region is.

        Parameters
        ----------
        n_draws : int, default=10_000
            Distributions drawn uniformly from the simplex, the same for all regions.
        random_state : int, RandomState instance or None, default=None
            For the draws.

        Returns
        -------
        share : ndarray of shape (n_samples,)
            From 0 to 1. A region far smaller than ``1 / n_draws`` is 0.
        """
        rng = check_random_state(random_state)
        draws = rng.dirichlet(np.ones(self.center.shape[1]), n_draws)
        step = max(1, _CELLS // draws.size)
        found = np.empty(len(self))
        for start in range(0, len(self), step):
            part = slice(start, start + step)
            P, radius = self.center[part, None], self.radius[part, None]
            found[part] = self._inside(draws[None], P, radius).mean(axis=1)
        return found

    def label_sets(self) -> list[list[Any]]:
        """Names of the labels that may be the largest, the likeliest first.

        Returns
        -------
        sets : list of list
            One per sample.
        """
        order = np.argsort(-self.center, axis=1, kind="stable")
        return [
            [self.classes[j] for j in ranked if possible[j]]
            for ranked, possible in zip(order, self.labels, strict=True)
        ]

    def to_frame(self) -> pd.DataFrame:
        """Centres, intervals and label sets as a table.

        Returns
        -------
        frame : DataFrame
            For each label its degree, ``<label>_lower`` and ``<label>_upper``; the
            ``radius``; and in ``labels`` those that may be the largest, joined by a
            bar.
        """
        columns: dict[Any, Any] = {}
        for j, name in enumerate(self.classes):
            columns[name] = self.center[:, j]
            columns[f"{name}_lower"] = self.lower[:, j]
            columns[f"{name}_upper"] = self.upper[:, j]
        columns["radius"] = self.radius
        columns["labels"] = ["|".join(map(str, names)) for names in self.label_sets()]
        return pd.DataFrame(columns, index=self.index)
