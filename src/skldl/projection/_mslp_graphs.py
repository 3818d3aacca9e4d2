"""The graphs and matrices of MSLP, as functions that its search shares."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray, IndexArray
from skldl.graphs import (
    NeighborGraph,
    NeighborIndex,
    cumulative_means,
    degrees,
    heat,
    left_out_neighbors,
    linked_pairs,
    weights_from_pairs,
)
from skldl.linalg import Center, RowSpace, graph_products, weighted_mean
from skldl.metrics import METRICS, kl_divergence
from skldl.projection._components import narrowed, resolve_ridge

_CHUNK = 1 << 21  # label entries gathered at once

LabelDistance = Callable[[FloatArray, FloatArray], FloatArray]


def resolve_label_distance(metric: str | LabelDistance) -> LabelDistance:
    """Distance between rows of two matrices of distributions, by name or callable."""
    if callable(metric):
        return metric
    if metric == "sqeuclidean":
        return lambda P, Q: np.square(P - Q).sum(axis=-1)
    known = {m.name: m for m in METRICS.values() if m.kind == "distribution"}
    if metric not in known:
        raise ValueError(
            f"label_distance must be 'sqeuclidean', one of {', '.join(known)}, or a "
            f"callable, got {metric!r}."
        )
    chosen = known[metric]
    # a similarity becomes the distance from its ideal
    return lambda P, Q: np.abs(chosen.fn(P, Q, average=None) - (chosen.ideal or 0.0))


@dataclass(frozen=True)
class Scales:
    """Label neighbours and hetero-neighbours inside the feature neighbourhoods.

    Attributes
    ----------
    near : ndarray of shape (n_samples, n_neighbors)
        The members of each neighbourhood that are nearest in the labels.
    hetero : ndarray of shape (n_samples, n_hetero_neighbors)
        Members near in the features and far in the labels; -1 where there is none.
    """

    near: IndexArray
    hetero: IndexArray


def find_scales(
    graph: NeighborGraph, D: FloatArray, k: int, h: int, distance: LabelDistance
) -> Scales:
    """Order each feature neighbourhood by label distance, in chunks."""
    n, a = graph.indices.shape
    near = np.empty((n, k), dtype=np.intp)
    hetero = np.full((n, h), -1, dtype=np.intp)
    step = max(1, _CHUNK // (a * D.shape[1]))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        members = graph.indices[rows]
        theirs = D[members].reshape(-1, D.shape[1])
        own = np.repeat(D[rows], a, axis=0)
        distances = _measured(distance, own, theirs).reshape(members.shape)
        # stable over the feature order: of equal labels the nearer in X comes first
        order = np.argsort(distances, axis=1, kind="stable")
        near[rows] = np.take_along_axis(members, order[:, :k], axis=1)
        if h:
            far = order[:, a - h :]
            both = np.take_along_axis(members, far, axis=1)
            hetero[rows] = np.where(far < h, both, -1)
    return Scales(near, hetero)


def _measured(
    distance: LabelDistance, own: FloatArray, theirs: FloatArray
) -> FloatArray:
    """Distances of pairs of rows by a function that may be a user's."""
    try:
        found = np.asarray(distance(own, theirs), dtype=np.float64)
    except TypeError as error:
        raise ValueError(
            f"label_distance must be a function of two label matrices: {error}"
        ) from error
    if found.shape != (len(own),):
        raise ValueError(
            "label_distance must give one distance for each pair of rows, of shape "
            f"({len(own)},), got {found.shape}."
        )
    return found


@dataclass(frozen=True)
class Pencil:
    """What every weight and ridge of the same graphs share: three matrices.

    With more features than samples they are those of the samples' coordinates in the
    space that they span.

    Attributes
    ----------
    space : RowSpace
        Where the directions are.
    attract, repel : ndarray of shape (rank, rank)
        X'M+X and X'M-X.
    scatter : ndarray of shape (rank, rank)
        X'G+X.
    mean : ndarray of shape (n_features,) or None
        What was subtracted from X.
    gamma : float
        Factor of the label distances in the weights.
    n_hetero_pairs, n_hetero_rank : int
        Hetero pairs, and the largest rank that X'M-X can have.
    """

    space: RowSpace
    attract: FloatArray
    repel: FloatArray
    scatter: FloatArray
    mean: FloatArray | None
    gamma: float
    n_hetero_pairs: int
    n_hetero_rank: int

    def numerator(self, attraction: float, ridge: float) -> FloatArray:
        """X'MX + ridge * I."""
        matrix = attraction * self.attract - (1 - attraction) * self.repel
        matrix[np.diag_indices_from(matrix)] += ridge
        return matrix

    def ridge(self, reg: float, mode: str) -> float:
        """Lambda, or lambda times the mean scatter of a feature."""
        basis = self.space.basis
        n_features = len(self.scatter) if basis is None else len(basis)
        return resolve_ridge(reg, mode, self.scatter, n_features)


