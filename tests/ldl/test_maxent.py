"""SABFGS and SAIIS: known optima, each other, and logistic regression."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import skldl
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, SAIIS
from skldl.ldl._maxent import second_moments
from skldl.objectives import MaxEntKL

X, D = make_ldl(120, 4, 3, noise=0.5, random_state=0)
PUBLISHED = {"reg": 0.0, "fit_intercept": False}


def test_without_noise_the_true_coefficients_come_out():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(3, 4))
    model = SABFGS(**PUBLISHED, tol=1e-9).fit(X, softmax(X @ truth.T, axis=1))
    assert_allclose(
        model.coef_ - model.coef_.mean(axis=0), truth - truth.mean(axis=0), atol=1e-4
    )
    assert model.objective_ < 1e-8


def test_the_gradient_vanishes_at_the_end():
    model = SABFGS(**PUBLISHED).fit(X, D)
    value, gradient = MaxEntKL(X, D).value_and_grad(model.coef_.T)
    assert np.abs(gradient).max() < 1e-5
    assert_allclose(model.objective_, value)
    assert np.all(np.diff(model.objective_history_) <= 0)
    assert len(model.objective_history_) == model.n_iter_


@pytest.mark.parametrize("reg", [0.1, 2.0])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_with_one_hot_rows_it_is_logistic_regression(reg, fit_intercept):
    y = D.argmax(axis=1)
    ours = SABFGS(reg, fit_intercept=fit_intercept, tol=1e-8).fit(X, np.eye(3)[y])
    theirs = LogisticRegression(
        C=1 / reg, fit_intercept=fit_intercept, tol=1e-10, max_iter=5000
    ).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(ours.predict(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("reg", [0.0, 0.5])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_preconditioning_changes_the_way_only(reg, make):
    rng = np.random.default_rng(0)
    wide = np.hstack([X, X[:, :1], np.zeros((120, 1))]) * 10.0 ** rng.integers(-1, 2, 6)
    weights = rng.uniform(size=120)
    models = [
        SABFGS(reg, fit_intercept=True, precondition=p, max_iter=3000, tol=1e-7).fit(
            make(wide), D, sample_weight=weights
        )
        for p in (True, False, "auto")
    ]
    few, many, auto = models
    assert_allclose(few.objective_, many.objective_, rtol=1e-8)
    assert_allclose(few.predict(wide), many.predict(wide), atol=1e-5)
    assert few.n_iter_ < many.n_iter_ / 2
    assert auto.n_iter_ == few.n_iter_


def test_few_samples_are_not_preconditioned_by_themselves():
    with pytest.warns(ConvergenceWarning):
        auto = SABFGS(**PUBLISHED, max_iter=4).fit(X[:7], D[:7])
    with pytest.warns(ConvergenceWarning):
        plain = SABFGS(**PUBLISHED, max_iter=4, precondition=False).fit(X[:7], D[:7])
    assert_allclose(auto.coef_, plain.coef_)


def test_second_moments_by_hand():
    weights = np.arange(120.0)
    ones = np.hstack([X, np.ones((120, 1))])
    expected = (ones * weights[:, None]).T @ ones
    for make in (np.asarray, sp.csr_array, sp.csr_matrix):
        loss = MaxEntKL(make(X), D, fit_intercept=True, sample_weight=weights)
        assert_allclose(second_moments(loss), expected)
    assert_allclose(second_moments(MaxEntKL(X, D)), X.T @ X)


def test_iterative_scaling_gets_to_the_same_minimum():
    slow = SAIIS(5000, tol=1e-8).fit(X, D)
    fast = SABFGS(**PUBLISHED).fit(X, D)
    assert_allclose(slow.objective_, fast.objective_, atol=1e-4)
    assert_allclose(slow.predict(X), fast.predict(X), atol=1e-3)
    start = MaxEntKL(X, D).value_and_grad(np.eye(4, 3))[0]
    assert slow.objective_history_[0] < start
    zeros = SAIIS(5000, tol=1e-8, init="zeros").fit(X, D)
    assert_allclose(zeros.objective_, fast.objective_, atol=1e-4)


@pytest.mark.parametrize("model", [SABFGS(0.1, fit_intercept=True), SAIIS(tol=0.1)])
def test_sparse_features_change_nothing(model):
    few = np.where(np.abs(X) < 0.7, 0.0, X)
    expected = model.fit(few, D).predict(few)
    for make in (sp.csr_array, sp.csc_matrix):
        assert_allclose(model.fit(make(few), D).predict(make(few)), expected, atol=1e-7)


def test_weights_are_repetitions():
    counts = np.arange(120) % 3
    weighted = SABFGS(0.1).fit(X, D, sample_weight=counts)
    repeated = SABFGS(0.1).fit(np.repeat(X, counts, 0), np.repeat(D, counts, 0))
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_an_intercept_gives_the_mean_where_features_say_nothing():
    model = SABFGS(0.0, fit_intercept=True).fit(np.zeros((120, 2)), D)
    assert_allclose(model.predict([[1.0, 2.0]])[0], D.mean(axis=0), atol=1e-6)


def test_huge_scores_do_not_overflow():
    P = SABFGS(**PUBLISHED, max_iter=3, tol=1e6).fit(1e5 * X, D).predict(1e8 * X)
    assert np.isfinite(P).all()


@pytest.mark.parametrize("model", [SABFGS(max_iter=2), SAIIS(2)])
def test_says_once_how_far_it_got(model):
    with pytest.warns(ConvergenceWarning, match=r"stopped after 2 .*\d") as caught:
        model.fit(X, D)
    assert len(caught) == 1
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    "model",
    [
        SABFGS(reg=-1),
        SABFGS(max_iter=0),
        SABFGS(tol=-1),
        SABFGS(precondition="yes"),
        SAIIS(0),
        SAIIS(init="ones"),
    ],
)
def test_bad_settings(model):
    with pytest.raises(ValueError, match=f"parameter of {type(model).__name__}"):
        model.fit(X, D)


@pytest.mark.filterwarnings("ignore:SAIIS stopped")
def test_measured_objectives_on_yeast_cold(real_data):
    data = real_data("Yeast_cold")
    log_D = np.log(np.where(data.D > 0, data.D, 1.0))
    entropy = -float((data.D * log_D).sum())
    assert_allclose(entropy, 3383.9894, atol=1e-4)
    history = SAIIS(200).fit(data.X, data.D).objective_history_ + entropy
    expected = [3428.4814, 3425.8464, 3419.7143, 3414.8211]
    assert_allclose(history[[0, 9, 49, 199]], expected, atol=1e-4)
    best = SABFGS(**PUBLISHED).fit(data.X, data.D).objective_ + entropy
    assert best <= 3413.4024
    assert best > 3413.40


@pytest.mark.parametrize("where", [1e6, 1e4])
def test_features_far_from_zero_or_in_odd_units(where):
    """A timestamp among the features: the same minimum as after standardising."""
    expected = SABFGS(0.0, fit_intercept=True).fit(X, D).objective_
    stamped = X.copy()
    stamped[:, 0] = 1.7e9 + where * stamped[:, 0]
    units = X * np.logspace(-8, 8, X.shape[1])
    for features in (stamped, units):
        found = SABFGS(0.0, fit_intercept=True).fit(features, D).objective_
        assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("Model", [SABFGS, SAIIS])
def test_progress_is_reported(Model):
    steps = []
    with skldl.progress(steps.append):
        model = Model(max_iter=1000).fit(X, D)
    assert [s.done for s in steps] == list(range(1, model.n_iter_ + 1))
    assert_allclose(steps[-1].detail["objective"], model.objective_)


def test_the_default_predicts_the_mean_on_average():
    """The slope of the intercept, which has no ridge, is zero at the minimum."""
    X, D = make_ldl(80, 4, 3, random_state=0)
    P = SABFGS(tol=1e-7).fit(X, D).predict(X)
    assert_allclose(P.mean(axis=0), D.mean(axis=0), atol=1e-6)
    without = SABFGS(tol=1e-7, fit_intercept=False).fit(X, D).predict(X)
    assert np.abs(without.mean(axis=0) - D.mean(axis=0)).max() > 0.001
