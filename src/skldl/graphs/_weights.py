"""Weights and Laplacians on a neighbour graph, as sparse matrices."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray, IndexArray
from skldl.graphs._neighbors import NeighborGraph

_SMALLEST = 1e-300  # a link never vanishes by underflow
_UNDETERMINED = (
    "With reg={:g} the neighbours of some row do not determine its weights (more "
    "neighbours than features, or duplicates); use a larger reg, such as 0.001 "
    "(barycenter_reg in NPE)."
)
_CHUNK = 1 << 20


def linked_pairs(indices: IndexArray) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Every unordered pair in which one is among the other's neighbours.

    Parameters
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
        Neighbours of each sample; -1 marks an empty place.

    Returns
    -------
    first, second : ndarray of shape (n_pairs,)
        Sample numbers with ``first < second``, each pair once.
    position : ndarray of shape (n_pairs,)
        Where in ``indices.ravel()`` the pair stands (its first place).

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.graphs import linked_pairs
    >>> first, second, _ = linked_pairs(np.array([[1], [0], [1]]))
    >>> list(zip(first.tolist(), second.tolist()))
    [(0, 1), (1, 2)]
    """
    n_samples, n_neighbors = indices.shape
    source = np.repeat(np.arange(n_samples), n_neighbors)
    target = indices.ravel()
    used = np.flatnonzero(target >= 0)
    source, target = source[used], target[used]
    code = np.minimum(source, target) * n_samples + np.maximum(source, target)
    unique, place = np.unique(code, return_index=True)
    return unique // n_samples, unique % n_samples, used[place]


def weights_from_pairs(
    first: IndexArray, second: IndexArray, weights: FloatArray, n_samples: int
) -> sp.csr_array:
    """Make the symmetric weight matrix of unordered pairs.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs,)
        Sample numbers, each pair once.
    weights : ndarray of shape (n_pairs,)
        Weight of each pair.
    n_samples : int
        Size of the matrix.

    Returns
    -------
    W : CSR array of shape (n_samples, n_samples)
    """
    rows = np.concatenate([first, second])
    columns = np.concatenate([second, first])
    values = np.concatenate([weights, weights])
    return sp.csr_array((values, (rows, columns)), shape=(n_samples, n_samples))


def heat(
    squared_distances: FloatArray, gamma: float | Literal["mean_squared"]
) -> FloatArray:
    r"""Heat kernel :math:`\exp(-\gamma d^2)` of squared distances.

    Parameters
    ----------
    squared_distances : ndarray
        Squared distances of linked pairs.
    gamma : float or "mean_squared"
        :math:`\gamma`; "mean_squared" is one over the mean of the squared distances.
        If all of them are 0, every weight is 1.

    Returns
    -------
    weights : ndarray
        In (0, 1], never exactly 0.
    """
    if gamma == "mean_squared":
        mean = float(squared_distances.mean()) if squared_distances.size else 1.0
        return np.maximum(np.exp(-squared_distances / (mean or 1.0)), _SMALLEST)
    if isinstance(gamma, str) or not gamma > 0:
        raise ValueError(f"gamma must be positive or 'mean_squared', got {gamma!r}.")
    return np.maximum(np.exp(-gamma * squared_distances), _SMALLEST)


