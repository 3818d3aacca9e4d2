"""Columns of huge numbers, brought to where solvers work."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray

#: Columns with a larger modulus are scaled.
MOST = 1e6


def tame_columns(X: Any) -> tuple[Any, FloatArray | None]:
    """Divide columns of huge numbers by powers of two, and leave others alone.

    For methods that take features in their own units: a column of 1e8 saturates a
    network, or makes the steps of a solver too small. A model of the result is one of
    X, with coefficients times the factors.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Finite features.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The same object if all moduli are at most 1e6. Other columns have moduli of
        about 1.
    factors : ndarray of shape (n_features,) or None
        What the columns were multiplied by; None if nothing was changed.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import tame_columns
    >>> tame_columns(np.array([[1.0, 2.0**30], [2.0, 0.0]]))
    (array([[1. , 0.5],
           [2. , 0. ]]), array([1.00000000e+00, 4.65661287e-10]))
    """
    reach = _reach(X)
    huge = reach > MOST
    if not huge.any():
        return X, None
    factors = np.ones(len(reach))
    # the inverse of the largest float is not a normal number
    factors[huge] = np.ldexp(1.0, -np.minimum(np.frexp(reach[huge])[1], 1021))
    if sp.issparse(X):
        return (X @ sp.diags_array(factors)).tocsr(), factors
    return X * factors, factors


def _reach(X: Any) -> FloatArray:
    """Largest modulus of each column."""
    if sp.issparse(X):
        return np.asarray(abs(X).max(axis=0).todense(), dtype=np.float64).ravel()
    return np.maximum(X.max(axis=0), -X.min(axis=0))
