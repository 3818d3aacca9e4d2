"""Checks of targets: distributions D, label indicators Y, classes y.

Samples are rows. Everything behind these functions may trust that a
distribution matrix is a C-ordered float64 array whose rows lie on the simplex.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.validation._errors import RowError, UnnormalizedError
from skldl.validation._label_names import label_names
from skldl.validation._matrix import (
    column_name,
    first_true,
    ndim,
    require_finite,
    require_same_names,
    to_matrix,
)
from skldl.validation._samples import check_samples

TargetKind = Literal["classes", "indicator", "distribution"]

#: Rows of a distribution may miss the sum 1 by this much without a word.
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Target:
    """A validated target of any kind, as a matrix with one column per label.

    Attributes
    ----------
    kind : {"classes", "indicator", "distribution"}
        What the caller gave.
    matrix : ndarray of shape (n_samples, n_labels)
        One-hot rows, 0/1 indicators or distributions, float64.
    classes : ndarray of shape (n_labels,)
        Label names.
    """

    kind: TargetKind
    matrix: FloatArray
    classes: NDArray[Any]


def check_distribution(
    D: Any,
    *,
    on_unnormalized: Literal["warn", "raise", "normalize"] = "warn",
    name: str = "D",
) -> FloatArray:
    """Validate a matrix of label distributions, one row per sample.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        Description degrees: shares, percentages, votes or any non-negative numbers.
    on_unnormalized : {"warn", "raise", "normalize"}, default="warn"
        What to do with rows whose sum is off 1 by more than ``SUM_TOLERANCE``:
        normalise them with one ``DataConversionWarning``, refuse them, or
        normalise them without a word.
    name : str, default="D"
        What messages call the matrix.

    Returns
    -------
    D : ndarray of shape (n_samples, n_labels)
        Float64, finite, non-negative, rows summing to 1. The input is returned
        as it is, not copied, when nothing had to change.

    Raises
    ------
    ValueError
        For anything that is not a distribution; the message names the first bad
        row and what to do. A bad row raises :class:`RowError`, a sum other than 1
        :class:`UnnormalizedError`; both are of this kind.

    Examples
    --------
    >>> from skldl.validation import check_distribution
    >>> check_distribution([[3, 1], [0, 2]], on_unnormalized="normalize")
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    if on_unnormalized not in ("warn", "raise", "normalize"):
        raise ValueError(
            "on_unnormalized must be 'warn', 'raise' or 'normalize', "
            f"got {on_unnormalized!r}."
        )
    matrix = to_matrix(D, name)
    require_finite(matrix, D, name)
    negative = matrix < 0
    if negative.any():
        row, column = first_true(negative)
        raise RowError(
            f"{name} must be non-negative, but row {row}, column "
            f"{column_name(D, column)!r} has {matrix[row, column]:g}. Degrees are "
            "shares or counts; clip or shift them first.",
            row,
        )
    return _normalize_rows(matrix, on_unnormalized, name)


def _normalize_rows(matrix: FloatArray, on_unnormalized: str, name: str) -> FloatArray:
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=1)
    empty = sums <= 0
    if empty.any():
        row = int(np.argmax(empty))
        raise RowError(
            f"Row {row} of {name} sums to zero ({int(empty.sum())} such rows), so it "
            "is not a distribution. Remove the row, or give it a uniform distribution "
            "if no vote means no preference.",
            row,
        )
    off = np.abs(sums - 1.0)
    worst = int(np.argmax(off))
    if off[worst] > SUM_TOLERANCE:
        if on_unnormalized == "raise":
            raise UnnormalizedError(
                f"Rows of {name} must sum to 1, but row {worst} sums to "
                f"{sums[worst]:.9g}.",
                "Divide each row by its sum, or pass on_unnormalized='normalize'.",
                worst,
            )
        if on_unnormalized == "warn":
            warnings.warn(
                f"Rows of {name} do not sum to 1 (row {worst} sums to "
                f"{sums[worst]:.9g}); each row was divided by its sum.",
                DataConversionWarning,
                stacklevel=caller_level(),
            )
    if off[worst] > 1e-14:
        # the largest entry first, so that sums of huge counts stay finite
        matrix = matrix / matrix.max(axis=1, keepdims=True)
        matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix


