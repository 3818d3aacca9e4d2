"""AutoRULe: a non-negative, bounded, smooth projection that rebuilds its input."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from skldl._progress import report
from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._warnings import caller_level
from skldl.base import LinearProjectionMixin
from skldl.graphs import laplacian
from skldl.linalg import RowSpace
from skldl.projection._components import N_COMPONENTS, check_size
from skldl.projection._jplay_layers import (
    EXACT,
    heat_graph,
    layer_pencil,
    learn_layer,
    require_codes,
    require_mean,
    warn_if_cut,
)
from skldl.validation import check_features, require_range

#: Constraints that J-Play has, too.
LAYER_CONSTRAINTS: dict = {
    "n_components": N_COMPONENTS,
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"median"})],
    "penalty_growth": [Interval(Real, 1, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "engine": [
        StrOptions({"auto", "exact", "pynndescent"}),
        HasMethods(["fit", "kneighbors"]),
    ],
    "n_jobs": [Integral, None],
}


class AutoRULe(LinearProjectionMixin, BaseEstimator):
    r"""Auto-reconstructing unsupervised learning of one projection.

    .. math:: \min_\Theta \tfrac12 \|X - X \Theta^T \Theta\|_F^2
       + \tfrac{\eta}{2} \operatorname{tr}(\Theta X^T L X \Theta^T)
       \quad\text{s.t.}\quad X \Theta^T \ge 0,\ \|\Theta x_i\|_2 \le 1,

    with L the Laplacian of a neighbour graph with weights :math:`\exp(-g \|x_i -
    x_j\|^2)`. Samples can be reconstructed from the projection, neighbours stay close,
    and codes are small and non-negative.

    Parameters
    ----------
    n_components : int or float, default=2
        Size of the embedding; a float is a share of the features.
    smoothness_weight : float, default=0.1
        Weight :math:`\eta` of the smoothness over the graph.
    n_neighbors : int, default=10
        Neighbours in the graph, k.
    gamma : float or "median", default="median"
        :math:`g` of the graph's weights; "median" is :math:`1/2t^2` with t the median
        distance to the last neighbour.
    penalty_growth : float, default=2.0
        Factor :math:`\rho` of the penalty from one ADMM iteration to the next. It
        matters as much as the size; try 1.1, 1.2 and 1.5, too.
    max_iter : int, default=1000
        ADMM iterations at most.
    tol : float, default=1e-6
        Converged when the norms of all differences between the copies of the ADMM are
        below this.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        :math:`\Theta`; fewer rows than wanted if the rank of X is smaller.
    gamma_ : float
        :math:`g` of the graph's weights.
    residual_ : float
        Largest difference between copies at the end.
    n_iter_ : int
        ADMM iterations.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    JPlay : Stacks such layers and trains them together with labels.

    Notes
    -----
    Samples are rows here. The start is LPP's projection, turned so that mean codes are
    not negative; the paper leaves the signs open, and they matter. Codes of new samples
    are neither clipped nor bounded. Data whose mean is zero are refused, because only
    the zero projection is feasible for them; other negative entries are allowed. The
    problem is not convex and the growing penalty decides where its ADMM ends.

    References
    ----------
    .. [1] D. Hong, N. Yokoya, J. Xu, X. Zhu, "Joint & Progressive Learning from
       High-Dimensional Data for Multi-Label Classification", European
       Conference on Computer Vision, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from skldl.projection import AutoRULe
    >>> X = load_digits().data[:200] / 16
    >>> Z = AutoRULe(10).fit_transform(X)
    >>> Z.shape, bool(Z.min() > -1e-3)
    ((200, 10), True)
    """

    _parameter_constraints: dict = {
        **LAYER_CONSTRAINTS,
        "smoothness_weight": [Interval(Real, 0, None, closed="left")],
    }
    _grids: dict = {
        "default": {
            "n_components": [0.1, 0.3, 0.5],
            "smoothness_weight": [0.01, 0.1, 1.0],
            "penalty_growth": [1.2, 2.0],
        }
    }

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        smoothness_weight: float = 0.1,
        n_neighbors: int = 10,
        gamma: float | Literal["median"] = "median",
        penalty_growth: float = 2.0,
        max_iter: int = 1000,
        tol: float = 1e-6,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.smoothness_weight = smoothness_weight
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.penalty_growth = penalty_growth
        self.max_iter = max_iter
        self.tol = tol
        self.engine = engine
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.positive_only = True  # or nearly so: see the Notes
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        callback: Callable[[int, float], None] | None = None,
    ) -> Self:
        """Build the graph and learn the projection.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, not centred.
        y : ignored
            For scikit-learn's signature.
        callback : callable, default=None
            Called with the number of the iteration and the residual.

        Returns
        -------
        self : AutoRULe
        """
        X = check_features(self, X, dtype=np.float64)
        require_range(self, X)
        size = check_size(self.n_components, X.shape[1])
        require_mean(X, "AutoRULe")
        W, self.gamma_ = heat_graph(
            X, self.n_neighbors, self.gamma, engine=self.engine, n_jobs=self.n_jobs
        )

        def follow(iteration: int, residual: float) -> None:
            report("AutoRULe", iteration, self.max_iter, residual=residual)
            if callback is not None:
                callback(iteration, residual)

        space = RowSpace.of(X, rank_tol=EXACT)
        Z = space.coordinates
        solution = learn_layer(
            Z, W, layer_pencil(Z, laplacian(W)), size, self.smoothness_weight,
            growth=self.penalty_growth, max_iter=self.max_iter, tol=self.tol,
            callback=follow,
        )  # fmt: skip
        warn_if_cut(len(solution.x), size, 1)
        if not solution.converged:
            warnings.warn(
                f"AutoRULe did not converge in max_iter={self.max_iter} iterations: "
                f"residual {solution.residual:.3g}, tol={self.tol:g}. Features of "
                "moderate size, such as X divided by its maximum, converge best.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        require_codes(X, Z @ solution.x.T, "AutoRULe")
        self.components_ = space.lift(solution.x.T).T
        self.residual_, self.n_iter_ = solution.residual, solution.n_iter
        return self
