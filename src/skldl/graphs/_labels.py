"""How labels are related, and distances between sets of them."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import entr, xlogy
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray


def label_correlation(Y: Any) -> FloatArray:
    r"""Normalised mutual information of every two labels.

    .. math:: F_{lm} = \frac{I(l; m)}{\min(H(l), H(m))}, \qquad F_{ll} = 1,

    from the shares of samples that have the labels, both of them, and none.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n_samples, n_labels)
        1 where a sample has a label, else 0. Degrees between 0 and 1 count as the
        chance to have it.

    Returns
    -------
    F : ndarray of shape (n_labels, n_labels)
        Symmetric, between 0 and 1. A label that all or no samples have tells nothing:
        0 beside a diagonal of 1.

    Notes
    -----
    Mutual information does not see the sign of a dependence: labels that exclude each
    other are as similar as labels that come together.

    Examples
    --------
    >>> from skldl.graphs import label_correlation
    >>> label_correlation([[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1]])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    Y = _check_degrees(Y, "Y")
    n_samples = Y.shape[0]
    share = np.asarray(Y.sum(axis=0)).ravel() / n_samples
    both = Y.T @ Y / n_samples
    both = both.toarray() if sp.issparse(both) else np.asarray(both)
    return share_correlation(share, both)


def share_correlation(share: FloatArray, both: FloatArray) -> FloatArray:
    """:func:`label_correlation` from shares of samples.

    Parameters
    ----------
    share : ndarray of shape (n_labels,)
        Share of samples with each label.
    both : ndarray of shape (n_labels, n_labels)
        Share of samples with two labels, or mean product of two degrees.

    Returns
    -------
    F : ndarray of shape (n_labels, n_labels)
    """
    first, second = share[:, None], share[None, :]
    cells = (
        (both, first * second),
        (first - both, first * (1 - second)),
        (second - both, (1 - first) * second),
        (1 - first - second + both, (1 - first) * (1 - second)),
    )
    information = np.zeros_like(both)
    for joint, independent in cells:
        joint = np.where(joint > 1e-15, joint, 0.0)  # rounding below zero
        ratio = np.divide(
            joint, independent, out=np.ones_like(joint), where=independent > 0
        )
        information += xlogy(joint, ratio)
    entropy = entr(share) + entr(np.clip(1 - share, 0, 1))
    least = np.minimum(entropy[:, None], entropy[None, :])
    F = np.divide(information, least, out=np.zeros_like(both), where=least > 1e-12)
    F = np.clip((F + F.T) / 2, 0.0, 1.0)
    np.fill_diagonal(F, 1.0)
    return F


def generalized_hamming(Y1: Any, Y2: Any, F: Any) -> FloatArray:
    r"""Hamming distances of label sets that account for correlations of labels.

    .. math:: A_{ij} = |y_i| + |y_j| - y_i^T (I + F) y_j

    Parameters
    ----------
    Y1 : array-like or sparse matrix of shape (n_first, n_labels)
        Label sets.
    Y2 : array-like or sparse matrix of shape (n_second, n_labels)
        Label sets.
    F : array-like of shape (n_labels, n_labels)
        Inner products of the labels, as from :func:`label_correlation`. The identity
        gives the Hamming distance.

    Returns
    -------
    A : ndarray of shape (n_first, n_second)
        Not a metric: a set's distance from itself is 0 or negative, and correlated
        labels may give negative distances, too.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.graphs import generalized_hamming
    >>> generalized_hamming([[1, 0]], [[0, 1]], np.eye(2))
    array([[2.]])
    >>> generalized_hamming([[1, 0]], [[0, 1]], [[1.0, 0.5], [0.5, 1.0]])
    array([[1.5]])
    """
    Y1, Y2 = _check_degrees(Y1, "Y1"), _check_degrees(Y2, "Y2")
    F = check_array(F, dtype=np.float64, input_name="F")
    m = Y1.shape[1]
    if Y2.shape[1] != m or F.shape != (m, m):
        raise ValueError(
            f"Y1 has {m} labels, Y2 {Y2.shape[1]} and F the shape {F.shape}; all need "
            "the same labels."
        )
    first, second = (np.asarray(Y.sum(axis=1)).ravel() for Y in (Y1, Y2))
    inner = np.asarray((Y2 @ (Y1 @ (np.eye(m) + F)).T).T)
    return first[:, None] + second[None, :] - inner


def _check_degrees(Y: Any, name: str) -> Any:
    Y = check_array(Y, accept_sparse="csr", dtype=np.float64, input_name=name)
    values = Y.data if sp.issparse(Y) else Y
    if values.size and (values.min() < 0 or values.max() > 1):
        raise ValueError(
            f"{name} must contain numbers between 0 and 1, got {values.min():g} to "
            f"{values.max():g}."
        )
    return Y
