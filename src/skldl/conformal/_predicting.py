"""What a fitted ConformalDistribution can do: predict, with regions."""

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from skldl._inner import check_inner_samples, inner_tags
from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.conformal._balls import Ball
from skldl.conformal._calibration import Calibration, NewSamples, whole_or
from skldl.conformal._difficulty import Difficulty
from skldl.conformal._fitting import predict_rows
from skldl.conformal._prepare import group_codes, row_names
from skldl.conformal._quantile import check_coverage
from skldl.conformal._regions import Regions
from skldl.conformal._votes import shrinkage
from skldl.ldl import LogisticLDL


class RegionPredictor(DistributionPredictorMixin):
    """Fitted models with scores of samples that they have not seen."""

    estimator: Any
    coverage: float
    n_bins: int | None
    target: str
    estimators_: list[Any]
    calibration_: Calibration
    groups_: list[Any]
    _balls: list[Ball]
    _difficulties: list[Difficulty | None]
    _edges: FloatArray
    _simulated: tuple[FloatArray, FloatArray]

    def predict(self, X: Any) -> FloatArray:
        """Predict distributions: the centres of the regions.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Of the learner; for "cross" the mean over the folds.
        """
        X = check_inner_samples(self, X, sparse=self._sparse())
        return _center(self._predictions(X))

    def predict_region(
        self,
        X: Any,
        *,
        coverage: float | None = None,
        groups: Any = None,
        sample_weight: Any = None,
    ) -> Regions:
        """Regions that hold the distributions with the wanted probability.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Samples.
        coverage : float, default=None
            Another probability than that of the constructor; nothing is fitted again.
        groups : array-like of shape (n_samples,), default=None
            Groups of the samples, if ``fit`` had groups.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the new samples, if those of ``fit`` were likelihood ratios;
            None is 1 for each.

        Returns
        -------
        regions : Regions
        """
        _, center, new, coverage = self._seen(X, coverage, groups, sample_weight)
        radius = self.calibration_.radius(coverage, new)
        radius = whole_or(radius, self._factor(coverage))
        ball = self._wide_ball()
        return Regions(center, radius, coverage, self.classes_, row_names(X), ball)

    def intervals(
        self,
        X: Any,
        *,
        joint: bool = False,
        coverage: float | None = None,
        groups: Any = None,
        sample_weight: Any = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals of the degrees, valid one by one or all at once.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Samples.
        joint : bool, default=False
            Whether all intervals of a sample shall hold at once, as those of
            ``predict_region`` do; otherwise each holds with the probability alone, and
            is shorter.
        coverage : float, default=None
            Another probability than that of the constructor.
        groups : array-like of shape (n_samples,), default=None
            Groups of the samples, if ``fit`` had groups.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the new samples.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_labels)
        """
        if joint:
            regions = self.predict_region(
                X, coverage=coverage, groups=groups, sample_weight=sample_weight
            )
            return regions.lower, regions.upper
        found, center, new, coverage = self._seen(X, coverage, groups, sample_weight)
        widths = self.calibration_.widths(coverage, new, np.abs(found - center))
        widths = whole_or(widths, self._factor(coverage))
        if center.shape[1] == 1:
            return center, center
        return np.maximum(center - widths, 0.0), np.minimum(center + widths, 1.0)

    def _seen(
        self, X: Any, coverage: float | None, groups: Any, sample_weight: Any
    ) -> tuple[FloatArray, FloatArray, NewSamples, float]:
        """Predictions of all models, their centre, and what follows from them."""
        check_is_fitted(self)
        coverage = self.coverage if coverage is None else coverage
        check_coverage(coverage)
        X = check_inner_samples(self, X, sparse=self._sparse())
        found = self._predictions(X)
        center = _center(found)
        offset = [
            b.distance(P, center) for b, P in zip(self._balls, found, strict=True)
        ]
        spread = [
            np.ones(len(P)) if d is None else d.estimate(X, P)
            for d, P in zip(self._difficulties, found, strict=True)
        ]
        weight = np.ones(len(center))
        if sample_weight is not None:
            weight = check_sample_weight(
                sample_weight, center, dtype=np.float64, ensure_non_negative=True
            )
        codes = self._codes(X, found[0], groups)
        new = NewSamples(np.stack(offset), np.stack(spread), codes, weight)
        return found, center, new, coverage

    def _codes(self, X: Any, P: FloatArray, groups: Any) -> Any:
        """Numbers of the groups of new samples."""
        if self.n_bins is not None:
            return self._bin(self._difficulties[0], X, P)
        if not self.groups_:
            if groups is not None:
                raise ValueError(
                    "fit had no groups; leave groups out, or fit with groups."
                )
            return None
        if groups is None:
            raise ValueError(
                "fit had groups, so regions need the groups of the samples, too: give "
                "groups."
            )
        check_consistent_length(P, groups)
        return group_codes(groups, self.groups_)

    def _bin(self, difficulty: Any, X: Any, P: FloatArray) -> Any:
        return np.searchsorted(self._edges, difficulty.estimate(X, P))

    def _predictions(self, X: Any) -> FloatArray:
        return np.stack([predict_rows(model, X) for model in self.estimators_])

    def _wide_ball(self) -> Ball:
        """The score with the largest scale of each label: no model's is larger."""
        first = self._balls[0]
        scale = np.max([ball.scale for ball in self._balls], axis=0)
        return Ball(first.score, first.smoothing, scale)

    def _factor(self, coverage: float) -> float:
        if self.target == "observed":
            return 1.0
        return shrinkage(*self._simulated, coverage)

    def _inner(self) -> Any:
        return LogisticLDL() if self.estimator is None else self.estimator

    def _sparse(self) -> bool:
        return inner_tags([self._inner()]).sparse

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = inner_tags([self._inner()])
        return tags


def _center(found: FloatArray) -> FloatArray:
    """Mean of the models' predictions."""
    if len(found) == 1:
        return found[0]
    center = found.mean(axis=0)
    return center / center.sum(axis=1, keepdims=True)
