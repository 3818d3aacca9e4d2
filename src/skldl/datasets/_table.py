"""A user's own table: features and votes in one file."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from skldl._text import listed
from skldl.datasets._dataset import Dataset
from skldl.datasets._degrees import degrees_of, drop_missing_classes
from skldl.datasets._faults import (
    number_faults,
    raise_first,
    share_of_numbers,
    stray_words,
)
from skldl.datasets._pick import pick_labels
from skldl.datasets._read_frame import read_frame
from skldl.datasets._read_lines import frame_origin
from skldl.datasets._roles import column_roles, has_id_name
from skldl.datasets._row_names import row_names
from skldl.validation import TargetKind, check_indicator, check_target


def load_table(
    path: Any,
    labels: str | Sequence[str] | None = None,
    features: str | Sequence[str] | None = None,
    *,
    labels_after: str | None = None,
    ignore: str | Sequence[str] = (),
    normalize: bool | None = None,
    empty: str = "drop",
    kind: TargetKind = "distribution",
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    arrays: Sequence[str] = (),
    text: Sequence[str] = (),
) -> Dataset:
    """Read a table whose columns are features and label degrees.

    Parameters
    ----------
    path : str, Path, file object, pandas or polars DataFrame
        Whatever :func:`read_frame` reads.
    labels : str or sequence of str, default=None
        Columns with the degrees of the labels: shares, percentages or counts of votes,
        by name, pattern or range as in :func:`pick_labels`. None takes the array of
        labels of an NPZ or MAT file.
    features : str or sequence of str, default=None
        Columns to learn from; None takes every other column, but for columns of whole
        numbers that are ids by :func:`column_roles`.
    labels_after : str, default=None
        The column after which all columns are labels, instead of ``labels``.
    ignore : str or sequence of str, default=()
        Columns that are neither labels nor features.
    normalize : bool or None, default=None
        Whether to divide each row's degrees by their sum. None does it with a note for
        shares that are off 1 by at most 0.01, for percentages (rows that sum to 100,
        off by at most 1) and for counts (whole numbers), and refuses anything else.
        True does it whatever the sums are. False does it for rounded shares only.
    empty : {"drop", "error"}, default="drop"
        What to do with rows without votes: leave them out with a note, or refuse them.
    kind : {"distribution", "indicator", "classes"}, default="distribution"
        What the labels are: degrees, columns of 0 and 1, or one column of classes.
    sep, decimal, encoding, sheet, arrays : optional
        How to read the file, see :func:`read_frame`.
    text : sequence of str, default=()
        Columns that stay text, even if they look like numbers.

    Returns
    -------
    dataset : Dataset
        With the table's column names as feature and label names. ``X`` is an array if
        every feature is a column of numbers without gaps; otherwise it is a DataFrame
        of the columns as they are. ``extra["notes"]`` is a list of what was guessed,
        converted and left out; ``extra["n_votes"]`` the number of votes of each row,
        where the labels are counts; ``extra["row_names"]`` the ids of the rows, where
        the table has a column of them (:func:`row_names`).

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import load_table
    >>> table = pd.DataFrame({"age": [31.0, 45.0], "yes": [3, 1], "no": [1, 1]})
    >>> data = load_table(table, ["yes", "no"])
    >>> data.D
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    >>> data.extra["n_votes"]
    array([4., 2.])
    >>> data.extra["notes"]
    ['The labels are counts of votes; each row was divided by its sum.']
    """
    frame, notes = read_frame(
        path, sep=sep, decimal=decimal, encoding=encoding, sheet=sheet, arrays=arrays,
        label_names=_several(labels), text=text,
    )  # fmt: skip
    known = frame_origin(frame)
    if frame.empty:
        raise ValueError(f"{known['name']} has no rows; at least one sample is needed.")
    picked = table_labels(frame, labels, labels_after)
    chosen, left_out = table_features(frame, picked, features, ignore)
    X, kept_text = _features(frame, chosen, text)
    target, kept, names, extra = _target(frame, picked, kind, normalize, empty)
    if not kept.all():
        X = X[kept] if isinstance(X, np.ndarray) else X[kept].reset_index(drop=True)
    names_of_rows = row_names(frame, picked)
    if names_of_rows is not None:
        extra["row_names"] = names_of_rows[np.asarray(kept)]
    extra["notes"] = [*notes, *left_out, *kept_text, *extra["notes"]]
    return Dataset(
        name=known["name"],
        X=X,
        kind=kind,
        target=target,
        feature_names=np.array(chosen, dtype=str),
        label_names=np.array(names),
        source=known["name"],
        extra=extra,
    )


def _several(labels: str | Sequence[str] | None) -> Sequence[str]:
    return [labels] if isinstance(labels, str) else list(labels or ())


def table_labels(
    frame: pd.DataFrame,
    labels: str | Sequence[str] | None,
    labels_after: str | None = None,
) -> list[str]:
    """Label columns of a table: as named, or as the file knows them."""
    found = frame_origin(frame).get("labels")
    if labels is None and labels_after is None:
        if found:
            return list(found)
        raise ValueError(
            "Name the label columns, as in labels=['joy', 'fear']. The table has "
            f"{listed(list(frame.columns), 20)}."
        )
    return pick_labels(frame.columns, labels, after=labels_after)


def table_features(
    frame: pd.DataFrame,
    labels: Sequence[str],
    features: str | Sequence[str] | None,
    ignore: str | Sequence[str] = (),
) -> tuple[list[str], list[str]]:
    """Feature columns of a table, and a note about ids that are none."""
    ignored = pick_labels(frame.columns, ignore, what="ignore") if ignore else []
    taken = {*labels, *ignored, *(frame_origin(frame).get("labels") or ())}
    if features is not None:
        chosen = pick_labels(frame.columns, features, what="features")
        both = [name for name in chosen if name in {*labels, *ignored}]
        if both:
            other = "a label" if both[0] in set(labels) else "to be ignored"
            raise ValueError(
                f"Column {both[0]!r} is named as {other} and as a feature."
            )
        return chosen, []
    chosen = [column for column in frame.columns if column not in taken]
    ids = _number_ids(frame, chosen)
    chosen = [column for column in chosen if column not in ids]
    if not chosen:
        more = f" {listed(ids)} only numbers the rows." if ids else ""
        raise ValueError(f"No feature columns are left; name fewer labels.{more}")
    notes = [
        f"Left out, as they only number the rows: {listed(ids)}. Name them as features "
        "if they matter."
    ]
    return chosen, notes if ids else []


def _number_ids(frame: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Ids that are whole numbers, which every method would learn from."""
    suspects = [
        name
        for name in columns
        if has_id_name(name) and types.is_numeric_dtype(frame[name])
    ]
    roles = column_roles(frame[suspects])["role"]
    return [name for name in suspects if roles[name] == "id"]


