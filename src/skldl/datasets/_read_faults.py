"""Whatever readers raise becomes one error that names the file."""

import csv
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from skldl._files import DAMAGE
from skldl._sklearn import ArffException


class UnreadableError(ValueError):
    """A file that is not what its name says, or damaged."""


@contextmanager
def readable(path: Path | str, what: str) -> Iterator[None]:
    """Turn whatever a damaged file raises into a ValueError that names it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # readers guess loudly before they give up
            yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, UnreadableError):
        raise
    except (*DAMAGE, ArffException) as error:
        reason = _message(error) or type(error).__name__
        raise UnreadableError(
            f"{path} is not a readable {what} file: {reason[:300]}"
        ) from error


def _message(error: BaseException) -> str:
    """What an error says; an ARFF reader's fails where the line has a percent sign."""
    try:
        return str(error)
    except (TypeError, ValueError):
        return ""


@contextmanager
def csv_faults(path: Path | str) -> Iterator[None]:
    """Turn the faults of a CSV file into a ValueError that names it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except pd.errors.ParserWarning:
        raise UnreadableError(
            f"{path}: some row has more fields than the header has names."
        ) from None
    except UnicodeError as error:
        reason = getattr(error, "reason", error)
        raise UnreadableError(
            f"{path} is not a readable CSV file: it has another encoding "
            f"({reason}). Name its encoding, as in encoding='cp1252' or "
            "--encoding cp1252."
        ) from error
    except (pd.errors.ParserError, csv.Error) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise UnreadableError(f"{path} is not a readable CSV file: {reason}") from error
