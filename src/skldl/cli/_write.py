"""Write tables in pieces, whole or not at all, as CSV or Parquet."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pandas as pd

from skldl._files import replacing

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg")
Writer = Callable[[pd.DataFrame], None]


def check_output(path: Path | None, *inputs: Any, suffixes: Any = SUFFIXES) -> None:
    """Refuse, before any work, a place that nothing can be written to."""
    if path is None or str(path) == "-":
        return
    if suffixes and path.suffix.lower() not in suffixes and not _is_device(path):
        raise click.UsageError(f"{path}: the name must end in {', '.join(suffixes)}.")
    for other in inputs:
        if path.exists() and Path(other).exists() and path.samefile(other):
            raise click.UsageError(f"{path} is read, so it cannot be the output, too.")
    if path.is_dir():
        raise IsADirectoryError(21, "Is a folder, not a file", str(path))
    folder = path if path.exists() else path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not (path.exists() or folder.is_dir()):
        raise NotADirectoryError(20, "Not a folder", str(folder))
    place = path.parent if path.exists() and not _is_device(path) else folder
    if not os.access(place, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def table_writer(path: Path | None, digits: int | None = None) -> Iterator[Writer]:
    """A function that appends pieces of a table; without a path, to the screen."""
    if path is not None and path.suffix.lower() == ".parquet":
        with replacing(path, binary=True) as file, _parquet(file) as write:
            yield write
    elif path is None or str(path) == "-":
        yield _csv(sys.stdout, ",", digits)
    else:
        with replacing(path) as file:
            yield _csv(file, "\t" if path.suffix.lower() == ".tsv" else ",", digits)


def _csv(file: Any, separator: str, digits: int | None) -> Writer:
    header = True

    def write(piece: pd.DataFrame) -> None:
        nonlocal header
        piece.to_csv(
            file,
            sep=separator,
            index=False,
            header=header,
            lineterminator="\n",
            float_format=None if digits is None else f"%.{digits}g",
        )
        header = False

    return write


@contextmanager
def _parquet(file: Any) -> Iterator[Writer]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    writers: list[Any] = []

    def write(piece: pd.DataFrame) -> None:
        table = pa.Table.from_pandas(piece, preserve_index=False)
        if not writers:
            writers.append(ParquetWriter(file, table.schema))
        writers[0].write_table(table.cast(writers[0].schema))

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()


def write_table(path: Path, frame: pd.DataFrame, digits: int | None = None) -> None:
    """Write a whole table."""
    with table_writer(path, digits) as write:
        write(frame)


def save_picture(path: Path, ax: Any) -> None:
    """Write a figure, whole or not at all."""
    with replacing(path, binary=True) as file:
        ax.figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
