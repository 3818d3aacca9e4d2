"""The one reader of tables: whatever people have becomes a DataFrame."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from skldl._cells import plain_table
from skldl._text import listed
from skldl.datasets._read_arrays import ARRAY_READERS, arrays_frame
from skldl.datasets._read_csv import named_header, raw_pieces
from skldl.datasets._read_form import CsvForm, csv_form
from skldl.datasets._read_lines import ORIGIN
from skldl.datasets._read_numbers import plain_numbers
from skldl.datasets.readers import TABLE_READERS, read_csv, read_excel

_BINARY = {
    b"PK\x03\x04": "an Excel or NPZ file",
    b"PAR1": "a Parquet file",
    b"ARROW1": "a Feather file",
    b"MATLAB": "a MAT file",
}


def read_frame(
    source: Any,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    arrays: Sequence[str] = (),
    label_names: Sequence[str] = (),
    text: Sequence[str] = (),
) -> tuple[pd.DataFrame, list[str]]:
    r"""Read a table, whatever it is, and say what had to be guessed.

    All doors (:func:`load_table`, :func:`check_table`, the commands) read by this
    function, so that the same table is the same numbers everywhere.

    Parameters
    ----------
    source : str, Path, file object, pandas or polars DataFrame
        A .csv, .tsv, .txt, .xlsx (extra ``excel``), .parquet or .feather (extra
        ``parquet``), .arff, .npz or .mat file; ``"-"`` for CSV from standard input; an
        open file with CSV; or a table.
    sep : str, default=None
        What separates the fields of a CSV file; None finds a comma, semicolon, tab or
        bar in the first lines.
    decimal : {".", ","}, default=None
        The decimal sign of a CSV file; None finds it, a comma only where the separator
        is not one.
    encoding : str, default=None
        Of a CSV file; None takes UTF-8, UTF-16 or UTF-32 by the mark at the start of
        the file, then UTF-8, and cp1252 with a note if the file is not UTF-8.
    sheet : str or int, default=None
        Sheet of an Excel file, by name or number from 1; None takes the first.
    arrays : sequence of str, default=()
        Names of the arrays of features and labels in an NPZ or MAT file; empty looks
        for the usual names, such as ``X`` and ``D``.
    label_names : sequence of str, default=()
        Names for the columns of the array of labels.
    text : sequence of str, default=()
        Columns of a CSV file that stay text, even if they look like numbers.

    Returns
    -------
    frame : DataFrame
        Numbers as numbers, everything else as text, missing cells as NaN. No row and
        no column with a name or a value is left out.
    notes : list of str
        What was guessed or converted, a sentence each.

    Notes
    -----
    Cells without a value are empty ones, those that pandas knows (``NA``, ``n/a``,
    ``NaN``, ``null``, ...), and ``?``, ``-``, ``--``, ``.`` and the errors of Excel.

    A column of text becomes numbers if *all* of its cells are numbers with thousands
    separators (1,304.50 or, with a decimal comma, 1.304,50), or all are percentages
    (25.3% is 0.253). One cell that is anything else, and the column stays as it is.
    Columns of digits that a file holds as text stay text.

    A first column without a name holds names of rows and becomes the index. Other
    columns without a name are called ``column_4`` by their place, or are left out if
    they are empty, as spreadsheets write them. A name that stands twice is an error.

    Examples
    --------
    >>> import io
    >>> from skldl.datasets import read_frame
    >>> frame, notes = read_frame(io.StringIO("price;yes\n1.304,50;25 %\n2,00;75 %"))
    >>> frame
        price   yes
    0  1304.5  0.25
    1     2.0  0.75
    >>> len(notes)
    3
    """
    told = {"sep": sep, "decimal": decimal, "encoding": encoding}
    if isinstance(source, str | Path) and str(source) != "-":
        path = Path(source).expanduser()
        frame, notes, known = _from_path(path, told, sheet, arrays, label_names, text)
    elif isinstance(source, str) or hasattr(source, "read"):
        frame, notes, known = _from_stream(source, told, text)
    else:
        frame, notes, known = _from_table(source)
    frame.columns = pd.Index([str(name) for name in frame.columns])
    _refuse_twice(frame, known["name"])
    # what comes from a CSV file has been through this, and is not changed again
    sign = decimal or known.get("decimal", ".")
    frame, more = plain_numbers(frame, decimal=sign, text=text)
    if "rows" not in known:
        named = not isinstance(frame.index, pd.RangeIndex)
        known |= {"rows": len(frame), "named_rows": named}
    frame.attrs = {ORIGIN: known}
    return frame, [*notes, *more]


Read = tuple[pd.DataFrame, list[str], dict[str, Any]]


def _from_path(
    path: Path,
    told: dict[str, Any],
    sheet: str | int | None,
    arrays: Sequence[str],
    label_names: Sequence[str],
    text: Sequence[str],
) -> Read:
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it.")
    if not path.is_file() and not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    suffix = path.suffix.lower()
    known: dict[str, Any] = {"name": path.stem, "path": str(path)}
    if suffix in ARRAY_READERS:
        frame, labels = arrays_frame(path, arrays, label_names)
        return frame, [], {**known, "labels": list(labels)}
    reader = TABLE_READERS.get(suffix)
    if reader is None:
        _refuse_suffix(path)
    if reader is read_csv:
        return _from_csv(path, str(path), told, text, known)
    if reader is read_excel:
        return _from_excel(path, sheet, known)
    return reader(path), [], known  # type: ignore[misc]


def _refuse_suffix(path: Path) -> None:
    hint = ""
    if path.suffix.lower() in (".xls", ".ods"):
        hint = " Save it as .xlsx or .csv."
    kinds = ", ".join([*TABLE_READERS, *ARRAY_READERS])
    raise ValueError(
        f"{path.name}: cannot read tables of type {path.suffix or '(none)'}; use one "
        f"of {kinds}.{hint}"
    )


def _from_stream(source: Any, told: dict[str, Any], text: Sequence[str]) -> Read:
    """CSV of standard input or of an open file."""
    name = "standard input"
    if isinstance(source, str):
        content: Any = getattr(sys.stdin, "buffer", sys.stdin).read()
    else:
        content = source.read()
        name = Path(str(getattr(source, "name", "table"))).name
    if isinstance(content, str):
        content, told = content.encode(), {**told, "encoding": "utf-8-sig"}
    for mark, what in _BINARY.items():
        if content.startswith(mark):
            raise ValueError(f"{name} is {what}, not CSV; read it by its path.")
    stem = "table" if name == "standard input" else Path(name).stem
    return _from_csv(content, name, told, text, {"name": stem})


def _from_csv(
    source: Path | bytes,
    name: str,
    told: dict[str, Any],
    text: Sequence[str],
    known: dict[str, Any],
) -> Read:
    form = csv_form(source, name, **told)
    renamed = named_header(form.header, name)[1]
    frame = next(raw_pieces(source, name, form, None, text=text))
    frame, renamed = _without_blank_columns(frame, renamed)
    either = form.sep != "," and told["decimal"] is None
    frame, converted = plain_numbers(
        frame, decimal=form.decimal, either=either, text=text
    )
    known |= {
        "sep": form.sep,
        "decimal": form.decimal,
        "encoding": form.encoding,
        "skipped": form.skipped,
        "first_line": form.skipped + 2,
        "steady": isinstance(source, bytes) or _is_steady(form, len(frame)),
    }
    return frame, [*form.notes, *renamed, *converted], known


def _is_steady(form: CsvForm, rows: int) -> bool:
    """Whether every row has one line, as far as their number tells."""
    return form.lines == form.skipped + 1 + rows


def _without_blank_columns(
    frame: pd.DataFrame, renamed: list[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Leave out columns without name and value, which separators at line ends make."""
    if not renamed:
        return frame, []
    unnamed = [name for name in frame.columns if str(name).startswith("column_")]
    blank = [name for name in unnamed if frame[name].isna().all()]
    left = [name for name in unnamed if name not in set(blank)]
    return frame.drop(columns=blank), renamed if left else []


