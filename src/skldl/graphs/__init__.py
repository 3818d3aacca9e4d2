"""The neighbour graph that every local method uses, and weights on it."""

from skldl.graphs._average import neighbor_mean
from skldl.graphs._distances import row_distances
from skldl.graphs._labels import (
    generalized_hamming,
    label_correlation,
    share_correlation,
)
from skldl.graphs._left_out import (
    LeftOutNeighbors,
    cumulative_means,
    left_out_neighbors,
)
from skldl.graphs._neighbors import NeighborGraph, NeighborIndex, neighbor_graph
from skldl.graphs._weights import (
    barycenter_weights,
    binary_weights,
    degrees,
    distance_weights,
    heat,
    heat_weights,
    laplacian,
    linked_pairs,
    weights_from_pairs,
)

__all__ = [
    "LeftOutNeighbors",
    "NeighborGraph",
    "NeighborIndex",
    "barycenter_weights",
    "binary_weights",
    "cumulative_means",
    "degrees",
    "distance_weights",
    "generalized_hamming",
    "heat",
    "heat_weights",
    "label_correlation",
    "laplacian",
    "left_out_neighbors",
    "linked_pairs",
    "neighbor_graph",
    "neighbor_mean",
    "row_distances",
    "share_correlation",
    "weights_from_pairs",
]
