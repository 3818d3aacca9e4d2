"""Products of the spectral methods over blocks of rows.

Every function here is a sum over blocks, so memory is that of one block and of matrices
of features and labels; a fit reads the blocks two or three times.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray
from skldl.blocks import Blocks, BlockTarget
from skldl.linalg import Center, require_products
from skldl.projection._graph_embedding_labels import Distance, set_degrees, set_spread


class Moments(NamedTuple):
    """Number of rows, sums, smallest and largest entries of the features."""

    n: int
    total: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def center(self) -> Center:
        """Centring by the mean."""
        return Center.of(self.total / self.n, self.low, self.high, self.n)


def moments(blocks: Blocks) -> Moments:
    """One pass over the features."""
    require_products(blocks.layout.n_features, blocks.layout.n_features)
    return blocks.reduce(_moments, _join_moments)


def _moments(X: Any, y: Any) -> Moments:
    X = dense(X)
    total = X.sum(axis=0, dtype=np.float64)
    return Moments(len(X), total, X.min(axis=0), X.max(axis=0))


def _join_moments(a: Moments, b: Moments) -> Moments:
    low, high = np.minimum(a.low, b.low), np.maximum(a.high, b.high)
    return Moments(a.n + b.n, a.total + b.total, low, high)


def dense(X: Any) -> FloatArray:
    """A block as a dense matrix."""
    return X.toarray() if sp.issparse(X) else X


@dataclass(frozen=True)
class CorrelationProducts:
    """Function of a block for :func:`correlation_products`."""

    center: Center
    target: BlockTarget

    def __call__(self, X: Any, y: Any) -> tuple[FloatArray, ...]:
        """Z'Z, Z'Y, sums of Z and the triangle of (1, Y) of one block."""
        Z, Y = self.center.apply(dense(X)), self.target.encode(y)
        ones = np.column_stack([np.ones(len(Y)), Y])
        triangle: Any = np.linalg.qr(ones, mode="r")
        return Z.T @ Z, Z.T @ Y, Z.sum(axis=0), triangle


def _join_correlation(a: tuple, b: tuple) -> tuple[FloatArray, ...]:
    triangle: Any = np.linalg.qr(np.vstack([a[3], b[3]]), mode="r")
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], triangle


def correlation_products(
    blocks: Blocks, center: Center, target: BlockTarget
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Z'Z, and U'Z and s for the decomposition U s V' of the centred labels.

    The triangle of (1, Y), updated block by block, holds that of the centred labels
    under its first row, so their singular values do not lose half of their digits as
    they would through Y'Y.
    """
    work = CorrelationProducts(center, target)
    scatter, cross, total, triangle = blocks.reduce(work, _join_correlation)
    # the first row holds the sums of the labels over the root of n, and its sign
    cross = cross - np.outer(total, triangle[0, 1:] / triangle[0, 0])
    inner = triangle[1:, 1:]
    if not len(inner):  # a single sample
        inner = np.zeros((1, len(target.classes)))
    return scatter, *label_part(cross, inner)


