"""Centring that leaves no rounding noise in constant columns."""

import numpy as np

from skldl._typing import FloatArray

_EPS = float(np.finfo(np.float64).eps)


def centered(X: FloatArray, mean: FloatArray | None = None) -> FloatArray:
    """Subtract the mean; columns in which only rounding is left become zeros.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    mean : ndarray of shape (n_features,), default=None
        What to subtract; None for the mean of the columns.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        A constant feature is exactly zero, so that no method scales its noise up.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import centered
    >>> centered(np.full((3, 1), 0.1))
    array([[0.],
           [0.],
           [0.]])
    """
    mean = X.mean(axis=0) if mean is None else mean
    moved = X - mean
    rounding = _EPS * max(64.0, len(X) ** 0.5)  # of a sum over the samples
    noise = np.abs(moved).max(axis=0) <= rounding * np.abs(mean)
    moved[:, noise] = 0.0
    return moved
