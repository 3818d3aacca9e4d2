"""The neighbour search against brute force, on hard data as well."""

import pickle
import sys
from importlib.machinery import ModuleSpec
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from skldl.graphs import NeighborGraph, NeighborIndex, neighbor_graph, row_distances
from skldl.ldl import AAkNN

RNG = np.random.default_rng(0)
WIDE = RNG.normal(size=(80, 30))  # searched by brute force
CHEBYSHEV = NearestNeighbors(metric="chebyshev")
NARROW = RNG.normal(size=(80, 3))  # searched by a tree


def brute_force(X, k, metric="euclidean"):
    distances = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


@pytest.mark.parametrize("X", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("k", [1, 5, 79])
def test_equals_brute_force(X, metric, k):
    graph = neighbor_graph(X, k, metric=metric)
    indices, distances = brute_force(X, k, metric)
    assert_array_equal(graph.indices, indices)
    assert_allclose(graph.distances, distances, rtol=1e-9, atol=1e-12)
    assert graph.recall == 1.0
    assert (graph.n_samples, graph.n_neighbors) == (80, k)


@given(
    arrays(np.float64, st.tuples(st.integers(3, 12), st.integers(1, 20)),
           elements=st.sampled_from([0.0, 1.0, 2.0])),
    st.integers(1, 2),
)  # fmt: skip
@settings(max_examples=60)
def test_duplicates_never_make_a_row_its_own_neighbour(X, k):
    graph = neighbor_graph(X, k)
    assert (graph.indices != np.arange(len(X))[:, None]).all()
    assert (np.diff(graph.distances, axis=1) >= 0).all()
    assert_allclose(graph.distances, brute_force(X, k)[1], atol=1e-12)
    for row, neighbors in enumerate(graph.indices):
        assert len(set(neighbors)) == k, row


def test_duplicates_are_exactly_zero_apart():
    X = np.repeat(RNG.normal(size=(30, 40)) * 1e3, 2, axis=0)
    graph = neighbor_graph(X, 3)
    assert (graph.distances[:, 0] == 0).all()
    assert (graph.distances[:, 1] > 0).all()


def test_data_far_from_the_origin_keep_their_neighbours():
    near = neighbor_graph(WIDE, 10)
    far = neighbor_graph(WIDE + 1e7, 10)
    assert_array_equal(near.indices, far.indices)
    assert_array_equal(
        far.query(WIDE[:5] + 1e7, 4).indices, near.query(WIDE[:5], 4).indices
    )


@pytest.mark.parametrize(
    "X",
    [
        np.vstack([np.zeros((1, 20)), RNG.normal(size=(200, 20)) + 1e8]),
        np.vstack([RNG.normal(size=(100, 20)) + s for s in (-1e7, 1e7)]),
        np.column_stack([RNG.normal(size=(200, 20)), 1e8 * (np.arange(200) % 2)]),
        RNG.normal(size=(100, 20)) * 1e160,
        RNG.normal(size=(100, 20)) * 1e-170,
        RNG.integers(0, 2, size=(100, 20)).astype(float),
    ],
    ids=["outlier", "clusters", "wide feature", "huge", "tiny", "ties"],
)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_hard_data_equal_brute_force(X, metric):
    scale = np.abs(X).max()
    indices, distances = brute_force(X / scale, 6, metric)
    graph = neighbor_graph(X, 6, metric=metric)
    assert_allclose(graph.distances / scale, distances, rtol=1e-6, atol=1e-15)
    found = graph.query(X[:20], 7)
    assert_allclose(found.distances[:, 1:] / scale, distances[:20], atol=1e-15)
    if np.all(np.round(X) == X):
        assert_array_equal(graph.indices, indices)


def test_cosine_of_a_zero_row_is_refused():
    X = np.vstack([WIDE, np.zeros(30)])
    for rows in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match="Row 80.*no direction"):
            neighbor_graph(rows, 3, metric="cosine")


def test_truncate_is_a_search_for_fewer():
    graph = neighbor_graph(WIDE, 10)
    fewer, searched = graph.truncate(4), neighbor_graph(WIDE, 4)
    assert_array_equal(fewer.indices, searched.indices)
    assert_array_equal(fewer.distances, searched.distances)
    for wrong in (0, 11):
        with pytest.raises(ValueError, match="between 1 and 10"):
            graph.truncate(wrong)


