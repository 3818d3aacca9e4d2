"""Columns of a table by name, and the numbers in them."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skldl._text import listed
from skldl._typing import FloatArray
from skldl.validation import RowError


def existing_columns(
    columns: str | Sequence[str], known: Iterable[Any], what: str
) -> list[str]:
    """Names of columns, or an error if a table does not have one of them.

    Parameters
    ----------
    columns : str or sequence of str
        Wanted columns.
    known : iterable of str
        Columns of the table.
    what : str
        The argument that names them, for messages.

    Returns
    -------
    columns : list of str

    Examples
    --------
    >>> from skldl.datasets import existing_columns
    >>> existing_columns("joy", ["age", "joy", "fear"], "labels")
    ['joy']
    """
    if isinstance(columns, str):
        columns = [columns]
    columns = list(columns)
    if not columns:
        raise ValueError(f"{what} is empty; name at least one column.")
    if len(set(columns)) < len(columns):
        raise ValueError(f"{what} names a column twice.")
    there = list(known)
    for column in columns:
        if column not in there:
            names = [str(c) for c in there]
            close = get_close_matches(str(column), names, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ValueError(
                f"There is no column {column!r} (named in {what}).{hint} The table has "
                f"{listed(names, 20)}."
            )
    return columns


def to_numbers(frame: pd.DataFrame, first_row: int = 0) -> FloatArray:
    """Finite numbers of a table, or an error that names the first cell that is not one.

    Parameters
    ----------
    frame : DataFrame
        Table.
    first_row : int, default=0
        Number of its first row, if it is a part of a larger table.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_columns)
        Float64.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import to_numbers
    >>> to_numbers(pd.DataFrame({"age": [31, 45], "income": ["1.5", "2"]}))
    array([[31. ,  1.5],
           [45. ,  2. ]])
    """
    kinds = {dtype.kind for dtype in frame.dtypes if isinstance(dtype, np.dtype)}
    plain = all(isinstance(dtype, np.dtype) for dtype in frame.dtypes)
    if plain and kinds <= set("fiub"):
        matrix = frame.to_numpy(dtype=np.float64)
        if np.isfinite(matrix).all():
            return matrix
    columns = [column_to_numbers(frame[c], str(c), first_row) for c in frame.columns]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def column_to_numbers(
    values: pd.Series, name: str, first_row: int = 0, *, gaps: bool = False
) -> FloatArray:
    """Numbers of one column, or an error that names the first cell that is not one.

    Parameters
    ----------
    values : Series
        The column.
    name : str
        What messages call it.
    first_row : int, default=0
        Number of its first row, if it is a part of a larger table.
    gaps : bool, default=False
        Whether missing values may stay, as NaN.

    Returns
    -------
    numbers : ndarray of shape (n_samples,)
        Float64.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import column_to_numbers
    >>> column_to_numbers(pd.Series(["1", "2.5"]), "age")
    array([1. , 2.5])
    """
    numbers = pd.to_numeric(values, errors="coerce")
    text = (numbers.isna() & values.notna()).to_numpy()
    if text.any():
        row = int(np.argmax(text))
        raise RowError(
            f"Column {name!r} must contain numbers, but row {first_row + row} has "
            f"{values.iloc[row]!r}{_in_all(text)}. Encode or clean it.",
            first_row + row,
        )
    missing = values.isna().to_numpy()
    if missing.any() and not gaps:
        row = first_row + int(np.argmax(missing))
        raise RowError(
            f"Column {name!r} has a missing value in row {row}{_in_all(missing)}. Fill "
            "it in, or remove the row.",
            row,
        )
    if not pd.api.types.is_numeric_dtype(numbers) or numbers.dtype.kind == "c":
        raise ValueError(f"Column {name!r} has {values.dtype}, not numbers.")
    matrix = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(matrix).any():
        row = first_row + int(np.argmax(np.isinf(matrix)))
        count = _in_all(np.isinf(matrix))
        raise RowError(
            f"Column {name!r} contains infinity in row {row}{count}; replace it.", row
        )
    return matrix


def _in_all(wrong: NDArray[np.bool_]) -> str:
    count = int(wrong.sum())
    return f" (the first of {count} such cells)" if count > 1 else ""