def binary_weights(graph: NeighborGraph) -> sp.csr_array:
    """Weight 1 where one sample is among the other's neighbours.

    Parameters
    ----------
    graph : NeighborGraph
        Neighbours.

    Returns
    -------
    W : CSR array of shape (n_samples, n_samples)
        Symmetric.

    Examples
    --------
    >>> from skldl.graphs import binary_weights, neighbor_graph
    >>> binary_weights(neighbor_graph([[0.0], [1.0], [3.0]], 1)).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    first, second, _ = linked_pairs(_among_samples(graph).indices)
    return weights_from_pairs(first, second, np.ones(len(first)), graph.n_samples)


def heat_weights(
    graph: NeighborGraph, *, gamma: float | Literal["mean_squared"] = "mean_squared"
) -> sp.csr_array:
    r"""Weight :math:`\exp(-\gamma d_{ij}^2)` on linked pairs.

    Parameters
    ----------
    graph : NeighborGraph
        Neighbours.
    gamma : float or "mean_squared", default="mean_squared"
        :math:`\gamma`; "mean_squared" is one over the mean squared distance of linked
        pairs, each pair once.

    Returns
    -------
    W : CSR array of shape (n_samples, n_samples)
        Symmetric.

    Examples
    --------
    >>> from skldl.graphs import heat_weights, neighbor_graph
    >>> W = heat_weights(neighbor_graph([[0.0], [1.0], [2.0]], 1))
    >>> bool(abs(W[0, 1] - 0.36787944) < 1e-8)
    True
    """
    first, second, position = linked_pairs(_among_samples(graph).indices)
    weights = heat(graph.distances.ravel()[position] ** 2, gamma)
    return weights_from_pairs(first, second, weights, graph.n_samples)


def distance_weights(graph: NeighborGraph) -> sp.csr_array:
    """Distance as the weight of linked pairs; duplicates keep an explicit 0.

    Parameters
    ----------
    graph : NeighborGraph
        Neighbours.

    Returns
    -------
    W : CSR array of shape (n_samples, n_samples)
        Symmetric.

    Examples
    --------
    >>> from skldl.graphs import distance_weights, neighbor_graph
    >>> distance_weights(neighbor_graph([[0.0], [1.0], [3.0]], 1)).toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """
    first, second, position = linked_pairs(_among_samples(graph).indices)
    distances = graph.distances.ravel()[position]
    return weights_from_pairs(first, second, distances, graph.n_samples)


def barycenter_weights(
    X: Any, graph: NeighborGraph, *, reg: float = 1e-3
) -> sp.csr_array:
    r"""Weights, with sum 1, whose mean of the neighbours is closest to each row.

    Row i minimises :math:`\|x_i - \sum_j s_{ij} x_j\|^2` under
    :math:`\sum_j s_{ij} = 1`, with ``reg`` times the trace of the local Gram
    matrix added to its diagonal (the locally linear embedding's rule).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of the graph.
    graph : NeighborGraph
        Neighbours.
    reg : float, default=1e-3
        Relative ridge; needed when there are more neighbours than features.

    Returns
    -------
    S : CSR array of shape (n_samples, n_samples)
        Rows sum to 1; not symmetric.

    Examples
    --------
    >>> from skldl.graphs import barycenter_weights, neighbor_graph
    >>> X = [[0.0], [1.0], [2.0]]
    >>> S = barycenter_weights(X, neighbor_graph(X, 2), reg=1e-9)
    >>> S.toarray()[1].round(3).tolist()
    [0.5, 0.0, 0.5]
    """
    X = check_array(X, dtype=(np.float64, np.float32), input_name="X")
    n_samples, n_neighbors = _among_samples(graph).indices.shape
    if len(X) != n_samples:
        raise ValueError(f"X has {len(X)} rows, but the graph has {n_samples}.")
    if not reg >= 0:
        raise ValueError(f"reg must not be negative, got {reg!r}.")
    if reg < np.finfo(np.float64).eps and n_neighbors > X.shape[1]:
        raise ValueError(_UNDETERMINED.format(reg))  # solving may not notice
    weights = np.empty((n_samples, n_neighbors))
    step = max(1, _CHUNK // (n_neighbors * max(X.shape[1], n_neighbors)))
    for start in range(0, n_samples, step):
        rows = slice(start, start + step)
        weights[rows] = _barycenter_rows(X[rows], X[graph.indices[rows]], reg)
    pointer = np.arange(0, weights.size + 1, n_neighbors)
    return sp.csr_array(
        (weights.ravel(), graph.indices.ravel(), pointer), shape=(n_samples, n_samples)
    )


def _barycenter_rows(X: FloatArray, neighbors: FloatArray, reg: float) -> FloatArray:
    local = np.subtract(neighbors, X[:, None, :], dtype=np.float64)
    gram = local @ local.transpose(0, 2, 1)
    trace = np.trace(gram, axis1=1, axis2=2)
    ridge = np.where(trace > 0, reg * trace, reg or 1.0)
    gram += ridge[:, None, None] * np.eye(gram.shape[1])
    try:
        weights = np.linalg.solve(gram, np.ones((*gram.shape[:2], 1)))[:, :, 0]
    except np.linalg.LinAlgError:
        raise ValueError(_UNDETERMINED.format(reg)) from None
    return weights / weights.sum(axis=1, keepdims=True)


def _among_samples(graph: NeighborGraph) -> NeighborGraph:
    if graph.of_queries:
        raise ValueError(
            "These are neighbours of new points, not a graph among samples; use "
            "neighbor_graph."
        )
    return graph


def degrees(W: Any) -> FloatArray:
    """Row sums of a weight matrix.

    Parameters
    ----------
    W : sparse array of shape (n_samples, n_samples)
        Weights.

    Returns
    -------
    degrees : ndarray of shape (n_samples,)
    """
    return np.asarray(W.sum(axis=1), dtype=np.float64).ravel()


def laplacian(W: Any, *, normalized: bool = False) -> sp.csr_array:
    r"""Graph Laplacian :math:`L = G - W`, with G the degrees.

    Parameters
    ----------
    W : sparse array of shape (n_samples, n_samples)
        Symmetric weights.
    normalized : bool, default=False
        Whether to give :math:`G^{-1/2} L G^{-1/2}`.

    Returns
    -------
    L : CSR array of shape (n_samples, n_samples)

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from skldl.graphs import laplacian
    >>> laplacian(sp.csr_array(np.array([[0, 2.0], [2.0, 0]]))).toarray()
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    return sp.csr_array(csgraph.laplacian(sp.csr_array(W), normed=normalized))
