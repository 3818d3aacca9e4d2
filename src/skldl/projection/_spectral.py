"""Projections of features or of an rbf kernel's features, by one class of code.

A kernel method of the form "smallest eigenvectors of K A K against K B K + e K" is the
linear one on the principal features of the centred kernel, with a ridge e on the right;
scikit-learn's KernelPCA gives those features, for new samples too.
"""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.metrics import pairwise_distances_chunked

from skldl._sklearn import Interval, StrOptions
from skldl._typing import FloatArray
from skldl.base import LinearProjectionMixin
from skldl.linalg import generalized_eigh
from skldl.projection._components import N_COMPONENTS, resolve_components

_KERNEL_REG = 1e-3


class SpectralProjectionMixin(LinearProjectionMixin):
    """``fit`` gives a pencil on features or kernel features; the rest is here."""

    _spectral_constraints: dict = {
        "n_components": [*N_COMPONENTS, None],
        "kernel": [StrOptions({"rbf"}), None],
        "kernel_width": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"mean"}),
        ],
        "reg": [Interval(Real, 0, None, closed="left"), None],
    }

    kernel: str | None
    kernel_width: Any
    n_components: Any
    reg: float | None

    def _map_fit(self, X: FloatArray) -> FloatArray:
        """Features to work on: X itself, or the principal features of the kernel."""
        self.kernel_map_ = None
        if self.kernel is None:
            return X
        self.kernel_map_ = fit_kernel_map(X, self.kernel_width)
        return self.kernel_map_.transform(X)

    def _project(self, X: FloatArray) -> FloatArray:
        if self.kernel_map_ is not None:
            X = self.kernel_map_.transform(X)
        return super()._project(X)

    def _solve(
        self, A: FloatArray, B: FloatArray, *, largest: bool, most: int | None = None
    ) -> None:
        """Components from the pencil, with a ridge on B relative to its mean."""
        reg = self.reg
        if reg is None:
            reg = 0.0 if self.kernel is None else _KERNEL_REG
        if reg:
            B = B + reg * np.trace(B) / len(B) * np.eye(len(B))
        size = self.n_components
        if size is None:
            size = None if most is None else min(most, len(B))
        else:
            size = resolve_components(size, self.n_features_in_)
        if most is not None and size is not None and size > most:
            raise ValueError(
                f"n_components={self.n_components} is more than the rank {most} of the "
                "labels allows."
            )
        self.eigenvalues_, vectors, _ = generalized_eigh(A, B, size, largest=largest)
        self.components_ = vectors.T


def fit_kernel_map(
    X: FloatArray, width: Any, n_components: int | None = None
) -> KernelPCA:
    """Principal features of the rbf kernel of some width, or of the mean distance."""
    if isinstance(width, str):
        width = mean_distance(X)
    gamma = 1.0 / (2 * (float(width) or 1.0) ** 2)
    return KernelPCA(
        n_components,
        kernel="rbf",
        gamma=gamma,
        remove_zero_eig=True,
        eigen_solver="dense",
    ).fit(X)


def mean_distance(X: FloatArray) -> float:
    """Mean Euclidean distance between different rows, in chunks."""
    total = sum(float(chunk.sum()) for chunk in pairwise_distances_chunked(X))
    return total / max(1, len(X) * (len(X) - 1))