def _features(
    frame: pd.DataFrame, columns: list[str], text: Collection[str]
) -> tuple[Any, list[str]]:
    """An array of complete numbers, or the columns as they are."""
    raise_first(stray_words(frame, columns, text))
    numbers = [name for name in columns if _is_number(frame[name])]
    faults = number_faults(frame, numbers, "feature", gaps=True)
    raise_first([fault for fault in faults if fault.kind == "infinity"])
    part = frame[columns].reset_index(drop=True)
    part.attrs = {}
    if len(numbers) == len(columns) and not part.isna().to_numpy().any():
        return part.to_numpy(dtype=np.float64), []
    odd = [
        name
        for name in columns
        if name not in set(numbers) and name not in text
        and 0.5 < share_of_numbers(frame[name]) < 1
    ]  # fmt: skip
    note = f"Taken as text, though most of their cells are numbers: {listed(odd)}."
    return part, [note] if odd else []


def _is_number(values: pd.Series) -> bool:
    return bool(types.is_numeric_dtype(values))


def _target(
    frame: pd.DataFrame,
    labels: list[str],
    kind: TargetKind,
    normalize: bool | None,
    empty: str,
) -> tuple[Any, Any, list[str], dict[str, Any]]:
    """Target, the rows that have one, the names of labels, and facts to keep."""
    if kind == "distribution":
        if len(labels) == 1:
            raise ValueError(
                f"A distribution needs at least two label columns, got {labels[0]!r}."
            )
        found = degrees_of(frame, labels, normalize=normalize, empty=empty)
        extra: dict[str, Any] = {"notes": found.notes}
        if found.n_votes is not None:
            extra["n_votes"] = found.n_votes
        return found.D, found.kept, labels, extra
    if kind == "indicator":
        Y = check_indicator(frame[labels], name="labels")
        return Y, np.ones(len(frame), dtype=bool), labels, {"notes": []}
    if len(labels) > 1:
        raise ValueError(f"Classes are in one column, but labels names {labels}.")
    kept, notes = drop_missing_classes(frame, labels[0], empty)
    raw = frame[labels[0]][kept].reset_index(drop=True)
    if not _is_number(raw):
        raw = raw.astype(str).astype(object)
    checked = check_target(raw, kinds=("classes",), name="labels")
    values = checked.classes[checked.matrix.argmax(axis=1)]
    return values, kept, [str(name) for name in checked.classes], {"notes": notes}
