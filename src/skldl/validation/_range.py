"""Features whose sizes leave nothing of the information in the others."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from skldl._typing import FloatArray

#: Moduli of features that all methods can multiply and add up.
LARGEST = 1e100
_LOST = 1e-12  # share of the variance that rounding of the rest hides
_FAR = 1e10  # times the distance of all other rows from the median
_REMEDY = (
    "Scale the features first, for instance by StandardScaler, or leave the column out."
)


def require_range(estimator: BaseEstimator, X: Any) -> None:
    """Refuse features whose squares or products leave the range of floats.

    Parameters
    ----------
    estimator : estimator
        Whose features they are; it has seen their names.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Validated features.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.ldl import LALOT
    >>> from skldl.validation import require_range
    >>> require_range(LALOT(), np.array([[1.0, 1e200]]))
    Traceback (most recent call last):
        ...
    ValueError: Column 1 of X has a number of size 1e+200, which is too large ...
    """
    values = X.data if sp.issparse(X) else X
    if max(values.max(initial=0.0), -values.min(initial=0.0)) <= LARGEST:
        return
    reach = np.asarray(abs(X).max(axis=0).todense() if sp.issparse(X) else abs(X))
    reach = reach.reshape(-1, X.shape[1]).max(axis=0)
    worst = int(reach.argmax())
    raise ValueError(
        f"Column {_name(estimator, worst)} of X has a number of size "
        f"{reach[worst]:.3g}, which is too large for {type(estimator).__name__}. "
        f"{_REMEDY}"
    )


def require_balance(estimator: BaseEstimator, X: Any) -> None:
    """Refuse a column so large that distances do not depend on the others.

    Parameters
    ----------
    estimator : estimator
        Whose features they are; it has seen their names.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Validated features.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.ldl import LWkNN
    >>> from skldl.validation import require_balance
    >>> require_balance(LWkNN(), np.array([[1.0, 1e9], [2.0, 3e9]]))
    Traceback (most recent call last):
        ...
    ValueError: Column 1 of X varies by 1e+09, so much more than all others that ...
    """
    if sp.issparse(X) or X.shape[1] < 2:
        return
    spread = _deviations(X)
    order = np.argsort(spread)
    most, next_to = spread[order[-1]], spread[order[-2]]
    if next_to > 0 and next_to < np.sqrt(_LOST / X.shape[1]) * most:
        raise ValueError(
            f"Column {_name(estimator, int(order[-1]))} of X varies by {most:.3g}, so "
            "much more than all others that distances depend on it alone. " + _REMEDY
        )


def require_spread(estimator: BaseEstimator, X: FloatArray) -> None:
    """Refuse a column whose spread comes from a single cell.

    Parameters
    ----------
    estimator : estimator
        Whose features they are; it has seen their names.
    X : ndarray of shape (n_samples, n_features)
        Validated features.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.ldl import PTBayes
    >>> from skldl.validation import require_spread
    >>> require_spread(PTBayes(), np.array([[1.0], [2.0], [3.0], [1e15]]))
    Traceback (most recent call last):
        ...
    ValueError: Row 3 of X has 1e+15 in column 0, which is over 1e+10 times as far ...
    """
    if len(X) < 3:
        return
    # a single cell then has nearly all of its column's squares; medians cost more
    reach = np.ptp(X, axis=0)
    reach[reach == 0] = np.inf  # a constant column has no spread
    squares = np.square((X - X.mean(axis=0)) / reach)
    suspects = np.flatnonzero(squares.max(axis=0) > 0.6 * squares.sum(axis=0))
    for column in suspects.tolist():
        away = np.abs(X[:, column] - np.median(X[:, column]))
        row = int(away.argmax())
        second = np.delete(away, row).max()
        if 0 < second < away[row] / _FAR:
            raise ValueError(
                f"Row {row} of X has {X[row, column]:.3g} in column "
                f"{_name(estimator, column)}, which is over {_FAR:.0e} times as far "
                "from the median as all other rows. Correct the cell, or leave the "
                "row out."
            )


def _deviations(X: FloatArray) -> FloatArray:
    """Standard deviations of columns, safe for huge numbers."""
    reach = np.maximum(X.max(axis=0), -X.min(axis=0)).astype(np.float64)
    reach[reach == 0] = 1.0
    return reach * np.std(X / reach, axis=0)


def _name(estimator: BaseEstimator, column: int) -> str:
    names = getattr(estimator, "feature_names_in_", None)
    return str(column) if names is None else repr(str(names[column]))
