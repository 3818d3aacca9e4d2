"""PTSVM's distributions: never worse than the mean, whatever the decision values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import rel_entr, softmax
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import PTSVM
from skldl.ldl._ptsvm_calibration import Calibration

X, D = make_ldl(60, 4, 3, noise=0.5, random_state=0)
FOLDS = np.arange(60) % 3


def divergence(D, P):
    return rel_entr(D, P).sum(axis=1).mean()


def of_the_mean(D):
    return divergence(D, np.broadcast_to(D.mean(axis=0), D.shape))


def one_column(scale):
    return X * [1.0, scale, 1.0, 1.0]


def one_cell(value):
    spoilt = X.copy()
    spoilt[3, 2] = value
    return spoilt


SPOILT = {
    "equal": np.ones((60, 4)),
    "huge": X * 1e8,
    "tiny": X * 1e-4,
    "far": X + 1e12,
    "column": one_column(1e8),
    "cell": one_cell(1e15),
    "wide": np.random.default_rng(0).normal(size=(60, 500)),
}


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_features_are_not_worse_than_none(name, resample):
    for gamma in ("auto", "scale"):
        model = PTSVM(gamma=gamma, resample=resample, random_state=0).fit(
            SPOILT[name], D
        )
        found = divergence(D, model.predict(SPOILT[name]))
        assert found <= of_the_mean(D) * (1 + 1e-6)


@given(
    seed=st.integers(0, 2**16),
    scale=st.floats(-8, 8),
    cost=st.floats(-3, 3),
    resample=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_training_samples_are_not_worse_than_the_mean(seed, scale, cost, resample):
    X, D = make_ldl(30, 3, 3, noise=1.0, random_state=seed)
    X = X * 10.0**scale
    model = PTSVM(10.0**cost, resample=resample, random_state=seed, tol=0.1).fit(X, D)
    # by the targets, which are nearer to the mean by one part in n + 1
    targets = (30 * D + D.mean(axis=0)) / 31
    found = divergence(targets, model.predict(X))
    assert found <= of_the_mean(targets) * (1 + 1e-6)


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("scale", [1e-3, 1e-2, 1.0, 1e2])
def test_constants_of_machines_tell_nothing(scale, resample):
    # with a kernel that is nearly constant the values of a machine hardly differ, but
    # its constant is not that of the next machine
    X, D = make_ldl(240, 4, 5, noise=2.0, random_state=0)
    X = X * scale
    for seed in range(3):
        model = PTSVM(resample=resample, random_state=seed).fit(X[:120], D[:120])
        P = model.predict(X[120:])
        mean = np.broadcast_to(D[:120].mean(axis=0), P.shape)
        assert divergence(D[120:], P) < 1.1 * divergence(D[120:], mean)


@pytest.mark.parametrize(
    ("name", "options", "standard"),
    [
        ("SBU_3DFE", {"resample": True}, False),
        ("SJAFFE", {"gamma": "scale"}, False),
        ("SJAFFE", {"gamma": "scale", "resample": True}, False),
        ("SJAFFE", {}, True),
    ],
)
def test_real_data_beat_the_mean(real_data, name, options, standard):
    data = real_data(name)
    X = StandardScaler().fit_transform(data.X) if standard else data.X
    train = np.arange(len(X)) % 3 > 0
    model = PTSVM(**options, random_state=0).fit(X[train], data.D[train])
    mean = np.broadcast_to(data.D[train].mean(axis=0), data.D.shape)
    for rows in (train, ~train):
        found = divergence(data.D[rows], model.predict(X[rows]))
        assert found <= 1.01 * divergence(data.D[rows], mean[rows])


def chosen(values, D, seen=None):
    seen = values if seen is None else seen
    model, low, high = Calibration(values, D, np.abs(values).max()).choose(FOLDS, seen)
    return model, low, high


def test_values_without_spread_give_the_mean():
    for values in (np.zeros((60, 3)), np.ones((60, 3)), 1e-13 * X[:, :3] + 0.0):
        size = max(1.0, np.abs(values).max())
        model, low, high = Calibration(values, D, size).choose(FOLDS, 100 * X[:, :3])
        P = model.predict(np.clip(100 * X[:, :3], low, high))
        assert_allclose(P, np.tile(D.mean(axis=0), (60, 1)), atol=1e-6)


def test_noise_gives_the_mean():
    values = np.random.default_rng(5).normal(size=(60, 3))
    model, _, _ = chosen(values, D)
    assert_allclose(model.coef_, 0, atol=0)
    assert_allclose(softmax(model.intercept_), D.mean(axis=0), atol=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_values_that_tell_all_are_believed_in_any_unit(scale):
    degrees = softmax(X[:, :3], axis=1)
    model, low, high = chosen(scale * X[:, :3], degrees)
    P = model.predict(np.clip(scale * X[:, :3], low, high))
    assert divergence(degrees, P) < 0.05 * of_the_mean(degrees)
    assert_allclose(low, scale * X[:, :3].min(axis=0))
    assert_allclose(high, scale * X[:, :3].max(axis=0))


def test_values_of_training_samples_may_not_mislead():
    degrees = softmax(X[:, :3], axis=1)
    # those of the final machine point the wrong way
    model, low, high = chosen(X[:, :3], degrees, -X[:, :3])
    P = model.predict(np.clip(-X[:, :3], low, high))
    assert divergence(degrees, P) <= of_the_mean(degrees) * (1 + 1e-6)


def test_a_label_that_a_fold_lacks_does_not_rule_the_choice():
    degrees = softmax(X[:, :3], axis=1)
    degrees[:, 1] = 0.0
    degrees[3, 1] = 1.0
    degrees /= degrees.sum(axis=1, keepdims=True)
    model, low, high = chosen(X[:, :3], degrees)
    P = model.predict(np.clip(X[:, :3], low, high))
    assert np.corrcoef(P[:, 0], degrees[:, 0])[0, 1] > 0.8


def test_values_beyond_the_range_are_moved_to_its_ends():
    model = PTSVM(random_state=0).fit(X, D)
    kept = model.predict(X)
    model.value_range_ = np.tile(model.value_range_.mean(axis=0), (2, 1))
    assert np.ptp(kept, axis=0).min() > 0.05
    assert_allclose(np.ptp(model.predict(X), axis=0), 0, atol=1e-12)
