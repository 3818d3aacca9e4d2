"""Blocks of Dask collections: one task per block, sums on the way up a tree."""

from collections.abc import Callable
from typing import Any

import numpy as np

_FAN_IN = 8  # parts that one task combines


def delayed_parts(X: Any, y: Any) -> list[Any]:
    """One delayed pair (X, y) per block of rows."""
    from dask import delayed

    rows = _row_blocks(X, "X")
    if y is None:
        return [delayed(_pair)(block, None) for block in rows]
    targets = _row_blocks(_aligned(y, X), "y")
    if len(rows) != len(targets):
        raise ValueError(
            f"X has {len(rows)} blocks of rows, but y has {len(targets)}; chunk both "
            "in the same way."
        )
    return [delayed(_pair)(a, b) for a, b in zip(rows, targets, strict=True)]


def _pair(X: Any, y: Any) -> tuple[Any, Any]:
    return X, y


def _aligned(y: Any, X: Any) -> Any:
    """Give y the blocks of rows of X, where both are arrays."""
    if not (hasattr(X, "chunks") and hasattr(y, "chunks")):
        if hasattr(y, "npartitions"):
            return y
        raise ValueError(
            f"X is a Dask collection, but y is {type(y).__name__}; give both in blocks."
        )
    require_known(X, "X")
    require_known(y, "y")
    if X.shape[0] != y.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, but y has {y.shape[0]}.")
    return y.rechunk({0: X.chunks[0]})


def require_known(array: Any, name: str) -> None:
    """Refuse a Dask array that does not know how long its blocks are."""
    if any(np.isnan(size) for sizes in array.chunks for size in sizes):
        raise ValueError(
            f"{name} is a Dask array with chunks of unknown size; call "
            f"{name}.compute_chunk_sizes() first."
        )


def _row_blocks(table: Any, name: str) -> list[Any]:
    if not hasattr(table, "chunks"):  # a DataFrame or a Series
        return list(table.to_delayed())
    require_known(table, name)
    if table.ndim == 2:
        table = table.rechunk({1: -1})
    return list(table.to_delayed().ravel())


def tree_reduce(parts: list[Any], function: Callable, combine: Callable) -> Any:
    """``combine`` over ``function(number, part)``; None counts as nothing."""
    from dask import compute, delayed

    level = [delayed(function)(number, part) for number, part in enumerate(parts)]
    while len(level) > 1:
        groups = [level[i : i + _FAN_IN] for i in range(0, len(level), _FAN_IN)]
        level = [delayed(combine_all)(combine, group) for group in groups]
    return compute(level[0])[0]


def combine_all(combine: Callable, parts: list[Any]) -> Any:
    """Combine from left to right what is not None."""
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else combine(total, part)
    return total
