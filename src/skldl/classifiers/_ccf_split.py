"""One split of a canonical correlation tree: directions, then a threshold."""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgeqp3, dorgqr, dtrtrs

from skldl._typing import FloatArray, IndexArray

_BLOCK = 32  # columns that LAPACK takes at once
_RANK_TOL = 1e-4  # of a pivot against the first one
_DISTINCT = 1e-10  # share of the range by which two projections must differ


class Split(NamedTuple):
    """A direction in some features, and where to cut it."""

    direction: FloatArray
    threshold: float


def canonical_directions(X: FloatArray, codes: IndexArray) -> FloatArray:
    """Directions in X that correlate most with the classes, as unit columns.

    With an orthonormal basis Q of the centred features, the canonical directions are
    the singular vectors of the classes' mean rows of Q, each times the root of the
    class's size: the indicators of the classes need no decomposition of their own.
    There may be none.
    """
    centred = X - X.mean(axis=0)
    Q, R, pivots = _pivoted_qr(centred)
    diagonal = np.abs(R.diagonal())
    rank = int((diagonal > max(_RANK_TOL * diagonal[0], 1e-300)).sum())
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if rank == 0 or len(counts) < 2:
        return np.empty((X.shape[1], 0))
    order = np.argsort(codes, kind="stable")
    first = np.cumsum(counts) - counts
    sums = np.add.reduceat(Q[order, :rank], first, axis=0)
    Vt = np.linalg.svd(sums / np.sqrt(counts)[:, None], full_matrices=False)[2]
    inner = Vt[: len(first) - 1].T
    directions = np.zeros((X.shape[1], inner.shape[1]))
    directions[pivots[:rank]] = dtrtrs(R[:rank, :rank], inner)[0]
    return directions / np.linalg.norm(directions, axis=0)


def _pivoted_qr(A: FloatArray) -> tuple[FloatArray, FloatArray, IndexArray]:
    """Q, R and the pivots of a thin decomposition; nodes are small, so calls count.

    Below its diagonal R holds what LAPACK leaves there.
    """
    work = _BLOCK * (A.shape[1] + 3)  # with less LAPACK takes a column at a time
    factored, pivots, tau, _, _ = dgeqp3(np.asfortranarray(A), work, overwrite_a=True)
    k = min(A.shape)
    Q = dorgqr(factored[:, :k], tau, work)[0]
    return Q, factored[:k], pivots - 1


def best_threshold(
    projected: FloatArray, codes: IndexArray, n_classes: int
) -> tuple[int, float] | None:
    """Column and cut with the largest information gain; None if nothing is gained.

    The sum over classes of n log n left of a cut changes in one class only when a
    sample crosses the cut, by an amount that depends on how many of its class crossed
    before; so a running sum gives the entropies at all cuts of all columns.
    """
    n, width = projected.shape
    order = np.argsort(projected, axis=0, kind="stable")
    values = np.take_along_axis(projected, order, axis=0)
    crossing = codes[order]
    totals = np.bincount(codes, minlength=n_classes)
    by_class = np.argsort(crossing, axis=0, kind="stable")
    start = np.repeat(np.cumsum(totals) - totals, totals)
    seen = np.empty_like(by_class)  # members of its class that crossed before
    np.put_along_axis(seen, by_class, (np.arange(n) - start)[:, None], axis=0)
    table = _n_log_n(n)
    gains = np.diff(table)
    left = np.cumsum(gains[seen], axis=0)[:-1]
    right = (
        _n_log_n_sum(totals, table)
        - np.cumsum(gains[totals[crossing] - seen - 1], axis=0)[:-1]
    )
    sizes = table[1:n] + table[1:n][::-1]
    purity = left + right - sizes[:, None]  # minus the entropies, times n
    gap = values[1:] - values[:-1]
    reach = values[-1] - values[0]
    purity[gap <= _DISTINCT * reach] = -np.inf
    # the first direction wins ties, so look column by column
    place = int(purity.T.argmax())
    column, row = divmod(place, n - 1)
    before = _n_log_n_sum(totals, table) - table[n]
    if width == 0 or purity[row, column] <= before + 1e-9:
        return None
    low, high = values[row, column], values[row + 1, column]
    middle = low + (high - low) / 2
    return column, float(middle if middle < high else low)


def _n_log_n(n: int) -> FloatArray:
    counts = np.arange(n + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))


def _n_log_n_sum(counts: IndexArray, table: FloatArray) -> float:
    return float(table[counts].sum())


def find_split(
    X: FloatArray,
    codes: IndexArray,
    n_classes: int,
    sample: IndexArray | None,
) -> Split | None:
    """Split samples by canonical directions of a resample of them, or of all.

    Two distinct samples are cut halfway between them. A resample in which a class or
    all variation is missing still gives directions if it can; otherwise all samples
    are used.
    """
    if len(X) == 2:
        direction = X[1] - X[0]
        length = float(np.linalg.norm(direction))
        if length == 0:
            return None
        direction = direction / length
        return Split(direction, float(np.mean(X @ direction)))
    directions = np.empty((X.shape[1], 0))
    if sample is not None:
        directions = canonical_directions(X[sample], codes[sample])
    if directions.shape[1] == 0:
        directions = canonical_directions(X, codes)
    if directions.shape[1] == 0:
        return None
    found = best_threshold(X @ directions, codes, n_classes)
    if found is None:
        return None
    return Split(directions[:, found[0]], found[1])
