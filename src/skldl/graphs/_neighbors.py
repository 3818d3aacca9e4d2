"""One neighbour search for everybody: exact or approximate, never the sample itself.

Engines only find candidate indices. Distances are computed again from the rows
found, because engines built on matrix products give 1e-8 where duplicates are
0 apart, and the final order is by distance, then by row number.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray, IndexArray
from skldl.graphs._distances import METRICS, row_distances
from skldl.graphs._engines import make_engine

_RECALL_ROWS = 200
_FAR = 1e3  # how many spreads from the origin data may lie


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
        sample of rows for others.
    index : NeighborIndex or None
        Where :meth:`query` looks new points up.
    """

    indices: IndexArray
    distances: FloatArray
    recall: float = 1.0
    index: "NeighborIndex | None" = field(default=None, repr=False, compare=False)

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
        cut = slice(None, n_neighbors)
        return NeighborGraph(
            self.indices[:, cut], self.distances[:, cut], self.recall, self.index
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
                "This graph was made without an index, so it has no query."
            )
        return self.index.query(X, n_neighbors or self.n_neighbors)


class NeighborIndex:
    """Rows indexed for neighbour search by a chosen engine.

    Parameters
    ----------
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        ``"exact"`` is scikit-learn's search. ``"pynndescent"`` is approximate
        (extra ``ann``). ``"auto"`` is exact up to 50,000 rows or 15 features, or
        where pynndescent is not installed, and approximate beyond. Any object
        with ``fit(X)`` and ``kneighbors(X, n_neighbors)`` will do; it is cloned
        if scikit-learn can clone it.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance.
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
        self.rows_ = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        self.center_ = None if self.metric == "cosine" else _far_center(self.rows_)
        self.rows_ = self._centered(self.rows_)
        engine = make_engine(
            self.engine,
            self.rows_.shape,
            metric=self.metric,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        self.engine_ = engine.fit(self.rows_)
        return self

    @property
    def exact(self) -> bool:
        """Whether the engine in use is scikit-learn's exact search."""
        return isinstance(self.engine_, NearestNeighbors)

    def graph(self, n_neighbors: int) -> NeighborGraph:
        """Find the neighbours of every indexed row among the others.

        Parameters
        ----------
        n_neighbors : int
            How many, at most the number of rows less one.

        Returns
        -------
        graph : NeighborGraph
        """
        n_samples = self.rows_.shape[0]
        _check_count(n_neighbors, n_samples - 1, f"the other samples of {n_samples}")
        if self.exact:
            found = self.engine_.kneighbors(
                n_neighbors=n_neighbors, return_distance=False
            )
        else:
            wanted = min(n_neighbors + 1, n_samples)
            found = drop_self(self._ask(self.rows_, wanted))
        indices, distances = self._order(self.rows_, found)
        graph = NeighborGraph(indices, distances, index=self)
        if self.exact:
            return graph
        return NeighborGraph(indices, distances, self._recall(graph), self)

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
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        X = self._centered(X)
        _check_count(n_neighbors, self.rows_.shape[0], "the indexed samples")
        indices, distances = self._order(X, self._ask(X, n_neighbors))
        return NeighborGraph(indices, distances, index=self)

    def _centered(self, X: Any) -> Any:
        if self.center_ is None:
            return X
        return (X.toarray() if sp.issparse(X) else X) - self.center_

    def _ask(self, X: Any, n_neighbors: int) -> IndexArray:
        found = np.asarray(self.engine_.kneighbors(X, n_neighbors)[1])
        if (found < 0).any():
            raise RuntimeError(
                f"The neighbour engine found fewer than {n_neighbors} neighbours for "
                f"row {int(np.argmax((found < 0).any(axis=1)))}; use engine='exact'."
            )
        return found

    def _order(self, X: Any, found: IndexArray) -> tuple[IndexArray, FloatArray]:
        distances = row_distances(X, self.rows_, found, self.metric)
        order = np.lexsort((found, distances), axis=1)
        indices = np.take_along_axis(found, order, axis=1).astype(np.intp)
        return indices, np.take_along_axis(distances, order, axis=1)

    def _recall(self, graph: NeighborGraph) -> float:
        """Share of true neighbours found, on a sample; ties count as found."""
        n_samples, k = graph.indices.shape
        rng = check_random_state(self.random_state)
        rows = rng.choice(n_samples, min(_RECALL_ROWS, n_samples), replace=False)
        exact = NearestNeighbors(metric=self.metric, n_jobs=self.n_jobs)
        found = exact.fit(self.rows_).kneighbors(
            self.rows_[rows], k + 1, return_distance=False
        )
        truth = drop_self(found, rows)
        radius = row_distances(self.rows_[rows], self.rows_, truth, self.metric).max(1)
        return float(np.mean(graph.distances[rows] <= radius[:, None] * (1 + 1e-9)))


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
    neighbours come in the order of their row numbers; which of several rows at
    exactly the k-th distance are kept is the engine's choice.

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
    >>> graph = neighbor_graph([[0.0], [0.0], [1.0], [1.5]], 1)
    >>> graph.indices
    array([[1],
           [0],
           [3],
           [2]])
    """
    index = NeighborIndex(
        engine, metric=metric, random_state=random_state, n_jobs=n_jobs
    )
    return index.fit(X).graph(n_neighbors)


def drop_self(found: IndexArray, rows: IndexArray | None = None) -> IndexArray:
    """Remove each row's own number from its neighbours, or else the last one.

    Parameters
    ----------
    found : ndarray of shape (n_queries, n_neighbors + 1)
        Candidates, nearest first.
    rows : ndarray of shape (n_queries,), default=None
        The rows' own numbers; None for 0 .. n-1.

    Returns
    -------
    found : ndarray of shape (n_queries, n_neighbors)
    """
    own = np.arange(len(found)) if rows is None else rows
    keep = found != own[:, None]
    keep[keep.all(axis=1), -1] = False
    return found[keep].reshape(len(found), -1)


def _far_center(X: Any) -> FloatArray | None:
    """Mean row, if the data lie so far from 0 that inner products lose them.

    Engines find distances from inner products, whose rounding error grows with
    the distance from the origin; shifting changes no distance.
    """
    if sp.issparse(X):
        return None
    mean = X.mean(axis=0, dtype=np.float64)
    spread = np.square(X[:1000] - mean).sum(axis=1).mean()
    return mean if mean @ mean > _FAR**2 * spread else None


def _check_count(n_neighbors: int, available: int, what: str) -> None:
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    if n_neighbors > available:
        raise ValueError(
            f"n_neighbors={n_neighbors} is more than {what} can give ({available}). "
            "Lower n_neighbors or add samples."
        )
