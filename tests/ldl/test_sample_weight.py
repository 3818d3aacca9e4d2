"""Weights of samples: a weight of 2 is a row twice, and what holds where it is not."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

import skldl
from skldl.blocks import Blocks
from skldl.datasets import make_ldl
from skldl.graphs import neighbor_graph
from skldl.ldl import (
    AABP,
    CPNN,
    LALOT,
    LDLLC,
    LDLLDM,
    LDLM,
    LDLSCL,
    LDSVR,
    LSELDL,
    PTSVM,
    RWLM,
    SABFGS,
    SAIIS,
    AAkNN,
    LDkNN,
    LWkNN,
    MeanDistribution,
    PTBayes,
)
from skldl.ldl._ldsvr import quantiles
from skldl.ldl._margin_knn_base import resolve_margin
from skldl.ldl._ptsvm import drawn
from skldl.objectives import NeighborMargin
from skldl.projection import MSLP

X, D = make_ldl(40, n_features=4, n_labels=3, random_state=0)
COUNTS = np.random.default_rng(0).integers(1, 4, 40)
ROWS = np.repeat(np.arange(40), COUNTS)
WEIGHTS = COUNTS.astype(float)

# with searches that go to the end, and without what depends on the number of rows
REPEATED = [
    MeanDistribution(),
    SABFGS(0.1, fit_intercept=True, tol=1e-9),
    SAIIS(max_iter=20),
    SAIIS(max_iter=20, overrelax=True),
    LDLLC(tol=1e-9),
    LDLLDM(local_weight=0.0, tol=1e-9),
    LDLLDM(n_clusters=1, tol=1e-9),
    LALOT(tol=1e-7, max_iter=1000),
    LALOT(debiased=False, tol=1e-7, max_iter=1000),
    LDLSCL(n_clusters=1, max_iter=30),
    LDLM(reg=0.1, corner_eps=1e-2, tol=1e-8),
    RWLM(reg=0.1, corner_eps=1e-2, tol=1e-8),
    RWLM(reg=0.1, corner_eps=1e-2, tol=1e-8, loss_weight="entropy"),
    AABP((5,), max_iter=30, random_state=0),
    CPNN(5, max_iter=30, random_state=0),
    LSELDL(smoothness_weight=0.0, tol=1e-8),
    LSELDL(smoothness_weight=0.0, refit_coef=True, n_components=1),
    LSELDL(smoothness_weight=0.0, solver="gradient", max_iter=30, random_state=0),
    LDSVR(10.0, gamma=0.125, smearing=False, tol=1e-12),
    PTBayes(),
]


@pytest.mark.filterwarnings(r"ignore:\w+ stopped after")
@pytest.mark.parametrize("model", REPEATED, ids=str)
def test_a_weight_of_two_is_a_row_twice(model):
    twice = sklearn.clone(model).fit(X[ROWS], D[ROWS]).predict(X)
    weighted = sklearn.clone(model).fit(X, D, sample_weight=WEIGHTS).predict(X)
    plain = sklearn.clone(model).fit(X, D).predict(X)
    gap = np.abs(twice - plain).max()
    assert gap > 1e-4
    assert_allclose(weighted, twice, atol=1e-3 * gap)


# weights of 4 for all, and penalties that are a quarter
SCALED = [
    (MeanDistribution(), {}),
    (AAkNN(), {}),
    (AAkNN(weights="distance"), {}),
    (LWkNN(5, reg=4.0), {"reg": 1.0}),
    (LWkNN(5, reg=4.0, margin="mean", loss_weight="entropy"), {"reg": 1.0}),
    (LDkNN(3, reg=4.0), {"reg": 1.0}),
    (SABFGS(4.0), {"reg": 1.0}),
    (SAIIS(max_iter=20), {}),
    (LDLLC(4.0, 4.0), {"reg": 1.0, "correlation_weight": 1.0}),
    (LDLLDM(4.0, random_state=0), {"reg": 1.0}),
    (LALOT(reg=4.0, tol=1e-7, max_iter=1000), {"reg": 1.0}),
    (LDLM(4.0, corner_eps=1e-2, tol=1e-7), {"reg": 1.0}),
    (RWLM(4.0, corner_eps=1e-2, tol=1e-7), {"reg": 1.0}),
    (AABP((5,), reg=4.0, tol=1e-7, max_iter=2000, random_state=0), {"reg": 1.0}),
    (CPNN(5, reg=4.0, tol=1e-7, max_iter=2000, random_state=0), {"reg": 1.0}),
    (
        LSELDL(sparsity_weight=4.0, smoothness_weight=0.4, reg=4.0),
        {"sparsity_weight": 1.0, "smoothness_weight": 0.1, "reg": 1.0},
    ),
    (LDSVR(1.0), {"C": 4.0}),
    (PTBayes(), {}),
    (MSLP(2, reg=4.0, reg_mode="absolute"), {"reg": 1.0}),
    (MSLP(2, reg=4.0, reg_mode="relative", center=True), {}),
]


@pytest.mark.filterwarnings(r"ignore:\w+ stopped after")
@pytest.mark.parametrize(("model", "weaker"), SCALED, ids=str)
def test_a_factor_on_all_weights_divides_the_penalties(model, weaker):
    weighted = sklearn.clone(model).fit(X, D, sample_weight=np.full(40, 4.0))
    other = sklearn.clone(model).set_params(**weaker).fit(X, D)
    assert_allclose(weighted.predict(X), other.predict(X), atol=2e-5)


def test_every_learner_takes_weights():
    without = {
        name
        for name, estimator in skldl.all_estimators("ldl")
        if not has_fit_parameter(estimator, "sample_weight")
    }
    assert without <= set()


@pytest.mark.parametrize("rule", ["uniform", "dudani", "distance"])
def test_all_neighbours_give_the_weighted_mean(rule):
    model = AAkNN(40, weights=rule).fit(X, D, sample_weight=WEIGHTS)
    x = np.array([[0.3, -0.2, 0.5, 1.0]])
    distances = np.linalg.norm(X - x, axis=1)
    far = distances.max()
    shares = {
        "uniform": np.ones(40),
        "distance": 1 / distances,
        "dudani": np.maximum((far - distances) / (far - distances.min()), 1.2e-7),
    }[rule]
    expected = np.average(D, axis=0, weights=shares * WEIGHTS)
    assert_allclose(model.predict(x)[0], expected, rtol=1e-6)


def test_a_neighbour_of_little_weight_still_takes_its_place():
    weights = np.where(np.arange(40) == 0, 1e-9, 1.0)
    near = AAkNN(2).fit(X, D, sample_weight=weights).predict(X[:1])
    other = neighbor_graph(X, 1).indices[0]
    assert_allclose(near, D[other], atol=1e-8)


@pytest.mark.parametrize(
    "model", [LWkNN(4, reg=0.1), LWkNN(4, margin="mean"), LDkNN(2, reg=0.1)], ids=str
)
def test_coefficients_of_places_minimise_the_weighted_objective(model):
    model.fit(X, D, sample_weight=WEIGHTS)
    graph = neighbor_graph(X, model.n_neighbors)
    margin, slope = resolve_margin(model.margin, 1.0, D, WEIGHTS)
    loss = NeighborMargin(
        D,
        graph.indices,
        model._fit_inputs(graph.distances),
        margin=margin,
        slope=slope,
        reg=model.reg,
        sample_weight=WEIGHTS,
    )
    assert_allclose(loss.value(model.neighbor_coef_), model.objective_)
    assert model.dual_gap_ < 1e-5
    plain = sklearn.clone(model).fit(X, D).neighbor_coef_
    assert loss.value(plain) > model.objective_ * (1 + 1e-5)


def test_mean_leads_are_weighted():
    leads = resolve_margin("sample", 1.0, D)[0]
    mean, slope = resolve_margin("mean", 2.0, D, WEIGHTS)
    assert_allclose(mean, np.average(leads, weights=WEIGHTS))
    assert_allclose(slope, 2 / mean)


@pytest.mark.filterwarnings("ignore:LDLSCL stopped after")
@pytest.mark.parametrize(
    "model", [LDLLDM(n_clusters=2, tol=1e-9), LDLSCL(2, max_iter=20)], ids=str
)
def test_clusters_that_are_far_apart_are_weighted_like_rows(model):
    """k-means finds them from any start, so all of both learners can be compared."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    far = centers[np.arange(40) % 2] + rng.uniform(0, 0.05, (40, 3))
    far /= far.sum(axis=1, keepdims=True)
    model.set_params(random_state=0)
    twice = model.fit(X[ROWS], far[ROWS]).predict(X)
    plain = model.fit(X, far).predict(X)
    weighted = model.fit(X, far, sample_weight=WEIGHTS).predict(X)
    gap = np.abs(twice - plain).max()
    assert gap > 1e-5
    assert_allclose(weighted, twice, atol=1e-2 * gap)


