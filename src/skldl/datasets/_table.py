"""A user's own table: features and votes in one file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from skldl.datasets._columns import existing_columns
from skldl.datasets._dataset import Dataset
from skldl.datasets.readers import TABLE_READERS
from skldl.validation import RowError, UnnormalizedError, check_distribution


def load_table(
    path: str | os.PathLike[str] | pd.DataFrame,
    labels: Sequence[str],
    features: Sequence[str] | None = None,
    *,
    normalize: bool = False,
) -> Dataset:
    """Read a table whose columns are features and label degrees.

    Parameters
    ----------
    path : str, Path or DataFrame
        A .csv, .tsv, .txt, .parquet or .arff file, or a table already read.
    labels : sequence of str
        Columns with the degrees of the labels: shares, or counts of votes with
        ``normalize=True``.
    features : sequence of str, default=None
        Columns to learn from; None takes every other column, all of which must
        then be numeric.
    normalize : bool, default=False
        Whether to divide each row's degrees by their sum. Without it, rows that
        do not sum to 1 are an error.

    Returns
    -------
    dataset : Dataset
        With the table's column names as feature and label names.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import load_table
    >>> table = pd.DataFrame({"age": [31.0, 45.0], "yes": [3, 1], "no": [1, 1]})
    >>> load_table(table, ["yes", "no"], normalize=True).D
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    frame, name = _read(path)
    labels = existing_columns(labels, frame.columns, "labels")
    others = [column for column in frame.columns if column not in set(labels)]
    features = (
        others
        if features is None
        else existing_columns(features, frame.columns, "features")
    )
    shared = sorted(set(labels) & set(features))
    if shared:
        raise ValueError(f"Column {shared[0]!r} is named as a label and as a feature.")
    if not features:
        raise ValueError("No feature columns are left; name fewer labels.")
    X = _numeric(frame, features, "feature")
    degrees = _numeric(frame, labels, "label")
    try:
        D = check_distribution(
            degrees,
            on_unnormalized="normalize" if normalize else "raise",
            name="labels",
        )
    except UnnormalizedError as error:
        remedy = (
            "If the columns are counts of votes or percentages, pass normalize=True."
        )
        raise UnnormalizedError(error.finding, remedy, error.row) from None
    return Dataset(
        name=name,
        X=X.to_numpy(np.float64),
        kind="distribution",
        target=D,
        feature_names=np.array([str(c) for c in features]),
        label_names=np.array([str(c) for c in labels]),
        source=name,
    )


def _read(path: Any) -> tuple[pd.DataFrame, str]:
    if isinstance(path, pd.DataFrame):
        frame, name = path, "table"
    else:
        path = Path(path).expanduser()
        if not path.is_file():
            raise FileNotFoundError(f"There is no file {path}.")
        reader = TABLE_READERS.get(path.suffix.lower())
        if reader is None:
            raise ValueError(
                f"{path.name}: cannot read tables of type {path.suffix or '(none)'}; "
                f"use one of {', '.join(TABLE_READERS)}."
            )
        frame, name = reader(path), path.stem
    if frame.empty:
        raise ValueError(f"{name} has no rows; at least one sample is needed.")
    return frame, name


_REMEDY = {
    "feature": "Encode it as numbers, or leave it out by naming the features.",
    "label": "Degrees are shares or counts; correct the cells that are not.",
}


def _refuse_text(values: pd.Series, what: str, remedy: str) -> NoReturn:
    """Name the first cell that is not a number, if there is one."""
    bad = values.notna() & pd.to_numeric(values, errors="coerce").isna()
    if not bad.any():
        raise ValueError(f"{what} does not hold numbers. {remedy}")
    row = int(np.argmax(bad.to_numpy()))
    raise RowError(
        f"{what} does not hold numbers, such as {values.iloc[row]!r} in row {row}. "
        f"{remedy}",
        row,
    )


def _numeric(frame: pd.DataFrame, columns: list[str], what: str) -> pd.DataFrame:
    """Numbers without gaps, or a word about the first column that is not."""
    for column in columns:
        values = frame[column]
        if values.ndim > 1:
            raise ValueError(f"The table has more than one column {column!r}.")
        missing = values.isna().to_numpy()
        numeric = pd.api.types.is_numeric_dtype(values)
        if not numeric or pd.api.types.is_complex_dtype(values):
            _refuse_text(values, f"The {what} column {column!r}", _REMEDY[what])
        if missing.any():
            row = int(np.argmax(missing))
            raise RowError(
                f"The {what} column {column!r} has {int(missing.sum())} missing "
                f"values, the first in row {row}. Fill or remove them.",
                row,
            )
        infinite = np.isinf(values.to_numpy(np.float64))
        if infinite.any():
            row = int(np.argmax(infinite))
            raise RowError(
                f"The {what} column {column!r} holds infinity in row {row}. Remove or "
                "replace it.",
                row,
            )
    return frame[columns].astype(np.float64)
