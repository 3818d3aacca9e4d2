"""Readers of file formats: a path in, arrays or a DataFrame out, no code executed."""

import csv
import math
import warnings
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from skldl._files import DAMAGE
from skldl._sklearn import DENSE_GEN, ArffException
from skldl._sklearn import read_arff as _parse_arff
from skldl.datasets._mat import MatFile

# a file may unfold to a GB of numbers, or to so many times its size: what claims to be
# more is broken or hostile
_MAX_BYTES = 2**30
_MAX_RATIO = 50


@contextmanager
def _readable(path: Path, what: str) -> Iterator[None]:
    """Turn whatever a damaged file raises into a ValueError that names it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # readers guess loudly before they give up
            yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, UnreadableError):
        raise
    except (*DAMAGE, ArffException) as error:
        reason = str(error) or type(error).__name__
        raise UnreadableError(
            f"{path} is no readable {what} file: {reason[:300]}"
        ) from error


class UnreadableError(ValueError):
    """A file that is not what its name says, or damaged."""


def read_mat(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a MATLAB file (up to version 7.2), sparse ones made dense.

    Only numbers and text are read: cells, structures and objects are left out.
    """
    with _readable(path, "MATLAB"):
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
        raise ValueError(f"{what} claims to hold {size / 2**30:.3g} GB of numbers")


def _dense(value: Any, limit: int) -> NDArray[Any]:
    if sp.issparse(value):
        _check_bytes(value.shape, limit, "a sparse array")
        value = value.toarray()
    return np.asarray(value)


def read_npy(path: Path) -> NDArray[Any]:
    """Array of a .npy file; pickled objects are refused."""
    with _readable(path, "NumPy"):
        return np.load(path, allow_pickle=False)


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a .npz file; pickled objects are refused."""
    with _readable(path, "NumPy"):
        with zipfile.ZipFile(path) as archive:
            sizes = [member.file_size for member in archive.infolist()]
        _check_bytes([sum(sizes) // 8], _limit(path), "it")
        with np.load(path, allow_pickle=False) as content:
            return {name: content[name] for name in content.files}


def read_tif(path: Path) -> NDArray[Any]:
    """Pixels of an image file."""
    from matplotlib.image import imread

    return np.asarray(imread(path))


def read_arff(path: Path) -> pd.DataFrame:
    """Table of an ARFF file, dense or sparse; nominal 0/1 columns become numbers."""
    with _readable(path, "ARFF"):
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        if "@data" not in text.lower():
            raise UnreadableError(
                f"{path} has no @data section, so it is no ARFF file."
            )
        lines = text.splitlines()
        parsed = _parse_arff(iter(lines), return_type=DENSE_GEN)
        names = [name for name, _ in parsed["attributes"]]
        _check_bytes([len(lines), len(names)], _limit(path), "a sparse table")
        rows = list(parsed["data"])
    frame = pd.DataFrame(rows, columns=range(len(names)))
    frame.columns = pd.Index(names)
    return frame.apply(_numbers_if_possible)


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


def read_csv(path: Path, text: Collection[str] = ()) -> pd.DataFrame:
    """Table of a comma, semicolon or tab separated file with a header.

    A first column without a name, as pandas writes the index, becomes row names.
    Columns in ``text`` stay text, even if they look like numbers.
    """
    with closing(csv_pieces(path, None, text=text)) as pieces:
        return next(pieces)


def csv_columns(path: Path) -> list[str]:
    """Names in the header of a CSV file, without row names."""
    with _csv_faults(path):
        written, _ = _csv_header(path)
    header = [name.strip() for name in written]
    _require_different(path, header)
    return header[1:] if header[0] == "" and len(header) > 1 else header


def csv_pieces(
    path: Path,
    rows: int | None,
    columns: Collection[str] | None = None,
    text: Collection[str] = (),
) -> Generator[pd.DataFrame, None, None]:
    """Table of a CSV file, so many rows at a time (None for all), or some columns.

    Columns in ``text`` stay text in every piece, even if they look like numbers.
    """
    path = Path(path)
    with _csv_faults(path):
        written, separator = _csv_header(path)
    header = [name.strip() for name in written]
    _require_different(path, header)
    options: dict[str, Any] = {"sep": separator, "encoding": "utf-8-sig"}
    options["dtype"] = {name: str for name in written if name.strip() in text}
    if columns is not None:
        options["usecols"] = lambda name: name.strip() in columns
    named = columns is None and header[0] == "" and len(header) > 1
    with _csv_faults(path):
        reader = pd.read_csv(
            path, index_col=False, iterator=True, chunksize=rows, **options
        )
    with reader:
        while True:
            with _csv_faults(path):
                frame = reader.read() if rows is None else next(reader, None)
            if frame is None:
                return
            frame.columns = frame.columns.str.strip()
            if named:
                frame = frame.set_index(frame.columns[0]).rename_axis(index=None)
            yield frame
            if rows is None:
                return


def _require_different(path: Path, header: list[str]) -> None:
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise ValueError(f"{path} has more than one column {twice[0]!r}; rename one.")


@contextmanager
def _csv_faults(path: Path) -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except pd.errors.ParserWarning:
        raise UnreadableError(
            f"{path}: some row has more fields than the header has names."
        ) from None
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"{path} is no readable CSV file: it is not in UTF-8 ({error.reason}). "
            "Save it as UTF-8, for instance with: iconv -f latin1 -t utf-8."
        ) from error
    except (pd.errors.ParserError, csv.Error) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise UnreadableError(f"{path} is no readable CSV file: {reason}") from error


def _csv_header(path: Path) -> tuple[list[str], str]:
    """Names in the first line, and the separator that finds the most of them."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = next((line for line in file if line.strip()), "")
    if not line:
        raise ValueError(f"{path} is empty; a header line and rows are needed.")
    candidates = "\t" if path.suffix.lower() == ".tsv" else ",;\t"
    fields = {
        separator: next(csv.reader([line], delimiter=separator))
        for separator in candidates
    }
    separator = max(fields, key=lambda key: len(fields[key]))
    return fields[separator], separator


def read_parquet(path: Path) -> pd.DataFrame:
    """Table of a Parquet file (needs the extra ``parquet``)."""
    _require_pyarrow()
    with _readable(path, "Parquet"):
        return _gaps_as_nan(pd.read_parquet(path))


def parquet_columns(path: Path) -> list[str]:
    """Names of the columns of a Parquet file."""
    _require_pyarrow()
    from pyarrow.parquet import ParquetFile

    with _readable(path, "Parquet"), ParquetFile(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def parquet_pieces(
    path: Path, rows: int, columns: Collection[str]
) -> Generator[pd.DataFrame, None, None]:
    """Some columns of a Parquet file, so many rows at a time."""
    _require_pyarrow()
    from pyarrow.parquet import ParquetFile

    with _readable(path, "Parquet"):
        file = ParquetFile(path)
    with file:
        pieces = file.iter_batches(batch_size=rows, columns=list(columns))
        while True:
            with _readable(path, "Parquet"):
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


def _require_pyarrow() -> None:
    if find_spec("pyarrow") is None:
        raise ImportError("Parquet files need pyarrow; install scikit-ldl[parquet].")


TABLE_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
}
