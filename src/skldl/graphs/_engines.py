"""Search engines: each finds candidate neighbours, nothing more."""

from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from skldl._typing import FloatArray, IndexArray

#: ``engine="auto"`` turns approximate above this many rows ...
AUTO_ROWS = 50_000
#: ... and above this many features, under which trees are exact and quick.
AUTO_FEATURES = 15
# a wider search than pynndescent's own, which finds too few where nothing clusters
_CANDIDATES = 60
_EPSILON = 0.3


class Engine(Protocol):
    """What any engine must offer: scikit-learn's two verbs."""

    def fit(self, X: Any) -> Any:
        """Index the rows of X."""

    def kneighbors(self, X: Any, n_neighbors: int) -> tuple[Any, Any]:
        """Distances and indices of the nearest indexed rows of each row of X."""


def make_engine(
    engine: Any,
    shape: tuple[int, int],
    *,
    metric: str,
    random_state: Any,
    n_jobs: int | None,
) -> Any:
    """Turn the user's choice into an engine that is not fitted yet."""
    name = engine
    if isinstance(name, str) and name == "auto":
        large = shape[0] > AUTO_ROWS and shape[1] > AUTO_FEATURES
        name = "pynndescent" if large and find_spec("pynndescent") else "exact"
    if isinstance(name, str) and name == "exact":
        return NearestNeighbors(metric=metric, n_jobs=n_jobs)
    if isinstance(name, str) and name == "pynndescent":
        return PyNNDescentEngine(metric, random_state, n_jobs)
    if hasattr(name, "fit") and hasattr(name, "kneighbors"):
        theirs = getattr(name, "metric", metric)
        if theirs not in (metric, "minkowski") and isinstance(theirs, str):
            raise ValueError(
                f"The engine measures {theirs!r} but {metric!r} distances are wanted."
            )
        return clone(name, safe=False)
    raise ValueError(
        "engine must be 'auto', 'exact', 'pynndescent' or an object with fit and "
        f"kneighbors, got {engine!r}."
    )


class PyNNDescentEngine:
    """Nearest-neighbour descent behind scikit-learn's two verbs.

    Parameters
    ----------
    metric : str, default="euclidean"
        Distance.
    random_state : int, RandomState or None, default=0
        Seed; results repeat for the same seed and number of threads.
    n_jobs : int or None, default=None
        Threads.
    """

    def __init__(
        self,
        metric: str = "euclidean",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any) -> "PyNNDescentEngine":
        """Remember the rows; the index is built at the first question.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to be found.

        Returns
        -------
        self : PyNNDescentEngine
        """
        if find_spec("pynndescent") is None:
            raise ImportError(
                "engine='pynndescent' needs the optional package pynndescent; install "
                "scikit-ldl[ann], or use engine='exact'."
            )
        self._rows = X
        self._index: Any = None
        return self

    def kneighbors(self, X: Any, n_neighbors: int) -> tuple[FloatArray, IndexArray]:
        """Find approximate neighbours.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features)
            Points.
        n_neighbors : int
            How many.

        Returns
        -------
        distances, indices : ndarray of shape (n_queries, n_neighbors)
        """
        index = self._index or self._build(n_neighbors)
        indices, distances = index.query(X, k=n_neighbors, epsilon=_EPSILON)
        return distances, indices

    def own_neighbors(self, n_neighbors: int) -> IndexArray:
        """Neighbours of the fitted rows, mostly with themselves, from the descent.

        Parameters
        ----------
        n_neighbors : int
            How many.

        Returns
        -------
        indices : ndarray of shape (n_samples, n_neighbors)
        """
        return self._build(n_neighbors).neighbor_graph[0][:, :n_neighbors]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the index, which cannot be saved; it is built again on use."""
        return {**self.__dict__, "_index": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take numbers and names only: an index is always built again.

        The library that searches compiles what it is given. So nothing from a file may
        reach it but rows of numbers and the name of a distance.
        """
        rows, metric = state.get("_rows"), state.get("metric")
        plain = isinstance(rows, np.ndarray) and rows.dtype.kind == "f"
        if rows is not None and not plain and not sp.issparse(rows):
            raise ValueError("rows of an index")
        if not isinstance(metric, str) or not isinstance(
            state.get("n_jobs"), int | None
        ):
            raise ValueError("settings of an index")
        self.__dict__.update(state)
        self._index = None

    def _build(self, n_neighbors: int) -> Any:
        from pynndescent import NNDescent

        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self._index = NNDescent(
            self._rows,
            metric=self.metric,
            n_neighbors=min(max(2 * n_neighbors, 30), self._rows.shape[0]),
            max_candidates=_CANDIDATES,
            random_state=seed,
            n_jobs=self.n_jobs,
        )
        return self._index
