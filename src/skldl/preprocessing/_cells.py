"""Cells of one column in the one form that encoders learn: numbers, words, seconds."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from skldl._typing import FloatArray
from skldl.validation import RowError

#: Names of what :func:`date_parts` gives, in its order.
DATE_PARTS = (
    "seconds", "year", "month", "weekday", "hour", "yearday_sin", "yearday_cos",
)  # fmt: skip
_YEAR = 365.2425  # days


def as_pandas(X: Any) -> pd.DataFrame:
    """A table of pandas as it is, one of another library column by column.

    Parameters
    ----------
    X : DataFrame of pandas or polars
        Table.

    Returns
    -------
    frame : DataFrame
        With rows numbered from 0 if the table is not from pandas.
    """
    if isinstance(X, pd.DataFrame):
        return X
    return pd.DataFrame({name: _other_column(X[name]) for name in X.columns})


def _other_column(values: Any) -> Any:
    """Values of a column of polars; those of its own types become Python's."""
    column = np.asarray(values.to_numpy())
    return column if column.dtype.kind in "fiubM" else np.array(values.to_list(), "O")


def to_words(values: pd.Series) -> NDArray[Any]:
    """Categories as text, and None where there is not one.

    Parameters
    ----------
    values : Series
        Any cells. The whole number 3 is the word "3", whether its column holds
        integers, floats (as it does next to a gap) or text.

    Returns
    -------
    words : ndarray of object, of shape (n_samples,)
    """
    mixed = types.is_object_dtype(values.dtype)
    if mixed and types.infer_dtype(values, skipna=True) != "string":
        # 1 and True are equal, but other words
        values = values.map(_word, na_action="ignore")
    codes, different = pd.factorize(values)
    words = [_word(value) for value in different]
    return np.array([*words, None], dtype=object)[codes]


def _word(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def to_texts(values: pd.Series) -> NDArray[Any]:
    """Text, empty where a cell has no value.

    Parameters
    ----------
    values : Series
        Any cells.

    Returns
    -------
    texts : ndarray of object, of shape (n_samples,)
    """
    words = to_words(values)
    words[pd.isna(words)] = ""
    return words


def to_seconds(
    values: pd.Series, name: str, form: str | None, first_row: int = 0
) -> FloatArray:
    """Dates as seconds since 1970 in universal time, NaN where there is not one.

    Parameters
    ----------
    values : Series
        Dates, or text.
    name : str
        What messages call the column.
    form : str or None
        Format of text; None for dates.
    first_row : int, default=0
        Number of the first row, if the column is a part of a larger table.

    Returns
    -------
    seconds : ndarray of shape (n_samples,)
    """
    if not types.is_datetime64_any_dtype(values.dtype):
        values = _parsed(values, name, form, first_row)
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_convert(None)
    stamps = values.to_numpy("datetime64[us]")
    seconds = stamps.astype(np.int64) / 1e6
    seconds[np.isnat(stamps)] = np.nan
    return seconds


def _parsed(
    values: pd.Series, name: str, form: str | None, first_row: int
) -> pd.Series:
    codes, different = pd.factorize(values)
    # a reader may have parsed the dates, or some of them: those are ISO's
    texts = pd.Series([_as_iso(value) for value in different], dtype=object)
    found = [
        pd.to_datetime(texts, format=one, errors="coerce", utc=True)
        for one in dict.fromkeys((form or "ISO8601", "ISO8601"))
    ]
    dates = found[0].fillna(found[-1])
    bad = np.append(dates.isna().to_numpy(), False)[codes]
    if bad.any():
        row = int(np.argmax(bad))
        shown = "" if form is None else f" of the form {form}"
        raise RowError(
            f"Column {name!r} must contain dates{shown}, but row {first_row + row} has "
            f"{values.iloc[row]!r}. Correct the cell, or clear it.",
            first_row + row,
        )
    return pd.concat([dates, pd.Series([pd.NaT], dtype=dates.dtype)]).iloc[codes]


def _as_iso(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def date_parts(seconds: FloatArray) -> FloatArray:
    """Numbers that a calendar gives to points in time.

    Parameters
    ----------
    seconds : ndarray of shape (n_samples,)
        Seconds since 1970, finite.

    Returns
    -------
    parts : ndarray of shape (n_samples, 7)
        In the order of ``DATE_PARTS``: seconds, year, month (1 to 12), weekday (Monday
        is 0), hour with its fraction, sine and cosine of the day of the year.
    """
    stamps = np.round(seconds * 1e6).astype(np.int64).astype("datetime64[us]")
    days = stamps.astype("datetime64[D]")
    months, years = stamps.astype("datetime64[M]"), stamps.astype("datetime64[Y]")
    angle = 2 * np.pi * (days - years).astype(np.float64) / _YEAR
    return np.column_stack(
        [
            seconds,
            years.astype(np.int64) + 1970,
            (months - years).astype(np.int64) + 1,
            (days.astype(np.int64) + 3) % 7,
            (stamps - days).astype(np.int64) / 3.6e9,
            np.sin(angle),
            np.cos(angle),
        ]
    )