def test_query_finds_the_row_itself_when_asked_for_it():
    found = neighbor_graph(WIDE, 3).query(WIDE[:7])
    assert_array_equal(found.indices[:, 0], np.arange(7))
    assert (found.distances[:, 0] == 0).all()
    assert found.indices.shape == (7, 3)
    with pytest.raises(ValueError, match="has no index"):
        NeighborGraph(found.indices, found.distances).query(WIDE)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows_give_the_same_graph(metric):
    X = np.where(RNG.uniform(size=(60, 20)) < 0.3, RNG.normal(size=(60, 20)), 0.0)
    X[:, 0] = 1.0  # no empty row: the cosine of nothing is undefined
    dense, sparse = (neighbor_graph(M, 4, metric=metric) for M in (X, sp.csr_array(X)))
    assert_array_equal(dense.indices, sparse.indices)
    assert_allclose(dense.distances, sparse.distances, atol=1e-12)


def test_single_precision_input_gives_double_distances():
    graph = neighbor_graph(WIDE.astype("f4"), 3)
    assert graph.distances.dtype == np.float64
    assert graph.indices.dtype == np.intp


def test_distances_in_chunks(monkeypatch):
    whole = neighbor_graph(WIDE, 5)
    monkeypatch.setattr("skldl.graphs._distances._CHUNK", 200)
    assert_array_equal(neighbor_graph(WIDE, 5).distances, whole.distances)
    expected = cdist(WIDE, WIDE)[np.arange(80)[:, None], whole.indices]
    assert_allclose(row_distances(WIDE, WIDE, whole.indices), expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: neighbor_graph(WIDE, 80), "n_neighbors=80 is more than.*79"),
        (lambda: neighbor_graph(WIDE, 0), "at least 1"),
        (lambda: neighbor_graph(WIDE, 3, metric="hamming"), "metric must be one of"),
        (lambda: neighbor_graph(WIDE, 3, engine="faiss"), "engine must be"),
        (lambda: neighbor_graph(WIDE, 3, engine=object()), "engine must be"),
        (lambda: neighbor_graph(WIDE, 3).query(WIDE, 81), "n_neighbors=81"),
        (lambda: neighbor_graph([[np.nan], [1.0]], 1), "NaN"),
        (lambda: neighbor_graph(WIDE + 1e6, 3).query(WIDE[:, :1]), "1 features.*30"),
        (lambda: neighbor_graph(WIDE, 3).query(WIDE, 0), "at least 1"),
        (
            lambda: neighbor_graph(
                WIDE, 3, engine=NearestNeighbors(metric="chebyshev")
            ),
            "engine measures 'chebyshev'",
        ),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


class Shuffled:
    """An engine of somebody else: right rows, wrong order, no scikit-learn base."""

    def fit(self, X):
        self.search = NearestNeighbors().fit(X)
        return self

    def kneighbors(self, X, n_neighbors):
        distances, indices = self.search.kneighbors(X, n_neighbors)
        return distances[:, ::-1], indices[:, ::-1]


@pytest.mark.parametrize("engine", [Shuffled(), NearestNeighbors(algorithm="brute")])
def test_any_object_with_kneighbors_is_an_engine(engine):
    X = np.repeat(RNG.normal(size=(20, 4)), 2, axis=0)
    graph = neighbor_graph(X, 1, engine=engine)
    assert_allclose(graph.distances, 0.0)
    assert (graph.indices != np.arange(40)[:, None]).all()
    assert graph.recall == 1.0


class Forgetful(Shuffled):
    def kneighbors(self, X, n_neighbors):
        distances, indices = super().kneighbors(X, n_neighbors)
        indices[0, 0] = -1
        return distances, indices


def test_missing_neighbours_are_an_error():
    with pytest.raises(RuntimeError, match="fewer than 4 neighbours for row 0"):
        neighbor_graph(WIDE, 3, engine=Forgetful())


class Careless(Shuffled):
    """Finds only even rows."""

    def fit(self, X):
        self.search = NearestNeighbors().fit(X[::2])
        return self

    def kneighbors(self, X, n_neighbors):
        distances, indices = self.search.kneighbors(X, n_neighbors)
        return distances, 2 * indices


