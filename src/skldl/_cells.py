"""Cells of text that a spreadsheet would run as a formula.

A spreadsheet that opens a CSV file takes ``=1+1`` for a formula, whoever wrote it. An
apostrophe in front makes it text, which is what people type there, too. Readers take
the apostrophe off again, so that names of labels survive the way through a file.
"""

import re
from typing import Any

import numpy as np
import pandas as pd

_SPACES = " \t\r\n\f\v\xa0"
# full-width signs as well: some spreadsheets take them for the plain ones
_SIGNS = "=+-@＝＋－＠"  # noqa: RUF001
_FORMULA = re.compile(rf"'*(?:[{_SPACES}]*[{re.escape(_SIGNS)}]|[\t\r\n])")
_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*")
_FIRST = frozenset("'" + _SPACES + _SIGNS)  # nearly all cells begin with another one


def safe_text(text: str) -> str:
    """A text as it can stand in a cell: with an apostrophe, if it could be a formula.

    Parameters
    ----------
    text : str
        Any text. Numbers stay numbers, also negative ones.

    Returns
    -------
    text : str
    """
    return f"'{text}" if _is_formula(text) else text


def plain_text(text: str) -> str:
    """Take off the apostrophe that :func:`safe_text` gave.

    Parameters
    ----------
    text : str
        Content of a cell.

    Returns
    -------
    text : str
    """
    return text[1:] if text.startswith("'") and _is_formula(text) else text


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text.lstrip("'"))


def safe_table(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose names and cells are safe to open in a spreadsheet.

    Parameters
    ----------
    table : DataFrame
        Any; it is not changed.

    Returns
    -------
    table : DataFrame
        The same one if nothing in it could be a formula.
    """
    return _mapped(table, safe_text)


def plain_table(table: pd.DataFrame) -> pd.DataFrame:
    """Take the apostrophes of :func:`safe_table` off the cells, not off the names.

    Parameters
    ----------
    table : DataFrame
        As read from a file of cells.

    Returns
    -------
    table : DataFrame
    """
    return _mapped(table, plain_text, names=False)


def _holds_text(dtype: Any) -> bool:
    text = isinstance(dtype, pd.StringDtype | pd.CategoricalDtype)
    return text or pd.api.types.is_object_dtype(dtype)


def _mapped(table: pd.DataFrame, change: Any, *, names: bool = True) -> pd.DataFrame:
    changed: dict[int, Any] = {}
    for place, dtype in enumerate(table.dtypes):
        if not _holds_text(dtype):
            continue
        values = table.iloc[:, place].to_numpy(dtype=object)
        new = [
            change(v) if isinstance(v, str) and v[:1] in _FIRST else v for v in values
        ]
        if any(a is not b for a, b in zip(new, values, strict=True)):
            changed[place] = np.array(new, dtype=object)
    header = [change(n) if names and isinstance(n, str) else n for n in table.columns]
    if not changed and header == list(table.columns):
        return table
    table = table.copy(deep=False)
    for place, values in changed.items():
        table.isetitem(place, values)
    table.columns = pd.Index(header)
    return table
