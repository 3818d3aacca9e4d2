"""Cells of a table that are not what they should be, all of a kind at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api import types

from skldl._text import listed
from skldl._typing import FloatArray
from skldl.datasets._read_lines import frame_origin, name_rows

_FIRST = 1000
STRAY = 0.1  # so few words among numbers are a fault of the table, not text


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a table.

    Attributes
    ----------
    kind : str
        What it is, in a word.
    text : str
        What is wrong and where, in a sentence.
    remedy : str
        What to do.
    row : int
        The first row, counted from 0.
    """

    kind: str
    text: str
    remedy: str = ""
    row: int = 0

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()


def raise_first(faults: Sequence[Fault]) -> None:
    """Raise an error with all faults of the first kind."""
    if not faults:
        return
    alike = [fault for fault in faults if fault.kind == faults[0].kind]
    more = [fault.text for fault in alike[:10]]
    if len(alike) > 10:
        more.append(f"{len(alike) - 10} more columns are like this.")
    raise ValueError(" ".join([*more, alike[0].remedy]).strip())


def number_faults(
    frame: pd.DataFrame, columns: Sequence[str], what: str, *, gaps: bool = False
) -> list[Fault]:
    """Words, gaps and infinities in columns that must contain numbers.

    Parameters
    ----------
    frame : DataFrame
        Table of :func:`read_frame`.
    columns : sequence of str
        Columns to look at.
    what : {"label", "feature"}
        What messages call them.
    gaps : bool, default=False
        Whether missing values are right.

    Returns
    -------
    faults : list of Fault
    """
    faults = []
    for column in columns:
        values = frame[column]
        numbers = numbers_of(values, _decimal(frame))
        name = f"The {what} column {column!r}"
        missing = values.isna().to_numpy()
        words = np.isnan(numbers) & ~missing
        if words.any():
            faults.append(_words(frame, values, words, name, what))
        if missing.any() and not gaps:
            faults.append(_gaps(frame, missing, name))
        infinite = np.isinf(numbers)
        if infinite.any():
            faults.append(_infinities(frame, infinite, name))
    order = {"words": 0, "gaps": 1, "infinity": 2}
    return sorted(faults, key=lambda fault: order[fault.kind])


def _words(
    frame: pd.DataFrame,
    values: pd.Series,
    words: np.ndarray,
    name: str,
    what: str,
) -> Fault:
    rows = np.flatnonzero(words)
    shown = [repr(values.iloc[row]) for row in rows[:3]]
    remedy = {
        "label": "Degrees are shares or counts; correct the cells that are not.",
        "feature": "Correct them, or leave the column out.",
    }[what]
    text = (
        f"{name} does not contain numbers, such as {listed(shown)}, in {_count(rows)} "
        f"({name_rows(frame, rows)})."
    )
    return Fault("words", text, remedy, int(rows[0]))


def _gaps(frame: pd.DataFrame, missing: np.ndarray, name: str) -> Fault:
    rows = np.flatnonzero(missing)
    text = (
        f"{name} has {len(rows)} missing value{'s' if len(rows) > 1 else ''} "
        f"({name_rows(frame, rows)})."
    )
    return Fault("gaps", text, "Fill them in, or remove the rows.", int(rows[0]))


def _infinities(frame: pd.DataFrame, infinite: np.ndarray, name: str) -> Fault:
    rows = np.flatnonzero(infinite)
    text = f"{name} contains infinity in {_count(rows)} ({name_rows(frame, rows)})."
    return Fault("infinity", text, "Remove or replace it.", int(rows[0]))


def _count(rows: Sequence[int] | np.ndarray) -> str:
    return f"{len(rows)} row{'s' if len(rows) > 1 else ''}"


def _decimal(frame: pd.DataFrame) -> str:
    return str(frame_origin(frame).get("decimal", "."))


def numbers_of(values: pd.Series, decimal: str | None = None) -> FloatArray:
    """Numbers of a column, NaN for what is missing or not a number.

    With a ``decimal`` sign, text with signs of thousands and percent is a number, too:
    it is not one for pandas as long as there is a word in the column.
    """
    if types.is_complex_dtype(values) or types.is_datetime64_any_dtype(values):
        return np.full(len(values), np.nan)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    if decimal is not None and types.infer_dtype(values, skipna=True) == "string":
        thousands = "." if decimal == "," else ","
        values = values.str.replace(thousands, "", regex=False)
        values = values.str.replace(decimal, ".", regex=False).str.rstrip("% ")
    numbers = pd.to_numeric(values, errors="coerce")
    if not types.is_numeric_dtype(numbers):
        return np.full(len(values), np.nan)
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)


def share_of_numbers(values: pd.Series, decimal: str = ".") -> float:
    """The share of cells with a value that are numbers."""
    if types.is_numeric_dtype(values):
        return 0.0 if types.is_complex_dtype(values) else 1.0
    present = values.dropna()
    if not len(present):
        return 0.0
    first = np.isfinite(numbers_of(present.iloc[:_FIRST], decimal))
    if len(present) > _FIRST and not first.any():  # most text is told by its begin
        return 0.0
    return float(np.isfinite(numbers_of(present, decimal)).mean())


def stray_words(
    frame: pd.DataFrame,
    columns: Sequence[str],
    text: Collection[str] = (),
    *,
    most: float = STRAY,
) -> list[Fault]:
    """Words in columns of numbers, and complex numbers.

    A column of text of which at least nine cells in ten are numbers was meant to have
    numbers: to take it as text would make every number a word of its own. ``most`` is
    the share of words up to which this is so.
    """
    suspects = []
    for column in columns:
        values = frame[column]
        complex_numbers = types.is_complex_dtype(values)
        if column in text or (types.is_numeric_dtype(values) and not complex_numbers):
            continue
        if complex_numbers or 1 - most <= share_of_numbers(values, _decimal(frame)) < 1:
            suspects.append(column)
    return [
        fault
        for fault in number_faults(frame, suspects, "feature", gaps=True)
        if fault.kind == "words"
    ]
