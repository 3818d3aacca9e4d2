"""The features of samples: validated once, at the door."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.validation._matrix import is_plain, too_large_error


def check_features(estimator: BaseEstimator, X: Any, *y: Any, **options: Any) -> Any:
    """Validate samples as scikit-learn does, with clear words for all that is wrong.

    Parameters
    ----------
    estimator : estimator
        Whose features they are.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features.
    *y : array-like
        A target, if scikit-learn shall validate it, too.
    **options : dict
        Options of scikit-learn's ``validate_data``.

    Returns
    -------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        With the target, if there is one.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.ldl import AAkNN
    >>> from skldl.validation import check_features
    >>> check_features(AAkNN(), pd.DataFrame([[1, 2]], columns=["a", "a"]))
    Traceback (most recent call last):
        ...
    ValueError: X has 2 columns named 'a'. Give every column a name of its own.
    """
    if isinstance(X, pd.DataFrame) and X.columns.has_duplicates:
        name = X.columns[X.columns.duplicated()][0]
        raise ValueError(
            f"X has {int((X.columns == name).sum())} columns named {name!r}. Give "
            "every column a name of its own."
        )
    if options.get("reset", True) and not options.get("skip_check_array"):
        # sums over rows depend on the layout in their last digits
        options.setdefault("order", "C")
    try:
        return validate_data(estimator, X, *y, **options)
    except OverflowError:
        raise too_large_error(X, "X") from None


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
        return check_features(estimator, X, reset=reset, skip_check_array=True)
    return check_features(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr" if accept_sparse else False,
        dtype=types,
        order="C",
    )


def weighted_rows(
    X: Any, D: FloatArray, sample_weight: Any
) -> tuple[Any, FloatArray, FloatArray | None]:
    """Validate weights of samples, and leave out the samples of weight 0.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Features, validated before.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    sample_weight : array-like of shape (n_samples,), float or None
        Weights, not negative; None is 1 for every sample.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_used, n_features)
        Features of the samples with a positive weight.
    D : ndarray of shape (n_used, n_labels)
        Their distributions.
    sample_weight : ndarray of shape (n_used,) or None
        Their weights; None if none were given.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.validation import weighted_rows
    >>> X, D = np.arange(3.0)[:, None], np.ones((3, 1))
    >>> X, D, weights = weighted_rows(X, D, [2, 0, 1])
    >>> X.ravel(), weights
    (array([0., 2.]), array([2., 1.]))
    """
    if sample_weight is None:
        return X, D, None
    weights = check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if weights.sum() <= 0:
        raise ValueError(
            "sample_weight must have a positive sum: all weights are zero."
        )
    used = weights > 0
    if used.all():
        return X, D, weights
    return X[used], D[used], weights[used]
