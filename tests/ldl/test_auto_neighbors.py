"""The number of neighbours by left-out samples, against n refits."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors

from skldl.datasets import make_ldl
from skldl.graphs import NeighborIndex, cumulative_means, left_out_neighbors
from skldl.graphs import _left_out as module
from skldl.ldl import AAkNN
from skldl.metrics import kl_divergence
from skldl.model_selection import PathSearchCV

X, D = make_ldl(40, random_state=0)
NEW, _ = make_ldl(15, random_state=1)
TWICE = np.repeat(X, 2, axis=0)[:40]  # every sample has a copy, with other labels
WEIGHTS = np.random.default_rng(0).uniform(0.1, 3.0, 40)
RULES = ["uniform", "dudani", "distance"]


def losses_by_refits(X, D, sample_weight, counts, **settings):
    """Mean divergence of each count when every sample is left out of a fit."""
    own = np.ones(len(X)) if sample_weight is None else sample_weight
    found = []
    for k in counts:
        values = []
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            model = AAkNN(k, **settings).fit(X[rest], D[rest], own[rest])
            values.append(kl_divergence(D[i : i + 1], model.predict(X[i : i + 1])))
        found.append(np.average(values, weights=own))
    return found


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("rows", [X, TWICE], ids=["apart", "twice"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_equals_the_choice_by_refits(rule, rows, weights):
    counts = [3, 5, 7, 10, 15, 22]
    train = rows[:25], D[:25], None if weights is None else weights[:25]
    expected = losses_by_refits(*train, counts=counts, weights=rule)
    model = AAkNN(weights=rule).fit(*train)
    assert model.n_neighbors_ == counts[int(np.argmin(expected))]
    given = AAkNN(model.n_neighbors_, weights=rule).fit(*train)
    assert_array_equal(model.predict(NEW), given.predict(NEW))


def test_weights_matter_only_by_their_ratios_and_zero_leaves_out():
    model = AAkNN().fit(X, D, WEIGHTS)
    assert AAkNN().fit(X, D, 2 * WEIGHTS).n_neighbors_ == model.n_neighbors_
    kept = np.arange(40) < 30
    part = AAkNN().fit(X, D, np.where(kept, WEIGHTS, 0.0))
    alone = AAkNN().fit(X[kept], D[kept], WEIGHTS[kept])
    assert part.n_neighbors_ == alone.n_neighbors_
    assert_allclose(part.predict(NEW), alone.predict(NEW))


@pytest.mark.parametrize(("n_samples", "expected"), [(1, 1), (2, 1), (3, 2)])
def test_few_samples(n_samples, expected):
    assert AAkNN().fit(X[:n_samples], D[:n_samples]).n_neighbors_ == expected


def test_noise_wants_many_neighbours_and_no_noise_few():
    rng = np.random.default_rng(0)
    line = np.linspace(0, 1, 400)[:, None]
    degrees = np.hstack([line, 1 - line]) * 0.8 + 0.1
    assert AAkNN().fit(line, degrees).n_neighbors_ <= 5
    noise = rng.dirichlet([5.0, 5.0], 400)
    assert AAkNN().fit(line, noise).n_neighbors_ == 250


def test_sparse_rows_and_other_metrics_choose_as_dense_ones():
    for metric in ("euclidean", "manhattan", "cosine"):
        dense = AAkNN(metric=metric).fit(X, D)
        assert AAkNN(metric=metric).fit(sp.csr_array(X), D).n_neighbors_ == (
            dense.n_neighbors_
        )


def test_a_path_chooses_as_single_fits_do():
    grid = {"n_neighbors": ["auto", 4], "weights": RULES}
    settings = [
        {"n_neighbors": k, "weights": rule}
        for k in grid["n_neighbors"]
        for rule in RULES
    ]
    for params, P in AAkNN()._path(X, D, NEW, settings):
        assert_allclose(P, AAkNN(**params).fit(X, D).predict(NEW))
    search = PathSearchCV(AAkNN(), grid, cv=3).fit(X, D)
    assert len(search.cv_results_["params"]) == 6


def test_one_search_serves_a_fit_and_a_path(monkeypatch):
    searches = []
    original = NeighborIndex.graph

    def counted(self, *args):
        searches.append(args)
        return original(self, *args)

    monkeypatch.setattr(NeighborIndex, "graph", counted)
    AAkNN().fit(X, D)
    assert len(searches) == 1
    list(AAkNN()._path(X, D, NEW, [{"weights": rule} for rule in RULES]))
    assert len(searches) == 2


@pytest.mark.parametrize("engine", ["exact", NearestNeighbors()], ids=["exact", "own"])
@pytest.mark.parametrize("rows", [X, TWICE, np.zeros((40, 2))])
def test_neighbours_of_some_rows_are_those_of_all(engine, rows):
    index = NeighborIndex(engine).fit(rows)
    some = np.array([0, 7, 8, 39])
    for k in (1, 5, 39):
        whole, part = index.graph(k), index.graph(k, some)
        assert_allclose(part.distances, whole.distances[some])
        assert (part.indices != some[:, None]).all()
        if engine == "exact":
            assert_array_equal(part.indices, whole.indices[some])


def test_many_samples_are_judged_by_some(monkeypatch):
    monkeypatch.setattr(module, "_MOST_ROWS", 10)
    left_out = left_out_neighbors(NeighborIndex().fit(X))
    assert_array_equal(left_out.rows, np.linspace(0, 39, 10).astype(int))
    assert left_out.graph.indices.shape == (10, 33)
    assert AAkNN().fit(X, D, WEIGHTS).n_neighbors_ in left_out.counts


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 100))
def test_cumulative_means_are_means(first, more, seed):
    rng = np.random.default_rng(seed)
    indices = rng.integers(0, 40, (5, first + more))
    weights = rng.uniform(0.1, 1.0, indices.shape)
    counts = [first, first + more]
    for k, means in zip(
        counts, cumulative_means(D, indices, weights, counts), strict=True
    ):
        expected = [
            np.average(D[row[:k]], axis=0, weights=w[:k])
            for row, w in zip(indices, weights, strict=True)
        ]
        assert_allclose(means, expected)


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="'n_neighbors' parameter of AAkNN"):
        AAkNN("best").fit(X, D)
