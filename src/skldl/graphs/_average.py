"""Averages over neighbours."""

import numpy as np

from skldl._typing import FloatArray, IndexArray

_CHUNK = 1 << 22


def neighbor_mean(
    values: FloatArray, indices: IndexArray, weights: FloatArray | None = None
) -> FloatArray:
    """Weighted mean of the values of each row's neighbours, in chunks.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_values)
        One row per sample that the indices name.
    indices : ndarray of shape (n_queries, n_neighbors)
        Neighbours of each query.
    weights : ndarray of shape (n_queries, n_neighbors), default=None
        Weights that sum to 1 in each row; None averages plainly.

    Returns
    -------
    means : ndarray of shape (n_queries, n_values)

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.graphs import neighbor_mean
    >>> neighbor_mean(np.array([[0.0], [2.0], [9.0]]), np.array([[0, 1]]))
    array([[1.]])
    """
    if weights is None:
        weights = np.full(indices.shape, 1.0 / indices.shape[1])
    means = np.empty((len(indices), values.shape[1]))
    step = max(1, _CHUNK // (indices.shape[1] * values.shape[1]))
    for start in range(0, len(indices), step):
        rows = slice(start, start + step)
        near = values.take(indices[rows], axis=0)
        means[rows] = np.einsum("nk,nkm->nm", weights[rows], near)
    return means
