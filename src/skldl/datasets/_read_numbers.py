"""Numbers that a parser takes for text: thousands, percentages, decimal commas."""

import re
from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd
from pandas.api import types

_FIRST = 200  # cells by which most columns of text are rejected
_SPACES = "\u00a0\u202f\u2009'\u2019"  # separate thousands, never words
_MINUS = "\u2212"


@dataclass(frozen=True)
class Spelling:
    """One way to write numbers."""

    decimal: str
    thousands: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, decimal: str) -> "Spelling":
        """Numbers with a decimal sign, and the other one between thousands."""
        thousands = "." if decimal == "," else ","
        group = f"[{re.escape(thousands)}{_SPACES}]"
        whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:{group}\d{{3}})+)"
        number = rf"[-+{_MINUS}]?(?:{whole}(?:{re.escape(decimal)}\d+)?)"
        return cls(decimal, thousands, re.compile(rf"{number}(?:[\s\u00a0]?%)?"))


def plain_numbers(
    frame: pd.DataFrame,
    *,
    decimal: str = ".",
    either: bool = False,
    text: Collection[str] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """A table whose columns of oddly written numbers are numbers, and what was done.

    Parameters
    ----------
    frame : DataFrame
        Table; it is not changed.
    decimal : {".", ","}, default="."
        The decimal sign of the file.
    either : bool, default=False
        Whether a column may have the other decimal sign.
    text : collection of str, default=()
        Columns that stay text.

    Returns
    -------
    frame : DataFrame
    notes : list of str
        One for each column that was changed.
    """
    other = "." if decimal == "," else ","
    spellings = [Spelling.of(sign) for sign in (decimal, *(other if either else ""))]
    changed, notes = {}, []
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        if name in text or not _is_text(values):
            continue
        for spelling in spellings:
            if _fits(values, spelling):
                changed[place], words = _converted(values, spelling)
                notes.append(f"Column {str(name)!r} {words}")
                break
    if changed:
        frame = frame.copy(deep=False)
        for place, numbers in changed.items():
            frame.isetitem(place, numbers)
    return frame, notes


def _is_text(values: pd.Series) -> bool:
    if not types.is_string_dtype(values) and not types.is_object_dtype(values):
        return False
    return types.infer_dtype(values.iloc[:_FIRST], skipna=True) in ("string", "empty")


def _fits(values: pd.Series, spelling: Spelling) -> bool:
    """Whether all cells fit, and some sign shows that a number is meant.

    Digits alone are left as they are: a table that holds them as text, such as 00123,
    has a reason. Either all cells are percentages or none.
    """
    cells = values.dropna()
    if not len(cells) or not _all_match(cells.iloc[:_FIRST], spelling.pattern):
        return False
    if types.infer_dtype(cells, skipna=True) != "string":
        return False
    if not _all_match(cells, spelling.pattern):
        return False
    signed = cells.str.contains("%", regex=False)
    if signed.any():
        return bool(signed.all())
    marks = rf"[{re.escape(spelling.thousands + spelling.decimal)}{_SPACES}{_MINUS}]"
    return bool(cells.str.contains(marks, regex=True).any())


def _all_match(cells: pd.Series, pattern: re.Pattern[str]) -> bool:
    return bool(cells.str.strip().str.fullmatch(pattern.pattern).all())


def _converted(values: pd.Series, spelling: Spelling) -> tuple[pd.Series, str]:
    cells = values.str.strip()
    example = cells.dropna().iloc[0]
    percent = "%" in example
    for sign in (spelling.thousands, *_SPACES, " ", "%"):
        cells = cells.str.replace(sign, "", regex=False)
    cells = cells.str.replace(_MINUS, "-", regex=False)
    cells = cells.str.replace(spelling.decimal, ".", regex=False)
    numbers = pd.to_numeric(cells.astype(object))
    if percent:
        numbers = numbers / 100
        first = numbers.dropna().iloc[0]
        return numbers, f"held percentages; {example} is read as {first:g}."
    wide = values.dropna().astype(str)
    shown = wide[wide.str.len() == wide.str.len().max()].iloc[0].strip()
    number = numbers[wide.index[wide.str.strip() == shown][0]]
    number = number.iloc[0] if isinstance(number, pd.Series) else number
    return numbers, f"held numbers as text; {shown} is read as {number:.15g}."
