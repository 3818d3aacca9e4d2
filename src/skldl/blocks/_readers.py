"""Where blocks come from: arrays, functions, Dask collections, Parquet files."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import scipy.sparse as sp

from skldl._sklearn import safe_indexing

Pair = tuple[Any, Any]
#: Gives the pairs (X, y) anew at every call.
Reader = Callable[[], Iterable[Any]]
READ_ONCE = (
    "The blocks come from an iterator, which can be read only once, but a fit reads "
    "them several times. Give a function that makes a new iterator at every call: "
    "Blocks(lambda: read_blocks())."
)


def is_dask(thing: Any) -> bool:
    """Whether something is a Dask array, DataFrame or Series."""
    module = type(thing).__module__.partition(".")[0]
    return module in ("dask", "dask_expr") and hasattr(thing, "__dask_graph__")


def is_table(thing: Any) -> bool:
    """Whether something is one matrix or frame, not a collection of them."""
    return sp.issparse(thing) or (
        hasattr(thing, "shape") and len(thing.shape) == 2 and not is_dask(thing)
    )


def array_reader(X: Any, y: Any, block_rows: int) -> Reader:
    """Slices of data that are in memory, or mapped into it."""
    n = X.shape[0]
    if y is not None and len_of(y) != n:
        raise ValueError(f"X has {n} rows, but y has {len_of(y)}.")
    if sp.issparse(X):
        X = X.tocsr()

    def read() -> Iterator[Pair]:
        for start in range(0, n, block_rows):
            rows = slice(start, min(start + block_rows, n))
            yield _slice(X, rows), None if y is None else _slice(y, rows)

    return read


def _slice(table: Any, rows: slice) -> Any:
    if isinstance(table, pd.DataFrame | pd.Series):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "shape") else safe_indexing(table, rows)


def len_of(table: Any) -> int:
    """Number of rows, also of sparse matrices."""
    return table.shape[0] if hasattr(table, "shape") else len(table)


def repeated_reader(source: Any) -> Reader:
    """Blocks from a function that makes an iterator, or from a collection."""
    if callable(source):
        return source
    if isinstance(source, Iterator):
        raise ValueError(READ_ONCE)
    return lambda: source


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder by name, or the one file that was named."""
    if folder.is_file():
        return [folder]
    files = sorted(p for p in folder.rglob("*.parquet") if not _is_hidden(p, folder))
    if not files:
        raise FileNotFoundError(f"There are no .parquet files in {folder}.")
    return files


def _is_hidden(file: Path, folder: Path) -> bool:
    """Whether a name below the folder is one that writers give to unfinished work."""
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def frames(path: Path, columns: list[str] | None, rows: int) -> Iterator[pd.DataFrame]:
    """A Parquet file in frames of some rows."""
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError as error:
        raise ImportError(
            "Reading Parquet files needs the optional package pyarrow; install "
            "scikit-ldl[parquet]."
        ) from error
    try:
        with parquet.ParquetFile(path) as file:
            check_columns(columns, file.schema_arrow.names, path)
            for batch in file.iter_batches(batch_size=rows, columns=columns):
                # a named column may be what pandas would make the index
                yield batch.to_pandas(ignore_metadata=columns is not None)
    except ArrowInvalid as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from error


def check_columns(columns: list[str] | None, present: list[str], path: Path) -> None:
    """Every wanted column must be there."""
    for column in columns or []:
        if column not in present:
            raise ValueError(
                f"{path} has no column {column!r}; it has {', '.join(present[:20])}"
                f"{' ...' if len(present) > 20 else ''}."
            )


def refuse_text(name: str, columns: Any) -> None:
    """A list of columns must not be a single name, which is a sequence, too."""
    if isinstance(columns, str):
        raise ValueError(f"{name} must be a list of columns, such as [{columns!r}].")


def parquet_reader(
    path: Path,
    features: Iterable[str] | None,
    labels: Iterable[str] | str | None,
    block_rows: int,
) -> Reader:
    """Feature columns as X and label columns as y; a single name is a vector."""
    refuse_text("features", features)
    files = parquet_files(path)
    names = labels if labels is None or isinstance(labels, str) else list(labels)
    wanted = [names] if isinstance(names, str) else list(names or [])
    chosen = None if features is None else list(features)
    columns = None if chosen is None else [*chosen, *wanted]

    def read() -> Iterator[Pair]:
        for file in files:
            for frame in frames(file, columns, block_rows):
                check_columns(wanted, list(frame.columns), file)
                X = frame.drop(columns=wanted) if chosen is None else frame[chosen]
                yield X, None if names is None else frame[names]

    return read
