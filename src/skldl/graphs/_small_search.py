"""Small exact searches by products of rows, without an engine.

Products leave few candidates, all that rounding could confuse among them; where these
are more than wanted, differences decide. For searches so small that the calls of a
general engine cost more than the numbers.
"""

from collections.abc import Iterator

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.graphs._distances import BLOCK, first_rows

_PAIRS = 1 << 20  # of points and rows at once
_CACHED = 1 << 17  # products made at once, few enough for the cache
_GROUPS = 128  # parts of the rows whose minima bound the k-th distance
_HUGE = 1e300  # squared norms beyond this leave no room for sums
_EPS = np.finfo(np.float64).eps


def search_rows(
    X: FloatArray, rows: FloatArray, k: int, own: IndexArray | None = None
) -> tuple[IndexArray, FloatArray]:
    """The k nearest rows by exact Euclidean distance, then by row number.

    Parameters
    ----------
    X : ndarray of shape (n_queries, n_features)
        Points.
    rows : ndarray of shape (n_samples, n_features)
        Rows to search.
    k : int
        How many.
    own : ndarray of shape (n_queries,), default=None
        Row that each point is, and must not find.

    Returns
    -------
    indices, distances : ndarray of shape (n_queries, k)
    """
    indices = np.empty((len(X), k), dtype=np.intp)
    distances = np.empty((len(X), k))
    for chunk, point, row in _pairs(X, rows, k, own):
        indices[chunk], distances[chunk] = first_rows(
            X[chunk], rows, point, row, k, "euclidean"
        )
    return indices, distances


def search_sets(X: FloatArray, rows: FloatArray, k: int) -> IndexArray:
    """The same rows in any order: few points need distances for that.

    Parameters
    ----------
    X : ndarray of shape (n_queries, n_features)
        Points.
    rows : ndarray of shape (n_samples, n_features)
        Rows to search.
    k : int
        How many.

    Returns
    -------
    indices : ndarray of shape (n_queries, k)
    """
    indices = np.empty((len(X), k), dtype=np.intp)
    for chunk, point, row in _pairs(X, rows, k):
        found = indices[chunk]
        more = np.bincount(point, minlength=len(found)) > k
        unsure = more[point]
        found[~more] = row[~unsure].reshape(-1, k)
        if more.any():
            place = (np.cumsum(more) - 1)[point[unsure]]
            found[more] = first_rows(
                X[chunk][more], rows, place, row[unsure], k, "euclidean"
            )[0]
    return indices


def _pairs(
    X: FloatArray, rows: FloatArray, k: int, own: IndexArray | None = None
) -> Iterator[tuple[slice, IndexArray, IndexArray]]:
    """Candidates of points, some points at a time."""
    other = _augmented(rows, k)
    step = min(max(1, _PAIRS // len(rows)), BLOCK)
    for start in range(0, len(X), step):
        chunk = slice(start, start + step)
        points = X[chunk]
        sizes = np.einsum("ij,ij->i", points, points, dtype=np.float64)
        if sizes.max() > _HUGE:  # a point far beyond all rows: products overflow
            yield chunk, *np.divmod(np.arange(len(points) * len(rows)), len(rows))
            continue
        # so that one product gives |y|^2 - 2 x'y
        block = np.ones((len(points), other.shape[-1]))
        np.multiply(points, -2.0, out=block[:, :-1], dtype=np.float64)
        mine = None if own is None else own[chunk]
        yield chunk, *_candidates(block, sizes, other, k, mine)


def _augmented(rows: FloatArray, k: int) -> FloatArray:
    """Rows and their squared norms by member and group; nothing comes near padding."""
    n_rows, n_features = rows.shape
    groups = max(_GROUPS, 4 * k)
    groups = n_rows if n_rows < 2 * groups else groups
    members = -(-n_rows // groups)
    other = np.zeros((members * groups, n_features + 1))
    other[:n_rows, :-1] = rows
    other[:n_rows, -1] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    other[n_rows:, -1] = np.inf
    return other.reshape(members, groups, n_features + 1)


def _candidates(
    block: FloatArray,
    sizes: FloatArray,
    other: FloatArray,
    k: int,
    own: IndexArray | None,
) -> tuple[IndexArray, IndexArray]:
    """Pairs among which are each point's k nearest rows, ordered by both numbers.

    The k-th smallest minimum of a group bounds the k-th distance, so that only members
    of groups whose minimum is no larger need a look.
    """
    members, groups, width = other.shape
    n_rows = members * groups
    step = min(max(1, _CACHED // n_rows), len(block))
    products = np.empty((step, n_rows))
    found = []
    for start in range(0, len(block), step):
        part = slice(start, start + step)
        size = sizes[part]
        values = products[: len(size)]
        np.matmul(block[part], other.reshape(n_rows, width).T, out=values)
        if own is not None:
            values[np.arange(len(size)), own[part]] = np.inf
        grouped = values.reshape(len(size), members, groups)
        least = values if members == 1 else grouped.min(axis=1)
        # of so few numbers a sort takes less time than a partition
        bound = np.sort(least, axis=1)[:, k - 1]
        reach = np.maximum(bound + size, 0.0)
        # twice what rounding may do to rows within reach, and ties of distances
        slack = (128 + 8 * width) * _EPS * (np.sqrt(size) + np.sqrt(reach)) ** 2
        limit = bound + 1e-12 * reach + slack
        pair = np.flatnonzero(least <= limit[:, None])
        point, row = np.divmod(pair, groups)
        if members > 1:
            member = grouped[point, :, row] <= limit[point, None]
            which, number = np.nonzero(member)
            point, row = point[which], number * groups + row[which]
        found.append((point + start) * n_rows + row)
    pairs = np.concatenate(found) if len(found) > 1 else found[0]
    pairs.sort()
    return np.divmod(pairs, n_rows)
