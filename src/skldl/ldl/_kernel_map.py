"""Kernels of training samples as ridge paths: exact, or on landmarks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.utils import gen_batches

from skldl._typing import FloatArray
from skldl.ldl._design import make_design, principal_axes
from skldl.ldl._gaussian import gaussian, squared_distances
from skldl.ldl._left_out import RidgePath, path_of
from skldl.linalg import generalized_eigh

_BATCH = 1000
_RANK_TOL = 1e-12  # eigenvalues below this share of the largest are rounding
_MOST_CENTERS = 20_000
_SAMPLE = 1000  # rows whose distances tell the usual one


@dataclass(frozen=True)
class Front:
    """What is done to features before distances are taken: :math:`(x - m) A`.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        m.
    axes : ndarray of shape (n_features,) or (n_features, n_axes)
        A; a vector is a diagonal matrix.
    """

    mean: FloatArray
    axes: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Move and scale some rows."""
        moved = X - self.mean
        return moved * self.axes if self.axes.ndim == 1 else moved @ self.axes


def make_front(
    X: FloatArray, weights: FloatArray, *, standardize: bool, whiten: bool
) -> Front:
    r"""Standardise, and maybe even out the principal components.

    Component k of deviation :math:`\sigma_k` is divided by :math:`(\sigma_k^2 + v)
    ^{1/4}` with v the mean variance: large ones are half whitened, small ones, which
    are often noise, keep their size.
    """
    design = make_design(X, weights, standardize=standardize, rotate=whiten)
    if design.axes is None or not whiten or not len(design.size):
        return Front(design.mean, 1 / design.scale)
    variance = design.size / weights.sum()
    axes = design.axes / (variance + variance.mean()) ** 0.25
    return Front(design.mean, axes / design.scale[:, None])


def kernel_values(
    X: FloatArray, Y: FloatArray, gamma: float, kernel: str
) -> FloatArray:
    """Kernel of rows of X with rows of Y."""
    squared = squared_distances(X, Y)
    if kernel == "rbf":
        return gaussian(squared, gamma)
    with np.errstate(over="ignore"):
        squared *= gamma
    squared += 1.0
    return np.reciprocal(squared, out=squared)


def usual_distance(X: FloatArray) -> float:
    """Median squared distance of different rows, from the first thousand of them."""
    few = X[:_SAMPLE]
    squared = squared_distances(few, few)
    positive = squared[np.triu_indices(len(few), 1)]
    positive = positive[positive > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def check_centers(n_centers: int) -> None:
    """Refuse more centres than a machine can decompose the kernel of."""
    if n_centers > _MOST_CENTERS:
        raise ValueError(
            f"n_components asks for {n_centers} centres, whose kernel takes about "
            f"{40e-9 * n_centers**2:.0f} GB to decompose; at most {_MOST_CENTERS} are "
            "accepted. Lower n_components; samples that are not centres are still used."
        )


@dataclass(frozen=True)
class KernelPath:
    """A ridge path of kernel functions, and the way back to their coefficients.

    Attributes
    ----------
    path : RidgePath
        In principal coordinates.
    centers : ndarray of shape (n_centers, n_axes)
        Rows that the kernel functions stand on.
    back : ndarray of shape (n_centers, rank)
        Coefficients of kernel functions of each principal direction.
    shift : ndarray of shape (rank,)
        Weighted mean of the directions before they were centred.
    """

    path: RidgePath
    centers: FloatArray
    back: FloatArray
    shift: FloatArray

    def solve(self, reg: float, columns: slice) -> tuple[FloatArray, FloatArray]:
        """Coefficients of kernel functions, and the intercept, for some targets."""
        inner = self.path.solve(reg, columns)
        return self.back @ inner, self.path.mean[columns] - self.shift @ inner


def exact_path(
    X: FloatArray, Z: FloatArray, weights: FloatArray, gamma: float, kernel: str
) -> KernelPath:
    """All rows are centres: one eigendecomposition of order n_samples."""
    root = np.sqrt(weights)
    share = weights / weights.sum()
    K = kernel_values(X, X, gamma, kernel)
    means = share @ K
    centred = K - means - means[:, None] + share @ means
    centred *= root
    centred *= root[:, None]
    values, U = _positive(centred)
    back = root[:, None] * U
    return KernelPath(path_of(U, values, Z, weights), X, back, means @ back)


def landmark_path(
    X: FloatArray,
    Z: FloatArray,
    weights: FloatArray,
    gamma: float,
    kernel: str,
    centers: FloatArray,
) -> KernelPath:
    """Nystroem's map: kernel functions of some rows only, in blocks of all rows."""
    values, vectors = _positive(kernel_values(centers, centers, gamma, kernel))
    to_map = vectors / np.sqrt(values)
    total = weights.sum()
    mean_Z = weights @ Z / total

    def features() -> Iterator[tuple[slice, FloatArray]]:
        for rows in gen_batches(len(X), _BATCH):
            yield rows, kernel_values(X[rows], centers, gamma, kernel) @ to_map

    products = np.zeros((len(values), len(values)))
    sums, crossed = np.zeros(len(values)), np.zeros((len(values), Z.shape[1]))
    for rows, block in features():
        weighted = weights[rows, None] * block
        sums += weighted.sum(axis=0)
        products += weighted.T @ block
        crossed += weighted.T @ (Z[rows] - mean_Z)
    mean = sums / total
    values, vectors = _positive(products - total * np.outer(mean, mean))
    turn = vectors / np.sqrt(values)

    def blocks() -> Iterator[tuple[slice, FloatArray]]:
        for rows, block in features():
            yield rows, np.sqrt(weights[rows, None]) * ((block - mean) @ turn)

    path = RidgePath(blocks, values, turn.T @ crossed, Z, weights)
    whole = vectors * np.sqrt(values)
    return KernelPath(path, centers, to_map @ whole, mean @ whole)


def feature_map(
    X: FloatArray,
    weights: FloatArray,
    gamma: float,
    kernel: str,
    centers: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Uncorrelated features whose inner products are Nystroem's kernel, centred.

    Returns
    -------
    Z : ndarray of shape (n_samples, rank)
        Features, with a weighted mean of 0.
    size : ndarray of shape (rank,)
        Weighted sums of their squares.
    mean : ndarray of shape (rank,)
        What was subtracted.
    back : ndarray of shape (n_centers, rank)
        Coefficients of kernel functions of each feature.
    """
    values, vectors = _positive(kernel_values(centers, centers, gamma, kernel))
    back = vectors / np.sqrt(values)
    Z = np.empty((len(X), back.shape[1]))
    for rows in gen_batches(len(X), _BATCH):
        Z[rows] = kernel_values(X[rows], centers, gamma, kernel) @ back
    mean = weights @ Z / weights.sum()
    Z -= mean
    size, axes = principal_axes(Z, weights)
    return Z @ axes, size, mean @ axes, back @ axes


def _positive(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues that are more than rounding, with their vectors."""
    pairs = generalized_eigh(matrix, largest=True)
    keep = pairs.values > _RANK_TOL * max(pairs.values[0], 1e-300)
    return pairs.values[keep], pairs.vectors[:, keep]
