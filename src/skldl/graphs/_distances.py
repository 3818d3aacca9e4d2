"""Distances to named rows, computed from differences."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from skldl._typing import FloatArray, IndexArray

METRICS = ("euclidean", "manhattan", "cosine")
_CHUNK = 1 << 19  # floats held at once


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
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance.

    Returns
    -------
    distances : ndarray of shape (n_queries, n_neighbors), float64
    """
    if metric == "cosine":
        X, rows = normalize(X), normalize(rows)
    distances = np.empty(indices.shape)
    step = max(1, _CHUNK // max(1, indices.shape[1] * X.shape[1]))
    for start in range(0, len(indices), step):
        chunk = slice(start, start + step)
        difference = _differences(X[chunk], rows, indices[chunk])
        distances[chunk] = _norms(difference, metric).reshape(-1, indices.shape[1])
    return distances


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
        squares = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
    elif metric == "manhattan":
        return np.abs(difference).sum(axis=-1)
    else:
        squares = np.einsum("nkd,nkd->nk", difference, difference)
    return squares / 2 if metric == "cosine" else np.sqrt(squares)
