"""Small searches by products against all distances from differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skldl.graphs import NeighborIndex, neighbor_graph
from skldl.graphs._products import search_rows, search_sets


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


# up to 255 rows are no groups; 1,000 are several, with padding
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
    sets = search_sets(X, rows, k)
    np.testing.assert_array_equal(np.sort(sets, axis=1), np.sort(expected, axis=1))


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


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_small_and_large_searches_agree(monkeypatch, shift):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(300, 20)), _grid(rng, 60, 20)]) + shift
    new = np.vstack([X[:50], rng.normal(size=(30, 20)) + shift])
    small = [neighbor_graph(X, 6), NeighborIndex().fit(X).query(new, 6)]
    sets = NeighborIndex().fit(X).nearest(new, 6)
    monkeypatch.setattr("skldl.graphs._neighbors._SMALL", 0)
    large = [neighbor_graph(X, 6), NeighborIndex().fit(X).query(new, 6)]
    for one, other in zip(small, large, strict=True):
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.distances, other.distances)
    np.testing.assert_array_equal(np.sort(sets), np.sort(large[1].indices))
    np.testing.assert_array_equal(
        np.sort(NeighborIndex().fit(X).nearest(new, 6)), np.sort(large[1].indices)
    )


def test_nearest_checks_its_points():
    index = NeighborIndex().fit(np.eye(4))
    with pytest.raises(ValueError, match="3 features"):
        index.nearest(np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="n_neighbors=5"):
        index.nearest(np.zeros((2, 4)), 5)
    with pytest.raises(ValueError, match="NaN"):
        index.nearest(np.full((2, 4), np.nan), 1)
