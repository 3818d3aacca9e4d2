"""Which role each column of a table has, and what is said about it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skldl.datasets import column_roles, existing_columns
from skldl.validation import RowError

#: Roles that become features, in the order of the features.
USED = ("number", "date", "category", "text")
#: Other roles, and what is said about them.
LEFT_OUT = {
    "id": "left out: a name of each row tells nothing about new rows",
    "constant": "left out: the same in every row",
    "empty": "left out: no values",
    "ignored": "left out: ignored on request",
}


def assigned_roles(
    frame: pd.DataFrame, given: Mapping[str, tuple[str, Any]]
) -> list[str]:
    """Role of each column: what is said about it, else what it seems to be.

    Parameters
    ----------
    frame : DataFrame
        Training table.
    given : dict of str to (str, list of str or None)
        Role to the name of the parameter that gives it, and its columns.

    Returns
    -------
    roles : list of str
        A column without values is empty, whatever was said.
    """
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise ValueError(f"The table has more than one column {twice[0]!r}.")
    named: dict[Any, str] = {}
    for role, (parameter, columns) in given.items():
        if columns is None or len(columns) == 0:
            continue
        for column in existing_columns(columns, frame.columns, parameter):
            if column in named:
                raise ValueError(
                    f"Column {column!r} is named twice, as {named[column]} and as "
                    f"{role}; choose one."
                )
            named[column] = role
    roles = column_roles(frame)["role"].tolist()
    both = zip(frame.columns, roles, strict=True)
    return [
        named[c] if c in named and "empty" not in (role, named[c]) else role
        for c, role in both
    ]


def refuse_gaps(frame: pd.DataFrame, roles: Sequence[str]) -> None:
    """Name the first column that has gaps and is used.

    Parameters
    ----------
    frame : DataFrame
        Table.
    roles : sequence of str
        Role of each column.
    """
    for i, role in enumerate(roles):
        gaps = frame.iloc[:, i].isna().to_numpy() if role in USED else np.zeros(1)
        if gaps.any():
            row = int(np.argmax(gaps))
            raise RowError(
                f"Column {str(frame.columns[i])!r} has {int(gaps.sum())} missing "
                f"values (NaN), the first in row {row}. Fill them in, or let "
                "missing='impute'.",
                row,
            )


def column_records(
    frame: pd.DataFrame, roles: Sequence[str], owners: Sequence[int]
) -> list[dict[str, Any]]:
    """What was done to each column.

    Parameters
    ----------
    frame : DataFrame
        Training table.
    roles : sequence of str
        Role of each column.
    owners : sequence of int
        Place of the column that each feature comes from.

    Returns
    -------
    records : list of dict
        Keys column, role, done and n_features.
    """
    widths = np.bincount(np.asarray(owners, dtype=int), minlength=len(roles))
    gaps = frame.isna().sum().to_numpy()
    records = [
        {
            "column": str(frame.columns[i]),
            "role": role,
            "done": done_in_words(role, int(widths[i]), int(gaps[i])),
            "n_features": int(widths[i]),
        }
        for i, role in enumerate(roles)
    ]
    if not len(owners):
        faults = "; ".join(f"{r['column']!r} {r['done']}" for r in records)
        raise ValueError(
            f"No column is left to learn from: {faults}. Name columns in numeric, "
            "categorical, text or dates to keep them."
        )
    return records


def done_in_words(role: str, width: int, gaps: int) -> str:
    """What was done to a column, in words."""
    if role in LEFT_OUT:
        return LEFT_OUT[role]
    filled = f", {gaps} gaps filled with the median and marked" if gaps else ""
    if role == "number":
        return f"as it is{filled}"
    if role == "date":
        return f"parts of the date{filled}"
    if role == "category":
        own = ", a gap is one" if gaps else ""
        return f"one 0/1 column per category{own}"
    if not width:
        return "left out: no words that differ"
    empty = f", {gaps} gaps as no words" if gaps else ""
    return f"words by TF-IDF in {width} components{empty}"
