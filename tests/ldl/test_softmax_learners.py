"""LDLLC, LDLLDM, LDLM, RWLM: limits that are known, optimality, invariance."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from skldl.datasets import make_ldl
from skldl.ldl import LDLLC, LDLLDM, LDLM, RWLM, SABFGS
from skldl.ldl._ldllc import correlation_signs
from skldl.ldl._ldlldm import rebuilding_weights
from skldl.ldl._margin_softmax import second_gaps
from skldl.ldl._maxent_smooth import label_clusters
from skldl.metrics import kl_divergence, zero_one_loss

X, D = make_ldl(120, 4, 3, noise=0.5, random_state=0)
ALL = [LDLLC(), LDLLDM(random_state=0), LDLM(1.0), RWLM(1.0, max_iter=1000)]


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_without_correlations_ldllc_is_a_ridge(fit_intercept):
    ours = LDLLC(0.5, 0.0, fit_intercept=fit_intercept, tol=1e-8).fit(X, D)
    ridge = SABFGS(1.0, fit_intercept=fit_intercept, tol=1e-8).fit(X, D)
    assert_allclose(ours.coef_, ridge.coef_, atol=1e-6)
    assert_allclose(ours.objective_, ridge.objective_)


def test_ldllc_pulls_like_labels_together_and_opposite_ones_apart():
    def distances(model):
        return np.linalg.norm(model.coef_[:, None] - model.coef_[None], axis=2)

    free, tied = LDLLC(0.1, 0.0).fit(X, D), LDLLC(0.1, 2.0).fit(X, D)
    signs = tied.correlation_signs_
    assert_allclose(signs, correlation_signs(tied.coef_.T))
    change = distances(tied) - distances(free)
    assert (change[signs < 0] > 0).all()
    assert (signs < 0).any()


def test_signs_of_correlations():
    x = np.array([[1.0, 2.0, -1.0, 5.0], [2.0, 4.0, -2.0, 5.0], [0.0, 1.0, 1.0, 5.0]])
    expected = np.sign(np.corrcoef(x[:, :3].T)) - np.eye(3)
    signs = correlation_signs(x)
    assert_allclose(signs[:3, :3], expected)
    assert_allclose(signs[3], 0)
    assert_allclose(correlation_signs(np.ones((1, 2))), 0)


def test_without_manifold_ldlldm_is_a_ridge():
    ours = LDLLDM(0.5, 0.0, 0.0, tol=1e-8).fit(X, D)
    ridge = SABFGS(0.5, fit_intercept=True, tol=1e-8).fit(X, D)
    assert_allclose(ours.coef_, ridge.coef_, atol=1e-6)
    assert_allclose(ours.predict(X), ridge.predict(X), atol=1e-6)


def test_rebuilding_weights_are_optimal():
    Z = rebuilding_weights(D)
    assert_allclose(Z.sum(axis=0), 1)
    assert_allclose(np.diag(Z), 0, atol=0)
    differences = D[:, [0]] - D[:, 1:]
    trace = (differences**2).sum()

    def loss(w):
        return np.sum((differences @ w) ** 2) + 1e-3 * trace * w @ w

    best = loss(Z[1:, 0])
    for shift in (0.01, -0.01):
        assert best < loss(Z[1:, 0] + [shift, -shift])


def test_rebuilding_weights_of_few_or_equal_labels():
    assert_allclose(rebuilding_weights(np.ones((5, 1))), 0)
    assert_allclose(rebuilding_weights(D[:, :2]), [[0, 1], [1, 0]])
    same = np.tile(D[:, :1], (1, 3))
    assert_allclose(rebuilding_weights(same), (1 - np.eye(3)) / 2)


def test_a_heavier_manifold_is_kept_better():
    Z = np.eye(3) - rebuilding_weights(D)

    def off(weight):
        P = LDLLDM(0.01, weight, 0.0, random_state=0).fit(X, D).predict(X)
        return np.linalg.norm(P @ Z)

    assert off(0.0) > off(1.0) > off(100.0)


def test_clusters_do_not_depend_on_the_order():
    order = np.random.default_rng(0).permutation(120)
    clusters = label_clusters(D, 5, 0)
    assert len(set(clusters)) == 5
    assert_allclose(label_clusters(D[order], 5, 0), clusters[order])
    assert_allclose(label_clusters(D[:, [2, 0, 1]], 5, 0), clusters)
    assert_allclose(label_clusters(np.tile(D[:2], (5, 1)), 5, 0).max(), 1)


def test_second_gaps():
    rows = np.array([[0.1, 0.6, 0.3], [0.5, 0.5, 0.0], [0.2, 0.2, 0.6]])
    assert_allclose(second_gaps(rows), [0.2, 0.5, 0.0])
    assert_allclose(second_gaps(np.array([[0.7, 0.3]])), [0.3])
    assert_allclose(second_gaps(np.array([[1.0]])), [0.0])


def lost(model, D, P):
    """The exact objectives without the ridge, row by row."""
    total = 0.0
    for d, p in zip(D, P, strict=True):
        t = d.argmax()
        rest = np.delete(np.arange(len(d)), t)
        lead = np.maximum(0, model.margin - (p[t] - p[rest])).sum()
        if isinstance(model, RWLM):
            entropy = -np.sum(d * np.log(d))
            weight = 1.0 if model.loss_weight is None else entropy * d
            total += (weight * abs(p - d)).sum()
            total += model.margin_weight * lead / model.margin
        else:
            second, third = sorted([0.0, *d])[-2], sorted([0.0, *d])[-3]
            total += max(0, abs(p - np.eye(len(d))[t]).sum() - model.margin)
            total += model.margin_weight * lead
            off = abs(p - d)[rest].sum() - (second - third)
            total += model.rest_weight * max(0, off)
    return total


@pytest.mark.parametrize(
    "model",
    [LDLM(1.0, 0.5, 0.7), RWLM(1.0, 0.5), RWLM(1.0, 0.5, loss_weight="entropy")],
)
def test_margin_learners_minimise_their_formula(model):
    model = model.set_params(corner_eps=1e-10, tol=1e-3, max_iter=3000).fit(X, D)
    theta = np.vstack([model.coef_.T, model.intercept_])
    ones = np.hstack([X, np.ones((120, 1))])

    def objective(theta):
        P = softmax(ones @ theta, axis=1)
        return lost(model, D, P) + model.reg / 2 * np.sum(theta**2)

    best = objective(theta)
    assert_allclose(model.objective_, best, rtol=1e-4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert objective(theta + 0.01 * rng.normal(size=theta.shape)) > best - 1e-4


def test_the_margin_is_for_classification():
    X, D = make_ldl(400, 6, 4, noise=1.0, random_state=1)
    plain, margin = SABFGS(1.0, fit_intercept=True).fit(X, D), LDLM(1.0).fit(X, D)
    truth = D
    assert zero_one_loss(truth, margin.predict(X)) < zero_one_loss(
        truth, plain.predict(X)
    )
    assert kl_divergence(truth, margin.predict(X)) > kl_divergence(
        truth, plain.predict(X)
    )


@pytest.mark.parametrize("model", ALL)
def test_sparse_features_change_nothing(model):
    few = np.where(np.abs(X) < 0.7, 0.0, X)
    expected = model.fit(few, D).predict(few)
    again = model.fit(sp.csr_array(few), D).predict(sp.csr_array(few))
    assert_allclose(again, expected, atol=1e-4)


@pytest.mark.parametrize("model", ALL)
def test_few_samples_and_many_features(model):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(20, 50))
    P = model.fit(wide, D[:20]).predict(wide)
    assert_allclose(P.sum(axis=1), 1)
    assert model.score(wide, D[:20]) > 0.6


@pytest.mark.parametrize("estimator", [LDLLC, LDLLDM, LDLM, RWLM])
def test_says_once_how_far_it_got(estimator):
    model = estimator(max_iter=1, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"stopped after \d+ .*\d") as caught:
        model.fit(X, D)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "model",
    [
        LDLLC(reg=0),
        LDLLC(correlation_weight=-1),
        LDLLDM(n_clusters=0),
        LDLLDM(global_weight=-1),
        LDLM(margin=0),
        LDLM(rest_weight=-1),
        RWLM(corner_eps=0),
        RWLM(loss_weight="degree"),
    ],
)
def test_bad_settings(model):
    with pytest.raises(ValueError, match=f"parameter of {type(model).__name__}"):
        model.fit(X, D)


def test_adam_follows_its_seed_and_lowers_the_objective():
    def fitted(seed):
        return RWLM(solver="adam", max_iter=60, random_state=seed).fit(X, D)

    one = fitted(0)
    assert_allclose(one.coef_, fitted(0).coef_)
    assert not np.allclose(one.coef_, fitted(1).coef_)
    assert one.n_iter_ == len(one.objective_history_) == 60
    assert one.objective_ < one.objective_history_[0]


def test_the_ridge_of_adam_is_in_every_batch():
    # one batch of all samples: a first step has the length of the rate, and goes where
    # loss and ridge together fall
    model = RWLM(solver="adam", reg=1e9, max_iter=1, random_state=0).fit(X[:30], D[:30])
    start = np.random.RandomState(0).normal(size=(X.shape[1] + 1, D.shape[1]))
    moved = start - 1e-3 * np.sign(start)  # the ridge outweighs everything
    assert_allclose(np.vstack([model.coef_.T, model.intercept_]), moved, atol=1e-9)
