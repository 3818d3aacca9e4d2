"""Plain matrices out of whatever users pass as a target, with errors that say where."""

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray
from skldl.validation._errors import RowError
from skldl.validation._label_names import label_names


def is_plain(X: Any, dtypes: tuple[Any, ...] = (np.float64,)) -> bool:
    """Whether X is a finite array as numpy makes it, in which nothing needs a check.

    Parameters
    ----------
    X : object
        What a user passed.
    dtypes : tuple of dtype
        Kinds of numbers that need no conversion.

    Returns
    -------
    plain : bool
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.size == 0 or X.dtype not in dtypes:
        return False
    with np.errstate(all="ignore"):  # huge sums only mean a closer look
        return bool(X.flags.c_contiguous and np.isfinite(X.sum(dtype=np.float64)))


def to_matrix(target: Any, name: str) -> FloatArray:
    """Dense float64 matrix, or an error that says what is wrong.

    Parameters
    ----------
    target : array-like of shape (n_samples, n_labels)
        What a user passed.
    name : str
        Its name in errors.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_labels)
    """
    if is_plain(target):
        return target
    if target is None:
        raise ValueError(
            f"{name} is None; give one row per sample, one column per label."
        )
    if sp.issparse(target):
        raise ValueError(
            f"{name} is sparse, but a dense matrix is needed; use {name}.toarray()."
        )
    if ndim(target, name) != 2:
        raise ValueError(
            f"{name} must have two dimensions (one row per sample, one column per "
            f"label), got {ndim(target, name)}. For a single label per sample use "
            "one-hot rows, for instance pandas.get_dummies(y)."
        )
    if isinstance(target, pd.DataFrame):
        _require_numeric_columns(target, name)
    kind = getattr(getattr(target, "dtype", None), "kind", "f")
    if kind not in "fiubOc":
        raise ValueError(f"{name} has type {target.dtype}, not numbers.")
    try:
        matrix = check_array(
            target,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    except OverflowError:
        raise too_large_error(target, name) from None
    if 0 in matrix.shape:
        raise ValueError(
            f"{name} has shape {matrix.shape}; at least one sample (row) and one label "
            "(column) are needed."
        )
    return matrix


def too_large_error(values: Any, name: str) -> RowError:
    """Say which cell holds a Python integer that does not fit into a float.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_columns)
        What could not be converted.
    name : str
        Its name in errors.

    Returns
    -------
    error : RowError
    """
    cells = np.atleast_2d(np.asarray(values, dtype=object))
    large = np.frompyfunc(_does_not_fit, 1, 1)(cells).astype(bool)
    row, column = first_true(large.reshape(len(large), -1))
    return RowError(
        f"{name} has an integer that is too large for a float at row {row}, column "
        f"{column_name(values, column)!r}. Rescale the column, or leave it out.",
        row,
    )


def _does_not_fit(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return True
    except (TypeError, ValueError):  # another fault, told elsewhere
        return False
    return False


def ndim(target: Any, name: str) -> int:
    """Number of dimensions of arrays, frames, lists and array-like objects.

    Parameters
    ----------
    target : array-like
        What a user passed.
    name : str
        Its name in errors.

    Returns
    -------
    ndim : int
    """
    shape = getattr(target, "shape", None)
    if shape is not None:
        return len(shape)
    try:
        return np.asarray(target).ndim
    except ValueError:
        raise ValueError(
            f"The rows of {name} have different lengths; give one number per label."
        ) from None


def _require_numeric_columns(frame: pd.DataFrame, name: str) -> None:
    if frame.columns.has_duplicates:
        label_names(frame, frame.shape[1])  # refuses them
    for column, dtype in frame.dtypes.items():
        if not _holds_numbers(frame[column]):
            raise ValueError(
                f"Column {column!r} of {name} has type {dtype}, not numbers. Pass only "
                "the label columns."
            )


def _holds_numbers(column: pd.Series) -> bool:
    if pd.api.types.is_object_dtype(column.dtype):
        try:
            numbers = pd.to_numeric(column, errors="coerce")
        except OverflowError:  # a number too large for a float, told elsewhere
            return True
        return numbers.notna().eq(column.notna()).all()
    return pd.api.types.is_numeric_dtype(column.dtype)


def require_finite(matrix: FloatArray, original: Any, name: str) -> None:
    bad = ~np.isfinite(matrix)
    if bad.any():
        row, column = first_true(bad)
        what = "NaN" if np.isnan(matrix[row, column]) else "infinity"
        raise RowError(
            f"{name} contains {what} at row {row}, column "
            f"{column_name(original, column)!r}. Remove or impute such rows.",
            row,
        )


def first_true(mask: NDArray[np.bool_]) -> tuple[int, int]:
    row, column = np.unravel_index(int(np.argmax(mask)), mask.shape)
    return int(row), int(column)


def column_name(target: Any, column: int) -> Any:
    columns = getattr(target, "columns", None)
    return column if columns is None else columns[column]


def require_same_names(D: Any, P: Any, names: tuple[str, str]) -> None:
    """Two frames must not disagree about what their columns and rows are."""
    for axis, what in (("columns", "labels"), ("index", "samples")):
        first, second = getattr(D, axis, None), getattr(P, axis, None)
        if not (isinstance(first, pd.Index) and isinstance(second, pd.Index)):
            continue
        if axis == "index" and set(first) != set(second):
            continue  # row names that have nothing to do with each other
        if list(first) != list(second):
            raise ValueError(
                f"{names[0]} and {names[1]} have their {what} in different order "
                f"({axis}). Bring them into the same order first."
            )
