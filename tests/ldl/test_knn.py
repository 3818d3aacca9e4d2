"""AA-kNN against scikit-learn's regressor and by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from threadpoolctl import threadpool_limits

from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, MeanDistribution
from skldl.ldl._knn import neighbor_weights
from skldl.metrics import evaluate

X, D = make_ldl(80, random_state=0)
NEW, _ = make_ldl(30, random_state=1)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_equals_scikit_learns_regressor(weights, metric):
    ours = AAkNN(7, weights=weights, metric=metric).fit(X, D)
    theirs = KNeighborsRegressor(7, weights=weights, metric=metric).fit(X, D)
    for queries in (NEW, X):  # training samples are zero away from themselves
        assert_allclose(ours.predict(queries), theirs.predict(queries), atol=1e-7)


def test_all_neighbours_give_the_mean_distribution():
    mean = MeanDistribution().fit(X, D).predict(NEW)
    assert_allclose(AAkNN(80).fit(X, D).predict(NEW), mean)


def test_one_neighbour_gives_its_distribution_under_every_rule():
    for weights in ("uniform", "dudani", "distance"):
        assert_allclose(AAkNN(1, weights=weights).fit(X, D).predict(X), D)


def test_duplicating_the_data_and_doubling_k_changes_nothing():
    twice = AAkNN(6).fit(np.vstack([X, X]), np.vstack([D, D])).predict(NEW)
    assert_allclose(twice, AAkNN(3).fit(X, D).predict(NEW))


def test_dudani_weights_by_hand():
    floor = np.finfo(np.float32).eps
    raw = np.array([1.0, 0.75, floor])
    weights = neighbor_weights(np.array([[1.0, 2.0, 5.0]]), "dudani")
    assert_allclose(weights, [raw / raw.sum()])
    equal = neighbor_weights(np.array([[2.0, 2.0, 2.0]]), "dudani")
    assert_allclose(equal, 1 / 3)


def test_inverse_distances_of_coincident_and_of_tiny_neighbours():
    weights = neighbor_weights(
        np.array([[0.0, 0.0, 1.0], [1e-310, 2e-310, 1.0]]), "distance"
    )
    assert_allclose(weights[0], [0.5, 0.5, 0.0])
    assert_allclose(weights[1], [2 / 3, 1 / 3, 0.0], atol=1e-6)


@given(
    arrays(np.float64, (3, 4), elements=st.floats(0, 1e6)),
    st.sampled_from(["uniform", "dudani", "distance"]),
)
def test_weights_sum_to_one_and_fall_with_distance(distances, rule):
    weights = neighbor_weights(np.sort(distances, axis=1), rule)
    assert_allclose(weights.sum(axis=1), 1.0)
    assert (weights >= 0).all()
    assert (np.diff(weights, axis=1) <= 1e-12).all()


@pytest.mark.parametrize("width", [4, 20])
def test_sparse_features_give_the_same_predictions(width):
    train, new = X[:, :width], NEW[:, :width]
    dense = AAkNN(3).fit(train, D)
    sparse = AAkNN(3).fit(sp.csr_array(train), D)
    expected = dense.predict(new)
    for model in (dense, sparse):
        for queries in (new, sp.csr_array(new)):
            assert_allclose(model.predict(queries), expected)


def test_more_neighbours_than_samples_is_an_error_that_says_what_to_do():
    with pytest.raises(
        ValueError, match="n_neighbors=5 is more than n_samples=3.*Lower"
    ):
        AAkNN(5).fit(X[:3], D[:3])


@pytest.mark.parametrize(
    "wrong",
    [{"n_neighbors": 0}, {"n_neighbors": 2.5}, {"weights": "gauss"}, {"metric": "l7"},
     {"engine": "faiss"}],
)  # fmt: skip
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' parameter of AAkNN"):
        AAkNN(**wrong).fit(X, D)


def test_mean_distribution_with_weights_is_repetition():
    counts = np.arange(80) % 3
    weighted = MeanDistribution().fit(X, D, sample_weight=counts)
    repeated = MeanDistribution().fit(np.repeat(X, counts, 0), np.repeat(D, counts, 0))
    assert_allclose(weighted.distribution_, repeated.distribution_)
    assert_array_equal(weighted.predict(NEW)[0], weighted.distribution_)


def test_sjaffe_by_brute_force_and_by_measured_values(real_data):
    """A stable sort of all distances; and the prototype's numbers for these folds.

    The data hold two equal samples with different distributions. Twice they tie for
    the last place, where the prototype's choice was arbitrary: hence the tolerance.
    """
    data = real_data("SJAFFE")
    metrics = ["chebyshev", "clark", "canberra", "kl_divergence", "cosine"]
    values = []
    for train, test in KFold(10, shuffle=True, random_state=0).split(data.X):
        P = AAkNN(5).fit(data.X[train], data.D[train]).predict(data.X[test])
        distances = cdist(data.X[test], data.X[train])
        nearest = np.argsort(distances, axis=1, kind="stable")[:, :5]
        assert_allclose(P, data.D[train][nearest].mean(axis=1))
        values.append(list(evaluate(data.D[test], P, metrics=metrics).values()))
    expected = [0.1007, 0.3584, 0.7360, 0.0560, 0.9462]
    assert_allclose(np.mean(values, axis=0), expected, atol=8e-4)


@pytest.mark.parametrize("n_features", [4, 20])
def test_ties_go_to_the_lowest_row_numbers_with_any_number_of_threads(n_features):
    rng = np.random.default_rng(0)
    grid = rng.integers(0, 2, size=(300, n_features)).astype(float)
    degrees = rng.dirichlet(np.ones(3), 300)
    distances = cdist(grid[200:], grid[:200], "sqeuclidean")
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :5]
    expected = degrees[:200][nearest].mean(axis=1)
    for threads in (1, 2):
        with threadpool_limits(threads):
            model = AAkNN(5).fit(grid[:200], degrees[:200])
            assert_allclose(model.predict(grid[200:]), expected)


def test_cross_val_predict_gives_distributions():
    P = cross_val_predict(AAkNN(), X, D)
    assert_allclose(P.sum(axis=1), 1.0)
