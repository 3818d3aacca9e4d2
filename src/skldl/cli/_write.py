"""Write tables in pieces, whole or not at all, as CSV or Parquet."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pandas as pd

from skldl._cells import safe_table
from skldl._files import is_same_file, replacing

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg")
Writer = Callable[[pd.DataFrame], None]


def check_output(
    path: Path | None, *inputs: Any, suffixes: Any = SUFFIXES, resumes: bool = False
) -> None:
    """Refuse, before any work, an output that would destroy something or cannot be.

    This is the one rule for the outputs of all commands: an output is not an input,
    nor a link to one; two outputs are not one file; a file that is there is
    overwritten only with ``--force``; and the place can be written to.

    Parameters
    ----------
    path : Path or None
        The output; None and "-" are the screen.
    *inputs : str, Path or None
        What the command reads: files, or names of data sets.
    suffixes : tuple of str, default=SUFFIXES
        What the name may end in; empty allows anything.
    resumes : bool, default=False
        Whether the command goes on with a file that is there, as with a store.
    """
    if path is None or str(path) == "-":
        return
    path = Path(path)
    if suffixes and path.suffix.lower() not in suffixes and not _is_device(path):
        raise click.UsageError(f"{path}: the name must end in {', '.join(suffixes)}.")
    if not _is_device(path):
        _refuse_harm(path, inputs, resumes)
    _refuse_place(path)


def check_folder(folder: Path, names: Iterable[str], *inputs: Any) -> None:
    """Refuse a folder in which files of these names would be overwritten."""
    for name in names:
        check_output(folder / name, *inputs, suffixes=())


def _refuse_harm(path: Path, inputs: Iterable[Any], resumes: bool) -> None:
    for other in inputs:
        if any(is_same_file(path, file) for file in _files_of(other)):
            raise click.UsageError(
                f"{path} is an input, so it cannot be the output. Name another file."
            )
    context = click.get_current_context(silent=True)
    known = {} if context is None else context.meta
    outputs = known.setdefault("skldl.outputs", [])
    if path.resolve() in outputs:
        raise click.UsageError(f"{path} is named twice; each output needs its own.")
    outputs.append(path.resolve())
    if path.is_file() and not resumes and not known.get("skldl.force"):
        raise click.UsageError(
            f"{path} exists already. Add --force to overwrite it, or name another file."
        )


def _files_of(entry: Any) -> list[Path]:
    """Files that an input is read from; those of a data set by its name."""
    if entry is None or Path(entry).expanduser().exists():
        return [] if entry is None else [Path(entry).expanduser()]
    from skldl.datasets import get_data_home, registry

    home, name = get_data_home(), str(entry)
    files = [file["file"] for file in registry().get(name, {}).get("files", [])]
    return [place / file for file in files for place in (home / name, home)]


def _refuse_place(path: Path) -> None:
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
    made_safe = _as_it_is if wants_raw_cells() else safe_table

    def write(piece: pd.DataFrame) -> None:
        nonlocal header
        made_safe(piece).to_csv(
            file,
            sep=separator,
            index=False,
            header=header,
            lineterminator="\n",
            float_format=None if digits is None else f"%.{digits}g",
        )
        header = False

    return write


def wants_raw_cells() -> bool:
    """Whether cells shall be written as they are, by the option --raw-cells."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get("skldl.raw_cells"))


def _as_it_is(piece: pd.DataFrame) -> pd.DataFrame:
    return piece


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
