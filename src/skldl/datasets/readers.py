"""Readers of file formats: a path in, arrays or a DataFrame out, no code executed."""

import math
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from skldl._sklearn import DENSE_GEN
from skldl._sklearn import read_arff as _parse_arff
from skldl.datasets._mat import MatFile
from skldl.datasets._read_csv import MISSING, csv_columns, csv_pieces, read_csv
from skldl.datasets._read_faults import UnreadableError, readable

__all__ = [
    "TABLE_READERS",
    "UnreadableError",
    "csv_columns",
    "csv_pieces",
    "parquet_columns",
    "parquet_pieces",
    "read_arff",
    "read_csv",
    "read_excel",
    "read_feather",
    "read_label_xml",
    "read_mat",
    "read_npy",
    "read_npz",
    "read_parquet",
    "read_tif",
]

# a file may unfold to a GB of numbers, or to so many times its size: what claims to be
# more is broken or hostile
_MAX_BYTES = 2**30
_MAX_RATIO = 50
_CELLS = 1_000_000  # of a table that are made a part of it at a time


def read_mat(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a MATLAB file (up to version 7.2), sparse ones made dense.

    Only numbers and text are read: cells, structures and objects are left out.
    """
    with readable(path, "MATLAB"):
        content = Path(path).read_bytes()
        if not content:
            raise ValueError("it is empty")
        try:
            if 0 in content[:4]:
                return _old_mat(path)
            return MatFile(content, _limit(path)).arrays()
        except NotImplementedError as error:
            raise UnreadableError(
                f"{path} is a MATLAB 7.3 (HDF5) file; save it with '-v7' and try again."
            ) from error


def _old_mat(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a version 4 file, for which scipy's reader is plain Python."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    limit = _limit(path)
    try:
        content = loadmat(path)
    except MatReadError as error:
        raise ValueError(str(error)) from error
    return {
        name: _dense(value, limit)
        for name, value in content.items()
        if not name.startswith("__")
    }


def _limit(path: Path) -> int:
    return max(_MAX_BYTES, _MAX_RATIO * Path(path).stat().st_size)


def _check_bytes(shape: Iterable[int], limit: int, what: str) -> None:
    size = 8 * math.prod(int(length) for length in shape)
    if size > limit or size < 0:
        raise ValueError(f"{what} claims to contain {size / 2**30:.3g} GB of numbers")


def _dense(value: Any, limit: int) -> NDArray[Any]:
    if sp.issparse(value):
        _check_bytes(value.shape, limit, "a sparse array")
        value = value.toarray()
    return np.asarray(value)


def read_npy(path: Path) -> NDArray[Any]:
    """Array of a .npy file; pickled objects are refused."""
    with readable(path, "NumPy"):
        return np.load(path, allow_pickle=False)


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a .npz file; pickled objects are refused, other members left out."""
    with readable(path, "NumPy"):
        with zipfile.ZipFile(path) as archive:
            sizes = [member.file_size for member in archive.infolist()]
        _check_bytes([sum(sizes) // 8], _limit(path), "it")
        with np.load(path, allow_pickle=False) as content:
            members = {name: content[name] for name in content.files}
    return {n: m for n, m in members.items() if isinstance(m, np.ndarray)}


def read_tif(path: Path) -> NDArray[Any]:
    """Pixels of an image file."""
    from matplotlib.image import imread

    return np.asarray(imread(path))


def read_arff(path: Path) -> pd.DataFrame:
    """Table of an ARFF file, dense or sparse; nominal 0/1 columns become numbers."""
    with readable(path, "ARFF"):
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        if "@data" not in text.lower():
            raise UnreadableError(
                f"{path} has no @data section, so it is not an ARFF file."
            )
        lines = text.splitlines()
        parsed = _parse_arff(iter(lines), return_type=DENSE_GEN)
        names = [name for name, _ in parsed["attributes"]]
        _check_bytes([len(lines), len(names)], _limit(path), "a sparse table")
        frame = _frame_of_rows(iter(parsed["data"]), len(names))
    frame.columns = pd.Index(names)
    return frame.apply(_numbers_if_possible)


def _frame_of_rows(rows: Iterator[list[Any]], n_columns: int) -> pd.DataFrame:
    """Part by part, as numbers take less memory in a table than in lists."""
    step = max(1, _CELLS // max(n_columns, 1))
    names = range(n_columns)
    parts = [pd.DataFrame(list(islice(rows, step)), columns=names)]
    while part := list(islice(rows, step)):
        parts.append(pd.DataFrame(part, columns=names))
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def _numbers_if_possible(column: pd.Series) -> pd.Series:
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


def read_label_xml(path: Path) -> list[str]:
    """Label names of a MULAN .xml file, in its order."""
    text = Path(path).read_text(encoding="utf-8")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError(f"{path} declares entities, which label files never need.")
    root = ElementTree.fromstring(text.encode())
    return [e.attrib["name"] for e in root.iter() if e.tag.endswith("label")]


def read_parquet(path: Path) -> pd.DataFrame:
    """Table of a Parquet file (needs the extra ``parquet``)."""
    _require_pyarrow()
    from pyarrow.parquet import read_metadata

    with readable(path, "Parquet"):
        facts = read_metadata(path)
        _check_bytes([facts.num_rows, facts.num_columns], _limit(path), "it")
        return _gaps_as_nan(pd.read_parquet(path))


def read_feather(path: Path) -> pd.DataFrame:
    """Table of a Feather file (needs the extra ``parquet``)."""
    _require_pyarrow("Feather")
    with readable(path, "Feather"):
        return _gaps_as_nan(pd.read_feather(path))


def read_excel(path: Path, sheet: str | int | None = None) -> pd.DataFrame:
    """Table of a sheet of an Excel file (needs the extra ``excel``).

    The first row that is not empty holds the names. ``sheet`` is the name of a sheet,
    or its number from 1; None takes the first.
    """
    if find_spec("openpyxl") is None:
        raise ImportError(
            "Excel files need openpyxl; install scikit-ldl[excel], or save the table "
            "as CSV."
        )
    with readable(path, "Excel"), pd.ExcelFile(path, engine="openpyxl") as book:
        chosen = _sheet(path, [str(name) for name in book.sheet_names], sheet)
        cells = book.parse(chosen, header=None, na_values=list(MISSING))
        full = cells.notna().any(axis=1).to_numpy()
        if not full.any():
            raise UnreadableError(f"{path}: the sheet {chosen!r} is empty.")
        first = int(full.argmax())
        header = cells.iloc[first].fillna("").map(_header_text)
        frame = cells.iloc[first + 1 :].reset_index(drop=True).infer_objects()
    frame.columns = pd.Index(header.to_list())
    sheets = [str(name) for name in book.sheet_names]
    frame.attrs = {"sheet": chosen, "sheets": sheets, "first_line": first + 2}
    return frame


def _header_text(cell: Any) -> str:
    """Names of columns as Excel shows them: 1, not 1.0."""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)


def _sheet(path: Path, names: list[str], sheet: str | int | None) -> str:
    if sheet is None:
        return names[0]
    if str(sheet) in names:
        return str(sheet)
    number = int(sheet) if str(sheet).isdigit() else 0
    if not 1 <= number <= len(names):
        raise UnreadableError(
            f"{path} has no sheet {sheet!r}; it has {', '.join(map(repr, names))}."
        )
    return names[number - 1]


def parquet_columns(path: Path) -> list[str]:
    """Names of the columns of a Parquet file."""
    _require_pyarrow()
    from pyarrow.parquet import ParquetFile

    with readable(path, "Parquet"), ParquetFile(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def parquet_pieces(
    path: Path, rows: int, columns: Collection[str]
) -> Generator[pd.DataFrame, None, None]:
    """Some columns of a Parquet file, so many rows at a time."""
    _require_pyarrow()
    from pyarrow.parquet import ParquetFile

    with readable(path, "Parquet"):
        file = ParquetFile(path)
    with file:
        pieces = file.iter_batches(batch_size=rows, columns=list(columns))
        while True:
            with readable(path, "Parquet"):
                batch = next(pieces, None)
            if batch is None:
                return
            yield _gaps_as_nan(batch.to_pandas())


def _gaps_as_nan(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose missing text is NaN as in a CSV file; pandas 2 gives None."""
    for place, dtype in enumerate(table.dtypes):
        if pd.api.types.is_object_dtype(dtype):
            values = table.iloc[:, place].to_numpy(dtype=object, copy=True)
            values[pd.isna(values)] = np.nan
            table.isetitem(place, values)
    return table


def _require_pyarrow(kind: str = "Parquet") -> None:
    if find_spec("pyarrow") is None:
        raise ImportError(f"{kind} files need pyarrow; install scikit-ldl[parquet].")


TABLE_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".xlsx": read_excel,
    ".xlsm": read_excel,
    ".arff": read_arff,
}
