"""Rows in blocks that can be read again and again."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from skldl.blocks._dask import combine_all, delayed_parts, tree_reduce
from skldl.blocks._readers import (
    READ_ONCE,
    Pair,
    array_reader,
    is_dask,
    is_table,
    len_of,
    parquet_reader,
    repeated_reader,
)


class Blocks:
    """Samples and targets in blocks of rows, read as often as a fit needs.

    Only one block is in memory at a time (with Dask one per worker thread). Blocks may
    have different lengths, and empty ones are skipped.

    Parameters
    ----------
    source : array, frame, sparse matrix, callable, collection, Dask collection or path
        A function that returns an iterator of blocks, or a list of blocks, where a
        block is a pair (X, y) or X alone; one matrix, frame or memory map, which is
        cut; a Dask array or DataFrame; a Parquet file or a folder of them.
    y : array-like or Dask collection, default=None
        Targets of a matrix or a Dask collection. Other sources carry their own.
    block_rows : int, default=8192
        Rows of a block where the source has none of its own.
    features : list of str, default=None
        Feature columns of Parquet files; None takes all but the labels.
    labels : list of str or str, default=None
        Label columns of Parquet files; a single name gives a vector of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.blocks import Blocks
    >>> blocks = Blocks(np.arange(10.0).reshape(5, 2), block_rows=2)
    >>> [X.shape for X, _ in blocks]
    [(2, 2), (2, 2), (1, 2)]
    >>> blocks.reduce(lambda X, y: X.sum(axis=0))
    array([20., 25.])
    """

    def __init__(
        self,
        source: Any,
        y: Any = None,
        *,
        block_rows: int = 8192,
        features: Iterable[str] | None = None,
        labels: Iterable[str] | str | None = None,
    ) -> None:
        if not (isinstance(block_rows, int | np.integer) and block_rows >= 1):
            raise ValueError(
                f"block_rows must be a positive integer, got {block_rows!r}."
            )
        self._parts: list[Any] | None = None
        if is_dask(source):
            self._parts = delayed_parts(source, y)
            self._read: Any = self._compute_parts
        elif is_table(source):
            self._read = array_reader(source, y, block_rows)
        elif y is not None:
            raise ValueError(
                "y can be given for arrays only; give these blocks as pairs (X, y)."
            )
        elif isinstance(source, str | os.PathLike):
            path = Path(source).expanduser()
            self._read = parquet_reader(path, features, labels, block_rows)
        else:
            self._read = repeated_reader(source)
        self._layout: _Layout | None = None
        self._last: Any = None
        self._n_rows: int | None = None

    def _compute_parts(self) -> Iterator[Pair]:
        for part in self._parts or []:
            yield part.compute()

    @property
    def layout(self) -> "_Layout":
        """Columns of the blocks, learned from the first one with rows."""
        if self._layout is None:
            pairs = self._pairs()
            for X, y in pairs:
                if len_of(X):
                    self._layout = _Layout.of(X, y)
                    break
            else:
                raise ValueError("The blocks have no samples (0 rows in all).")
            pairs.close()
        return self._layout

    def _pairs(self) -> Generator[Pair, None, None]:
        """One reading; it must be a new one, with as many rows as the one before."""
        source = iter(self._read())
        if source is self._last:
            raise ValueError(READ_ONCE)
        self._last, n_rows = source, 0
        try:
            for number, block in enumerate(source):
                pair = _split(block, number)
                n_rows += len_of(pair[0])
                del block
                yield pair
                del pair
        finally:
            if hasattr(source, "close"):
                source.close()
        if self._n_rows not in (None, n_rows):
            raise ValueError(
                f"The blocks had {self._n_rows} rows when they were read before and "
                f"{n_rows} now; every reading must give the same rows."
            )
        self._n_rows = n_rows

    def __iter__(self) -> Iterator[Pair]:
        check = self.layout
        for number, block in enumerate(self._pairs()):
            checked = check.checked(number, block)
            if checked is not None:
                yield checked

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "Blocks are not an array, and this method needs one. For predictions use "
            "predict_blocks(model, X); gather() puts everything into memory."
        )

    def samples(self) -> Iterator[Any]:
        """The X of each block with rows, as it was given.

        Yields
        ------
        X : array, frame or sparse matrix
        """
        for X, _ in self._pairs():
            if len_of(X):
                yield X

    def reduce(self, function: Callable, combine: Callable | None = None) -> Any:
        """Combine the values of a function over all blocks.

        Parameters
        ----------
        function : callable
            Of (X, y) of a block. With Dask it runs where the block is.
        combine : callable, default=None
            Of two values; None adds them, tuples entry by entry.

        Returns
        -------
        value : object
        """
        combine = add if combine is None else combine
        apply = _Apply(self.layout, function)
        if self._parts is not None:
            return tree_reduce(self._parts, apply, combine)
        values = (apply(number, block) for number, block in enumerate(self._pairs()))
        return combine_all(combine, values)  # type: ignore[arg-type]

    def gather(self) -> Pair:
        """Everything in one piece, in the type of numbers that the blocks have.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Dense, also if blocks are sparse.
        y : ndarray, DataFrame, Series, CSR matrix or None
        """
        n, single = self.reduce(_size, _join_sizes)
        dtype = np.float32 if single else np.float64
        rows = np.empty((n, self.layout.n_features), dtype)
        targets, start = [], 0
        for X, y in self:
            stop = start + X.shape[0]
            rows[start:stop] = X.toarray() if sp.issparse(X) else X
            targets.append(y)
            start = stop
        return rows, join(targets)

    def describe(self, estimator: Any) -> None:
        """Set ``n_features_in_`` and ``feature_names_in_`` of an estimator.

        Parameters
        ----------
        estimator : estimator
            The estimator being fitted.
        """
        estimator.n_features_in_ = self.layout.n_features
        if self.layout.names is not None:
            estimator.feature_names_in_ = np.array(self.layout.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_


@dataclass(frozen=True)
class _Layout:
    """What every block must have: as many columns, the same names, a target or none."""

    n_features: int
    names: tuple[str, ...] | None
    has_target: bool

    @classmethod
    def of(cls, X: Any, y: Any) -> "_Layout":
        return cls(X.shape[1], _column_names(X), y is not None)

    def checked(self, number: int, block: Any) -> Pair | None:
        """A good block as matrices, or None for an empty one."""
        X, y = _split(block, number)
        if not len_of(X):
            return None
        found = self.of(X, y)
        if found != self:
            raise ValueError(f"Block {number} {self._difference(found)}.")
        X = check_array(
            X,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            input_name=f"X of block {number}",
        )
        if y is not None and len_of(y) != X.shape[0]:
            raise ValueError(
                f"Block {number} has {X.shape[0]} rows of X, but {len_of(y)} of y."
            )
        return X, y

    def _difference(self, other: "_Layout") -> str:
        if other.n_features != self.n_features:
            return f"has {other.n_features} features, the first has {self.n_features}"
        if other.has_target != self.has_target:
            return f"has {'a' if other.has_target else 'no'} target, unlike the first"
        return f"names its columns {other.names}, the first {self.names}"


@dataclass(frozen=True)
class _Apply:
    """A function of checked blocks; errors say which block."""

    layout: _Layout
    function: Callable

    def __call__(self, number: int, block: Any) -> Any:
        checked = self.layout.checked(number, block)
        if checked is None:
            return None
        try:
            return self.function(*checked)
        except ValueError as error:
            raise ValueError(f"Block {number}: {error}") from error


def add(first: Any, second: Any) -> Any:
    """Sum, or sums of the entries of two tuples."""
    if isinstance(first, tuple):
        return tuple(a + b for a, b in zip(first, second, strict=True))
    return first + second


def is_blocked(X: Any) -> bool:
    """Whether the data are in blocks.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Returns
    -------
    blocked : bool
        True for :class:`Blocks` and for Dask collections.
    """
    return isinstance(X, Blocks) or is_dask(X)


def as_blocks(X: Any, y: Any = None) -> Blocks:
    """Make blocks from the arguments of ``fit``.

    Parameters
    ----------
    X : Blocks or Dask collection
        Samples.
    y : Dask collection or None
        Targets of a Dask collection; :class:`Blocks` carry their own.

    Returns
    -------
    blocks : Blocks

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.blocks import Blocks, as_blocks
    >>> blocks = Blocks(np.eye(2))
    >>> as_blocks(blocks) is blocks
    True
    """
    if isinstance(X, Blocks):
        if y is not None:
            raise ValueError("Blocks contain their targets; leave y out.")
        return X
    return Blocks(X, y)


def _split(block: Any, number: int) -> Pair:
    X, y = block if isinstance(block, tuple) and len(block) == 2 else (block, None)
    if not is_table(X):
        raise ValueError(
            f"Block {number} must be a matrix or a pair (X, y) whose X has two "
            f"dimensions, got {type(X).__name__}"
            f"{'' if not hasattr(X, 'shape') else f' of shape {X.shape}'}."
        )
    return X, y


def _column_names(X: Any) -> tuple[str, ...] | None:
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return tuple(columns)


def _size(X: Any, y: Any) -> tuple[int, bool]:
    return X.shape[0], X.dtype == np.float32


def _join_sizes(a: tuple[int, bool], b: tuple[int, bool]) -> tuple[int, bool]:
    return a[0] + b[0], a[1] and b[1]


def join(targets: list[Any]) -> Any:
    """Targets of all blocks in one piece."""
    if targets[0] is None:
        return None
    if isinstance(targets[0], pd.DataFrame | pd.Series):
        return pd.concat(targets, ignore_index=True)
    if sp.issparse(targets[0]):
        return sp.vstack(targets, "csr")
    return np.concatenate([np.asarray(y) for y in targets])
