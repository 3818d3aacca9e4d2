"""Whether a file is a store, and whether what it holds can be used."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd

from skldl._files import DAMAGE

_TEXTS = ("job", "dataset", "method", "status")
_LARGEST = 1e100  # of any number in a store
_NUMBERS = ("repetition", "fold", "fit_s", "predict_s", "peak_mb", "finished")
_REMEDY = (
    "Restore a copy of it, or name another file by --store and run the comparison "
    "again."
)


class StoreError(ValueError):
    """A file that is not a store, or a store that is damaged."""


@contextmanager
def usable_store(path: str, what: str) -> Iterator[None]:
    """Turn whatever a damaged store raises into an error that names it.

    Parameters
    ----------
    path : str
        The store.
    what : str
        What was read, such as "results".
    """
    try:
        yield
    except StoreError:
        raise
    except sqlite3.OperationalError as error:
        # a full disk or a locked file is not the store's fault
        if "no such" not in str(error) and "malformed" not in str(error):
            raise
        raise _damaged(path, what, error) from error
    except (*DAMAGE, sqlite3.DatabaseError, pd.errors.DatabaseError) as error:
        if isinstance(error, MemoryError | OSError):
            raise
        raise _damaged(path, what, error) from error


def _damaged(path: str, what: str, error: Exception) -> StoreError:
    reason = str(error).splitlines()[0][:100] if str(error) else ""
    return StoreError(
        f"The store {path} is damaged: its {what} cannot be read "
        f"({type(error).__name__}: {reason}). {_REMEDY}"
    )


def check_layout(connection: sqlite3.Connection, path: str, schema: str) -> None:
    """Refuse a database without the tables of a store, or with others by their names.

    Parameters
    ----------
    connection : Connection
        Open.
    path : str
        The file.
    schema : str
        Statements that make the tables.
    """
    model = sqlite3.connect(":memory:")
    try:
        model.executescript(schema)
        wanted = {name: _columns(model, name) for name in _tables(model)}
    finally:
        model.close()
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_master").fetchall())
    for name in ("results", "metrics"):  # others came later
        if name not in kinds:
            raise StoreError(
                f"{path} is not a store of scikit-ldl: it has no table {name!r}. Name "
                "another file."
            )
    for name, columns in wanted.items():
        if name not in kinds:
            continue
        if kinds[name] != "table" or _columns(connection, name) != columns:
            raise StoreError(
                f"{path} is not a store of scikit-ldl: its table {name!r} has other "
                "columns. Name another file."
            )
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreError(f"The store {path} is damaged ({found[:100]}). {_REMEDY}")


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for (name,) in rows.fetchall()]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return [row[1] for row in rows]


def check_results(table: pd.DataFrame) -> None:
    """Refuse results that are of another type than those that a store writes.

    Parameters
    ----------
    table : DataFrame
        Rows of the table of results.
    """
    for name in _TEXTS:
        if not all(isinstance(value, str) for value in table[name]):
            raise ValueError(f"{name} is not text")
    for name in _NUMBERS:
        check_numbers(table[name])
    for name in ("params", "versions"):
        for text in table[name].unique():
            if not isinstance(json.loads(text), dict):
                raise ValueError(f"{name} is not a table")


def check_numbers(column: Any) -> None:
    """Refuse a column of anything but numbers and gaps.

    Numbers that no result can have are refused, too: their sums would be infinite.

    Parameters
    ----------
    column : Series
        As read from a store.
    """
    numeric = pd.api.types.is_numeric_dtype(column)
    if not numeric and not all(v is None or isinstance(v, int | float) for v in column):
        raise ValueError(f"text in the column {column.name}")
    if (column.dropna().abs() > _LARGEST).any():
        raise ValueError(f"a number over {_LARGEST:g} in the column {column.name}")


def read_spec(text: Any) -> dict[str, Any]:
    """What a job was, with all that every job has.

    Parameters
    ----------
    text : str
        JSON.

    Returns
    -------
    spec : dict
    """
    spec = json.loads(text)
    if not isinstance(spec["split"]["kind"], str) or not isinstance(spec["seed"], int):
        raise ValueError("a job without split and seed")
    if not isinstance(spec["fingerprint"], str):
        raise ValueError("a job without data")
    return spec
