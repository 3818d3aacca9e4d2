"""Large-margin weighted nearest neighbours: LWkNN-LDL and LDkNN-LDL."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import entr
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from skldl._matrix import caller_level
from skldl._progress import report
from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.graphs import NeighborGraph, NeighborIndex, neighbor_mean
from skldl.objectives import NeighborMargin
from skldl.solvers import barrier_lbfgs, barrier_newton
from skldl.validation import check_fit_data

_DENSE_HESSIAN = 4000  # weights; with more, "auto" does without Newton steps
_PREDICT_ROWS = 1 << 16
_NO_LEAD = 1e-10  # a mean lead of rounding errors


class _MarginKNN(DistributionPredictorMixin, BaseEstimator):
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
    coef_: FloatArray

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Find every sample's neighbours and learn how to weight them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.

        Returns
        -------
        self : estimator
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True, keep_float32=True)
        self._check_enough(self.n_neighbors, len(D))
        report(f"{type(self).__name__}: neighbours", 0)
        self.index_ = NeighborIndex(self.engine, n_jobs=self.n_jobs).fit(X)
        graph = self.index_.graph(self.n_neighbors)
        report(f"{type(self).__name__}: neighbours", 1, 1, recall=graph.recall)
        self.distributions_ = D
        self._learn(graph, D, X.dtype)
        return self

    def _learn(self, graph: NeighborGraph, D: FloatArray, dtype: Any) -> Self:
        """Learn the weights from a neighbour graph of the training samples."""
        inputs = self._fit_inputs(graph.distances)
        margin, slope = resolve_margin(self.margin, self.margin_weight, D)
        loss = NeighborMargin(
            D,
            graph.indices.astype(np.int32),
            None if inputs is None else inputs.astype(dtype, copy=False),
            margin=margin,
            slope=slope,
            loss_weight=None if self.loss_weight is None else entropy_weights(D),
            reg=self.reg,
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
        self.coef_ = solution.x
        self.objective_ = solution.value
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
        return np.broadcast_to(self.coef_, distances.shape)

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
        check_is_fitted(self, "coef_")
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32)
        )
        P = np.empty((X.shape[0], self.distributions_.shape[1]))
        for start in range(0, len(P), _PREDICT_ROWS):
            rows = slice(start, start + _PREDICT_ROWS)
            graph = self.index_.query(X[rows], len(self.coef_))
            P[rows] = self._combine(graph, self.distributions_)
            report(f"{type(self).__name__}: predict", min(rows.stop, len(P)), len(P))
        return P

    def _combine(self, graph: NeighborGraph, D: FloatArray) -> FloatArray:
        weights, _ = self._weights(graph.distances)
        return neighbor_mean(D, graph.indices, weights)

    def make_search(self, grid: Any, *, scoring: Any, cv: Any) -> Any:
        """Search a grid by the path tool, which searches neighbours once per fold.

        Parameters
        ----------
        grid : dict of str to list
            Parameters to search.
        scoring : callable
            Scorer.
        cv : splitter
            Folds.

        Returns
        -------
        search : NeighborSearchCV
        """
        from skldl.ldl._neighbor_search import NeighborSearchCV

        return NeighborSearchCV(self, grid, scoring=scoring, cv=cv)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LWkNN(_MarginKNN):
    r"""Nearest neighbours with learned weights and a large margin (LWkNN-LDL).

    .. math:: \min_w \sum_i \lVert d_i - A_i w \rVert_1
       + \frac{\lambda_2}{\rho} \sum_i \sum_{l \ne \ell_i}
         [\rho - (p_{i\ell_i} - p_{il})]_+
       + \frac{\lambda_1}{2} \lVert w \rVert^2, \qquad p_i = A_i w,

    where the columns of :math:`A_i` are the distributions of the k nearest neighbours
    of sample i, nearest first and without the sample itself, and :math:`\ell_i` is its
    largest label. The first term fits the distribution; the second wants the largest
    label to lead by a margin, because in the end a label is chosen. A prediction uses
    the weights clipped at 0 and normalised.

    Parameters
    ----------
    n_neighbors : int, default=11
        Neighbours, k.
    margin : float, "mean" or "sample", default=0.1
        :math:`\rho`. ``"mean"`` takes the mean lead of the largest degree over the
        second in the training distributions, ``"sample"`` each sample's own lead.
    margin_weight : float, default=1.0
        :math:`\lambda_2`; 0 gives WkNN-LDL.
    reg : float, default=1e-3
        :math:`\lambda_1`.
    loss_weight : "entropy" or None, default=None
        ``"entropy"`` weights the absolute error of a degree by the degree times the
        entropy of its distribution, as the authors' code does.
    solver : {"auto", "newton", "lbfgs"}, default="auto"
        ``"newton"`` follows the barrier path by Newton steps; ``"lbfgs"`` solves the
        same levels without Hessians; ``"auto"`` takes the former up to 4,000 weights.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    max_iter : int, default=500
        Iterations at most.
    tol : float, default=1e-5
        Relative gap to the optimum that will do.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    coef_ : ndarray of shape (n_neighbors,)
        Learned weights, nearest neighbour first, before clipping.
    objective_ : float
        The objective there.
    dual_gap_ : float
        Certificate: the objective exceeds its minimum by at most this share of it (or
        of 1e-4 per sample, if that is more); infinite if there is no proof.
    n_iter_ : int
        Iterations taken.
    n_fallback_ : int
        Training samples whose clipped weights vanish; they get uniform weights, as
        any such sample in ``predict``.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    distributions_ : ndarray of shape (n_samples, n_labels)
        Training distributions.
    index_ : NeighborIndex
        The training samples, indexed.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LDkNN : Weights that depend on the distances.
    NeighborSearchCV : Its parameters by cross-validation, from one search per fold.

    Notes
    -----
    Scale the features first; the weights cannot repair a bad metric.

    The objective is the paper's; the authors' code differs from it (its margin term is
    not divided by :math:`\rho`, LWkNN has no ridge, the loss is weighted by entropy).
    The paper's gradient descent ends far from the optimum; here a barrier method ends
    with a proof of how near it is. With ``margin="sample"`` all samples share the
    slope :math:`\lambda_2 / \bar\rho` of the mean lead, because a lead of nearly 0
    would otherwise outweigh all others. Data without any lead have no margin term.

    Equally distant neighbours are taken in the order of their rows. Where duplicates
    carry different distributions, that order matters a little.

    References
    ----------
    .. [1] J. Wang, X. Geng, "Large Margin Weighted k-Nearest Neighbors Label
       Distribution Learning for Classification", IEEE Transactions on Neural Networks
       and Learning Systems.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LWkNN
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LWkNN(n_neighbors=7).fit(X, D)
    >>> model.coef_.shape, model.dual_gap_ < 1e-5, model.predict(X[:2]).shape
    ((7,), True, (2, 5))
    """

    # the paper's range
    _search_grid: dict = {"n_neighbors": [11, 13, 15, 17, 19, 21]}

    def __init__(
        self,
        n_neighbors: int = 11,
        *,
        margin: float | str = 0.1,
        margin_weight: float = 1.0,
        reg: float = 1e-3,
        loss_weight: str | None = None,
        solver: str = "auto",
        engine: Any = "auto",
        max_iter: int = 500,
        tol: float = 1e-5,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.margin = margin
        self.margin_weight = margin_weight
        self.reg = reg
        self.loss_weight = loss_weight
        self.solver = solver
        self.engine = engine
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs


class LDkNN(_MarginKNN):
    r"""Nearest neighbours weighted by a learned map of their distances (LDkNN-LDL).

    The objective of :class:`LWkNN` with the weights of sample i,

    .. math:: w_i = W u_i, \qquad W \in \mathbb{R}^{k \times k},

    where :math:`u_i` holds the distances to its k neighbours, nearest first, and the
    ridge is on W.

    Parameters
    ----------
    n_neighbors : int, default=11
        Neighbours, k.
    distance_norm : {"row", "global", "none"}, default="row"
        What distances are divided by: their mean over the sample's neighbours, the
        mean over all, or nothing, which is the paper's choice.
    margin : float, "mean" or "sample", default=0.1
        :math:`\rho`, see :class:`LWkNN`.
    margin_weight : float, default=1.0
        :math:`\lambda_2`; 0 gives DkNN-LDL.
    reg : float, default=1e-3
        :math:`\lambda_1`. The paper's value is small for :math:`k^2` weights; with
        normalised distances 1 to 10 predicts better.
    loss_weight : "entropy" or None, default=None
        See :class:`LWkNN`.
    solver : {"auto", "newton", "lbfgs"}, default="auto"
        See :class:`LWkNN`; Newton's Hessian has :math:`k^4` entries.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    max_iter : int, default=500
        Iterations at most.
    tol : float, default=1e-5
        Relative gap to the optimum that will do.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    coef_ : ndarray of shape (n_neighbors, n_neighbors)
        Learned map W from distances to weights.
    scale_ : float
        What ``distance_norm="global"`` divides by; 1 otherwise.
    objective_ : float
        The objective there.
    dual_gap_ : float
        Certificate: the objective exceeds its minimum by at most this share of it (or
        of 1e-4 per sample, if that is more); infinite if there is no proof.
    n_iter_ : int
        Iterations taken.
    n_fallback_ : int
        Training samples whose clipped weights vanish; they get uniform weights, as
        any such sample in ``predict``.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    distributions_ : ndarray of shape (n_samples, n_labels)
        Training distributions.
    index_ : NeighborIndex
        The training samples, indexed.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LWkNN : One weight per neighbour for all samples.
    NeighborSearchCV : Its parameters by cross-validation, from one search per fold.

    Notes
    -----
    With raw distances a sample whose neighbours are twice as far gets twice the total
    weight, though the loss wants about 1 from every sample: the model is then a
    restriction of :class:`LWkNN`, and the ridge depends on the units of the features.
    Divided by their mean in each row, distances let :math:`W = w 1^T / k` reproduce
    LWkNN, so that LDkNN can only fit better. A sample whose neighbours all coincide
    with it has inputs 0, hence uniform weights.

    References
    ----------
    .. [1] J. Wang, X. Geng, "Large Margin Weighted k-Nearest Neighbors Label
       Distribution Learning for Classification", IEEE Transactions on Neural Networks
       and Learning Systems.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDkNN, LWkNN
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDkNN(n_neighbors=7, reg=0.0).fit(X, D)
    >>> model.coef_.shape
    (7, 7)
    >>> model.objective_ <= LWkNN(n_neighbors=7, reg=0.0).fit(X, D).objective_
    True
    """

    _parameter_constraints: dict = {
        **_MarginKNN._parameter_constraints,
        "distance_norm": [StrOptions({"row", "global", "none"})],
    }

    _search_grid: dict = {"n_neighbors": [11, 15, 21], "reg": [1e-3, 1.0, 10.0]}

    def __init__(
        self,
        n_neighbors: int = 11,
        *,
        distance_norm: str = "row",
        margin: float | str = 0.1,
        margin_weight: float = 1.0,
        reg: float = 1e-3,
        loss_weight: str | None = None,
        solver: str = "auto",
        engine: Any = "auto",
        max_iter: int = 500,
        tol: float = 1e-5,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.distance_norm = distance_norm
        self.margin = margin
        self.margin_weight = margin_weight
        self.reg = reg
        self.loss_weight = loss_weight
        self.solver = solver
        self.engine = engine
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _fit_inputs(self, distances: FloatArray) -> FloatArray | None:
        self.scale_ = 1.0
        if self.distance_norm == "global":
            self.scale_ = float(distances.mean()) or 1.0
        return self._inputs(distances)

    def _inputs(self, distances: FloatArray) -> FloatArray:
        if self.distance_norm != "row":
            return distances / self.scale_
        mean = distances.mean(axis=1, keepdims=True)
        return distances / np.where(mean > 0, mean, 1.0)

    def _coefficients(self, distances: FloatArray) -> FloatArray:
        return self._inputs(distances) @ self.coef_.T


def resolve_margin(
    margin: float | str, margin_weight: float, D: FloatArray
) -> tuple[float | FloatArray, float]:
    """The margins wanted, and the slope of their loss."""
    if not isinstance(margin, str):
        return float(margin), margin_weight / margin
    if D.shape[1] < 2:
        return 0.0, 0.0
    top = np.partition(D, -2, axis=1)[:, -2:]
    leads = top[:, 1] - top[:, 0]
    mean = float(leads.mean())
    slope = margin_weight / mean if mean > _NO_LEAD else 0.0
    return (mean if margin == "mean" else leads), slope


def entropy_weights(D: FloatArray) -> FloatArray:
    """Each degree times the entropy of its distribution."""
    return entr(D).sum(axis=1, keepdims=True) * D
