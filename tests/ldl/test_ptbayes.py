"""PTBayes against scikit-learn's discriminant analysis and the published code's law."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.naive_bayes import GaussianNB

from skldl.datasets import make_ldl
from skldl.ldl import PTBayes

X, D = make_ldl(150, 3, 4, noise=0.5, random_state=0)


@pytest.mark.parametrize("underflow", [False, True])
def test_the_rule_of_bayes_by_hand(underflow):
    joint = np.empty(D.shape)
    for label in range(4):
        weights = D[:, label]
        mean = np.average(X, axis=0, weights=weights)
        covariance = np.cov(X.T, aweights=weights, ddof=0)
        density = multivariate_normal(mean, covariance).pdf(X)
        joint[:, label] = weights.mean() * density
    P = PTBayes(0.0, underflow=underflow).fit(X, D).predict(X)
    assert_allclose(P, joint / joint.sum(axis=1, keepdims=True), atol=1e-8)


def test_weights_are_what_drawing_tends_to():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 150, 200_000)
    cumulated = D.cumsum(axis=1)[rows]
    labels = (rng.uniform(size=(200_000, 1)) > cumulated).sum(axis=1).clip(max=3)
    drawn = PTBayes().fit(X[rows], np.eye(4)[labels])
    assert_allclose(PTBayes().fit(X, D).predict(X), drawn.predict(X), atol=0.02)


def test_one_feature_is_naive_bayes():
    y = D.argmax(axis=1)
    ours = PTBayes(floor=0.0).fit(X[:, :1], np.eye(4)[y]).predict(X[:, :1])
    theirs = GaussianNB(var_smoothing=0.0).fit(X[:, :1], y).predict_proba(X[:, :1])
    assert_allclose(ours, theirs, atol=1e-8)


def test_full_shrinkage_gives_spheres():
    factors = PTBayes(1.0).fit(X, D).factors_
    for factor in factors:
        assert_allclose(factor, factor[0, 0] * np.eye(3))


def test_densities_that_vanish():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(150, 60)) * 1e-5
    far = np.full((1, 60), 1e3)
    model = PTBayes(underflow=True).fit(wide, D)
    assert_allclose(model.predict(far), 0.25)
    stable = model.set_params(underflow=False).predict(far)
    assert stable.max() > 0.999
    assert stable.min() > 1e-10


def test_a_label_that_nobody_has():
    padded = np.hstack([D, np.zeros((150, 1))])
    P = PTBayes(floor=0.0).fit(X, padded).predict(X)
    assert_allclose(P[:, 4], 0, atol=0)
    assert_allclose(P[:, :4], PTBayes(floor=0.0).fit(X, D).predict(X))


def test_too_few_samples_are_said():
    wide = np.random.default_rng(0).normal(size=(10, 30)) * 1e3
    with pytest.raises(ValueError, match=r"30 features \(n_samples=10\).*shrinkage"):
        PTBayes(0.0).fit(wide, D[:10])


@pytest.mark.parametrize("model", [PTBayes(-0.1), PTBayes(1.1), PTBayes(floor=1.0)])
def test_bad_settings(model):
    with pytest.raises(ValueError, match="parameter of PTBayes"):
        model.fit(X, D)


def test_numbers_too_large_for_variances_are_refused():
    with pytest.raises(ValueError, match="variances overflow"):
        PTBayes().fit(X * 1e160, D)


def test_a_sample_beyond_all_densities_gets_equal_degrees():
    # every density is 0 in double precision, so nothing is left to divide by
    model = PTBayes(underflow=True, floor=0.0).fit(X, D)
    assert_allclose(
        model.predict(X[:2] + 1e6), np.full((2, D.shape[1]), 1 / D.shape[1])
    )
