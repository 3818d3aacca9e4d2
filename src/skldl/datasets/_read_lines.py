"""Where the rows of a table are in its file."""

import csv
import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: The key of ``DataFrame.attrs`` under which a reader says where a table comes from.
ORIGIN = "skldl"


def frame_origin(frame: pd.DataFrame) -> dict[str, Any]:
    """Where a table comes from, as :func:`read_frame` keeps it.

    Parameters
    ----------
    frame : DataFrame
        A table of :func:`read_frame`.

    Returns
    -------
    facts : dict
        ``name``, and where they are known ``path``, ``labels`` (columns that a file
        of arrays has as labels), ``sep`` and ``encoding`` of a CSV file, and
        ``first_line``, the line of its first row. Empty for other tables.

    Examples
    --------
    >>> import io
    >>> from skldl.datasets import frame_origin, read_frame
    >>> frame, _ = read_frame(io.StringIO("a;b"))
    >>> frame_origin(frame)["sep"]
    ';'
    """
    return frame.attrs.get(ORIGIN, {})


def name_rows(frame: pd.DataFrame, rows: Any, most: int = 5) -> str:
    r"""Rows of a table in words: lines of its file, or rows counted from 0.

    Parameters
    ----------
    frame : DataFrame
        A table of :func:`read_frame`, with all of its rows.
    rows : array-like of int or of bool
        Numbers of the rows, or which rows.
    most : int, default=5
        How many to name.

    Returns
    -------
    text : str
        Such as ``"lines 3, 9"``: the header is line 1. Tables that were not read from
        a text or Excel file have ``"rows 1, 7 (counted from 0)"``.

    Examples
    --------
    >>> import io
    >>> from skldl.datasets import name_rows, read_frame
    >>> frame, _ = read_frame(io.StringIO("a,b\n1,2\n3,\n,\n"))
    >>> name_rows(frame, frame["b"].isna())
    'lines 3, 4'
    """
    rows = np.asarray(rows)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    numbers = np.unique(rows)[:most].tolist()
    more = ", ..." if len(rows) > most else ""
    lines = _lines(frame, numbers)
    word = "row" if lines is None else "line"
    text = ", ".join(map(str, numbers if lines is None else lines)) + more
    plural = "s" if len(rows) > 1 else ""
    return f"{word}{plural} {text}" + (" (counted from 0)" if lines is None else "")


def _lines(frame: pd.DataFrame, rows: Sequence[int]) -> list[int] | None:
    known = frame_origin(frame)
    first = known.get("first_line")
    if first is None or not _is_whole(frame, known):
        return None
    if known.get("steady", True):
        return [first + row for row in rows]
    try:
        return _counted(known, rows)
    except (OSError, UnicodeError, csv.Error):  # the file is not there any more
        return None


def _is_whole(frame: pd.DataFrame, known: dict[str, Any]) -> bool:
    """Whether a table has the rows of its file, none left out and none moved."""
    index = frame.index
    plain = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
    return len(frame) == known.get("rows") and (plain or known.get("named_rows", False))


def _counted(known: dict[str, Any], rows: Sequence[int]) -> list[int]:
    """Lines of a file with empty lines, or with line ends in its cells."""
    path = Path(known["path"])
    places: list[int] = []
    with io.TextIOWrapper(path.open("rb"), known["encoding"], newline="") as file:
        for _ in range(known["skipped"]):
            file.readline()
        reader = csv.reader(file, delimiter=known["sep"], skipinitialspace=True)
        count = -1  # the header
        end = known["skipped"]
        wanted = set(rows)
        for cells in islice(reader, None):
            start, end = end + 1, known["skipped"] + reader.line_num
            if not cells:
                continue
            if count in wanted:
                places.append(start)
            if count >= max(wanted, default=-1):
                break
            count += 1
    return places
