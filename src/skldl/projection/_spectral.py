"""Projections of features or of an rbf kernel's features, by one class of code.

A kernel method of the form "smallest eigenvectors of K A K against K B K + e K" is the
linear one on the principal features of the centred kernel, with a ridge e on the right;
scikit-learn's KernelPCA gives those features, for new samples too.
"""

from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.metrics import pairwise_distances_chunked

from skldl._sklearn import Interval, StrOptions
from skldl._typing import FloatArray
from skldl.base import LinearProjectionMixin
from skldl.linalg import RowSpace, generalized_eigh, require_products
from skldl.projection._components import (
    N_COMPONENTS,
    REG_MODE,
    is_share,
    resolve_components,
    resolve_ridge,
)

_KERNEL_REG = 1e-3


class SpectralProjectionMixin(LinearProjectionMixin):
    """``fit`` gives a pencil on features or kernel features; the rest is here."""

    _spectral_constraints: dict = {
        "n_components": [*N_COMPONENTS, None],
        "kernel": [StrOptions({"rbf"}), None],
        "kernel_gamma": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"mean"}),
        ],
        "reg": [Interval(Real, 0, None, closed="left"), None],
        "reg_mode": REG_MODE,
    }

    kernel: str | None
    kernel_gamma: Any
    n_components: Any
    reg: float | None
    reg_mode: str

    def _map_fit(self, X: FloatArray) -> FloatArray:
        """Features to work on: X itself, or the principal features of the kernel."""
        self.kernel_map_ = None
        if self.kernel is None:
            return X
        self.kernel_map_ = fit_kernel_map(X, self.kernel_gamma)
        return self.kernel_map_.transform(X)

    def _project(self, X: FloatArray) -> FloatArray:
        if self.kernel_map_ is not None:
            X = self.kernel_map_.transform(X)
        return super()._project(X)

    def _solve(
        self,
        A: FloatArray,
        B: FloatArray,
        space: RowSpace | None = None,
        *,
        largest: bool,
        most: int | None = None,
    ) -> None:
        """Components from the pencil, with a ridge on B, in some space of rows."""
        basis = None if space is None else space.basis
        n_features = len(B) if basis is None else len(basis)
        reg, mode = self.reg, self.reg_mode
        if reg is None:
            reg, mode = 0.0 if self.kernel is None else _KERNEL_REG, "relative"
        if reg:
            B = B + resolve_ridge(reg, mode, B, n_features) * np.eye(len(B))
        size = self.n_components
        if size is None:
            size = None if most is None else min(most, len(B))
        else:
            size = resolve_components(size, self.n_features_in_)
        if most is not None and size is not None and size > most:
            raise ValueError(
                f"n_components={self.n_components} is more than {most}, the rank of "
                "the labels. Lower n_components."
            )
        self.eigenvalues_, vectors, _ = generalized_eigh(
            A, B, size, largest=largest, clip=is_share(self.n_components)
        )
        self.components_ = (vectors if space is None else space.directions(vectors)).T


def fit_kernel_map(
    X: FloatArray, gamma: float | Literal["mean"], n_components: int | None = None
) -> KernelPCA:
    """Principal features of the rbf kernel, of some gamma or of the mean distance."""
    require_products(len(X), len(X))
    if gamma == "mean":
        gamma = width_to_gamma(mean_distance(X))
    return KernelPCA(
        n_components,
        kernel="rbf",
        gamma=gamma,
        remove_zero_eig=True,
        eigen_solver="dense",
    ).fit(X)


def width_to_gamma(width: float) -> float:
    """1 / 2 width^2, finite; of a width of 0, that of 1."""
    return 1.0 / max(2 * (width or 1.0) ** 2, np.finfo(np.float64).tiny)


def mean_distance(X: FloatArray) -> float:
    """Mean Euclidean distance between different rows, in chunks."""
    total = sum(float(chunk.sum()) for chunk in pairwise_distances_chunked(X))
    return total / max(1, len(X) * (len(X) - 1))