def label_part(
    cross: FloatArray, triangle: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """U'Z and s for labels U s V', from Z'Y and the triangle of a QR of Y."""
    _, s, Vt = np.linalg.svd(triangle, full_matrices=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (Vt @ cross.T) / s[:, None], s


@dataclass(frozen=True)
class Form:
    """Rows y and sizes s of the weights s_i + s_j - y_i'K y_j, of a block.

    Attributes
    ----------
    center : Center
        Of the features.
    unit : float
        What centred features are divided by.
    target : BlockTarget
        Reads the labels.
    kind : {"features", "squares", "counts"}
        Whether y are the features with their squared norms, or the labels with their
        squared norms or their sums.
    """

    center: Center
    unit: float
    target: BlockTarget
    kind: str

    def rows(self, X: Any, y: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Centred features, rows and sizes of the form."""
        Z = self.center.apply(dense(X)) / self.unit
        Y = Z if self.kind == "features" else self.target.encode(y)
        if self.kind == "counts":
            return Z, Y, Y.sum(axis=1)
        return Z, Y, np.einsum("ij,ij->i", Y, Y)

    def sums(self, X: Any, y: Any) -> tuple[FloatArray, ...]:
        """Number of rows, sums of y, products of y, sum of s."""
        _, Y, size = self.rows(X, y)
        return np.array(len(Y)), Y.sum(axis=0), Y.T @ Y, size.sum()


@dataclass(frozen=True)
class FormProducts:
    """Function of a block for the product of a form: scatters and Y'Z."""

    form: Form
    n: int
    size: float
    times_total: FloatArray

    def __call__(self, X: Any, y: Any) -> tuple[FloatArray, ...]:
        """Z' diag(degrees) Z, Y'Z and Z'Z of one block."""
        Z, Y, s = self.form.rows(X, y)
        degree = self.n * s + self.size - Y @ self.times_total
        return (Z * degree[:, None]).T @ Z, Y.T @ Z, Z.T @ Z


def form_product(
    blocks: Blocks, form: Form, matrix: Callable[[FloatArray, FloatArray], Any]
) -> tuple[FloatArray, FloatArray]:
    """Z'LZ of the form, and Z'Z; ``matrix`` gives K from mean and mean product of y."""
    n, total, products, size = blocks.reduce(form.sums)
    K = matrix(total / n, products / n)
    work = FormProducts(form, int(n), float(size), K @ total)
    weighted, shared, scatter = blocks.reduce(work)
    return weighted + shared.T @ K @ shared, scatter


def form_is_constant(blocks: Blocks, form: Form) -> bool:
    """Whether all samples have the same labels."""
    low, high = blocks.reduce(_Extremes(form.target), _join_extremes)
    return bool((low == high).all())


@dataclass(frozen=True)
class _Extremes:
    target: BlockTarget

    def __call__(self, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
        Y = self.target.encode(y)
        return Y.min(axis=0), Y.max(axis=0)


def _join_extremes(a: tuple, b: tuple) -> tuple[FloatArray, FloatArray]:
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def grouped_blocks(
    blocks: Blocks, form: Form, distance: Distance
) -> tuple[FloatArray, FloatArray]:
    """Z'LZ for any distance of label sets, and Z'Z."""
    sets, counts = label_sets(blocks, form)
    degree = set_degrees(sets, counts, distance)
    weighted, sums, scatter = blocks.reduce(GroupProducts(form, sets, degree))
    return weighted - set_spread(sets, sums, distance), scatter


def label_sets(blocks: Blocks, form: Form) -> tuple[Any, Any]:
    """Different label sets of all blocks, sorted, and how many rows have each."""
    return blocks.reduce(_Sets(form.target), _join_sets)


@dataclass(frozen=True)
class _Sets:
    target: BlockTarget

    def __call__(self, X: Any, y: Any) -> tuple[Any, Any]:
        return np.unique(self.target.encode(y), axis=0, return_counts=True)


def _join_sets(a: tuple, b: tuple) -> tuple[Any, Any]:
    sets, group = np.unique(np.vstack([a[0], b[0]]), axis=0, return_inverse=True)
    counts = np.bincount(group.ravel(), weights=np.concatenate([a[1], b[1]]))
    return sets, counts


@dataclass(frozen=True)
class GroupProducts:
    """Function of a block for a grouped distance: weighted scatter, sums, scatter."""

    form: Form
    sets: FloatArray
    degree: FloatArray

    def __call__(self, X: Any, y: Any) -> tuple[FloatArray, ...]:
        """Z' diag(degrees) Z, sums of Z by label set, Z'Z of one block."""
        Z, Y, _ = self.form.rows(X, y)
        here, group = np.unique(Y, axis=0, return_inverse=True)
        place = find_rows(self.sets, here)[group.ravel()]
        members = sp.csr_array(
            (np.ones(len(Z)), (place, np.arange(len(Z)))),
            shape=(len(self.sets), len(Z)),
        )
        return (Z * self.degree[place, None]).T @ Z, members @ Z, Z.T @ Z


def find_rows(rows: FloatArray, wanted: FloatArray) -> Any:
    """Where the wanted rows, all of which are there, stand among different rows."""
    both = np.vstack([rows, wanted])
    _, group = np.unique(both, axis=0, return_inverse=True)
    group = group.ravel()
    place = np.empty(group.max() + 1, dtype=np.intp)
    place[group[: len(rows)]] = np.arange(len(rows))
    return place[group[len(rows) :]]
