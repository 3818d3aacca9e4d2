"""From the cells of a table to codes and names, with notes about what is odd."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skldl._text import listed
from skldl._typing import FloatArray, IndexArray
from skldl.validation import RowError

Missing = Literal["drop", "error"]
Duplicates = Literal["once", "last", "all", "error"]
Place = Callable[[IndexArray], str]  # rows in words


@dataclass(frozen=True)
class Cells:
    """Columns of a long table, the number of each row in the table, and notes."""

    columns: dict[str, pd.Series]
    rows: IndexArray
    notes: tuple[str, ...] = ()

    def keep(self, mask: NDArray[np.bool_], *notes: str) -> "Cells":
        """The rows of a mask, with more notes."""
        columns = {name: column[mask] for name, column in self.columns.items()}
        return Cells(columns, self.rows[mask], (*self.notes, *notes))


def without_missing(cells: Cells, missing: Missing, place: Place) -> Cells:
    """Leave out votes with an empty cell, and say so."""
    for name, column in cells.columns.items():
        empty = column.isna().to_numpy() | _is_blank(column)
        if not empty.any():
            continue
        found = (
            f"{int(empty.sum())} votes have an empty cell in the column "
            f"{column.name!r} ({name}): {place(cells.rows[empty])}."
        )
        if missing == "error":
            row = int(cells.rows[empty][0])
            raise RowError(f"{found} Fill them in, or pass missing='drop'.", row)
        cells = cells.keep(~empty, f"{found} They were left out.")
    if not len(cells.rows):
        raise ValueError("No votes are left: each row has an empty cell.")
    return cells


def _is_blank(column: pd.Series) -> NDArray[np.bool_]:
    if pd.api.types.is_numeric_dtype(column) or column.dtype.kind in "mM":
        return np.zeros(len(column), dtype=bool)
    return (column.astype(str).str.strip() == "").to_numpy(bool)


def without_repeats(cells: Cells, duplicates: Duplicates, place: Place) -> Cells:
    """Judge several votes of one annotator on one item."""
    if "annotator" not in cells.columns or duplicates == "all":
        return cells
    pair = ["item", "annotator"]
    table = pd.DataFrame({name: c.to_numpy() for name, c in cells.columns.items()})
    several = table.duplicated(pair, keep=False).to_numpy()
    if not several.any():
        return cells
    where = place(cells.rows[several])
    if duplicates == "error":
        raise RowError(
            f"{int(several.sum())} votes are of an annotator who voted more than once "
            f"on the item: {where}. Remove them, or pass duplicates='once', 'last' or "
            "'all'.",
            int(cells.rows[several][0]),
        )
    if "time" in table:
        table = table.sort_values("time", kind="stable")
    by = pair if duplicates == "last" else [*pair, "label"]
    dropped = table.duplicated(by, keep="last").sort_index().to_numpy()
    rest = int((several & ~dropped).sum())
    what = "repeated" if duplicates == "once" else "earlier"
    note = (
        f"{int(several.sum())} votes are of an annotator who voted more than once on "
        f"the item: {where}. {int(dropped.sum())} {what} ones were left out, and "
        f"{rest} of them count."
    )
    return cells.keep(~dropped, note)


def checked_weight(column: pd.Series, rows: IndexArray, place: Place) -> FloatArray:
    """Weights of votes: finite numbers that are not negative."""
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(rows[bad][0])
        raise RowError(
            f"The weights in {column.name!r} must be numbers that are not negative, "
            f"but {int(bad.sum())} are not, such as {column[bad].iloc[0]}: "
            f"{place(rows[bad])}. Correct them.",
            row,
        )
    return values


def label_codes(column: pd.Series, labels: Any) -> tuple[IndexArray, NDArray[Any]]:
    """Codes of the labels, in the order of numbers, of categories or of text."""
    if labels is None and isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(np.intp), as_names(column.cat.categories)
    if labels is None:
        codes, values = pd.factorize(column, sort=True)
        return codes.astype(np.intp), as_names(values)
    names = as_names(labels)
    if len(set(names)) < len(names):
        raise ValueError("labels names a label twice.")
    given, values = pd.factorize(column)
    found = as_names(values)
    unknown = sorted(set(found) - set(names))
    if unknown:
        raise ValueError(
            f"The votes name labels that are not in labels: {listed(unknown, 5)}. Add "
            "them to labels, or remove these votes."
        )
    return pd.Index(names).get_indexer(found)[given].astype(np.intp), names


def as_names(values: Any) -> NDArray[Any]:
    """Names as text; 2.0 is "2", because empty cells make floats of whole numbers."""
    values = np.asarray(values)
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(np.int64)
    return np.array([str(value) for value in values.tolist()], dtype=object)
