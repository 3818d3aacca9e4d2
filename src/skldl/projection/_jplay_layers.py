"""What AutoRULe and J-Play share: the graph, the start, the sizes of layers."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.graphs import degrees, heat_weights, neighbor_graph
from skldl.linalg import centered, generalized_eigh, require_products
from skldl.projection._spectral import width_to_gamma
from skldl.solvers import JPlayLayer, JPlayPencil, Solution, jplay_admm

#: Rank tolerance of spaces of rows in which samples are rebuilt: only rounding is cut.
EXACT = 1e-24
_NO_MEAN = 1e-3  # length of the mean against the root mean square of the rows
_VANISHING = 1e-12  # median weight under which a graph says nothing
_COLLAPSED = 1e-5  # largest code of a projection that is zero but for the tolerance


def require_mean(X: FloatArray, name: str) -> None:
    """Refuse data without a mean, for which only the zero projection is feasible."""
    size = np.sqrt(np.einsum("ij,ij->", X, X) / len(X))
    if np.linalg.norm(X.mean(axis=0)) <= _NO_MEAN * size:
        raise ValueError(
            f"The columns of X have mean zero. {name} needs projections that are "
            "non-negative for every sample. The mean of the projections is zero, too, "
            "so that all of them would have to be zero. Give features that are not "
            "centred: divide by the maximum, or use PCA directions without "
            "subtracting the mean."
        )


def require_codes(X: FloatArray, Z: FloatArray, name: str) -> None:
    """Refuse a fit whose projection of every sample is zero."""
    if np.abs(Z).max() < _COLLAPSED:
        if X.min() >= 0:
            raise ValueError(
                f"{name} found only zeros: the features are too small (largest "
                f"{X.max():.2g}) for its penalties, or these too large. Divide X by "
                "its maximum, or lower smoothness_weight."
            )
        raise ValueError(
            f"{name} collapsed: the samples surround the origin, so no direction is "
            "non-negative for all of them and every projection is zero. Give features "
            "that are not centred, non-negative ones best."
        )


def heat_graph(
    X: FloatArray, n_neighbors: int, gamma: Any, *, engine: Any, n_jobs: int | None
) -> tuple[sp.csr_array, float]:
    """Weights exp(-gamma d^2) of neighbours, and gamma; warns where they vanish."""
    require_products(*X.shape)
    if len(X) < 2:
        raise ValueError(f"At least two samples are needed, got n_samples={len(X)}.")
    if n_neighbors >= len(X):
        warnings.warn(
            f"The feature neighbourhood of n_neighbors={n_neighbors} is larger than "
            f"n_samples={len(X)} allow; {len(X) - 1} neighbours are used.",
            UserWarning,
            stacklevel=caller_level(),
        )
        n_neighbors = len(X) - 1
    graph = neighbor_graph(X, n_neighbors, engine=engine, n_jobs=n_jobs)
    if gamma == "median":
        gamma = width_to_gamma(float(np.median(graph.distances[:, -1])))
    W = heat_weights(graph, gamma=gamma)
    if np.median(W.data) < _VANISHING:
        warnings.warn(
            f"The weights of the neighbour graph vanish (median {np.median(W.data):.2g}"
            f" at gamma={gamma:.3g}), so the start is meaningless. Use gamma="
            "'median' or rescale the features.",
            UserWarning,
            stacklevel=caller_level(),
        )
    return W, float(gamma)


def smooth_matrix(X: FloatArray, L: sp.csr_array) -> FloatArray:
    """X'LX, symmetric to the last bit."""
    smooth = X.T @ (L @ X)
    return (smooth + smooth.T) / 2


def layer_pencil(X: FloatArray, L: sp.csr_array) -> JPlayPencil:
    """The layer's matrices, decomposed once for every weight and penalty."""
    return JPlayPencil.of(X, smooth_matrix(X, L))


def lpp_start(X: FloatArray, W: sp.csr_array, size: int) -> FloatArray:
    """First projection: LPP's directions, of unit length, as rows.

    The eigenvectors stem from centred data, but are used on X as it is; each is turned
    so that its mean projection is not negative, because codes shall be non-negative.
    There may be fewer than ``size`` if the data have a smaller rank.
    """
    centred = centered(X)
    if np.abs(centred).max() <= 1e-12 * np.abs(X).max():
        raise ValueError(
            "All samples are equal (as n_samples=1 would be), so there are no "
            "directions to find."
        )
    scatter = (centred * degrees(W)[:, None]).T @ centred
    pairs = generalized_eigh(centred.T @ (W @ centred), scatter, largest=True)
    rows = pairs.vectors[:, :size].T
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.where(X.mean(axis=0) @ rows.T < 0, -1.0, 1.0)[:, None]


def warn_if_cut(found: int, size: int, layer: int) -> None:
    """Say that a layer has fewer rows than wanted."""
    if found < size:
        warnings.warn(
            f"Layer {layer} has {found} components instead of {size}, because its data "
            f"have rank {found}.",
            UserWarning,
            stacklevel=caller_level(),
        )


def plan_sizes(n_features: int, n_components: int, n_layers: int) -> list[int]:
    """Sizes of the layers, from the features down to the components.

    The steps are equal and multiples of 5, as in the published code: a tenth of the
    way per layer is rounded to halves if its fraction is between 0.3 and 0.7, else to
    a whole number. No layer is larger than the features or smaller than the end. Where
    that leaves no steps at all, because there are few features, sizes are rounded from
    equal steps.
    """
    share = (n_features - n_components) / (10 * n_layers)
    fraction = share - np.floor(share)
    half = 0.3 <= fraction <= 0.7
    step = 10 * (np.floor(share) + 0.5) if half else 10 * np.floor(share + 0.5)
    if step == 0:
        whole = np.linspace(n_features, n_components, n_layers + 1)[1:]
        return [int(size) for size in np.rint(whole)]
    sizes = [n_components + (n_layers - i) * int(step) for i in range(1, n_layers + 1)]
    return [int(np.clip(size, n_components, n_features)) for size in sizes]


def learn_layer(
    X: FloatArray,
    W: sp.csr_array,
    pencil: JPlayPencil,
    size: int,
    smoothness_weight: float,
    *,
    growth: float,
    max_iter: int,
    tol: float,
    callback: Callable[[int, float], None] | None = None,
) -> Solution:
    """Pre-train one layer on samples X with the weights of a graph."""
    return jplay_admm(
        JPlayLayer(X, pencil, smoothness_weight),
        lpp_start(X, W, size),
        growth=growth,
        max_iter=max_iter,
        tol=tol,
        callback=callback,
    )
