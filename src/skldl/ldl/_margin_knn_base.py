"""What LWkNN and LDkNN share: learn weights of neighbours, and average by them."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import entr
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from skldl._progress import report
from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.graphs import NeighborGraph, NeighborIndex, neighbor_mean
from skldl.ldl._neighbor_path import neighbor_settings_path, path_axes
from skldl.objectives import NeighborMargin
from skldl.solvers import barrier_lbfgs, barrier_newton
from skldl.validation import (
    check_features,
    check_fit_data,
    require_balance,
    weighted_rows,
)

_DENSE_HESSIAN = 4000  # weights; with more, "auto" does without Newton steps
_PREDICT_ROWS = 1 << 16
_NO_LEAD = 1e-10  # a mean lead of rounding errors


class MarginKNN(DistributionPredictorMixin, BaseEstimator):
    """What both methods share: neighbours, loss, solver, prediction."""

    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "margin": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"mean", "sample"}),
        ],
        "margin_weight": [Interval(Real, 0, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "loss_weight": [StrOptions({"entropy"}), None],
        "solver": [StrOptions({"auto", "newton", "lbfgs"})],
        "engine": [
            StrOptions({"auto", "exact", "pynndescent"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    _learns_from_neighbors = True

    n_neighbors: int
    margin: float | str
    margin_weight: float
    reg: float
    loss_weight: str | None
    solver: str
    engine: Any
    max_iter: int
    tol: float
    n_jobs: int | None
    neighbor_coef_: FloatArray

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find every sample's neighbours and learn how to weight them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of losses. A neighbour's weight does not
            change its share in a prediction. Samples of weight 0 are left out.

        Returns
        -------
        self : estimator
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True, keep_float32=True)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        self._check_enough(self.n_neighbors, len(D))
        require_balance(self, X)
        report(f"{type(self).__name__}: neighbours", 0)
        self.index_ = NeighborIndex(self.engine, n_jobs=self.n_jobs).fit(X)
        graph = self.index_.graph(self.n_neighbors)
        report(f"{type(self).__name__}: neighbours", 1, 1, recall=graph.recall)
        self.distributions_ = D
        self._learn(graph, D, X.dtype, sample_weight)
        return self

    def _learn(
        self,
        graph: NeighborGraph,
        D: FloatArray,
        dtype: Any,
        sample_weight: FloatArray | None = None,
    ) -> Self:
        """Learn the weights from a neighbour graph of the training samples."""
        inputs = self._fit_inputs(graph.distances)
        margin, slope = resolve_margin(
            self.margin, self.margin_weight, D, sample_weight
        )
        loss = NeighborMargin(
            D,
            graph.indices.astype(np.int32),
            None if inputs is None else inputs.astype(dtype, copy=False),
            margin=margin,
            slope=slope,
            loss_weight=None if self.loss_weight is None else entropy_weights(D),
            reg=self.reg,
            sample_weight=sample_weight,
        )
        solve = self._choose_solver(int(np.prod(loss.shape)))

        def follow(i: int, value: float, gap: float) -> None:
            task = f"{type(self).__name__}: weights"
            report(task, i, self.max_iter, objective=value, gap=gap)

        solution = solve(
            loss,
            self._start(inputs),
            max_iter=self.max_iter,
            tol=self.tol,
            callback=follow,
        )
        self.neighbor_coef_ = solution.x
        self.objective_ = solution.value
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = solution.n_iter
        self.dual_gap_ = solution.residual
        self.recall_ = graph.recall
        self.n_fallback_ = int(self._weights(graph.distances)[1].sum())
        if not solution.converged:
            other = ", or use solver='newton'" if solve is barrier_lbfgs else ""
            warnings.warn(
                f"{type(self).__name__} stopped after {solution.n_iter} iterations "
                f"with a relative gap of {solution.residual:.1e} to the optimum (tol="
                f"{self.tol:.1e}). Raise max_iter or tol{other}.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        return self

    @staticmethod
    def _check_enough(n_neighbors: int, n_samples: int) -> None:
        if n_samples < 2:
            raise ValueError(
                f"At least two samples are needed, got n_samples={n_samples}: a sample "
                "is learned from its neighbours."
            )
        if n_neighbors > n_samples - 1:
            raise ValueError(
                f"n_neighbors={n_neighbors} is more than the {n_samples - 1} other "
                f"samples of n_samples={n_samples}. Lower n_neighbors or add samples."
            )

    def _choose_solver(self, n_weights: int) -> Callable[..., Any]:
        newton = self.solver == "newton"
        newton |= self.solver == "auto" and n_weights <= _DENSE_HESSIAN
        return barrier_newton if newton else barrier_lbfgs

    def _fit_inputs(self, distances: FloatArray) -> FloatArray | None:
        """What each sample multiplies the weights by; None for nothing."""
        return None

    def _start(self, inputs: FloatArray | None) -> FloatArray:
        k = self.n_neighbors
        if inputs is None:
            return np.full(k, 1.0 / k)
        return np.full((k, k), 1.0 / (k * k * (float(inputs.mean()) or 1.0)))

    def _coefficients(self, distances: FloatArray) -> FloatArray:
        """Weights of each sample's neighbours as learned, of either sign."""
        return np.broadcast_to(self.neighbor_coef_, distances.shape)

    def _weights(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Clipped and normalised weights, and where nothing was left of them."""
        weights = np.maximum(self._coefficients(distances), 0.0)
        total = weights.sum(axis=1, keepdims=True)
        empty = ~(total[:, 0] > 0)
        weights[empty] = 1.0
        total[empty] = weights.shape[1]
        return weights / total, empty

    def predict(self, X: Any) -> FloatArray:
        """Combine the distributions of each sample's nearest training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. A training sample counts as its own neighbour here.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self, "neighbor_coef_")
        X = check_features(
            self, X, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32)
        )
        P = np.empty((X.shape[0], self.distributions_.shape[1]))
        for start in range(0, len(P), _PREDICT_ROWS):
            rows = slice(start, start + _PREDICT_ROWS)
            graph = self.index_.query(X[rows], len(self.neighbor_coef_))
            P[rows] = self._combine(graph, self.distributions_)
            report(f"{type(self).__name__}: predict", min(rows.stop, len(P)), len(P))
        return P

    def _combine(self, graph: NeighborGraph, D: FloatArray) -> FloatArray:
        weights, _ = self._weights(graph.distances)
        return neighbor_mean(D, graph.indices, weights)

    @property
    def _path_axes(self) -> tuple[str, ...]:
        return path_axes(self)

    def _path(self, X: Any, D: FloatArray, X_test: Any, settings: Any) -> Any:
        return neighbor_settings_path(X, D, X_test, settings, self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def resolve_margin(
    margin: float | str,
    margin_weight: float,
    D: FloatArray,
    sample_weight: FloatArray | None = None,
) -> tuple[float | FloatArray, float]:
    """The margins wanted, and the slope of their loss."""
    if not isinstance(margin, str):
        return float(margin), margin_weight / margin
    if D.shape[1] < 2:
        return 0.0, 0.0
    top = np.partition(D, -2, axis=1)[:, -2:]
    leads = top[:, 1] - top[:, 0]
    mean = float(np.average(leads, weights=sample_weight))
    slope = margin_weight / mean if mean > _NO_LEAD else 0.0
    return (mean if margin == "mean" else leads), slope


def entropy_weights(D: FloatArray) -> FloatArray:
    """Each degree times the entropy of its distribution."""
    return entr(D).sum(axis=1, keepdims=True) * D
