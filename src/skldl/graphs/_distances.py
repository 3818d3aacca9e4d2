"""Distances to named rows, computed from differences."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from skldl._typing import FloatArray, IndexArray

METRICS = ("euclidean", "manhattan", "cosine")
_CHUNK = 1 << 19  # floats held at once
_EPS = np.finfo(np.float64).eps


def row_distances(
    X: Any, rows: Any, indices: IndexArray, metric: str = "euclidean"
) -> FloatArray:
    """Distances from each row of X to the rows that ``indices`` names.

    Computed from differences, not from inner products, in chunks.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_queries, n_features)
        Points.
    rows : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows that the indices name.
    indices : ndarray of shape (n_queries, n_neighbors)
        Row numbers.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance.

    Returns
    -------
    distances : ndarray of shape (n_queries, n_neighbors), float64
    """
    distances = np.empty(indices.shape)
    step = max(1, _CHUNK // max(1, indices.shape[1] * X.shape[1]))
    for start in range(0, len(indices), step):
        chunk = slice(start, start + step)
        difference = _differences(X[chunk], rows, indices[chunk])
        distances[chunk] = _norms(difference, metric).reshape(-1, indices.shape[1])
    return distances


def nearest_rows(
    X: Any,
    rows: Any,
    k: int,
    *,
    reach: FloatArray,
    metric: str,
    own: IndexArray | None = None,
) -> tuple[IndexArray, FloatArray]:
    """The k nearest rows by exact distance, then by row number, without any index.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_queries, n_features)
        Points.
    rows : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows to search.
    k : int
        How many.
    reach : ndarray of shape (n_queries,)
        A distance within which k rows are known to lie.
    metric : {"euclidean", "manhattan"}
        Distance.
    own : ndarray of shape (n_queries,), default=None
        Row that each point is, and must not find.

    Returns
    -------
    indices, distances : ndarray of shape (n_queries, k)
    """
    indices = np.empty((X.shape[0], k), dtype=np.intp)
    distances = np.empty((X.shape[0], k))
    sizes = _sizes(X)
    step = max(1, _CHUNK // rows.shape[0])
    for start in range(0, X.shape[0], step):
        chunk = slice(start, start + step)
        rough = pairwise_distances(X[chunk], rows, metric=metric)
        # what rounding may add to a squared distance of rows about this far out; for
        # single precision the distances themselves come rounded, too
        slack = 64 * _EPS * (sizes[chunk] + reach[chunk]) ** 2
        share = 1e-9 + 16 * float(np.finfo(rough.dtype).eps)
        limit = reach[chunk] ** 2 * (1 + share) + slack
        near = np.square(rough, dtype=np.float64) <= limit[:, None]
        here = np.arange(len(near))
        if own is not None:
            near[here, own[chunk]] = False
        few = here[near.sum(axis=1) < k]
        near[few] = True  # the reach was too short: look at all rows
        if own is not None:
            near[few, own[chunk][few]] = False
        point, row = np.nonzero(near)
        exact = _pair_distances(X[chunk], rows, point, row, metric)
        order = np.lexsort((row, exact, point))
        first = np.searchsorted(point[order], np.arange(len(near)))
        chosen = order[first[:, None] + np.arange(k)]
        indices[chunk], distances[chunk] = row[chosen], exact[chosen]
    return indices, distances


def _pair_distances(
    X: Any, rows: Any, point: IndexArray, row: IndexArray, metric: str
) -> FloatArray:
    distances = np.empty(len(point))
    step = max(1, _CHUNK // max(1, X.shape[1]))
    for start in range(0, len(point), step):
        part = slice(start, start + step)
        pairs = row_distances(X[point[part]], rows, row[part][:, None], metric)
        distances[part] = pairs[:, 0]
    return distances


def _sizes(X: Any) -> FloatArray:
    squares = X.multiply(X) if sp.issparse(X) else np.square(X, dtype=np.float64)
    return np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())


def _differences(X: Any, rows: Any, indices: IndexArray) -> Any:
    if sp.issparse(X) or sp.issparse(rows):
        repeated = np.repeat(np.arange(X.shape[0]), indices.shape[1])
        return sp.csr_matrix(rows[indices.ravel()]) - sp.csr_matrix(X[repeated])
    difference = np.asarray(rows[indices], dtype=np.float64)
    difference -= X[:, None, :]
    return difference


def _norms(difference: Any, metric: str) -> FloatArray:
    if sp.issparse(difference):
        difference = difference.astype(np.float64)
        if metric == "manhattan":
            return np.asarray(abs(difference).sum(axis=1)).ravel()
        return np.sqrt(np.asarray(difference.multiply(difference).sum(axis=1)).ravel())
    if metric == "manhattan":
        return np.abs(difference).sum(axis=-1)
    return np.sqrt(np.einsum("nkd,nkd->nk", difference, difference))
