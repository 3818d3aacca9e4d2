"""Log-ratios: distributions as vectors that any regression may predict."""

from typing import Any

import numpy as np
from scipy.linalg import helmert
from scipy.special import softmax
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray
from skldl.validation import check_distribution


def replace_zeros(D: Any, smoothing: float = 0.01, *, base: Any = None) -> FloatArray:
    r"""Mix distributions with a positive one, so that logarithms of them exist.

    Each row becomes :math:`(1 - s) d_i + s \, b`, whether it contains a zero or not, so
    that a degree of 0 and a tiny one get nearly the same logarithm.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Distributions.
    smoothing : float, default=0.01
        Share of the base, :math:`s`, between 0 and 1; 0 changes nothing.
    base : array-like of shape (n_labels,), default=None
        Distribution to mix with, :math:`b`; None takes the uniform one. With the mean
        of D the mean stays what it is.

    Returns
    -------
    D : ndarray of shape (n_samples, n_labels)
        Rows on the simplex.

    Examples
    --------
    >>> from skldl.linalg import replace_zeros
    >>> replace_zeros([[1.0, 0.0]], 0.1)
    array([[0.95, 0.05]])
    """
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must be between 0 and 1, got {smoothing!r}.")
    D = check_distribution(D)
    if base is None:
        return (1 - smoothing) * D + smoothing / D.shape[1]
    base = check_distribution(np.reshape(base, (1, -1)), name="base")
    if base.shape[1] != D.shape[1]:
        raise ValueError(
            f"base has {base.shape[1]} labels but D has {D.shape[1]}; it needs one "
            "degree per label."
        )
    return (1 - smoothing) * D + smoothing * base


def clr(D: Any) -> FloatArray:
    r"""Centred log-ratios, :math:`z_{il} = \ln d_{il} - \frac1L \sum_k \ln d_{ik}`.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Distributions without zeros; see :func:`replace_zeros`.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_labels)
        Rows that sum to 0.

    References
    ----------
    .. [1] J. Aitchison, "The Statistical Analysis of Compositional Data", Journal of
       the Royal Statistical Society, Series B 44(2), 1982.

    Examples
    --------
    >>> from skldl.linalg import clr
    >>> clr([[0.5, 0.5], [0.2, 0.8]]).round(3)
    array([[ 0.   ,  0.   ],
           [-0.693,  0.693]])
    """
    logs = np.log(_positive(D))
    return logs - logs.mean(axis=1, keepdims=True)


def inverse_clr(Z: Any) -> FloatArray:
    """Distributions of centred log-ratios: the softmax of each row.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_labels)
        Any finite numbers; adding a constant to a row changes nothing.

    Returns
    -------
    D : ndarray of shape (n_samples, n_labels)
        Rows on the simplex.

    Examples
    --------
    >>> from skldl.linalg import clr, inverse_clr
    >>> inverse_clr(clr([[0.2, 0.8]]))
    array([[0.2, 0.8]])
    """
    return softmax(check_array(Z, dtype=np.float64, input_name="Z"), axis=1)


def ilr(D: Any) -> FloatArray:
    r"""Isometric log-ratios: centred log-ratios in an orthonormal basis.

    The basis is Helmert's, so that coordinate k compares label k + 1 with the labels
    before it. Distances between rows are those between centred log-ratios.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Distributions without zeros; see :func:`replace_zeros`.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_labels - 1)

    References
    ----------
    .. [1] J. J. Egozcue, V. Pawlowsky-Glahn, G. Mateu-Figueras, C. Barceló-Vidal,
       "Isometric Logratio Transformations for Compositional Data Analysis",
       Mathematical Geology 35(3), 2003.

    Examples
    --------
    >>> from skldl.linalg import ilr
    >>> ilr([[0.5, 0.5], [0.2, 0.8]]).shape
    (2, 1)
    """
    Z = clr(D)
    return Z @ helmert_basis(Z.shape[1])


def inverse_ilr(Z: Any) -> FloatArray:
    """Distributions of isometric log-ratios.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_labels - 1)
        Any finite numbers.

    Returns
    -------
    D : ndarray of shape (n_samples, n_labels)
        Rows on the simplex.

    Examples
    --------
    >>> from skldl.linalg import ilr, inverse_ilr
    >>> inverse_ilr(ilr([[0.2, 0.3, 0.5]]))
    array([[0.2, 0.3, 0.5]])
    """
    Z = check_array(Z, dtype=np.float64, input_name="Z", ensure_min_features=0)
    return softmax(Z @ helmert_basis(Z.shape[1] + 1).T, axis=1)


def helmert_basis(n_labels: int) -> FloatArray:
    """Orthonormal columns that sum to 0: the basis of isometric log-ratios.

    Parameters
    ----------
    n_labels : int
        Number of labels.

    Returns
    -------
    basis : ndarray of shape (n_labels, n_labels - 1)

    Examples
    --------
    >>> from skldl.linalg import helmert_basis
    >>> helmert_basis(2).round(3)
    array([[ 0.707],
           [-0.707]])
    """
    return helmert(n_labels).T if n_labels > 1 else np.zeros((1, 0))


def _positive(D: Any) -> FloatArray:
    D = check_distribution(D)
    zero = D <= 0
    if zero.any():
        row, column = np.argwhere(zero)[0]
        raise ValueError(
            f"Log-ratios need positive degrees, but row {row}, column {column} of D is "
            f"0 ({int(zero.sum())} such entries). Use replace_zeros first."
        )
    return D
