"""The features of samples: validated once, at the door."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from skldl.validation._matrix import is_plain


def check_samples(
    estimator: BaseEstimator,
    X: Any,
    *,
    reset: bool = True,
    accept_sparse: bool = False,
    keep_float32: bool = False,
) -> Any:
    """Validate samples as scikit-learn does; arrays that need no change cost little.

    Parameters
    ----------
    estimator : estimator
        Whose features they are.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features.
    reset : bool, default=True
        Whether the estimator is being fitted, and so learns ``n_features_in_`` and
        ``feature_names_in_``; else they are compared.
    accept_sparse : bool, default=False
        Whether the method takes sparse features (as CSR).
    keep_float32 : bool, default=False
        Whether float32 features stay as they are.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        In float64, or in float32 if that was given and is kept.
    """
    types = (np.float64, np.float32) if keep_float32 else (np.float64,)
    if is_plain(X, types):
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    return validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr" if accept_sparse else False,
        dtype=types,
        order=None if accept_sparse else "C",
    )
