"""Weights, Laplacians and barycentres against dense constructions."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from skldl.graphs import (
    NeighborGraph,
    barycenter_weights,
    binary_weights,
    degrees,
    distance_weights,
    heat,
    heat_weights,
    laplacian,
    linked_pairs,
    neighbor_graph,
    weights_from_pairs,
)

X = np.random.default_rng(0).normal(size=(40, 6))
GRAPH = neighbor_graph(X, 4)


def dense_links():
    links = np.zeros((40, 40), dtype=bool)
    links[np.arange(40)[:, None], GRAPH.indices] = True
    return links | links.T


def test_weights_equal_a_dense_construction():
    links, distances = dense_links(), cdist(X, X)
    assert_array_equal(binary_weights(GRAPH).toarray(), links)
    assert_allclose(distance_weights(GRAPH).toarray(), np.where(links, distances, 0))
    sigma = (distances[links] ** 2).mean()
    expected = np.where(links, np.exp(-(distances**2) / sigma), 0)
    assert_allclose(heat_weights(GRAPH).toarray(), expected)
    expected = np.where(links, np.exp(-(distances**2) / 3.0), 0)
    assert_allclose(heat_weights(GRAPH, gamma=1 / 3).toarray(), expected)


def test_pairs_are_unique_and_point_to_their_distance():
    first, second, position = linked_pairs(GRAPH.indices)
    assert (first < second).all()
    assert len(set(zip(first, second, strict=True))) == dense_links().sum() / 2
    assert_allclose(GRAPH.distances.ravel()[position], cdist(X, X)[first, second])


def test_empty_places_are_no_pairs():
    first, second, position = linked_pairs(np.array([[1, -1], [-1, -1], [0, -1]]))
    assert_array_equal(np.column_stack([first, second]), [[0, 1], [0, 2]])
    assert_array_equal(position, [0, 4])
    W = weights_from_pairs(first, second, np.array([2.0, 3.0]), 3)
    assert_array_equal(W.toarray(), [[0, 2, 3], [2, 0, 0], [3, 0, 0]])


def test_heat_of_duplicates_and_of_far_points():
    assert_array_equal(heat(np.zeros(3), "mean_squared"), 1.0)
    assert_array_equal(heat(np.empty(0), "mean_squared"), np.empty(0))
    assert heat(np.array([1e9]), 1.0)[0] > 0  # a link never vanishes
    for gamma in (0.0, -1.0, "mean"):
        with pytest.raises(ValueError, match="gamma must be positive"):
            heat(np.ones(2), gamma)


def test_laplacian_is_the_quadratic_form_of_differences():
    W = heat_weights(GRAPH)
    f = np.random.default_rng(1).normal(size=40)
    dense = W.toarray()
    assert_allclose(f @ (laplacian(W) @ f), (dense * (f[:, None] - f) ** 2).sum() / 2)
    assert_allclose(laplacian(W) @ np.ones(40), 0, atol=1e-12)
    assert_allclose(degrees(W), dense.sum(axis=1))
    root = np.sqrt(degrees(W))
    expected = laplacian(W).toarray() / np.outer(root, root)
    assert_allclose(laplacian(W, normalized=True).toarray(), expected)
    assert sp.issparse(laplacian(W))


def test_barycentre_minimises_its_objective_under_the_constraint():
    S = barycenter_weights(X, GRAPH, reg=1e-3).toarray()
    assert_allclose(S.sum(axis=1), 1.0)
    rng = np.random.default_rng(0)
    for row in range(5):
        local = X[GRAPH.indices[row]] - X[row]
        gram = local @ local.T
        gram += 1e-3 * np.trace(gram) * np.eye(4)
        best = S[row, GRAPH.indices[row]]
        for _ in range(20):
            step = rng.normal(size=4)
            step -= step.mean()  # stay on the constraint
            other = best + 0.1 * step
            assert best @ gram @ best < other @ gram @ other


def test_barycentre_of_a_point_inside_its_neighbours_is_exact():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.25, 0.25]])
    graph = NeighborGraph(np.array([[0, 1, 2]] * 4), np.zeros((4, 3)))
    S = barycenter_weights(points, graph, reg=1e-12).toarray()
    assert_allclose(S[3, :3], [0.5, 0.25, 0.25], atol=1e-8)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: barycenter_weights(X[:, :1], GRAPH, reg=0), "use a larger reg"),
        (lambda: barycenter_weights(X[:, :1], GRAPH, reg=1e-300), "With reg=1e-300"),
        (lambda: barycenter_weights(X, GRAPH, reg=-1), "reg must not be negative"),
        (lambda: barycenter_weights(X * np.nan, GRAPH), "NaN"),
        (lambda: barycenter_weights(X[:5], GRAPH), "5 rows, but the graph has 40"),
        (lambda: barycenter_weights(sp.csr_array(X), GRAPH), "dense data"),
        (lambda: binary_weights(GRAPH.query(X[:3])), "new points"),
        (lambda: heat_weights(GRAPH.query(X).truncate(2)), "new points"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_barycentre_of_duplicates_and_in_chunks(monkeypatch):
    same = np.ones((5, 2))
    assert_allclose(
        barycenter_weights(same, neighbor_graph(same, 2)).toarray().sum(axis=1), 1.0
    )
    whole = barycenter_weights(X, GRAPH).toarray()
    monkeypatch.setattr("skldl.graphs._weights._CHUNK", 100)
    assert_allclose(barycenter_weights(X, GRAPH).toarray(), whole)
