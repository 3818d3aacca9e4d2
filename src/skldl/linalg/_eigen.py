"""Symmetric eigenproblems: the room of every eigensolver call of the package."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, get_lapack_funcs
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray

#: Eigenvalues of B, scaled to unit diagonal, below this share of the largest are zero.
RANK_TOL = 1e-9


class Eigenpairs(NamedTuple):
    """Eigenvalues with their eigenvectors as columns.

    Attributes
    ----------
    values : ndarray of shape (k,)
        From the wanted end inwards.
    vectors : ndarray of shape (n, k)
        B-orthonormal columns.
    rank : int
        Numerical rank of B.
    """

    values: FloatArray
    vectors: FloatArray
    rank: int


def generalized_eigh(
    A: Any,
    B: Any = None,
    k: int | None = None,
    *,
    largest: bool,
    rank_tol: float = RANK_TOL,
    clip: bool = False,
) -> Eigenpairs:
    r"""Solve :math:`A v = \eta B v` for symmetric A and semidefinite B.

    If B is singular, v is sought in the range of B and the equation holds after
    projection on that range: stationary points of :math:`v^T A v` under
    :math:`v^T B v = 1` without a part in the null space. So more features than
    samples, constant and duplicate columns are fine.

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric up to rounding, possibly indefinite.
    B : array-like of shape (n, n), default=None
        Symmetric positive semidefinite; None is the identity.
    k : int, default=None
        Number of pairs; None gives as many as the rank of B.
    largest : bool
        Which end of the spectrum: the largest (in descending order) or the
        smallest (ascending) eigenvalues, by value, not by modulus.
    rank_tol : float, default=1e-9
        Eigenvalues of B, scaled to unit diagonal so that the units of features do
        not matter, count as zero below this share of the largest.
    clip : bool, default=False
        Whether a k over the rank of B gives as many pairs as there are, rather than
        an error.

    Returns
    -------
    pairs : Eigenpairs
        ``values``, ``vectors`` with :math:`V^T B V = I` and the entry of largest
        modulus of each column positive, and the ``rank`` of B.

    Raises
    ------
    ValueError
        If A or B is not square, finite and symmetric, B has a clearly negative
        eigenvalue, or k exceeds the rank of B and is not clipped.

    Notes
    -----
    A well conditioned B goes to LAPACK's generalised solver; any other is
    whitened on its range first. Part of a spectrum is found by LAPACK's subset
    driver. There is no iterative path: for dense matrices of order 1500 and 3000
    Lanczos took 1.5 to 3 times the CPU time at the small end of the spectrum
    (``bench/eigen.py``) and may fail to converge.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import generalized_eigh
    >>> values, vectors, rank = generalized_eigh(
    ...     np.diag([1.0, 2.0, 3.0]), np.diag([1.0, 1.0, 0.0]), largest=True
    ... )
    >>> values, rank
    (array([2., 1.]), 2)
    """
    A = _symmetric(A, "A")
    if not 0 < rank_tol < 1:
        raise ValueError(f"rank_tol must be between 0 and 1, got {rank_tol!r}.")
    if B is None:
        return _solve(A, None, A.shape[0], _clipped(k, A.shape[0], clip), largest)
    B = _symmetric(B, "B")
    if A.shape != B.shape:
        raise ValueError(f"A has shape {A.shape} but B has shape {B.shape}.")
    scale = _scale(B)
    scaled = B / np.outer(scale, scale)
    if _well_conditioned(scaled, rank_tol):
        inner = A / np.outer(scale, scale)
        k = _clipped(k, A.shape[0], clip)
        values, vectors, rank = _solve(inner, scaled, A.shape[0], k, largest)
        return Eigenpairs(values, fix_signs(vectors / scale[:, None]), rank)
    whitening = _whiten(scaled, scale, rank_tol)
    rank = whitening.shape[1]
    inner = whitening.T @ A @ whitening
    k = _clipped(k, rank, clip)
    values, vectors, _ = _solve((inner + inner.T) / 2, None, rank, k, largest)
    return Eigenpairs(values, fix_signs(whitening @ vectors), rank)


def range_whitening(B: Any, *, rank_tol: float = RANK_TOL) -> FloatArray:
    r"""Basis T of the range of B with :math:`T^T B T = I`.

    For many pencils with the same B: each becomes an ordinary problem
    :math:`T^T A T q = \eta q` with :math:`v = T q`.

    Parameters
    ----------
    B : array-like of shape (n, n)
        Symmetric positive semidefinite.
    rank_tol : float, default=1e-9
        As in :func:`generalized_eigh`.

    Returns
    -------
    T : ndarray of shape (n, rank)

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import range_whitening
    >>> range_whitening(np.diag([4.0, 0.0])).shape
    (2, 1)
    """
    B = _symmetric(B, "B")
    scale = _scale(B)
    return _whiten(B / np.outer(scale, scale), scale, rank_tol)


def nearest_semidefinite(A: Any) -> FloatArray:
    r"""Nearest positive semidefinite matrix, by the Frobenius norm.

    Negative eigenvalues are replaced by 0.

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric up to rounding.

    Returns
    -------
    nearest : ndarray of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import nearest_semidefinite
    >>> nearest_semidefinite(np.diag([2.0, -1.0]))
    array([[2., 0.],
           [0., 0.]])
    """
    values, vectors = eigh(_symmetric(A, "A"))
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def _scale(B: FloatArray) -> FloatArray:
    """Roots of the diagonal: features in small units are not thereby useless."""
    diagonal = np.diag(B)
    if diagonal.min() < 0:
        raise ValueError(
            "B must be positive semidefinite, but its diagonal has the value "
            f"{diagonal.min():.3g}."
        )
    scale = np.sqrt(diagonal)
    return np.where(scale > 0, scale, 1.0)


def _symmetric(M: Any, name: str) -> FloatArray:
    M = check_array(M, dtype=np.float64, input_name=name)
    if M.shape[0] != M.shape[1]:
        raise ValueError(f"{name} must be square, got shape {M.shape}.")
    difference = np.abs(M - M.T).max()
    if difference > 1e-6 * np.abs(M).max():
        raise ValueError(
            f"{name} must be symmetric, but it differs from its transpose by up to "
            f"{difference:.3g}."
        )
    return (M + M.T) / 2


def _well_conditioned(B: FloatArray, rank_tol: float) -> bool:
    """Whether no eigenvalue of B can fall under the rank tolerance.

    The 1-norm condition number bounds the 2-norm one for symmetric matrices;
    the factor 10 covers that LAPACK only estimates it.
    """
    potrf, pocon = get_lapack_funcs(("potrf", "pocon"), (B,))
    factor, failed = potrf(B, lower=False, clean=False)
    if failed:
        return False
    reciprocal, _ = pocon(factor, np.linalg.norm(B, 1))
    return reciprocal > 10 * rank_tol


def _whiten(scaled: FloatArray, scale: FloatArray, rank_tol: float) -> FloatArray:
    """T with T' B T = I and its columns in the range of B.

    The rank is judged on B with unit diagonal. What the scaling moved out of the
    range of B is projected back, orthogonally to its null space.
    """
    values, vectors = eigh(scaled)
    top = values[-1]
    if values[0] < -max(rank_tol * abs(top), np.finfo(float).tiny):
        raise ValueError(
            "B must be positive semidefinite, but, scaled to a unit diagonal, it "
            f"has the eigenvalue {values[0]:.3g} (the largest is {top:.3g})."
        )
    keep = values > rank_tol * top
    if not keep.any():
        raise ValueError("B is zero, so the generalised problem has no solution.")
    whitening = vectors[:, keep] / np.sqrt(values[keep]) / scale[:, None]
    null, _ = np.linalg.qr(vectors[:, ~keep] / scale[:, None])
    return whitening - null @ (null.T @ whitening)


def _clipped(k: int | None, rank: int, clip: bool) -> int | None:
    return min(k, rank) if clip and k is not None else k


def _solve(
    A: FloatArray, B: FloatArray | None, rank: int, k: int | None, largest: bool
) -> Eigenpairs:
    k = rank if k is None else k
    if not isinstance(k, Integral):
        raise ValueError(f"k must be an integer, got {k!r}.")
    if not 1 <= k <= rank:
        raise ValueError(
            f"{k} components were asked for, but the problem has rank {rank}: choose "
            f"between 1 and {rank}."
        )
    ends = [rank - k, rank - 1] if largest else [0, k - 1]
    values, vectors = eigh(A, B, subset_by_index=None if k == rank else ends)
    order = np.argsort(-values if largest else values, kind="stable")
    return Eigenpairs(values[order], fix_signs(vectors[:, order]), rank)


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Make the entry of largest modulus of each column positive.

    Parameters
    ----------
    vectors : ndarray of shape (n, k)
        Columns whose sign is arbitrary.

    Returns
    -------
    vectors : ndarray of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import fix_signs
    >>> fix_signs(np.array([[1.0], [-2.0]])).ravel()
    array([-1.,  2.])
    """
    top = np.abs(vectors).argmax(axis=0)
    # a column whose largest entry is 0 is a column of zeros, and stays one
    return vectors * np.sign(vectors[top, np.arange(vectors.shape[1])])
