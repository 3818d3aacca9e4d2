"""Match the columns of a table with the features of a model, by name."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from skldl._text import listed
from skldl.datasets import column_to_numbers, to_numbers
from skldl.models._kinds import GAP, NUMBER, TEXT, UNUSED
from skldl.validation import RowError


def match_columns(
    X: Any, names: Sequence[str], kinds: Sequence[str] = (), first_row: int = 0
) -> tuple[Any, list[str]]:
    """The wanted columns in the wanted order, and what was left over.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
        Samples.
    names : sequence of str
        Wanted columns.
    kinds : sequence of str, default=()
        What each of them may hold, see :func:`skldl.models._kinds.feature_kinds`;
        empty for numbers.
    first_row : int, default=0
        Number of the first row, if X is a part of a larger table.

    Returns
    -------
    matched : ndarray or DataFrame of shape (n_samples, n_wanted)
        A matrix if all columns contain numbers.
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
        if {*kinds} <= {NUMBER}:
            return matrix, []
        frame = pd.DataFrame(matrix, columns=list(names))
        return judge_columns(frame, kinds, first_row), []
    given = [str(column) for column in X.columns]
    require_columns(given, needed_columns(names, kinds))
    if given == list(names):
        return judge_columns(X, kinds, first_row), []
    place = {name: i for i, name in enumerate(given)}
    wanted = set(names)
    extra = [name for name in given if name not in wanted]
    there = [name for name in names if name in place]
    chosen = X.iloc[:, [place[name] for name in there]]
    if len(there) < len(names):  # what the model does not look at need not be there
        chosen = chosen.set_axis(there, axis=1).reindex(columns=list(names))
    return judge_columns(chosen, kinds, first_row), extra


def needed_columns(names: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Features that a table must have.

    Parameters
    ----------
    names : sequence of str
        Features of a model.
    kinds : sequence of str
        What each of them may hold; empty for numbers.

    Returns
    -------
    needed : list of str
        Without those that the model does not look at.
    """
    if not kinds:
        return list(names)
    both = zip(names, kinds, strict=True)
    return [name for name, kind in both if kind != UNUSED]


def judge_columns(frame: pd.DataFrame, kinds: Sequence[str], first_row: int = 0) -> Any:
    """Columns that contain what they may, or an error that names the first other cell.

    Parameters
    ----------
    frame : DataFrame
        Table.
    kinds : sequence of str
        What each column may hold; empty for numbers.
    first_row : int, default=0
        Number of its first row, if it is a part of a larger table.

    Returns
    -------
    columns : ndarray or DataFrame
        A matrix if all columns contain numbers. Otherwise numbers are float64, whatever
        they were, so that parts of one table do not differ; text is as it was.
    """
    if {*kinds} <= {NUMBER}:
        return to_numbers(frame, first_row)
    judged = {}
    for place, kind in enumerate(kinds):
        values, name = frame.iloc[:, place], str(frame.columns[place])
        if kind in (NUMBER, GAP):
            values = column_to_numbers(values, name, first_row, gaps=kind == GAP)
        elif kind == TEXT:
            _require_text(values, name, first_row)
        judged[name] = values
    return pd.DataFrame(judged, index=frame.index)


def _require_text(values: pd.Series, name: str, first_row: int) -> None:
    """Refuse a number where the model has learned words: it can match none."""
    if pd.api.types.infer_dtype(values, skipna=True) in ("string", "empty"):
        return
    wrong = [not isinstance(value, str) for value in values]
    wrong = np.asarray(wrong, dtype=bool) & values.notna().to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        raise RowError(
            f"Column {name!r} must have text as in training, but row {first_row + row} "
            f"has {values.iloc[row]}. Read it as text, with dtype=str.",
            first_row + row,
        )


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