def mslp_pencil(
    X: FloatArray,
    D: FloatArray,
    scales: Scales,
    distance: LabelDistance,
    *,
    gamma: float | Literal["mean"],
    center: bool,
    sample_weight: FloatArray | None = None,
) -> Pencil:
    """Weigh the graphs and form the matrices, without any n x n array."""
    n = len(X)
    first, second, _ = linked_pairs(scales.near)
    # both directions: a divergence need not be symmetric, but weights must be
    there, back = distance(D[first], D[second]), distance(D[second], D[first])
    pairs = (np.asarray(there, dtype=np.float64) + back) / 2
    gamma = _resolve_gamma(gamma, pairs)
    near = heat(pairs, gamma)
    a, b, _ = linked_pairs(scales.hetero)
    far = np.ones(len(a))
    if sample_weight is not None:
        root = np.sqrt(sample_weight)
        near, far = near * root[first] * root[second], far * root[a] * root[b]
    positive = weights_from_pairs(first, second, near, n)
    negative = weights_from_pairs(a, b, far, n)
    g = degrees(positive)
    middle = Center()
    if center:
        low, high = X.min(axis=0), X.max(axis=0)
        middle = Center.of(weighted_mean(X, g), low, high, n)
        if middle.noise is not None and middle.noise.all():
            raise ValueError(
                "All samples are equal up to rounding, so there are no directions to "
                "find once they are centred. Use center=False or other features."
            )
    space, Z, moved = narrowed(X, middle)
    scatter, linked = graph_products(Z, positive, g, moved)
    repel = np.subtract(*graph_products(Z, negative, degrees(negative), moved))
    return Pencil(
        space=space,
        attract=_symmetric(scatter - linked),
        repel=_symmetric(repel),
        scatter=_symmetric(scatter),
        mean=middle.mean,
        gamma=gamma,
        n_hetero_pairs=len(a),
        n_hetero_rank=_rank_bound(negative),
    )


def _resolve_gamma(gamma: float | Literal["mean"], distances: FloatArray) -> float:
    """A number as it is; "mean" is one over the mean distance, 1 where that is 0."""
    if gamma != "mean":
        return float(gamma)
    mean = float(distances.mean()) if len(distances) else 0.0
    return 1 / max(mean, np.finfo(np.float64).tiny) if mean else 1.0


def _symmetric(matrix: FloatArray) -> FloatArray:
    """Symmetric to the last bit, also where everything cancels but rounding."""
    return (matrix + matrix.T) / 2


def _rank_bound(W: sp.csr_array) -> int:
    linked = np.flatnonzero(degrees(W))
    if not len(linked):
        return 0
    count, _ = sp.csgraph.connected_components(W[linked][:, linked], directed=False)
    return len(linked) - int(count)


def check_scales(
    n_samples: int, n_neighbors: int, n_hetero_neighbors: int | None, factor: int
) -> tuple[int, int, int, str]:
    """Sizes k, h, a that fit the data, and what to warn of."""
    others = n_samples - 1
    a = min(factor * n_neighbors, others)
    k = min(n_neighbors, a)
    note = ""
    if a < factor * n_neighbors:
        note = (
            f"The feature neighbourhood neighborhood_factor * n_neighbors = "
            f"{factor * n_neighbors} is more than the other samples; it was clipped to "
            f"{others}."
        )
    h = k if n_hetero_neighbors is None else n_hetero_neighbors
    if h > a - k:
        if n_hetero_neighbors is not None and not note:
            raise ValueError(
                f"n_hetero_neighbors={n_hetero_neighbors} must not be more than "
                f"neighborhood_factor * n_neighbors - n_neighbors = {a - k}."
            )
        h = a - k
    return k, h, a, note


def check_enough(n_samples: int, n_decoder_neighbors: int | Literal["auto"]) -> None:
    """Refuse data that the graphs or the decoder cannot work on."""
    if n_samples < 2:
        raise ValueError(f"MSLP needs at least two samples, got n_samples={n_samples}.")
    if n_decoder_neighbors != "auto" and n_decoder_neighbors > n_samples:
        raise ValueError(
            f"n_decoder_neighbors={n_decoder_neighbors} is more than n_samples="
            f"{n_samples} training samples can give. Lower it or add samples."
        )


def resolve_decoder(
    n_decoder_neighbors: int | Literal["auto"],
    index: NeighborIndex,
    D: FloatArray,
    sample_weight: FloatArray | None = None,
) -> int:
    """A number as it is; "auto" is the best one for left-out embeddings."""
    if n_decoder_neighbors != "auto":
        return n_decoder_neighbors
    left_out = left_out_neighbors(index)
    if left_out is None:
        return 1
    found = left_out.graph.indices
    weights = None if sample_weight is None else sample_weight[found]
    means = cumulative_means(D, found, weights, left_out.counts)
    loss = partial(kl_divergence, average=None)
    return left_out.best_count(means, D, loss, sample_weight)