def test_errors_of_support_vector_regression_are_weighted():
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(200, 2))
    weights = expit(errors[:, 0] - errors[:, 1])
    equal, ones = quantiles(errors, np.full(200, 3.0))
    assert_allclose(equal, quantiles(errors)[0])
    assert_allclose(ones, 1)
    many = quantiles(errors, weights)[0]
    expected = np.average(expit(errors), axis=0, weights=weights)
    assert_allclose(expit(many).mean(axis=0), expected, atol=2e-3)
    assert np.abs(expit(errors).mean(axis=0) - expected).max() > 1e-2
    few, kept = quantiles(errors[:30], weights[:30])
    assert_allclose(few, errors[:30])
    assert_allclose(kept, weights[:30])


def test_smearing_averages_by_weight():
    model = LDSVR(1.0).fit(X, D, sample_weight=WEIGHTS)
    values = np.random.default_rng(0).normal(size=(5, 3))
    expected = np.average(
        expit(values[:, None] + model.errors_), axis=1, weights=WEIGHTS
    )
    assert_allclose(model._smeared(values), expected)


def decision_values(model):
    squared = ((X[:, None] - model.support_vectors_) ** 2).sum(axis=2)
    return np.exp(-model.gamma_ * squared) @ model.dual_coef_ + model.intercept_