def test_recall_is_measured():
    with pytest.warns(UserWarning, match="of the true neighbours on a sample"):
        graph = neighbor_graph(WIDE, 5, engine=Careless())
    truth = brute_force(WIDE, 5)[0]
    shares = [
        len(set(f) & set(t)) / 5 for f, t in zip(graph.indices, truth, strict=True)
    ]
    assert_allclose(graph.recall, np.mean(shares))
    assert graph.recall < 0.8


def test_automatic_choice(monkeypatch):
    monkeypatch.setattr("skldl.graphs._engines.AUTO_ROWS", 50)
    assert not NeighborIndex().fit(WIDE).exact_  # many rows, many features
    assert NeighborIndex().fit(NARROW).exact_  # trees are quick here
    assert NeighborIndex("exact").fit(WIDE).exact_
    monkeypatch.setattr("skldl.graphs._engines.find_spec", lambda name: None)
    assert NeighborIndex().fit(WIDE).exact_  # not installed
    with pytest.raises(ImportError, match=r"scikit-ldl\[ann\]"):
        NeighborIndex("pynndescent").fit(WIDE)


class BruteForceDescent:
    """What the engine uses of pynndescent's index, by brute force."""

    def __init__(self, rows, metric, n_neighbors, max_candidates, random_state, n_jobs):
        assert max_candidates > 0
        assert isinstance(random_state, int)
        self._rows, self._metric = to_dense(rows), metric
        indices, distances = self.query(rows, n_neighbors)
        self.neighbor_graph = indices, distances

    def query(self, points, k, epsilon=0.1):
        distances = cdist(to_dense(points), self._rows, self._metric)
        indices = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return indices, np.take_along_axis(distances, indices, axis=1)


def to_dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


@pytest.fixture(params=["brute force", pytest.param("real", marks=pytest.mark.slow)])
def pynndescent(request, monkeypatch):
    """The library itself, whose compilation takes minutes, or what stands in for it."""
    if request.param == "brute force":
        spec = ModuleSpec("pynndescent", None)
        stand_in = SimpleNamespace(NNDescent=BruteForceDescent, __spec__=spec)
        monkeypatch.setitem(sys.modules, "pynndescent", stand_in)


@pytest.mark.usefixtures("pynndescent")
@pytest.mark.xdist_group("compiles")
def test_approximate_engine():
    X = np.repeat(RNG.normal(size=(150, 10)), 2, axis=0)
    graph, again = (neighbor_graph(X, 10, engine="pynndescent") for _ in range(2))
    assert graph.recall > 0.9
    assert (graph.indices != np.arange(300)[:, None]).all()
    assert_array_equal(graph.indices, again.indices)
    assert_allclose(graph.distances[:, 0], 0.0)
    found = graph.query(X[:5], 2)
    assert_array_equal(found.distances, 0.0)
    assert np.isnan(found.recall)  # not measured


@pytest.mark.usefixtures("pynndescent")
@pytest.mark.xdist_group("compiles")
def test_approximate_predictions_do_not_depend_on_identity_and_can_be_saved():
    X = RNG.normal(size=(200, 20))
    D = RNG.dirichlet(np.ones(3), 200)
    model = AAkNN(5, engine="pynndescent").fit(X, D)
    P = model.predict(X)
    assert_array_equal(model.predict(X.copy()), P)
    assert_array_equal(model.predict(sp.csr_array(X)), P)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), P)
    saved = skops.io.dumps(model)
    trusted = skops.io.get_untrusted_types(data=saved)
    assert_array_equal(skops.io.loads(saved, trusted=trusted).predict(X), P)


@pytest.mark.parametrize("engine", ["exact", NearestNeighbors()])
@pytest.mark.parametrize("asked", [False, True])
def test_indexes_can_be_saved_before_and_after_questions(engine, asked):
    X = RNG.normal(size=(50, 4))
    index = NeighborIndex(engine).fit(X)
    if asked:
        index.query(X, 3)
    saved = skops.io.dumps(index)
    trusted = skops.io.get_untrusted_types(data=saved)
    for again in (
        pickle.loads(pickle.dumps(index)),
        skops.io.loads(saved, trusted=trusted),
    ):
        assert_array_equal(again.query(X, 3).indices, index.query(X, 3).indices)
        assert_array_equal(again.graph(3).indices, index.graph(3).indices)
