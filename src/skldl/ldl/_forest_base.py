"""What makes forests of scikit-learn distribution learners, safe to save."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._tree_data import (
    check_tree_data,
    check_tree_samples,
    mean_distribution,
)
from skldl.ldl._tree_tables import check_table, compiled_trees, forest_table
from skldl.metrics import intersection
from skldl.validation import check_distribution

_MORE = ("impurity", "n_samples", "weight")


class ForestLDL(DistributionPredictorMixin, BaseEstimator):
    """What forests of scikit-learn need to become distribution learners."""

    _grids: dict = {
        "default": {
            "max_features": ["sqrt", 1 / 3, 1.0],
            "min_samples_leaf": [1, 5, 20],
        }
    }
    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions({"squared_error"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [
            Interval(Integral, 2, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "min_samples_leaf": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "smoothing": [Interval(Real, 0, 1, closed="both")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    n_estimators: int
    oob_score: bool
    smoothing: float
    forest_: Any
    distribution_: FloatArray

    @abstractmethod
    def _new_forest(self) -> Any:
        """An unfitted forest of scikit-learn with the parameters of this one."""

    def _settings(self) -> dict[str, Any]:
        """The parameters that scikit-learn's forests have by the same names."""
        settings = self.get_params(deep=False)
        del settings["smoothing"]
        # theirs is of squared errors and takes rows without a prediction for zeros
        return {**settings, "oob_score": _no_score if self.oob_score else False}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples; numbers of a dense X may be missing (NaN).
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; those of weight zero are left out.

        Returns
        -------
        self : object
            Fitted.
        """
        if not self.bootstrap and (self.oob_score or self.max_samples is not None):
            raise ValueError(
                "oob_score and max_samples need samples that are drawn: give "
                "bootstrap=True, too, or leave them out."
            )
        X, D, weights = check_tree_data(
            self, X, y, sample_weight, dtype=np.float32, sparse=True
        )
        self.distribution_ = mean_distribution(D, weights)
        target = D if D.shape[1] > 1 else D[:, 0]
        self.forest_ = self._new_forest().fit(X, target, sample_weight=weights)
        if self.oob_score:
            self._score_left_out(D, weights)
        return self

    def _score_left_out(self, D: FloatArray, weights: FloatArray | None) -> None:
        """Predictions of the trees that did not see a sample, and their score."""
        P = self.forest_.oob_prediction_.reshape(D.shape)
        known = P.sum(axis=1) > 0
        self.oob_prediction_ = np.full(D.shape, np.nan)
        self.oob_prediction_[known] = self._smooth(P[known])
        self.oob_score_ = np.nan
        if known.any():
            weights = None if weights is None else weights[known]
            found = self.oob_prediction_[known]
            self.oob_score_ = intersection(D[known], found, sample_weight=weights)

    def _smooth(self, P: FloatArray) -> FloatArray:
        P = P / P.sum(axis=1, keepdims=True)  # what rounding left
        if self.smoothing == 0:
            return P
        return (1 - self.smoothing) * P + self.smoothing * self.distribution_

    def predict(self, X: Any) -> FloatArray:
        """Average the distributions of the leaves that the samples fall in.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; numbers of a dense X may be missing (NaN).

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = check_tree_samples(self, X, reset=False, dtype=np.float32, sparse=True)
        P = self.forest_.predict(X).reshape(X.shape[0], len(self.classes_))
        return self._smooth(P)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the decrease of the impurity, over all trees."""
        check_is_fitted(self)
        return self.forest_.feature_importances_

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "forest_" in state:  # as plain arrays
            state["forest_"] = forest_table(state["forest_"].estimators_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        table = state.get("forest_")
        super().__setstate__({k: v for k, v in state.items() if k != "forest_"})
        if table is not None:
            self.forest_ = self._load_forest(table)

    def _load_forest(self, table: Any) -> Any:
        """The forest of a table, after a look at what compiled code would follow."""
        n_features, n_labels = self.n_features_in_, len(self.classes_)
        check_table(table, n_features, more=_MORE)
        value = table["value"]
        if value.ndim != 2 or value.shape[1] != n_labels or len(table["sizes"]) == 0:
            raise ValueError("distributions of the leaves")
        check_distribution(value, on_unnormalized="raise", name="leaf distributions")
        forest = self._new_forest()
        forest.n_features_in_, forest.n_outputs_ = n_features, n_labels
        forest.estimators_ = []
        for compiled in compiled_trees(table, n_features, n_labels):
            tree = clone(forest.estimator)
            tree.n_features_in_, tree.n_outputs_ = n_features, n_labels
            tree.tree_ = compiled
            forest.estimators_.append(tree)
        return forest

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _no_score(D: FloatArray, P: FloatArray) -> float:
    """Nothing; see ``ForestLDL._score_left_out``."""
    return 0.0
