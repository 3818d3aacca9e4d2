"""Match the columns of a table with the features of a model, by name."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from skldl._typing import FloatArray


def match_columns(X: Any, names: Sequence[str]) -> tuple[FloatArray, list[str]]:
    """Numbers of the wanted columns in the wanted order, and what was left over.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
        Samples.
    names : sequence of str
        Wanted columns.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_wanted)
    extra : list of str
        Columns of a DataFrame that nobody wants.
    """
    if not isinstance(X, pd.DataFrame):
        matrix = np.asarray(X)
        if matrix.ndim != 2 or matrix.shape[1] != len(names):
            raise ValueError(
                f"X has shape {matrix.shape}, but the model wants {len(names)} columns:"
                f" {listed(names)}. A DataFrame is matched by names."
            )
        return matrix, []
    given = [str(column) for column in X.columns]
    require_columns(given, names)
    if given == list(names):
        return to_numbers(X), []
    place = {name: i for i, name in enumerate(given)}
    wanted = set(names)
    extra = [name for name in given if name not in wanted]
    return to_numbers(X.iloc[:, [place[name] for name in names]]), extra


def require_columns(given: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a table that lacks wanted columns, or has one of them twice.

    Parameters
    ----------
    given : sequence of str
        Columns that there are.
    names : sequence of str
        Columns that are wanted.
    """
    there = set(given)
    missing = [name for name in names if name not in there]
    if missing:
        close = get_close_matches(missing[0], list(given), n=1)
        hint = f" Did you rename {missing[0]!r} to {close[0]!r}?" if close else ""
        raise ValueError(
            f"The model was trained on {len(names)} columns, of which the table lacks "
            f"{len(missing)}: {listed(missing)}.{hint} The table has {listed(given)}."
        )
    if len(there) < len(given):
        twice = [name for name in names if list(given).count(name) > 1]
        if twice:
            raise ValueError(f"The table has more than one column {twice[0]!r}.")


def to_numbers(frame: pd.DataFrame, first_row: int = 0) -> FloatArray:
    """Finite numbers of a table, or a word about the first cell that is none.

    Parameters
    ----------
    frame : DataFrame
        Table.
    first_row : int, default=0
        Number of its first row, if it is a part of a larger table.

    Returns
    -------
    matrix : ndarray
        Float64.
    """
    kinds = {dtype.kind for dtype in frame.dtypes if isinstance(dtype, np.dtype)}
    plain = all(isinstance(dtype, np.dtype) for dtype in frame.dtypes)
    if plain and kinds <= set("fiub"):
        matrix = frame.to_numpy(dtype=np.float64)
        if np.isfinite(matrix).all():
            return matrix
    columns = [_checked(frame[c], str(c), first_row) for c in frame.columns]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _checked(values: pd.Series, name: str, first_row: int) -> FloatArray:
    """Numbers of one column, or a word about the first cell that is none."""
    numbers = pd.to_numeric(values, errors="coerce")
    text = (numbers.isna() & values.notna()).to_numpy()
    if text.any():
        row = int(np.argmax(text))
        raise ValueError(
            f"Column {name!r} must hold numbers, but row {first_row + row} holds "
            f"{values.iloc[row]!r}. Encode or clean it."
        )
    missing = values.isna().to_numpy()
    if missing.any():
        row = first_row + int(np.argmax(missing))
        raise ValueError(
            f"Column {name!r} has a missing value in row {row}. Fill it in, or remove "
            "the row."
        )
    if not pd.api.types.is_numeric_dtype(numbers) or numbers.dtype.kind == "c":
        raise ValueError(f"Column {name!r} holds {values.dtype}, not numbers.")
    matrix = numbers.to_numpy(dtype=np.float64)
    if np.isinf(matrix).any():
        row = first_row + int(np.argmax(np.isinf(matrix)))
        raise ValueError(f"Column {name!r} holds infinity in row {row}; replace it.")
    return matrix


def listed(names: Sequence[str], most: int = 10) -> str:
    """Some names, and that there are more.

    Parameters
    ----------
    names : sequence of str
        Names.
    most : int, default=10
        How many to show.

    Returns
    -------
    text : str
    """
    return ", ".join(map(str, names[:most])) + (" ..." if len(names) > most else "")
