"""One neighbour search for everybody: exact or approximate, never the sample itself.

Engines only find candidates. Distances are computed again from differences, because
engines built on matrix products give 1e-8 where duplicates are 0 apart; the final order
is by distance, then by row number, and where several rows stand at the last distance
those with the lowest numbers are kept, whatever the engine and the number of threads.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from skldl._typing import FloatArray, IndexArray
from skldl.graphs._distances import METRICS, nearest_rows, row_distances
from skldl.graphs._engines import make_engine
from skldl.graphs._rescale import fit_frame
from skldl.graphs._rows import all_found, check_count, check_rows, drop_self

_RECALL_ROWS = 200
_LOW_RECALL = 0.9  # below this an approximate graph comes with a warning
_EPS = np.finfo(np.float64).eps
# a product-based search may err by this share of the last distance, no more
_TRUSTED = 1e-9


@dataclass(frozen=True)
class NeighborGraph:
    """Nearest neighbours of every row, nearest first, never the row itself.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
        Row numbers of the neighbours.
    distances : ndarray of shape (n_samples, n_neighbors)
        Their distances.
    recall : float
        Share of true neighbours found: 1.0 for the exact engine, measured on a
        sample of rows for others, NaN for queries to others.
    index : NeighborIndex or None
        Where :meth:`query` looks new points up.
    of_queries : bool
        Whether the rows are new points, so that this is not a graph among samples.
    """

    indices: IndexArray
    distances: FloatArray
    recall: float = 1.0
    index: "NeighborIndex | None" = field(default=None, repr=False, compare=False)
    of_queries: bool = False

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.indices)

    @property
    def n_neighbors(self) -> int:
        """Number of neighbours per row."""
        return self.indices.shape[1]

    def truncate(self, n_neighbors: int) -> "NeighborGraph":
        """Give the graph of fewer neighbours, without a second search.

        Parameters
        ----------
        n_neighbors : int
            At most the present number.

        Returns
        -------
        graph : NeighborGraph
        """
        if not 1 <= n_neighbors <= self.n_neighbors:
            raise ValueError(
                f"n_neighbors must be between 1 and {self.n_neighbors}, the number in "
                f"this graph, got {n_neighbors}."
            )
        return NeighborGraph(
            self.indices[:, :n_neighbors],
            self.distances[:, :n_neighbors],
            self.recall,
            self.index,
            self.of_queries,
        )

    def query(self, X: Any, n_neighbors: int | None = None) -> "NeighborGraph":
        """Find the nearest of the graph's rows for new points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features)
            New points; a point equal to a row of the graph finds that row.
        n_neighbors : int, default=None
            How many; None takes the graph's number.

        Returns
        -------
        graph : NeighborGraph
            One row per new point.
        """
        if self.index is None:
            raise ValueError(
                "This graph has no index to query; make it with neighbor_graph(X, k)."
            )
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        return self.index.query(X, count)


class NeighborIndex:
    """Rows indexed for neighbour search by a chosen engine.

    Parameters
    ----------
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        ``"exact"`` is scikit-learn's search. ``"pynndescent"`` is approximate
        (extra ``ann``). ``"auto"`` is exact up to 50,000 rows or 15 features, or
        where pynndescent is not installed, and approximate beyond. Any object
        with ``fit(X)`` and ``kneighbors(X, n_neighbors)`` works; it is copied.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance; cosine refuses rows of zeros.
    random_state : int, RandomState or None, default=0
        Seed of the approximate engine and of its recall estimate.
    n_jobs : int or None, default=None
        Threads of the search.

    Examples
    --------
    >>> from skldl.graphs import NeighborIndex
    >>> index = NeighborIndex().fit([[0.0], [1.0], [3.0]])
    >>> index.query([[2.9]], 2).indices
    array([[2, 1]])
    """

    def __init__(
        self,
        engine: Any = "auto",
        *,
        metric: str = "euclidean",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.engine = engine
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any) -> "NeighborIndex":
        """Index the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to be found.

        Returns
        -------
        self : NeighborIndex
        """
        if self.metric not in METRICS:
            raise ValueError(
                f"metric must be one of {', '.join(METRICS)}, got {self.metric!r}."
            )
        X = check_rows(X)
        self.frame_ = fit_frame(X, self.metric)
        self.rows_ = self.frame_.apply(X)
        self.engine_ = make_engine(
            self.engine,
            self.rows_.shape,
            metric=self.frame_.metric,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        self.exact_ = isinstance(self.engine, str) and isinstance(
            self.engine_, NearestNeighbors
        )
        if not self.exact_:
            self.engine_.fit(self.rows_)
        return self

    def graph(self, n_neighbors: int, rows: IndexArray | None = None) -> NeighborGraph:
        """Find the neighbours of every indexed row among the others.

        Parameters
        ----------
        n_neighbors : int
            How many, at most the number of rows less one.
        rows : ndarray of shape (n_rows,), default=None
            Numbers of the rows to find them for; None for all.

        Returns
        -------
        graph : NeighborGraph
        """
        n_samples = self.rows_.shape[0]
        others = n_samples - 1
        check_count(n_neighbors, others, f"the other samples of {n_samples}")
        own = np.arange(n_samples) if rows is None else rows
        X = self.rows_ if rows is None else self.rows_[rows]
        if self.exact_:
            pairs = self._search(X, n_neighbors, own)
            return self._graph(*pairs, of_queries=rows is not None)
        wanted = min(n_neighbors + 1, n_samples)
        if rows is not None:
            found = all_found(self.engine_.kneighbors(X, wanted)[1])
            pairs = self._order(X, drop_self(found, own))
            return self._graph(*pairs, recall=float("nan"), of_queries=True)
        if hasattr(self.engine_, "own_neighbors"):
            found = self.engine_.own_neighbors(wanted)
        else:
            found = self.engine_.kneighbors(self.rows_, wanted)[1]
        found = drop_self(all_found(found))
        indices, distances = self._order(self.rows_, found)
        recall = self._recall(distances)
        if recall < _LOW_RECALL:
            warnings.warn(
                f"The approximate search found only {recall:.0%} of the true "
                "neighbours on a sample of rows; use engine='exact' or another engine.",
                UserWarning,
                stacklevel=3,
            )
        return self._graph(indices, distances, recall=recall)

    def query(self, X: Any, n_neighbors: int) -> NeighborGraph:
        """Find the nearest indexed rows of new points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features)
            New points.
        n_neighbors : int
            How many, at most the number of indexed rows.

        Returns
        -------
        graph : NeighborGraph
            One row per new point.
        """
        X = self._checked(X, n_neighbors)
        if self.exact_:
            return self._graph(*self._search(X, n_neighbors), of_queries=True)
        found = all_found(self.engine_.kneighbors(X, n_neighbors)[1])
        indices, distances = self._order(X, found)
        return self._graph(indices, distances, recall=float("nan"), of_queries=True)

    def _checked(self, X: Any, n_neighbors: int) -> Any:
        """New points, validated and moved into the frame."""
        X = check_rows(X)
        n_samples, n_features = self.rows_.shape
        if X.shape[1] != n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, but the index has {n_features}."
            )
        check_count(n_neighbors, n_samples, "the indexed samples")
        return self.frame_.apply(X, like=self.rows_)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a search tree: a file must not bring its unchecked pointers."""
        state = self.__dict__.copy()
        if isinstance(state.get("engine_"), NearestNeighbors):
            state["engine_"] = clone(state["engine_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Build a tree that the user chose again; others are built when needed."""
        self.__dict__.update(state)
        if isinstance(state.get("engine_"), NearestNeighbors) and not self.exact_:
            self.engine_.fit(self.rows_)

    def _graph(
        self,
        indices: IndexArray,
        distances: FloatArray,
        recall: float = 1.0,
        of_queries: bool = False,
    ) -> NeighborGraph:
        distances = self.frame_.restore(distances)
        return NeighborGraph(indices, distances, recall, self, of_queries)

    def _order(self, X: Any, found: IndexArray) -> tuple[IndexArray, FloatArray]:
        distances = row_distances(X, self.rows_, found, self.frame_.metric)
        order = np.lexsort((found, distances), axis=1)
        indices = np.take_along_axis(found, order, axis=1).astype(np.intp)
        return indices, np.take_along_axis(distances, order, axis=1)

    def _search(
        self, X: Any, k: int, own: IndexArray | None = None
    ) -> tuple[IndexArray, FloatArray]:
        """The k nearest rows, exactly; ``own`` numbers X if it is of the rows."""
        n_samples, engine = self.rows_.shape[0], self._built()
        if own is None:
            found = engine.kneighbors(X, min(k + 1, n_samples), return_distance=False)
        elif len(own) == n_samples:
            wanted = min(k + 1, n_samples - 1)
            found = engine.kneighbors(n_neighbors=wanted, return_distance=False)
        else:
            wanted = min(k + 2, n_samples)
            found = engine.kneighbors(X, wanted, return_distance=False)
            found = drop_self(found, own)
        with np.errstate(over="ignore", invalid="ignore"):  # points may be far beyond
            return self._order_and_recheck(X, found, k, own)

    def _built(self) -> NearestNeighbors:
        """The exact engine, built at the first question that needs it."""
        if not hasattr(self.engine_, "n_samples_fit_"):
            self.engine_ = clone(self.engine_).fit(self.rows_)
        return self.engine_

    def _order_and_recheck(
        self, X: Any, found: IndexArray, k: int, own: IndexArray | None
    ) -> tuple[IndexArray, FloatArray]:
        """Order the candidates; look again where they cannot be trusted."""
        indices, distances = self._order(X, found)
        last = distances[:, k - 1]
        doubtful = np.zeros(len(last), dtype=bool)
        if distances.shape[1] > k:  # a tie at the end: the lowest numbers stay
            doubtful = distances[:, k] <= last * (1 + 1e-12)
        if self.frame_.metric == "euclidean" and not sp.issparse(X):
            size = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
            lost = 16 * _EPS * (size + last) ** 2 > _TRUSTED * last**2
            doubtful |= lost & (last > 0)
        indices, distances = indices[:, :k], distances[:, :k]
        rows = np.flatnonzero(doubtful)
        if len(rows):
            indices[rows], distances[rows] = nearest_rows(
                X[rows],
                self.rows_,
                k,
                reach=last[rows],
                metric=self.frame_.metric,
                own=None if own is None else own[rows],
            )
        return indices, distances

    def _recall(self, distances: FloatArray) -> float:
        """Share of true neighbours found, on a sample; ties count as found."""
        n_samples, k = distances.shape
        rng = check_random_state(self.random_state)
        rows = rng.choice(n_samples, min(_RECALL_ROWS, n_samples), replace=False)
        exact = NearestNeighbors(metric=self.frame_.metric, n_jobs=self.n_jobs)
        found = exact.fit(self.rows_).kneighbors(
            self.rows_[rows], k + 1, return_distance=False
        )
        truth = drop_self(found, rows)
        radius = row_distances(
            self.rows_[rows], self.rows_, truth, self.frame_.metric
        ).max(axis=1)
        return float(np.mean(distances[rows] <= radius[:, None] * (1 + 1e-9)))


def neighbor_graph(
    X: Any,
    n_neighbors: int,
    *,
    engine: Any = "auto",
    metric: str = "euclidean",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> NeighborGraph:
    """Find every row's nearest neighbours: nearest first, never the row itself.

    Among exact duplicates a row is excluded by its number, not by its distance,
    so a duplicate may be a neighbour but the row itself never is. Equally distant
    neighbours come, and are kept, in the order of their row numbers.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples.
    n_neighbors : int
        Neighbours per row, at most ``n_samples - 1``.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        See :class:`NeighborIndex`: exact up to 50,000 rows or 15 features.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance.
    random_state : int, RandomState or None, default=0
        Seed of an approximate engine.
    n_jobs : int or None, default=None
        Threads of the search.

    Returns
    -------
    graph : NeighborGraph
        ``indices``, ``distances``, ``recall``; ``truncate(k)`` for fewer
        neighbours, ``query(X)`` for new points.

    Examples
    --------
    >>> from skldl.graphs import neighbor_graph
    >>> graph = neighbor_graph([[0.0], [0.0], [1.0], [5.0]], 2)
    >>> graph.indices
    array([[1, 2],
           [0, 2],
           [0, 1],
           [2, 0]])
    """
    index = NeighborIndex(
        engine, metric=metric, random_state=random_state, n_jobs=n_jobs
    )
    return index.fit(X).graph(n_neighbors)
