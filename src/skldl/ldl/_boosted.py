"""What learners that boost a softmax have in common."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._tree_data import (
    check_tree_data,
    check_tree_samples,
    count_threads,
    mean_distribution,
)
from skldl.ldl._tree_tables import Table, Walker, check_table

_SMALLEST = 1e-12  # mean degree of a label that no sample has


class Rows(NamedTuple):
    """Samples, their distributions and their weights, if any."""

    X: FloatArray
    D: FloatArray
    weights: FloatArray | None

    def take(self, rows: np.ndarray) -> "Rows":
        """Some of them."""
        weights = None if self.weights is None else self.weights[rows]
        return Rows(self.X[rows], self.D[rows], weights)

    def baseline(self) -> FloatArray:
        """Scores whose softmax is the mean distribution."""
        mean = mean_distribution(self.D, self.weights)
        return np.log(np.maximum(mean, _SMALLEST))


class Grown(NamedTuple):
    """Trees of so many iterations, and the held-out loss before and after each."""

    trees: Table
    losses: list[float]


def softmax_gradient(
    scores: FloatArray, D: FloatArray, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    r"""First and second derivatives of the cross-entropy by each score.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels)
        Scores F; predictions are :math:`p = \mathrm{softmax}(F)`.
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    weights : ndarray of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    gradient : ndarray of shape (n_samples, n_labels)
        :math:`w (p - d)`.
    hessian : ndarray of shape (n_samples, n_labels)
        The diagonal, :math:`w p (1 - p)`.
    """
    P = softmax(scores, axis=1)
    gradient, hessian = P - D, P * (1.0 - P)
    if weights is not None:
        gradient *= weights[:, np.newaxis]
        hessian *= weights[:, np.newaxis]
    return gradient, hessian


def cross_entropy(
    scores: FloatArray, D: FloatArray, weights: FloatArray | None = None
) -> float:
    """Mean cross-entropy of distributions and the softmax of scores."""
    each = -np.einsum("ij,ij->i", D, log_softmax(scores, axis=1))
    return float(np.average(each, weights=weights))


class BoostedLDL(DistributionPredictorMixin, BaseEstimator):
    """Early stopping, prediction and safe state; a machine grows the trees."""

    max_iter: int
    validation_fraction: float | None
    n_iter_no_change: int
    refit: bool
    random_state: Any
    n_jobs: int | None
    trees_: Table
    baseline_: FloatArray

    _grids: dict = {"default": {"max_leaf_nodes": [4, 8, 16], "reg": [0.1, 1.0, 10.0]}}
    _parameter_constraints: dict = {
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [Interval(Real, 0, 1, closed="right")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _grow(self, rows: Rows, held: Rows | None, n_iter: int, seed: int) -> Grown:
        """Grow trees on rows; with held-out rows, until their loss stops to fall."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; numbers may be missing (NaN).
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; those of weight zero are left out.

        Returns
        -------
        self : object
            Fitted.
        """
        rows = Rows(*check_tree_data(self, X, y, sample_weight))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        train, held = self._hold_out(rows, seed)
        grown = self._grow(train, held, self.max_iter, seed)
        self.validation_loss_ = np.array(grown.losses)
        if held is not None and self.refit:
            best = int(np.argmin(grown.losses))
            grown, train = self._grow(rows, None, best, seed), rows
        self.baseline_, self.trees_ = train.baseline(), grown.trees
        self.best_iteration_ = len(self.trees_["sizes"]) // len(self.classes_)
        self.n_iter_ = max(self.best_iteration_, len(self.validation_loss_) - 1)
        self._walker = Walker(self.trees_, len(self.classes_), self.n_features_in_)
        return self

    def _hold_out(self, rows: Rows, seed: int) -> tuple[Rows, Rows | None]:
        """Training rows, and those that tell when to stop, if there are enough."""
        if self.validation_fraction is None:
            return rows, None
        order = np.random.RandomState(seed).permutation(len(rows.X))
        n_held = round(self.validation_fraction * len(order))
        if n_held in (0, len(order)):
            return rows, None
        # in their order, so that sums are those of the rows alone
        train, held = np.sort(order[n_held:]), np.sort(order[:n_held])
        return rows.take(train), rows.take(held)

    def _scores(self, X: Any) -> FloatArray:
        """Scores of the labels, whose softmax is the prediction."""
        check_is_fitted(self)
        X = check_tree_samples(self, X, reset=False, dtype=np.float64)
        scores = np.tile(self.baseline_, (len(X), 1))
        self._walker.add_to(scores, X, count_threads(self.n_jobs, X))
        return scores

    def predict(self, X: Any) -> FloatArray:
        """Take the softmax of the scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; numbers may be missing (NaN).

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex, without zeros.
        """
        return softmax(self._scores(X), axis=1)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the gains of all splits; zeros without splits."""
        check_is_fitted(self)
        inner = self.trees_["left"] >= 0
        gains = np.bincount(
            self.trees_["feature"][inner],
            weights=self.trees_["gain"][inner],
            minlength=self.n_features_in_,
        )
        total = gains.sum()
        return np.asarray(gains / total if total > 0 else gains, dtype=np.float64)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_walker", None)  # made again from the table
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {name: value for name, value in state.items() if name != "_walker"}
        if "trees_" in state:
            n_labels, n_features = len(state["classes_"]), state["n_features_in_"]
            check_table(state["trees_"], n_features, more=("gain",))
            table, baseline = state["trees_"], state["baseline_"]
            if table["value"].ndim != 1 or len(table["sizes"]) % n_labels:
                raise ValueError("trees of the labels")
            if baseline.shape != (n_labels,) or not np.isfinite(baseline).all():
                raise ValueError("baseline")
            state["_walker"] = Walker(table, n_labels, n_features)
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
