"""Features as a solver likes them: one scale, uncorrelated, no more than the rank."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray
from skldl.linalg import centered, generalized_eigh

_MOST_ROTATED = 2000  # rows or columns of the matrix whose eigenvectors are found
_MOST_ORDER = 10_000  # the same where a method cannot do without; 0.8 GB each
_LEAST_SCALE = 1e-304  # coefficients of smaller features would be infinite
_RANK_TOL = 1e-10  # eigenvalues below this share of the largest are rounding


@dataclass(frozen=True)
class Design:
    """Features :math:`Z = (X - m) S^{-1} V` and the way back to those of X.

    Attributes
    ----------
    Z : ndarray or sparse matrix of shape (n_samples, rank)
        Rotated features.
    size : ndarray of shape (rank,)
        Weighted sums of squares of its columns.
    mean : ndarray of shape (n_features,)
        m; zeros where nothing is centred.
    scale : ndarray of shape (n_features,)
        Diagonal of S.
    axes : ndarray of shape (n_features, rank) or None
        V, with orthonormal columns; None is the identity.
    """

    Z: Any
    size: FloatArray
    mean: FloatArray
    scale: FloatArray
    axes: FloatArray | None

    def back(self, theta: FloatArray) -> FloatArray:
        """Coefficients of X, of shape (n_labels, n_features).

        Parameters
        ----------
        theta : ndarray of shape (rank, n_labels)
            Coefficients of Z.
        """
        theta = theta if self.axes is None else self.axes @ theta
        return np.ascontiguousarray((theta / self.scale[:, None]).T)

    def apply(self, X: FloatArray) -> FloatArray:
        """Z of other samples."""
        Z = (X - self.mean) / self.scale
        return Z if self.axes is None else Z @ self.axes


def make_design(
    X: Any,
    weights: FloatArray,
    *,
    center: bool = True,
    standardize: bool = True,
    rotate: bool = True,
) -> Design:
    """Centre, scale and rotate features, none of which changes a ridge model's form.

    A ridge does not feel a rotation; centring is the intercept's matter. Scaling is
    what ``standardize`` says. Sparse features are neither centred nor rotated, nor are
    features in their own units rotated, since small units would be lost as rounding.
    """
    n_features = X.shape[1]
    shares = weights / weights.sum()
    if sp.issparse(X):
        scale = _sparse_scale(X, shares) if standardize else np.ones(n_features)
        Z = (X @ sp.diags_array(1 / scale)).tocsr()
        size = np.asarray((Z.multiply(Z)).T @ weights).ravel()
        return Design(Z, size, np.zeros(n_features), scale, None)
    mean = shares @ X
    moved = centered(X, mean)
    scale = _scale(moved, shares) if standardize else np.ones(n_features)
    Z = (moved if center else X) / scale
    with np.errstate(over="ignore"):
        size = weights @ Z**2
    if not np.isfinite(size).all() or not np.isfinite(mean).all():
        raise ValueError(
            "X contains numbers too large to be squared. Scale the features first, for "
            "instance by StandardScaler."
        )
    mean = mean if center else np.zeros(n_features)
    if not (rotate and standardize) or min(X.shape) > _MOST_ROTATED:
        return Design(Z, size, mean, scale, None)
    size, axes = principal_axes(Z, weights)
    return Design(Z @ axes, size, mean, scale, axes)


def check_order(order: int) -> None:
    """Refuse a matrix of products that would not fit."""
    if order > _MOST_ORDER:
        raise ValueError(
            f"n_samples and n_features are both {order} or more, so that a matrix of "
            f"{8e-9 * order**2:.1f} GB would have to be decomposed; at most "
            f"{_MOST_ORDER} are accepted. Reduce the features first, for instance by "
            "PCA, or use LogisticLDL."
        )


def principal_axes(Z: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues of :math:`Z^T W Z`, largest first, and orthonormal eigenvectors.

    Through the smaller of the two matrices of products; null directions are left out.
    """
    rooted = Z * np.sqrt(weights)[:, None]
    wide = Z.shape[1] > len(Z)
    pairs = generalized_eigh(
        rooted @ rooted.T if wide else rooted.T @ rooted, largest=True
    )
    keep = pairs.values > _RANK_TOL * max(pairs.values[0], 0.0)
    if not keep.any():
        return np.zeros(0), np.zeros((Z.shape[1], 0))
    values, vectors = pairs.values[keep], pairs.vectors[:, keep]
    return values, rooted.T @ (vectors / np.sqrt(values)) if wide else vectors


def _scale(moved: FloatArray, shares: FloatArray) -> FloatArray:
    """Weighted deviations; 1 where there are none. Squares of huge numbers are safe."""
    reach = np.abs(moved).max(axis=0)
    reach[reach == 0] = 1.0
    scale = reach * np.sqrt(shares @ (moved / reach) ** 2)
    return np.where(scale > _LEAST_SCALE, scale, 1.0)


def _sparse_scale(X: Any, shares: FloatArray) -> FloatArray:
    mean = np.asarray(X.T @ shares).ravel()
    square = np.asarray(X.multiply(X).T @ shares).ravel()
    variance = np.maximum(square - mean**2, 0.0)
    constant = variance <= 1e-12 * square
    return np.where(constant, 1.0, np.sqrt(variance))