def test_decision_values_of_weighted_support_vectors_are_those_of_repeated_rows():
    model = PTSVM(tol=1e-8, random_state=0)
    twice = decision_values(model.fit(X[ROWS], D[ROWS]))
    weighted = decision_values(model.fit(X, D, sample_weight=WEIGHTS))
    plain = decision_values(model.fit(X, D))
    gap = np.abs(twice - plain).max()
    assert gap > 0.1
    assert_allclose(weighted, twice, atol=1e-3 * gap)


def test_the_softmax_of_decision_values_meets_the_weighted_mean():
    """Its intercept has no ridge, so at the optimum the means agree, up to Platt."""
    weights = np.where(D[:, 0] > D[:, 0].mean(), 5.0, 0.5)
    mean = np.average(D, axis=0, weights=weights)
    # a kernel that tells nothing leaves the intercept alone
    flat = PTSVM(gamma=1e-12, random_state=0).fit(X, D, sample_weight=weights)
    assert_allclose(flat.predict(X), np.tile(mean, (40, 1)), atol=1e-3)
    assert np.abs(mean - D.mean(axis=0)).max() > 0.01


def test_samples_are_drawn_in_proportion_to_their_weights():
    many, weights = np.tile(D, (50, 1)), np.tile(WEIGHTS, 50)
    counts = drawn(many, np.random.RandomState(0), weights)
    assert_allclose(counts.sum(), 3 * weights.sum())
    shares = counts.sum(axis=1).reshape(50, 40).sum(axis=0)
    shares /= shares.sum()
    expected = WEIGHTS / WEIGHTS.sum()
    # five standard deviations of 2000 draws
    assert (np.abs(shares - expected) < 5 * np.sqrt(expected / 2000)).all()


def test_embeddings_with_weights_of_links_and_of_neighbours():
    model = MSLP(
        2,
        n_hetero_neighbors=0,
        neighborhood_factor=1,
        attraction_weight=1.0,
        reg=0.5,
        reg_mode="absolute",
        n_decoder_neighbors=5,
    )
    model.fit(X, D, sample_weight=WEIGHTS)
    linked = np.zeros((40, 40), dtype=bool)
    np.put_along_axis(linked, neighbor_graph(X, 5).indices, True, axis=1)
    linked |= linked.T
    squared = ((D[:, None] - D) ** 2).sum(axis=2)
    W = linked * np.exp(-squared / squared[linked].mean())
    W *= np.sqrt(np.outer(WEIGHTS, WEIGHTS))
    G = np.diag(W.sum(axis=1))
    V = model.components_.T
    left = (X.T @ (G - W) @ X + 0.5 * np.eye(4)) @ V
    assert_allclose(left, X.T @ G @ X @ V * model.eigenvalues_, atol=1e-8)
    Z = X @ V
    for i in range(5):
        near = np.argsort(np.linalg.norm(Z - Z[i], axis=1))[:5]
        expected = np.average(D[near], axis=0, weights=WEIGHTS[near])
        assert_allclose(model.predict(X[i : i + 1])[0], expected)


def test_weights_go_through_pipelines_and_folds():
    with sklearn.config_context(enable_metadata_routing=True):
        learner = PTBayes().set_fit_request(sample_weight=True)
        learner.set_score_request(sample_weight=True)
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), learner
        )
        routed = pipeline.fit(X, D, sample_weight=WEIGHTS).predict(X)
        params = {"sample_weight": WEIGHTS}
        scores = cross_val_score(learner, X, D, cv=3, params=params)
    scaled = StandardScaler().fit_transform(X)
    direct = PTBayes().fit(scaled, D, sample_weight=WEIGHTS).predict(scaled)
    assert_allclose(routed, direct)
    assert np.isfinite(scores).all()


def test_blocks_have_no_weights():
    for model in (MSLP(2), SABFGS()):
        with pytest.raises(ValueError, match="sample_weight"):
            model.fit(Blocks(X, D), sample_weight=WEIGHTS)