def check_distribution_pair(
    D: Any, P: Any, *, names: tuple[str, str] = ("D", "P")
) -> tuple[FloatArray, FloatArray]:
    """Validate true and predicted distributions of the same shape.

    Parameters
    ----------
    D, P : array-like of shape (n_samples, n_labels)
        True and predicted distributions.
    names : tuple of str, default=("D", "P")
        What messages call them.

    Returns
    -------
    D, P : ndarray of shape (n_samples, n_labels)
    """
    require_same_names(D, P, names)
    # the truth may be votes, of which fit has warned; predictions may not
    true = check_distribution(D, name=names[0], on_unnormalized="normalize")
    predicted = check_distribution(P, name=names[1])
    if true.shape != predicted.shape:
        raise ValueError(
            f"{names[0]} has shape {true.shape} but {names[1]} has shape "
            f"{predicted.shape}; both need one row per sample and one column per label."
        )
    return true, predicted


def check_indicator(
    Y: Any, *, name: str = "Y", accept_sparse: bool = False
) -> FloatArray | sp.csr_matrix | sp.csr_array:
    """Validate a label indicator matrix: 1 where a label is relevant, else 0.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n_samples, n_labels)
        Binary indicators.
    name : str, default="Y"
        What messages call the matrix.
    accept_sparse : bool, default=False
        Whether a sparse Y stays sparse (CSR); otherwise it is made dense.

    Returns
    -------
    Y : ndarray or CSR matrix of shape (n_samples, n_labels)
        Float64 zeros and ones.

    Examples
    --------
    >>> from skldl.validation import check_indicator
    >>> check_indicator([[1, 0], [True, True]])
    array([[1., 0.],
           [1., 1.]])
    """
    if sp.issparse(Y):
        Y = Y.tocsr().astype(np.float64)
        Y.sum_duplicates()
        if not np.isin(Y.data, (0, 1)).all():
            raise ValueError(
                f"{name} must contain only 0 and 1, but it has other entries."
            )
        return Y if accept_sparse else Y.toarray()
    matrix = to_matrix(Y, name)
    require_finite(matrix, Y, name)
    other = (matrix != 0) & (matrix != 1)
    if other.any():
        row, column = first_true(other)
        raise RowError(
            f"{name} must contain only 0 and 1, but row {row}, column "
            f"{column_name(Y, column)!r} has {matrix[row, column]:g}. Threshold "
            "degrees first, or use a method that takes distributions.",
            row,
        )
    return matrix


