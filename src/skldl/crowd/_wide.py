"""Tables of counts: a row for each item, a column for each label."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from skldl.datasets import existing_columns, numbered, to_numbers
from skldl.validation import RowError


def checked_counts(
    counts: Any, item: str | None, labels: Any
) -> tuple[sparse.csr_array, pd.Index, Any]:
    """Counts as a sparse array, names of items, names of labels."""
    if isinstance(counts, pd.DataFrame):
        names = counts.index if item is None else pd.Index(counts[item])
        columns = [c for c in counts.columns if c != item]
        if labels is not None:
            columns = existing_columns(labels, counts.columns, "labels")
        matrix = sparse.csr_array(to_numbers(counts[columns]))
        return _not_negative(matrix), _unique(names), columns
    matrix = sparse.csr_array(counts, dtype=np.float64)
    names = numbered("label", matrix.shape[1]) if labels is None else list(labels)
    if len(names) != matrix.shape[1]:
        raise ValueError(
            f"labels has {len(names)} names, but counts has {matrix.shape[1]} columns."
        )
    return _not_negative(matrix), pd.RangeIndex(matrix.shape[0]), names


def _not_negative(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    bad = np.flatnonzero(~(np.isfinite(matrix.data) & (matrix.data >= 0)))
    if len(bad):
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right") - 1)
        raise RowError(
            f"counts must be numbers that are not negative, but row {row} has "
            f"{matrix.data[bad[0]]:g}. Correct it.",
            row,
        )
    return matrix


def _unique(names: pd.Index) -> pd.Index:
    if names.has_duplicates:
        name = names[names.duplicated()][0]
        raise ValueError(f"counts has several rows for the item {name!r}. Add them up.")
    return names
