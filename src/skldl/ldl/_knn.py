"""Nearest-neighbour averages of distributions."""

from collections.abc import Iterable
from functools import partial
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.graphs import (
    LeftOutNeighbors,
    NeighborGraph,
    NeighborIndex,
    cumulative_means,
    left_out_neighbors,
    neighbor_mean,
)
from skldl.ldl._neighbor_path import neighbor_settings_path, path_axes
from skldl.metrics import kl_divergence
from skldl.validation import check_fit_data, check_samples, weighted_rows

# the published rule floors its weights at float32's epsilon
_FLOOR = float(np.finfo(np.float32).eps)


class AAkNN(DistributionPredictorMixin, BaseEstimator):
    r"""Average the label distributions of the nearest training samples.

    .. math:: p(x) = \sum_{j=1}^{k} w_j \, d_{(j)}, \qquad \sum_j w_j = 1,

    with :math:`d_{(j)}` the distribution of the j-th nearest training sample at
    distance :math:`r_j`.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        Number of neighbours, k. ``"auto"`` takes the number, of 3, 5, 7, 10, 15 and so
        on to 250, whose predictions of left-out training samples diverge least from
        the truth. The published numbers have k from 5 to 15.
    weights : {"uniform", "dudani", "distance"}, default="uniform"
        ``"uniform"`` is AA-kNN. ``"dudani"`` is the linear rule
        :math:`w_j \propto (r_k - r_j)/(r_k - r_1)`, which the published DAA-kNN
        numbers use. ``"distance"`` is :math:`w_j \propto 1/r_j`.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance between samples.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`: exact up to
        50,000 training samples or 15 features.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    n_neighbors_ : int
        Number of neighbours that predictions average; all samples if they are equal,
        since none of them is nearer than another.
    distributions_ : ndarray of shape (n_samples, n_labels)
        The training distributions.
    sample_weight_ : ndarray of shape (n_samples,) or None
        Weights of the training samples.
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
    MeanDistribution : The limit of all training samples as neighbours.

    Notes
    -----
    Scale the features first (a ``StandardScaler`` in a ``Pipeline``): on many data
    sets that matters more than the choice of method.

    Deviations: DAA-kNN's paper speaks of inverse distances while its code weights
    linearly; both are here under their own names. The linear rule floors weights
    at float32's epsilon as that code does, so k equally distant neighbours get
    equal weights and the k-th of unequal ones practically none. With
    ``weights="distance"`` a sample that coincides with training samples takes the
    mean of exactly those.

    More neighbours than training samples is an error in ``fit``.

    With ``n_neighbors="auto"``, ``fit`` leaves out each training sample, or 5000 evenly
    spaced ones if there are more, and averages the distributions of its nearest others.
    One search of neighbours serves all numbers. The mean
    :func:`~skldl.metrics.kl_divergence` decides, in which samples count by their
    weights. It became the default because it beats the mean distribution where 5
    neighbours do not: ``python bench/defaults.py`` measures it on folds inside training
    parts of the data sets, with standardised features.

    With ``sample_weight`` the neighbours stay the k nearest samples, whatever their
    weights. So a sample of weight 2 takes one of the k places, where two equal samples
    would take two.

    References
    ----------
    .. [1] X. Geng, "Label Distribution Learning", IEEE Transactions on Knowledge
       and Data Engineering 28(7), 2016.
    .. [2] S. A. Dudani, "The Distance-Weighted k-Nearest-Neighbor Rule", IEEE
       Transactions on Systems, Man, and Cybernetics SMC-6(4), 1976.

    Examples
    --------
    >>> from skldl.ldl import AAkNN
    >>> X = [[0.0], [1.0], [2.0], [10.0]]
    >>> D = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 1.0]]
    >>> model = AAkNN(n_neighbors=2).fit(X, D)
    >>> model.predict([[0.4], [9.0]])
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """

    _parameter_constraints: dict = {
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "weights": [StrOptions({"uniform", "dudani", "distance"})],
        "metric": [StrOptions({"euclidean", "manhattan", "cosine"})],
        "engine": [
            StrOptions({"auto", "exact", "pynndescent"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "n_jobs": [Integral, None],
    }

    _learns_from_neighbors = False
    # what comparisons tune over
    _grids: dict = {"default": {"n_neighbors": [3, 5, 7, 10, 15, 30, 60, 120, 250]}}

    def __init__(
        self,
        n_neighbors: int | Literal["auto"] = "auto",
        *,
        weights: str = "uniform",
        metric: str = "euclidean",
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.engine = engine
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Index the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples: that of a neighbour multiplies its share in the
            average. Samples of weight 0 are left out.

        Returns
        -------
        self : AAkNN
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True, keep_float32=True)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        if self.n_neighbors != "auto":
            self._check_enough(self.n_neighbors, len(D))
        self.distributions_ = D
        self.sample_weight_ = sample_weight
        index = NeighborIndex(self.engine, metric=self.metric, n_jobs=self.n_jobs)
        self.index_ = index.fit(X)
        if all_rows_equal(X):
            self.n_neighbors_ = len(D)  # all are equally near
        elif self.n_neighbors == "auto":
            left_out = left_out_neighbors(self.index_)
            self.n_neighbors_ = self._best_count(left_out, D, sample_weight)
        else:
            self.n_neighbors_ = self.n_neighbors
        return self

    def predict(self, X: Any) -> FloatArray:
        """Average the distributions of each sample's nearest training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. A training sample counts as its own neighbour here.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = check_samples(self, X, reset=False, accept_sparse=True, keep_float32=True)
        graph = self.index_.query(X, self.n_neighbors_)
        return self._combine(graph, self.distributions_, self.sample_weight_)

    def _best_count(
        self,
        left_out: LeftOutNeighbors | None,
        D: FloatArray,
        sample_weight: FloatArray | None = None,
    ) -> int:
        """Number of neighbours that predicts left-out samples best."""
        if left_out is None:
            return 1
        graph = left_out.graph
        means: Iterable[FloatArray]
        if self.weights == "dudani":  # its weights depend on the last neighbour
            means = (
                self._combine(graph.truncate(k), D, sample_weight)
                for k in left_out.counts
            )
        else:
            weights = neighbor_weights(graph.distances, self.weights)
            if sample_weight is not None:
                weights *= sample_weight[graph.indices]
            means = cumulative_means(D, graph.indices, weights, left_out.counts)
        loss = partial(kl_divergence, average=None)
        return left_out.best_count(means, D, loss, sample_weight)

    def _combine(
        self,
        graph: NeighborGraph,
        D: FloatArray,
        sample_weight: FloatArray | None = None,
    ) -> FloatArray:
        weights = neighbor_weights(graph.distances, self.weights)
        if sample_weight is not None:
            weights *= sample_weight[graph.indices]
            weights /= weights.sum(axis=1, keepdims=True)
        return neighbor_mean(D, graph.indices, weights)

    @staticmethod
    def _check_enough(n_neighbors: int, n_samples: int) -> None:
        if n_neighbors > n_samples:
            raise ValueError(
                f"n_neighbors={n_neighbors} is more than n_samples={n_samples} "
                "training samples can give. Lower n_neighbors or add samples."
            )

    @property
    def _path_axes(self) -> tuple[str, ...]:
        return path_axes(self)

    def _path(self, X: Any, D: FloatArray, X_test: Any, settings: Any) -> Any:
        return neighbor_settings_path(X, D, X_test, settings, self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def all_rows_equal(X: Any) -> bool:
    """Whether all samples are the same, so that none of them is nearer than others."""
    if sp.issparse(X):
        return X.shape[0] > 1 and abs(X - X[[0] * X.shape[0]]).nnz == 0
    return len(X) > 1 and bool((X[:2] == X[0]).all() and (X[0] == X).all())


def neighbor_weights(distances: FloatArray, rule: str) -> FloatArray:
    """Weights of neighbours from their sorted distances; rows sum to 1."""
    if rule == "dudani":
        nearest, farthest = distances[:, :1], distances[:, -1:]
        spread = farthest - nearest
        weights = np.maximum(farthest - distances, 0.0)
        np.divide(weights, spread, out=weights, where=spread > 0)
        weights = np.maximum(weights, _FLOOR)
    elif rule == "distance":
        coincident = distances == 0
        exact = coincident.any(axis=1, keepdims=True)
        apart = np.where(exact, 1.0, distances)
        # relative to the nearest, so that tiny distances cannot overflow
        weights = np.where(exact, coincident, apart[:, :1] / apart)
    else:
        weights = np.ones_like(distances)
    return weights / weights.sum(axis=1, keepdims=True)