def check_class_vector(y: Any, *, name: str = "y") -> tuple[NDArray[Any], NDArray[Any]]:
    """Validate a vector of class labels.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        One class per sample, numbers or strings.
    name : str, default="y"
        What messages call the vector.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        Sorted distinct classes.
    codes : ndarray of shape (n_samples,)
        Index of each sample's class.

    Examples
    --------
    >>> from skldl.validation import check_class_vector
    >>> classes, codes = check_class_vector(["b", "a", "b"])
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    vector = column_or_1d(y, warn=True)
    missing = pd.isna(vector)
    if missing.any():
        row = int(np.argmax(missing))
        raise RowError(
            f"{name} contains a missing class (NaN or None) at row {row}. Remove such "
            "rows.",
            row,
        )
    if vector.dtype.kind == "f" and np.isinf(vector).any():
        row = int(np.argmax(np.isinf(vector)))
        raise RowError(
            f"{name} contains infinity at row {row}. Give classes as names or whole "
            "numbers.",
            row,
        )
    check_classification_targets(vector)
    classes, codes = np.unique(vector, return_inverse=True)
    return classes, codes


def check_target(
    y: Any,
    *,
    kinds: tuple[TargetKind, ...] = ("classes", "indicator", "distribution"),
    name: str = "y",
) -> Target:
    """Validate a target that may be classes, indicators or distributions.

    One dimension means classes; two dimensions with only zeros and ones an
    indicator (one-hot rows included); any other matrix a distribution.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The target.
    kinds : tuple of {"classes", "indicator", "distribution"}
        The kinds that the caller can use.
    name : str, default="y"
        What messages call the target.

    Returns
    -------
    target : Target
        Kind, matrix and label names.

    Examples
    --------
    >>> from skldl.validation import check_target
    >>> check_target([0, 1, 1]).kind, check_target([[1, 1], [0, 1]]).kind
    ('classes', 'indicator')
    >>> check_target([[0.5, 0.5], [0.1, 0.9]]).kind
    'distribution'
    """
    kind = _target_kind(y, name)
    if kind == "indicator" and "indicator" not in kinds and "distribution" in kinds:
        kind = "distribution"  # one-hot rows are distributions, too
    if kind not in kinds:
        raise ValueError(
            f"{name} looks like {kind}, but this method takes {' or '.join(kinds)}."
        )
    if kind == "classes":
        classes, codes = check_class_vector(y, name=name)
        return Target(kind, np.eye(len(classes))[codes], classes)
    if kind == "indicator":
        matrix = check_indicator(y, name=name)
    else:
        matrix = check_distribution(y, name=name)
    return Target(kind, np.asarray(matrix), label_names(y, matrix.shape[1]))


def is_single_indicator(y: Any) -> bool:
    """Whether a target is one column of zeros and ones: a single label.

    Parameters
    ----------
    y : array-like
        A target, not sparse.

    Returns
    -------
    single : bool

    Examples
    --------
    >>> from skldl.validation import is_single_indicator
    >>> is_single_indicator([[1], [0]]), is_single_indicator([["a"], ["b"]])
    (True, False)
    """
    values = np.asarray(y)
    if values.ndim != 2 or values.shape[1] != 1:
        return False
    return values.dtype.kind in "biuf" and bool(np.isin(values, (0, 1)).all())


def _target_kind(y: Any, name: str) -> TargetKind:
    if sp.issparse(y):
        return "indicator"
    if y is None:
        raise ValueError(
            f"This method requires {name} to be passed, but the target {name} is None."
        )
    shape = np.shape(y) if hasattr(y, "shape") else np.asarray(y).shape
    if len(shape) == 0 or 0 in shape:
        raise ValueError(f"{name} has no targets; give one per sample.")
    if len(shape) == 1 or (len(shape) == 2 and shape[1] == 1):
        return "classes"
    matrix = to_matrix(y, name)
    return "indicator" if np.isin(matrix, (0, 1)).all() else "distribution"


def check_fit_data(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    *,
    accept_sparse: bool = False,
    accept_classes: bool = False,
    keep_float32: bool = False,
) -> tuple[Any, FloatArray]:
    """Validate what a distribution predictor's ``fit`` was given.

    Sets ``n_features_in_``, ``feature_names_in_`` and ``classes_`` on the
    estimator.

    Parameters
    ----------
    estimator : estimator
        The estimator being fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples, n_labels)
        Label distributions.
    accept_sparse : bool, default=False
        Whether the method takes sparse features (as CSR).
    accept_classes : bool, default=False
        Whether a vector of classes is allowed; it becomes one-hot rows.
    keep_float32 : bool, default=False
        Whether float32 features stay as they are, for methods that only search.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        In float64, or in float32 if that was given and is kept.
    D : ndarray of shape (n_samples, n_labels)
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is "
            "None: give the label distributions D, one row per sample."
        )
    X = check_samples(
        estimator, X, accept_sparse=accept_sparse, keep_float32=keep_float32
    )
    if accept_classes and ndim(y, "y") == 1:
        estimator.classes_, codes = check_class_vector(y)
        check_consistent_length(X, codes)
        return X, np.eye(len(estimator.classes_))[codes]
    columns = getattr(y, "columns", None)
    if columns is not None:
        label_names(y, len(columns))  # their faults have clearer words than others
    matrix = check_distribution(y, name="y")
    check_consistent_length(X, matrix)
    estimator.classes_ = label_names(y, matrix.shape[1])
    return X, matrix
