"""Products of samples with sparse weights between them, by blocks of rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._threads import large_product
from skldl._typing import FloatArray
from skldl.linalg._center import Center

_CHUNK = 1 << 22  # numbers of a block


def row_slices(n_rows: int, n_features: int, chunk: int = _CHUNK) -> Iterator[slice]:
    """Slices of rows, each with a limited number of entries.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    n_features : int
        Numbers in each of them.
    chunk : int
        Numbers of a block.

    Yields
    ------
    rows : slice

    Examples
    --------
    >>> from skldl.linalg import row_slices
    >>> list(row_slices(5, 2, chunk=4))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, chunk // max(1, n_features))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def graph_products(
    X: Any, W: sp.csr_array, degrees: FloatArray, center: Center | None = None
) -> tuple[FloatArray, FloatArray]:
    r"""Both matrices of an eigenproblem on a graph, :math:`Z^T G Z`, :math:`Z^T W Z`.

    Z is X in double precision, centred. Only blocks of it exist at any time, so X may
    be stored in single precision, or mapped from a file.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    W : CSR array of shape (n_samples, n_samples)
        Symmetric weights.
    degrees : ndarray of shape (n_samples,)
        G.
    center : Center, default=None
        How to centre the samples; None leaves them.

    Returns
    -------
    scatter, linked : ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from skldl.linalg import graph_products
    >>> W = sp.csr_array(np.array([[0, 1.0], [1.0, 0]]))
    >>> graph_products(np.array([[1.0], [2.0]]), W, np.ones(2))
    (array([[5.]]), array([[4.]]))
    """
    center = Center() if center is None else center
    d = X.shape[1]
    scatter, linked = np.zeros((d, d)), np.zeros((d, d))
    for rows in row_slices(*X.shape):
        here = np.flatnonzero(degrees[rows])  # others add nothing
        some = rows if len(here) == rows.stop - rows.start else here + rows.start
        Z = center.apply(X[some])
        sums = neighbor_sums(X, W[some], center)
        with large_product(d, d, len(Z)):
            scatter += (Z * degrees[some, None]).T @ Z
            linked += Z.T @ sums
    return scatter, linked


def weighted_mean(X: Any, weights: FloatArray) -> FloatArray:
    """Mean row under weights, in double precision by blocks.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    weights : ndarray of shape (n_samples,)
        Not negative, some positive.

    Returns
    -------
    mean : ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import weighted_mean
    >>> weighted_mean(np.array([[1.0], [5.0]]), np.array([3.0, 1.0]))
    array([2.])
    """
    total = np.zeros(X.shape[1])
    for rows in row_slices(*X.shape):
        total += weights[rows] @ X[rows]
    return total / weights.sum()


def neighbor_sums(X: Any, W: sp.csr_array, center: Center | None = None) -> FloatArray:
    """Weighted sums of rows, W Z, with sparse weights W.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    W : CSR array of shape (n_rows, n_samples)
        Weights.
    center : Center, default=None
        How to centre the samples; None leaves them.

    Returns
    -------
    sums : ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from skldl.linalg import neighbor_sums
    >>> neighbor_sums(np.array([[1.0], [2.0]]), sp.csr_array(np.array([[0, 3.0]])))
    array([[6.]])
    """
    center = Center() if center is None else center
    plain = center.mean is None and X.dtype == np.float64
    if plain or W.nnz == 0:
        return W @ np.asarray(X, dtype=np.float64) if plain else _nothing(W, X)
    used = np.zeros(W.shape[1], dtype=bool)
    used[W.indices] = True
    named = np.flatnonzero(used)
    place = np.cumsum(used) - 1
    inner = sp.csr_array(
        (W.data, place[W.indices], W.indptr), shape=(W.shape[0], len(named))
    )
    return inner @ center.apply(X[named])


def _nothing(W: sp.csr_array, X: Any) -> FloatArray:
    return np.zeros((W.shape[0], X.shape[1]))
