"""Distances to named rows, computed from differences."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from skldl._typing import FloatArray, IndexArray

METRICS = ("euclidean", "manhattan", "cosine")
_CHUNK = 1 << 19  # floats held at once
_WORK = 1 << 16  # floats of differences held at once, so that they stay in the cache
BLOCK = 1 << 16  # points at once, so that their numbers are short to sort
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
    step = max(1, _WORK // max(1, indices.shape[1] * X.shape[1]))
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
    step = min(max(1, _CHUNK // rows.shape[0]), BLOCK)
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
        indices[chunk], distances[chunk] = first_rows(
            X[chunk], rows, point, row, k, metric
        )
    return indices, distances


def first_rows(
    X: Any, rows: Any, point: IndexArray, row: IndexArray, k: int, metric: str
) -> tuple[IndexArray, FloatArray]:
    """The k nearest of each point's candidates.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_queries, n_features)
        Points, at most ``BLOCK``.
    rows : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows to search.
    point, row : ndarray of shape (n_pairs,)
        The candidates, at least k for each point, ordered by both numbers.
    k : int
        How many.
    metric : {"euclidean", "manhattan"}
        Distance.

    Returns
    -------
    indices, distances : ndarray of shape (n_queries, k)
    """
    if len(row) == k * X.shape[0]:  # no more than wanted: no pairs to sort out
        found = row.reshape(-1, k)
        exact = row_distances(X, rows, found, metric)
        order = np.argsort(exact, axis=1, kind="stable")
        here = np.arange(len(found))[:, None]
        return found[here, order], exact[here, order]
    exact = _pair_distances(X, rows, point, row, metric)
    # by distance, then by point: stable sorts, so equal ones stay in order
    order = np.argsort(exact, kind="stable")
    order = order[np.argsort(point[order].astype(np.uint16), kind="stable")]
    first = np.searchsorted(point, np.arange(X.shape[0]))
    chosen = order[first[:, None] + np.arange(k)]
    return row[chosen], exact[chosen]


def _pair_distances(
    X: Any, rows: Any, point: IndexArray, row: IndexArray, metric: str
) -> FloatArray:
    distances = np.empty(len(point))
    step = max(1, _WORK // max(1, X.shape[1]))
    dense = not (sp.issparse(X) or sp.issparse(rows))
    for start in range(0, len(point), step):
        part = slice(start, start + step)
        if dense:
            difference = rows.take(row[part], axis=0).astype(np.float64, copy=False)
            difference -= X.take(point[part], axis=0)
        else:
            difference = _differences(X[point[part]], rows, row[part][:, None])
        distances[part] = _norms(difference, metric).ravel()
    return distances


def _sizes(X: Any) -> FloatArray:
    squares = X.multiply(X) if sp.issparse(X) else np.square(X, dtype=np.float64)
    return np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())


def _differences(X: Any, rows: Any, indices: IndexArray) -> Any:
    if sp.issparse(X) or sp.issparse(rows):
        repeated = np.repeat(np.arange(X.shape[0]), indices.shape[1])
        return sp.csr_matrix(rows[indices.ravel()]) - sp.csr_matrix(X[repeated])
    difference = rows.take(indices, axis=0).astype(np.float64, copy=False)
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
    return np.sqrt(np.einsum("...d,...d->...", difference, difference))