def _from_excel(path: Path, sheet: str | int | None, known: dict[str, Any]) -> Read:
    frame = read_excel(path, sheet)
    facts = frame.attrs
    frame = plain_table(frame)
    header, notes = named_header(list(frame.columns), path)
    frame.columns = pd.Index(header)
    if header[0] == "":
        frame = frame.set_index("").rename_axis(index=None)
    frame, notes = _without_blank_columns(frame, notes)
    if sheet is None and len(facts["sheets"]) > 1:
        notes.append(
            f"{path.name} has {len(facts['sheets'])} sheets; the first, "
            f"{facts['sheet']!r}, was read. --sheet or sheet= names another "
            f"({listed(facts['sheets'][1:])})."
        )
    return frame, notes, {**known, "first_line": facts["first_line"]}


def _from_table(source: Any) -> Read:
    if isinstance(source, pd.DataFrame):
        known = dict(source.attrs.get(ORIGIN, {"name": "table"}))
        return source.copy(deep=False), [], known
    if type(source).__module__.partition(".")[0] == "polars":
        if hasattr(source, "collect"):
            source = source.collect()
        columns = {name: source[name].to_numpy() for name in source.columns}
        return pd.DataFrame(columns), [], {"name": "table"}
    raise TypeError(
        "A table is a path, an open file, or a pandas or polars DataFrame, got "
        f"{type(source).__name__}."
    )


def _refuse_twice(frame: pd.DataFrame, name: str) -> None:
    twice = frame.columns[frame.columns.duplicated()].unique().tolist()
    if twice:
        raise ValueError(f"{name} has more than one column {twice[0]!r}; rename one.")
