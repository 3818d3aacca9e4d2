"""Label columns of a table: shares, percentages or counts become distributions."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skldl._typing import FloatArray
from skldl.datasets._faults import Fault, number_faults, numbers_of, raise_first
from skldl.datasets._read_lines import name_rows
from skldl.validation import SUM_TOLERANCE, UnnormalizedError, check_distribution

#: How far a row of rounded shares may be off 1.
ROUNDING = 1e-2
_EMPTY = ("drop", "error")


@dataclass(frozen=True)
class Degrees:
    """Distributions of the rows that have votes.

    Attributes
    ----------
    D : ndarray of shape (n_kept, n_labels)
        Distributions.
    kept : ndarray of shape (n_rows,)
        Which rows have votes.
    n_votes : ndarray of shape (n_kept,) or None
        Votes per row, if the labels are counts.
    notes : list of str
        What was done.
    """

    D: FloatArray
    kept: NDArray[np.bool_]
    n_votes: FloatArray | None = None
    notes: list[str] = field(default_factory=list)


def degrees_of(
    frame: pd.DataFrame,
    labels: Sequence[str],
    *,
    normalize: bool | None = None,
    empty: str = "drop",
) -> Degrees:
    """Distributions of the label columns, or an error about all cells of a kind."""
    check_empty(empty)
    matrix = np.column_stack([numbers_of(frame[name]) for name in labels])
    blank = frame[list(labels)].isna().all(axis=1).to_numpy()
    raise_first(cell_faults(frame, labels, matrix, blank))
    kept = np.nan_to_num(matrix).sum(axis=1) > 0
    notes = []
    if not kept.all():
        notes.append(_drop_or_raise(frame, ~kept, empty, "without votes"))
    matrix = matrix[kept]
    kind = kind_of_degrees(matrix)
    if normalize is not True:
        notes += _say_kind(frame, matrix, kept, kind, normalize)
    votes = matrix.sum(axis=1) if kind == "counts" else None
    D = check_distribution(matrix, on_unnormalized="normalize", name="labels")
    return Degrees(D, kept, votes, notes)


def check_empty(empty: str) -> None:
    """Refuse a wrong choice of what to do with rows without votes."""
    if empty not in _EMPTY:
        raise ValueError(f"empty must be 'drop' or 'error', got {empty!r}.")


def cell_faults(
    frame: pd.DataFrame,
    labels: Sequence[str],
    matrix: FloatArray,
    blank: NDArray[np.bool_],
) -> list[Fault]:
    """What is wrong with the cells of label columns.

    A row in which all labels are missing has no votes, which is not a fault.
    """
    faults = number_faults(frame, labels, "label", gaps=True)
    for place, name in enumerate(labels):
        missing = frame[name].isna().to_numpy() & ~blank
        if missing.any():
            faults.append(_label_gaps(frame, missing, name))
        negative = matrix[:, place] < 0
        if negative.any():
            faults.append(_negative(frame, negative, matrix[:, place], name))
    return faults


def _label_gaps(frame: pd.DataFrame, missing: NDArray[np.bool_], name: str) -> Fault:
    count = int(missing.sum())
    return Fault(
        "gaps",
        f"The label column {name!r} has {count} missing "
        f"value{'s' if count > 1 else ''} ({name_rows(frame, missing)}).",
        "Write 0 if nobody chose the label, or remove the rows.",
        int(missing.argmax()),
    )


def _negative(
    frame: pd.DataFrame, negative: NDArray[np.bool_], column: FloatArray, name: str
) -> Fault:
    first = int(negative.argmax())
    count = int(negative.sum())
    return Fault(
        "negative",
        f"The label column {name!r} must be non-negative, but has {column[first]:g} "
        f"({count} such cell{'s' if count > 1 else ''}, {name_rows(frame, negative)}).",
        "Degrees are shares or counts; clip or shift them first.",
        first,
    )


def _drop_or_raise(
    frame: pd.DataFrame, gone: NDArray[np.bool_], empty: str, what: str
) -> str:
    count = int(gone.sum())
    rows = f"{count} row{'s' if count > 1 else ''} {what} ({name_rows(frame, gone)})"
    if empty == "error":
        raise ValueError(
            f"The table has {rows}. Remove them, or leave them out by empty='drop' or "
            "--empty drop."
        )
    if gone.all():
        raise ValueError(f"All rows are {what}; there is nothing to learn from.")
    return f"Left out {rows}."


def kind_of_degrees(matrix: FloatArray) -> str:
    """What rows with votes hold.

    Returns
    -------
    kind : {"shares", "rounded", "percentages", "counts", "other"}
        Rows that sum to 1, nearly to 1, nearly to 100 (at least two rows), whole
        numbers, or anything else.
    """
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=1)
    off = float(np.abs(sums - 1).max())
    if off <= SUM_TOLERANCE:
        return "shares"
    # a hair more, as 0.99 is not exactly 1 - 0.01
    if off <= ROUNDING + 1e-9:
        return "rounded"
    if len(sums) > 1 and float(np.abs(sums - 100).max()) <= 100 * ROUNDING + 1e-9:
        return "percentages"
    if bool((matrix == np.rint(matrix)).all()):
        return "counts"
    return "other"


def _say_kind(
    frame: pd.DataFrame,
    matrix: FloatArray,
    kept: NDArray[np.bool_],
    kind: str,
    normalize: bool | None,
) -> list[str]:
    """A note on what was divided by its sum, or an error."""
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1)
    if kind == "shares":
        return []
    if kind == "rounded":
        count = int((off > SUM_TOLERANCE).sum())
        return [
            f"The labels of {count} row{'s' if count > 1 else ''} sum to 1 only nearly "
            f"(off by up to {off.max():.2g}); each row was divided by its sum."
        ]
    if normalize is None and kind in ("percentages", "counts"):
        what = "percentages" if kind == "percentages" else "counts of votes"
        return [f"The labels are {what}; each row was divided by its sum."]
    wrong = off > ROUNDING + 1e-9
    rows = np.flatnonzero(kept)[wrong]
    worst = int(np.flatnonzero(kept)[off.argmax()])
    raise UnnormalizedError(
        f"Rows of labels must sum to 1, but {len(rows)} of {len(sums)} do not "
        f"({name_rows(frame, rows)}); the worst sums to {sums[off.argmax()]:.9g} "
        f"({name_rows(frame, [worst])}).",
        "If the columns are counts of votes or percentages, pass normalize=True.",
        worst,
    )


def drop_missing_classes(
    frame: pd.DataFrame, label: str, empty: str
) -> tuple[NDArray[np.bool_], list[str]]:
    """Which rows have a class, and a note about those that have none."""
    check_empty(empty)
    kept = frame[label].notna().to_numpy()
    if kept.all():
        return kept, []
    return kept, [_drop_or_raise(frame, ~kept, empty, f"without a {label!r}")]
