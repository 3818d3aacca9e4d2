"""Products with the Laplacian of a graph of label distances, without the graph.

Weights are distances: pairs with different labels are pushed apart. With X centred,
X'LX is a sum of two parts, a scatter weighted by the degrees and one through labels or
groups of equal label sets; neither needs a matrix of samples by samples.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray
from skldl.linalg import nearest_semidefinite

_CHUNK = 1 << 22  # distances of a block
_SCATTER = 1 << 17  # numbers of a block that stays in the cache

Distance = Callable[[Any, Any], FloatArray]


def bilinear_product(
    X: FloatArray, Y: Any, K: FloatArray | float, size: FloatArray
) -> FloatArray:
    r"""X'LX for the weights :math:`A_{ij} = s_i + s_j - y_i^T K y_j`, exactly.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred samples.
    Y : ndarray or CSR matrix of shape (n_samples, n_labels)
        Rows of the bilinear form.
    K : ndarray of shape (n_labels, n_labels) or float
        Its symmetric matrix; a number is that multiple of the identity.
    size : ndarray of shape (n_samples,)
        s.

    Returns
    -------
    product : ndarray of shape (n_features, n_features)
    """
    times = (lambda M: K @ M) if isinstance(K, np.ndarray) else (lambda M: K * M)
    total = np.asarray(Y.sum(axis=0)).ravel()
    degree = len(X) * size + size.sum() - np.asarray(Y @ times(total)).ravel()
    shared = np.asarray((Y.T @ X) if sp.issparse(Y) else (X.T @ Y).T)
    return weighted_scatter(X, degree) + shared.T @ times(shared)


def weighted_scatter(X: FloatArray, weights: FloatArray) -> FloatArray:
    """X' diag(weights) X in blocks; weights of either sign."""
    total = np.zeros((X.shape[1], X.shape[1]))
    step = max(1, _SCATTER // X.shape[1])
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        total += (X[rows] * weights[rows, None]).T @ X[rows]
    return total


def grouped_product(X: FloatArray, labels: Any, distance: Distance) -> FloatArray:
    """X'LX for any distance of label sets, by groups of equal sets.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred samples.
    labels : ndarray of shape (n_samples, n_labels)
        What the distance is measured on.
    distance : callable
        Of two matrices: the distances of all pairs of their rows.

    Returns
    -------
    product : ndarray of shape (n_features, n_features)
    """
    sets, group, counts = np.unique(
        labels, axis=0, return_inverse=True, return_counts=True
    )
    group = group.ravel()  # one numpy release gives a column
    members = sp.csr_array(
        (np.ones(len(X)), (group, np.arange(len(X)))), shape=(len(sets), len(X))
    )
    sums = members @ X
    degree, other = np.empty(len(sets)), np.zeros(len(sets))
    spread = np.zeros((X.shape[1], X.shape[1]))
    for rows, A in _distances(sets, distance):
        degree[rows] = A @ counts
        other += counts[rows] @ A
        spread += sums[rows].T @ (A @ sums)
    _require_symmetry(degree, other)
    return weighted_scatter(X, degree[group]) - spread


def set_degrees(sets: FloatArray, counts: FloatArray, distance: Distance) -> FloatArray:
    """Sums of distances from each label set to all samples."""
    degree, other = np.empty(len(sets)), np.zeros(len(sets))
    for rows, A in _distances(sets, distance):
        degree[rows] = A @ counts
        other += counts[rows] @ A
    _require_symmetry(degree, other)
    return degree


def set_spread(sets: FloatArray, sums: FloatArray, distance: Distance) -> FloatArray:
    """Sums' A sums, with A the distances of label sets."""
    spread = np.zeros((sums.shape[1], sums.shape[1]))
    for rows, A in _distances(sets, distance):
        spread += sums[rows].T @ (A @ sums)
    return spread


def _distances(
    sets: FloatArray, distance: Distance
) -> Iterator[tuple[slice, FloatArray]]:
    step = max(1, _CHUNK // len(sets))
    for start in range(0, len(sets), step):
        rows = slice(start, start + step)
        try:
            A = np.asarray(distance(sets[rows], sets), dtype=np.float64)
        except TypeError as error:
            raise ValueError(
                "label_distance must be a function of two label matrices that gives a "
                f"matrix of numbers: {error}"
            ) from error
        if A.shape != (len(sets[rows]), len(sets)) or not np.isfinite(A).all():
            raise ValueError(
                "label_distance must give a finite matrix of shape "
                f"{(len(sets[rows]), len(sets))} for this many label sets, got "
                f"{A.shape}{'' if np.isfinite(A).all() else ' with NaN or infinity'}."
            )
        yield rows, A


def _require_symmetry(degree: FloatArray, other: FloatArray) -> None:
    if not np.allclose(degree, other, rtol=1e-6, atol=1e-9 * np.abs(degree).max()):
        raise ValueError(
            "label_distance is not symmetric: the distance from one label set to "
            "another must equal the distance back."
        )


def dense_product(X: FloatArray, A: FloatArray) -> FloatArray:
    """X'LX for a given matrix of weights."""
    return weighted_scatter(X, A.sum(axis=1)) - X.T @ (A @ X)


def euclidean(first: FloatArray, second: FloatArray) -> FloatArray:
    """Euclidean distances, from differences."""
    return cdist(first, second)


def check_constraint(B: Any, n_features: int) -> FloatArray | None:
    """A matrix that directions can be orthonormal under, or None for the identity."""
    if B is None:
        return None
    try:
        B = np.asarray(B, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"constraint must be a dense matrix of numbers of shape ({n_features}, "
            f"{n_features}), one row and column per feature: {error}"
        ) from error
    if B.shape != (n_features, n_features):
        raise ValueError(
            f"constraint has shape {B.shape}; it must be (n_features, n_features), "
            f"here ({n_features}, {n_features})."
        )
    B = check_array(B, input_name="constraint")
    size = float(np.abs(B).max())
    if np.abs(B - B.T).max() > 1e-8 * size:
        raise ValueError("constraint must be a symmetric matrix.")
    if size == 0:
        raise ValueError("constraint must not be zero.")
    if np.abs(B - nearest_semidefinite(B)).max() > 1e-8 * size:
        raise ValueError("constraint must not have negative eigenvalues.")
    return B
