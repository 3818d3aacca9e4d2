"""Projection on the simplex."""

import numpy as np

from skldl._typing import FloatArray


def nearest_distributions(scores: FloatArray) -> FloatArray:
    """Project rows on the simplex, in the Euclidean distance.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels)
        Any finite numbers.

    Returns
    -------
    D : ndarray of shape (n_samples, n_labels)
        The nearest distribution of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import nearest_distributions
    >>> nearest_distributions(np.array([[0.5, 0.7], [2.0, 0.0]]))
    array([[0.4, 0.6],
           [1. , 0. ]])
    """
    # a shift changes nothing, nor does what is 1 below the largest: huge numbers would
    with np.errstate(over="ignore"):
        scores = np.maximum(scores - scores.max(axis=1, keepdims=True), -2.0)
    ordered = -np.sort(-scores, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1.0
    counts = np.arange(1, scores.shape[1] + 1)
    last = (ordered * counts > excess).sum(axis=1) - 1
    shift = excess[np.arange(len(scores)), last] / (last + 1)
    return np.maximum(scores - shift[:, None], 0.0)
