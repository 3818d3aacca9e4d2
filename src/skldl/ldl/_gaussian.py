"""Gaussian kernels, for learners that keep the values of all pairs of samples."""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from skldl._threads import large_product
from skldl._typing import FloatArray


def check_kernel_size(
    name: str, n_samples: int, max_samples: int, *, bytes_each: int
) -> None:
    """Refuse more samples than a user allows, and say what they would need."""
    if n_samples > max_samples:
        gigabytes = bytes_each * n_samples**2 / 1e9
        raise ValueError(
            f"{name} keeps n_samples x n_samples numbers, about {gigabytes:.1f} GB for "
            f"n_samples={n_samples}, which is more than max_samples={max_samples} "
            "allows. Raise max_samples if there is memory, or fit part of the samples."
        )


def squared_distances(X: FloatArray, Y: FloatArray) -> FloatArray:
    """By products, which lose fewer digits near the mean; far points are at inf."""
    center = Y.mean(axis=0)
    near = Y - center
    with np.errstate(all="ignore"), large_product(len(X), *Y.shape):
        return euclidean_distances(near if X is Y else X - center, near, squared=True)


def inner_distances(X: FloatArray) -> FloatArray:
    """Squared distances of training samples, which must be finite."""
    squared = squared_distances(X, X)
    if not np.isfinite(squared.sum()):
        raise ValueError(
            "X contains numbers so large that distances overflow. Scale the features "
            "first, for instance by StandardScaler."
        )
    return squared


def gaussian(squared: FloatArray, gamma: float) -> FloatArray:
    """Kernel values of squared distances, in their place."""
    with np.errstate(over="ignore"):  # beyond any width the kernel is 0
        squared *= -gamma
    return np.exp(squared, out=squared)


def mean_distance_gamma(squared: FloatArray) -> float:
    """Gamma of the kernel whose width is the mean distance of two samples."""
    pairs = max(1, len(squared) * (len(squared) - 1))
    mean = float(np.sqrt(squared).sum()) / pairs or 1.0
    return 1 / max(2 * mean**2, float(np.finfo(np.float64).tiny))
