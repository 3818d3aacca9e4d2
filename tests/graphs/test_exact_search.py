"""The exact search against all distances from differences."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from skldl.graphs import NeighborIndex, neighbor_graph
from skldl.graphs._distances import nearest_rows
from skldl.graphs._rescale import fit_frame


def search_rows(X, rows, k, own=None):
    if own is not None:
        graph = neighbor_graph(rows, k, engine="exact")
    else:
        graph = NeighborIndex("exact").fit(rows).query(X, k)
    return graph.indices, graph.distances


def _brute(X, rows, k, own=None):
    difference = rows.astype(float)[None] - X.astype(float)[:, None]
    distances = np.sqrt(np.einsum("nkd,nkd->nk", difference, difference))
    if own is not None:
        distances[np.arange(len(X)), own] = np.inf
    order = np.lexsort(
        (np.broadcast_to(np.arange(len(rows)), distances.shape), distances)
    )
    order = order[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


def _grid(rng, n, d):
    return rng.integers(0, 3, (n, d)).astype(float)  # many ties and duplicates


@pytest.mark.parametrize("n", [3, 40, 255, 256, 1000])
@pytest.mark.parametrize("kind", ["normal", "grid", "float32", "far"])
def test_products_find_what_differences_find(n, kind):
    rng = np.random.default_rng(n)
    rows, X = rng.normal(size=(n, 5)), rng.normal(size=(70, 5))
    if kind == "grid":
        rows, X = _grid(rng, n, 3), _grid(rng, 70, 3)
    elif kind == "float32":
        rows, X = rows.astype(np.float32), X.astype(np.float32)
    elif kind == "far":
        rows, X = rows + 1e7, X + 1e7
    k = min(7, n)
    indices, distances = search_rows(X, rows, k)
    expected, exact = _brute(X, rows, k)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(distances, exact)


@pytest.mark.parametrize(("size", "spread"), [(1e-8, 3e-16), (1.0, 1e-8), (1e6, 1e-2)])
def test_narrow_groups_far_from_each_other(size, spread):
    rng = np.random.default_rng(0)
    rows = np.where(np.arange(400)[:, None] % 2, size, -size)
    rows = rows + spread * rng.normal(size=(400, 30))
    X = rows[:50] + spread * rng.normal(size=(50, 30))
    indices, distances = search_rows(X, rows, 5)
    expected, exact = _brute(X, rows, 5)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(distances, exact, rtol=1e-6)


def test_sparse_points_among_dense_rows():
    rng = np.random.default_rng(1)
    rows, X = _grid(rng, 80, 4), _grid(rng, 30, 4)  # ties: many candidates
    for points, among in [(sp.csr_matrix(X), rows), (X, sp.csr_matrix(rows))]:
        indices, distances = nearest_rows(
            points, among, 3, reach=np.ones(30), metric="euclidean"
        )
        expected, exact = _brute(X, rows, 3)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_array_equal(distances, exact)


@pytest.mark.parametrize("n", [9, 600])
def test_a_row_never_finds_itself(n):
    rows = _grid(np.random.default_rng(0), n, 2)
    own = np.arange(n)
    indices, _ = search_rows(rows, rows, 8, own)
    assert not (indices == own[:, None]).any()
    np.testing.assert_array_equal(indices, _brute(rows, rows, 8, own)[0])


@settings(deadline=None, max_examples=40)
@given(
    n=st.integers(2, 700),
    k=st.integers(1, 200),
    scale=st.sampled_from([1e-8, 1.0, 1e8]),
    seed=st.integers(0, 99),
)
def test_any_number_of_rows_and_neighbors(n, k, scale, seed):
    rng = np.random.default_rng(seed)
    rows, X = scale * rng.normal(size=(n, 2)), scale * rng.normal(size=(5, 2))
    k = min(n, k)
    np.testing.assert_array_equal(search_rows(X, rows, k)[0], _brute(X, rows, k)[0])


@pytest.mark.parametrize(
    ("scale", "size"),
    [(1.0, 1e20), (1.0, 1e153), (1.0, 1e200), (1e-200, 1e100)],
)
def test_points_far_beyond_all_rows(scale, size):
    rows = np.random.default_rng(2).normal(size=(300, 5)) * scale
    index = NeighborIndex().fit(rows)
    new = np.vstack([rows[7] + scale / 100, np.full(5, size)])
    found = index.query(new, 3)
    assert found.indices[0, 0] == 7
    np.testing.assert_array_equal(found.indices[1], [0, 1, 2])  # all equally far


@pytest.mark.parametrize("size", [1e-43, 1e-30, 3e38])
def test_extremes_of_single_precision(size):
    rows = np.random.default_rng(3).uniform(-1, 1, size=(300, 3))
    rows = (rows * size).astype(np.float32)
    graph = neighbor_graph(rows, 4)
    wide = neighbor_graph(rows.astype(np.float64), 4)
    np.testing.assert_array_equal(graph.indices, wide.indices)
    np.testing.assert_array_equal(graph.distances, wide.distances)
    one = NeighborIndex().fit(np.eye(3, dtype=np.float32))
    assert sorted(one.query(rows[:1], 3).indices[0]) == [0, 1, 2]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("size", [1e40, 1e160, -1e200, 1e300])
def test_one_huge_cell_leaves_the_other_rows_alone(make, size):
    rows = np.random.default_rng(4).normal(size=(60, 4))
    huge = rows.copy()
    huge[17, 2] = size
    others = np.delete(np.arange(60), 17)
    graph = neighbor_graph(make(huge), 3)
    kept = neighbor_graph(rows[others], 3)
    np.testing.assert_array_equal(graph.indices[others], others[kept.indices])
    np.testing.assert_allclose(graph.distances[others], kept.distances, rtol=1e-9)


def test_huge_rows_are_not_near_each_other():
    rows = np.random.default_rng(5).normal(size=(60, 4))
    rows[:3, 1] = [1e180, 1e200, 1e300]
    graph = neighbor_graph(rows, 2)
    assert not np.isin(graph.indices[3:], [0, 1, 2]).any()
    assert graph.distances[:3].min() > 1e99


def test_wide_rows_are_not_copied():
    rows = np.zeros((40, 20_000))
    rows[:, 0] = np.arange(40)
    index = NeighborIndex("exact").fit(rows)
    index.query(rows[:1], 2)
    tracemalloc.start()
    try:
        index.query(rows[:1], 2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < rows.nbytes / 2


def test_points_are_checked():
    index = NeighborIndex().fit(np.eye(4))
    with pytest.raises(ValueError, match="3 features"):
        index.query(np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="n_neighbors=5"):
        index.query(np.zeros((2, 4)), 5)
    with pytest.raises(ValueError, match="NaN"):
        index.query(np.full((2, 4), np.nan), 1)


def test_only_data_far_from_zero_are_moved():
    X = np.random.default_rng(0).normal(size=(60, 5))
    assert fit_frame(X, "euclidean").center is None
    center = fit_frame(X + 1e7, "euclidean").center
    assert center is not None
    assert np.abs(center - 1e7).max() < 2
