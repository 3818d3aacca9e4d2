"""Pieces that LSE-LDL and its search share."""

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from skldl._threads import small_openmp
from skldl._typing import FloatArray
from skldl.graphs import heat_weights, laplacian, neighbor_graph
from skldl.objectives import LSEObjective, LSEPoint, MaxEntKL, Ridge, Sum
from skldl.solvers import lbfgs

_MOST_NEIGHBORS = 50  # a share of many samples would link nearly everything


def with_ones(X: FloatArray, fit_intercept: bool) -> FloatArray:
    """X, with a last column of ones where there is an intercept."""
    return np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X


def label_laplacian(
    D: FloatArray,
    n_neighbors: int | float,
    gamma: float,
    *,
    engine: Any = "auto",
    n_jobs: int | None = None,
) -> sp.csr_array:
    """Laplacian of the graph that links samples with similar distributions."""
    if len(D) < 2:
        raise ValueError(
            f"LSELDL needs at least two training samples, got n_samples={len(D)}; with "
            "cross-validation that holds for every fold."
        )
    count = n_neighbors
    if not isinstance(n_neighbors, Integral):
        count = max(1, min(_MOST_NEIGHBORS, round(n_neighbors * len(D))))
    count = int(min(count, len(D) - 1))
    graph = neighbor_graph(D, count, engine=engine, n_jobs=n_jobs)
    return laplacian(heat_weights(graph, gamma=gamma))


def spectral_start(
    X: FloatArray,
    D: FloatArray,
    n_components: int,
    sample_weight: FloatArray | None = None,
) -> LSEPoint:
    """Split the coefficients of a ridge softmax regression into W and theta."""
    loss = MaxEntKL(X, D, sample_weight=sample_weight)
    found = lbfgs(Sum(loss, Ridge(1.0)), np.zeros(loss.shape), max_iter=50, ftol=1e-9)
    # what all labels have in common does not change the softmax
    centred = found.x - found.x.mean(axis=1, keepdims=True)
    U, values, Vt = np.linalg.svd(centred, full_matrices=False)
    size = min(n_components, len(values))
    root = np.zeros(n_components)
    root[:size] = np.sqrt(values[:size])
    W = np.zeros((X.shape[1], n_components))
    theta = np.zeros((D.shape[1], n_components))
    W[:, :size], theta[:, :size] = U[:, :size], Vt[:size].T
    W, theta = W * root, theta * root
    return LSEPoint(theta, X @ W, W)


def clustered_start(
    objective: LSEObjective, n_components: int, random_state: Any
) -> LSEPoint:
    """The paper's start: uniform numbers, and centres of clusters of features."""
    X, D = objective.X, objective.D
    if n_components > X.shape[1]:
        raise ValueError(
            f"n_components={n_components} is more than n_features={X.shape[1]}, but "
            "solver='gradient' makes n_components clusters of the features. Lower "
            "n_components."
        )
    rng = check_random_state(random_state)
    theta = rng.uniform(size=(D.shape[1], n_components))
    W = rng.uniform(size=(X.shape[1], n_components))
    with small_openmp(X.shape[1]):
        clusters = KMeans(n_components, n_init=1, random_state=rng)
        centers = clusters.fit(objective.scaled(X).T).cluster_centers_.T
    # back from the units in which a sample of weight 2 is as long as two samples
    Z = centers / objective.scaled(np.ones((len(X), 1)))
    return LSEPoint(theta, np.ascontiguousarray(Z), W)


def turned(point: LSEPoint) -> LSEPoint:
    """The same model with uncorrelated columns of theta, largest first.

    The objective does not change when theta, Z and W are turned together, so without
    this the coefficients would be arbitrary.
    """
    theta, Z, W = point
    V = np.linalg.svd(theta, full_matrices=True)[2].T
    theta = theta @ V
    largest = np.abs(theta).argmax(axis=0)
    signs = np.where(theta[largest, np.arange(theta.shape[1])] < 0, -1.0, 1.0)
    return LSEPoint(theta * signs, Z @ V * signs, W @ V * signs)


def resolve_selected(n_selected: int | float | None, n_features: int) -> int:
    """Number of features to use, from a number, a share or None for all."""
    if n_selected is None:
        return n_features
    whole = isinstance(n_selected, Integral)
    number = isinstance(n_selected, Real) and not isinstance(n_selected, bool)
    if not number or (n_selected < 1 if whole else not 0 < n_selected <= 1):
        raise ValueError(
            f"n_selected_features must be a whole number of at least 1, or a share "
            f"above 0 and at most 1, got {n_selected!r}."
        )
    if not whole:
        return max(1, round(float(n_selected) * n_features))
    if n_selected > n_features:
        raise ValueError(
            f"n_selected_features={n_selected} is more than n_features={n_features}. "
            "Lower it."
        )
    return int(n_selected)
