"""CSV files, whole or in pieces, of whatever form."""

import io
from collections import Counter
from collections.abc import Collection, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from skldl._cells import plain_table, plain_text
from skldl._text import listed
from skldl.datasets._read_faults import csv_faults
from skldl.datasets._read_form import CsvForm, csv_form
from skldl.datasets._read_numbers import plain_numbers

#: Cells without a value, beside those that pandas knows (NA, n/a, NaN, null, ...).
MISSING = ("?", "-", "--", ".", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?")


def read_csv(path: Path, text: Collection[str] = ()) -> pd.DataFrame:
    """Table of a comma, semicolon, tab or bar separated file with a header.

    A first column without a name, as pandas writes the index, becomes row names.
    Columns in ``text`` stay text, even if they look like numbers.
    """
    with closing(csv_pieces(path, None, text=text)) as pieces:
        return next(pieces)


def csv_columns(path: Path, **told: Any) -> list[str]:
    """Names in the header of a CSV file, without row names."""
    path = Path(path)
    header = named_header(csv_form(path, str(path), **told).header, path)[0]
    return header[1:] if header[0] == "" else header


def csv_pieces(
    path: Path,
    rows: int | None,
    columns: Collection[str] | None = None,
    text: Collection[str] = (),
    copied: Collection[str] = (),
    **told: Any,
) -> Generator[pd.DataFrame, None, None]:
    """Table of a CSV file, so many rows at a time (None for all), or some columns.

    Columns in ``text`` stay text in every piece, even if they look like numbers. Those
    in ``copied`` stay as they are written, also if that is ``NA`` or nothing. ``told``
    may say ``sep``, ``decimal`` and ``encoding``; what is not told is found
    in the file.
    """
    path = Path(path)
    form = csv_form(path, str(path), **told)
    kept = (*text, *copied)
    for piece in raw_pieces(path, path, form, rows, columns, text, copied):
        either = form.sep != ","
        yield plain_numbers(piece, decimal=form.decimal, either=either, text=kept)[0]


def raw_pieces(
    source: Path | bytes,
    name: Path | str,
    form: CsvForm,
    rows: int | None,
    columns: Collection[str] | None = None,
    text: Collection[str] = (),
    copied: Collection[str] = (),
) -> Generator[pd.DataFrame, None, None]:
    """Pieces of a CSV file as pandas reads them."""
    header, _ = named_header(form.header, name)
    kept = [i for i, one in enumerate(header) if columns is None or one in columns]
    with csv_faults(name):
        reader = pd.read_csv(
            io.BytesIO(source) if isinstance(source, bytes) else source,
            iterator=True,
            chunksize=rows,
            usecols=None if columns is None else kept,
            **_options(form, header, text),
            converters={i: _mark for i in kept if header[i] in copied},
        )
    with reader:
        while True:
            with csv_faults(name):
                frame = reader.read() if rows is None else next(reader, None)
            if frame is None:
                return
            # with as many names as fields pandas keeps their order
            frame.columns = pd.Index([header[i] for i in kept])
            for name in set(copied) & set(frame.columns):
                frame[name] = pd.Series(
                    [v[1:] for v in frame[name]], dtype=object
                ).set_axis(frame.index)
            if columns is None and header[0] == "":
                frame = frame.set_index("").rename_axis(index=None)
            yield plain_table(frame)
            if rows is None:
                return


def _mark(cell: str) -> str:
    """A cell that pandas cannot take for a missing one."""
    return f"_{cell}"


def _options(
    form: CsvForm, header: Sequence[str], text: Collection[str]
) -> dict[str, Any]:
    places = range(len(header))
    return {
        "sep": form.sep,
        "decimal": form.decimal,
        "encoding": form.encoding,
        "header": 0,
        "names": list(places),
        "dtype": {i: str for i in places if header[i] in text},
        "skiprows": form.skipped,
        "index_col": False,
        "na_values": list(MISSING),
        "skipinitialspace": True,
        "low_memory": False,  # the type of a column is judged by all of its cells
    }


def named_header(
    written: Sequence[str], source: Path | str
) -> tuple[list[str], list[str]]:
    """Names of columns, and a note about those that have none.

    A first column without a name keeps none: it holds names of rows. Others are called
    ``column_4`` by their place. A name that stands twice is an error.
    """
    header = [plain_text(str(name).strip()) for name in written]
    empty = [i for i, name in enumerate(header) if not name]
    if empty == [0] and len(header) == 1:
        header[0] = "column_1"
    for place in empty:
        if place:
            header[place] = f"column_{place + 1}"
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        more = f" ({listed(twice)})" if len(twice) > 1 else ""
        raise ValueError(
            f"{source} has more than one column {twice[0]!r}{more}; rename one."
        )
    renamed = [header[place] for place in empty if header[place]]
    if not renamed:
        return header, []
    return header, [f"Columns without a name are called {listed(renamed)}."]
