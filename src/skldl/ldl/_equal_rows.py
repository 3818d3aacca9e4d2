"""Rows with the same features: together in a fold, or merged into one.

So a weight of 2 is the same as a row given twice, also where a setting is chosen by
leaving rows out, and the order of the rows does not matter.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray, IndexArray
from skldl.validation import check_folds

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # of Fibonacci hashing
_SHIFT = np.uint64(29)


class Merged(NamedTuple):
    """Distinct rows of X, with the weighted means of their targets.

    ``of_row`` gives each original row's place among them, -1 without weight.
    """

    X: FloatArray
    Z: FloatArray
    weights: FloatArray
    of_row: IndexArray


def checked_weights(sample_weight: Any, X: Any) -> FloatArray:
    """Weights as float64, 1 if there are none; not negative, with a positive sum."""
    weights = check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if weights.sum() <= 0:
        raise ValueError(
            "sample_weight must have a positive sum: all weights are zero."
        )
    return weights


def row_keys(X: Any) -> NDArray[np.uint64]:
    """Numbers that are equal for equal rows, and else as good as never."""
    keys = np.zeros(X.shape[0], dtype=np.uint64)
    if sp.issparse(X):
        mixing = np.random.default_rng(0).normal(size=X.shape[1])
        columns = [X @ mixing]
    else:
        columns = X.T
    for column in columns:
        bits = (np.asarray(column, dtype=np.float64) + 0.0).view(np.uint64)  # -0 is 0
        keys = (keys ^ bits) * _FACTOR
        keys ^= keys >> _SHIFT
    return keys


def merge_equal_rows(X: FloatArray, Z: FloatArray, weights: FloatArray) -> Merged:
    """One row for all equal ones, in an order that the rows alone decide."""
    used = np.flatnonzero(weights > 0)
    _, first, group = np.unique(
        row_keys(X[used]), return_index=True, return_inverse=True
    )
    of_row = np.full(len(X), -1)
    of_row[used] = group
    if len(first) == len(used):  # the usual case: nothing to add up
        rows = used[first]
        return Merged(X[rows], Z[rows], weights[rows], of_row)
    total = np.bincount(group, weights[used]).astype(np.float64)
    sums = np.zeros((len(first), Z.shape[1]))
    np.add.at(sums, group, Z[used] * weights[used][:, None])
    return Merged(X[used[first]], sums / total[:, None], total, of_row)


def folds(
    cv: Any, X: Any, D: FloatArray, weights: FloatArray
) -> Iterator[tuple[IndexArray, IndexArray]]:
    """Training and test rows; a number of folds deals distinct rows out in turn."""
    if not isinstance(cv, int | np.integer):
        yield from check_folds(cv, X, D)
        return
    used = weights > 0
    _, group = np.unique(row_keys(X[used]), return_inverse=True)
    n_folds = min(int(cv), int(group.max()) + 1)
    if n_folds < 2:
        return
    fold = np.full(len(weights), -1)
    fold[used] = group % n_folds
    for number in range(n_folds):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def spread(values: FloatArray, of_row: IndexArray) -> FloatArray:
    """Values of the original rows from those of merged ones; NaN without weight."""
    spread_out = np.full((len(of_row), values.shape[1]), np.nan)
    used = of_row >= 0
    spread_out[used] = values[of_row[used]]
    return spread_out
