"""Logistic, kernel softmax and Dirichlet regression: equivalences and limits."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import gammaln, softmax
from scipy.stats import dirichlet, dirichlet_multinomial
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import (
    SABFGS,
    DirichletLDL,
    KernelRidgeLDL,
    KernelSoftmaxLDL,
    LogisticLDL,
    MeanDistribution,
)
from skldl.ldl._logistic import SoftmaxPath
from skldl.metrics import kl_divergence
from skldl.models import load_model, save_model
from skldl.objectives import DirichletLikelihood, MaxEntKL

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 6)) @ RNG.normal(size=(6, 6))
Y = RNG.integers(0, 3, 120)
ONE_HOT = np.eye(3)[Y]
D = 0.7 * softmax(X[:, :3], axis=1) + 0.3 * RNG.dirichlet(np.ones(3), 120)


@pytest.mark.parametrize("reg", [0.1, 1.0, 100.0])
def test_one_hot_equals_scikit_learn(reg):
    peer = LogisticRegression(C=1 / reg, tol=1e-10, max_iter=10_000).fit(X, Y)
    ours = LogisticLDL(reg, standardize=False).fit(X, ONE_HOT)
    assert_allclose(ours.predict(X), peer.predict_proba(X), atol=1e-5)
    assert_allclose(ours.coef_, peer.coef_ - peer.coef_.mean(axis=0), atol=1e-4)
    assert ours.intercept_.shape == (3,)


def test_standardised_features_equal_those_of_a_scaler():
    Z = StandardScaler().fit_transform(X)
    peer = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(Z, Y)
    ours = LogisticLDL(0.5).fit(1e6 * X, ONE_HOT)
    assert_allclose(ours.predict(1e6 * X), peer.predict_proba(Z), atol=1e-5)


def test_more_features_than_samples():
    wide = RNG.normal(size=(20, 50))
    expected = SABFGS(0.3, fit_intercept=True).fit(wide, D[:20]).predict(wide)
    ours = LogisticLDL(0.3, standardize=False).fit(wide, D[:20])
    assert_allclose(ours.predict(wide), expected, atol=1e-5)
    Z = StandardScaler().fit_transform(wide)
    expected = SABFGS(0.3, fit_intercept=True).fit(Z, D[:20]).predict(Z)
    assert_allclose(
        LogisticLDL(0.3).fit(wide, D[:20]).predict(wide), expected, atol=1e-5
    )


@pytest.mark.parametrize("small", [10**7, 0])
def test_sparse_equals_dense(small, monkeypatch):
    monkeypatch.setattr("skldl.ldl._logistic._SMALL", small)
    holes = np.where(X < 0.5, 0.0, X)
    for settings in ({}, {"fit_intercept": False}, {"standardize": False}):
        dense = LogisticLDL(0.3, **settings).fit(holes, D)
        sparse = LogisticLDL(0.3, **settings).fit(sp.csr_array(holes), D)
        assert_allclose(sparse.predict(holes), dense.predict(holes), atol=1e-5)


def test_the_ridge_is_the_best_of_the_folds():
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    model = LogisticLDL(cv=splits).fit(X, D)
    tried = np.flatnonzero(np.isfinite(model.cv_losses_))
    assert model.reg_ == model.regs_[tried[model.cv_losses_[tried].argmin()]]
    # the features are scaled by all samples, as the final model scales them
    Z = StandardScaler().fit_transform(X)
    for number in (tried[2], tried[-1]):
        losses = []
        for train, test in splits:
            fold = LogisticLDL(model.regs_[number], standardize=False)
            P = fold.fit(Z[train], D[train]).predict(Z[test])
            losses += [kl_divergence(D[test], P, average=None)]
        mean = np.concatenate(losses).mean()
        assert_allclose(model.cv_losses_[number], mean, rtol=1e-3)


@pytest.mark.parametrize(
    "model", [LogisticLDL(1e9), KernelSoftmaxLDL(reg=1e9), DirichletLDL(1e9)]
)
def test_a_very_strong_ridge_gives_the_mean_distribution(model):
    weights = RNG.uniform(0.1, 2.0, 120)
    expected = MeanDistribution().fit(X, D, weights).predict(X)
    P = model.fit(X, D, sample_weight=weights).predict(X)
    assert_allclose(P, expected, atol=1e-5)


def test_all_landmarks_equal_a_logistic_regression_on_the_kernel():
    settings = {"gamma": 0.05, "whiten": False, "standardize": False, "kernel": "rbf"}
    model = KernelSoftmaxLDL(reg=0.2, **settings).fit(X, D)
    K = np.exp(-0.05 * ((X[:, None] - X) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-10
    features = vectors[:, keep] * np.sqrt(values[keep])
    peer = LogisticLDL(0.2, standardize=False, max_iter=5000).fit(features, D)
    assert_allclose(model.predict(X), peer.predict(features), atol=1e-5)
    assert_allclose(model.objective_, peer.objective_, rtol=1e-7)


def test_kernel_softmax_refuses_more_samples_than_allowed():
    with pytest.raises(ValueError, match="max_samples=100 allows"):
        KernelSoftmaxLDL(max_samples=100).fit(X, D)


@pytest.mark.parametrize("votes", [None, RNG.integers(1, 30, 120).astype(float)])
def test_dirichlet_likelihood_equals_scipy(votes):
    target = RNG.dirichlet(np.ones(3), 120)
    if votes is not None:
        counts = RNG.multinomial(votes.astype(int), target)
        target = counts / votes[:, None]
    objective = DirichletLikelihood(X, target, n_votes=votes)
    x = 0.1 * RNG.normal(size=objective.shape)
    P, phi = (
        softmax(X @ x[:-1, :-1] + x[-1, :-1], axis=1),
        1 / (np.exp(-x[-1, -1]) + 1e-6),
    )
    if votes is None:
        expected = [
            -dirichlet.logpdf(d, a) for d, a in zip(target, phi * P, strict=True)
        ]
    else:
        constant = gammaln(votes + 1) - gammaln(counts + 1).sum(axis=1)
        expected = constant - [
            dirichlet_multinomial.logpmf(c, a, int(n))
            for c, a, n in zip(counts, phi * P, votes, strict=True)
        ]
    assert_allclose(objective.value_and_grad(x)[0], np.sum(expected))


def test_dirichlet_finds_mean_and_precision():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(4000, 2))
    P = softmax(Z @ np.array([[1.0, 0.0, -1.0], [0.0, 0.5, -0.5]]), axis=1)
    phi = 20 * np.exp(0.5 * Z[:, 0])
    drawn = np.array([rng.dirichlet(a) for a in phi[:, None] * P])
    model = DirichletLDL(precision="linear", smoothing=0.0).fit(Z, drawn)
    assert_allclose(model.predict(Z), P, atol=0.02)
    alpha = model.predict_concentration(Z)
    assert_allclose(alpha / alpha.sum(axis=1, keepdims=True), model.predict(Z))
    usual = np.abs(Z[:, 0]) < 1
    assert_allclose(alpha.sum(axis=1)[usual], phi[usual], rtol=0.15)
    assert_allclose(model.concentration_, 20, rtol=0.1)
    votes = rng.integers(2, 40, 4000)
    shares = rng.multinomial(votes, drawn) / votes[:, None]
    model = DirichletLDL().fit(Z, shares, n_votes=votes)
    assert_allclose(model.predict(Z), P, atol=0.05)
    assert 10 < model.concentration_ < 30


def test_votes_of_a_large_precision_are_a_logistic_regression():
    shares = np.round(20 * D) / np.round(20 * D).sum(axis=1, keepdims=True)
    logistic = LogisticLDL(3.0).fit(X, shares).predict(X)
    # shares that are nearer their means than votes could be: no extra spread
    model = DirichletLDL(3.0).fit(X, shares, n_votes=2)
    assert model.concentration_ > 1e4
    assert_allclose(model.predict(X), logistic, atol=1e-3)


def test_bad_votes():
    for votes, words in (
        (np.ones(3), r"shape \(3,\); give one number"),
        (np.r_[0.0, np.ones(119)], "row 0 has 0"),
        (np.r_[np.ones(119), np.nan], "row 119 has nan"),
    ):
        with pytest.raises(ValueError, match=words):
            DirichletLDL().fit(X, D, n_votes=votes)


def test_equal_distributions_have_a_bounded_precision():
    model = DirichletLDL().fit(X, np.tile([0.2, 0.3, 0.5], (120, 1)))
    assert model.concentration_ <= 1e6
    assert_allclose(model.predict(X), np.tile([0.2, 0.3, 0.5], (120, 1)), atol=1e-6)


@pytest.mark.parametrize("model", [LogisticLDL(), DirichletLDL(), KernelSoftmaxLDL()])
def test_repeated_rows_are_weights(model):
    if "random_state" in model.get_params():
        model.set_params(random_state=0, n_components=30)
    repeats = RNG.integers(0, 3, 120)
    P = model.fit(X, D, sample_weight=repeats).predict(X)
    repeated = np.repeat(X, repeats, axis=0), np.repeat(D, repeats, axis=0)
    assert_allclose(model.fit(*repeated).predict(X), P, atol=1e-6)


def test_a_saved_model_predicts_the_same(tmp_path):
    X, D = make_ldl(60, random_state=0)
    for model in (KernelRidgeLDL(), DirichletLDL(), LogisticLDL()):
        path = tmp_path / f"{type(model).__name__}.skldl"
        save_model(model.fit(X, D), path)
        assert_allclose(load_model(path).predict(X), model.predict(X))


def test_the_search_starts_at_the_mean_distribution():
    X, D = make_ldl(60, 4, 3, random_state=0)
    weight = np.arange(1.0, 61.0)
    loss = MaxEntKL(X, D, fit_intercept=True, sample_weight=weight)
    start = SoftmaxPath(X, np.ones(4), D, weight)._start(loss)
    assert_allclose(softmax(start[-1]), np.average(D, axis=0, weights=weight))
    assert_allclose(start[:-1], 0.0)
