"""Folds of a cross-validation, as users give them."""

from numbers import Integral
from typing import Any

from sklearn.model_selection import check_cv

from skldl._typing import FloatArray, IndexArray

Fold = tuple[IndexArray, IndexArray]


def check_folds(cv: Any, X: Any, D: FloatArray) -> list[Fold]:
    """List the training and test rows of every fold.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        As scikit-learn takes it.
    X : array-like of shape (n_samples, n_features)
        Samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.

    Returns
    -------
    folds : list of (train, test)
        Numbers of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.validation import check_folds
    >>> check_folds([0.5], np.ones((4, 1)), np.ones((4, 1)))
    Traceback (most recent call last):
        ...
    ValueError: cv must be a number of folds, a splitter, or pairs of the training ...
    """
    n = len(D)
    if isinstance(cv, Integral) and int(cv) > n:
        raise ValueError(
            f"cv={cv} folds are more than there are samples, n_samples={n}."
        )
    try:
        folds = [(train, test) for train, test in check_cv(cv).split(X, D)]
    except (TypeError, ValueError) as error:
        splitter = hasattr(cv, "split") and not isinstance(cv, str | bytes)
        if isinstance(cv, Integral) or splitter:
            raise  # they speak for themselves
        raise ValueError(_wrong(cv)) from error
    if not folds:
        raise ValueError(_wrong(cv))
    return folds


def _wrong(cv: Any) -> str:
    return (
        "cv must be a number of folds, a splitter, or pairs of the training and the "
        f"test rows of each fold, got {cv!r}."
    )
