"""Improved iterative scaling against its equations and a general root finder."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.special import softmax

from skldl.objectives import MaxEntKL
from skldl.solvers import iis, lbfgs
from skldl.solvers._iis import _Sweep

RNG = np.random.default_rng(0)


def features(kind):
    X = RNG.normal(size=(30, 5))
    if kind == "signed":
        return X
    if kind == "positive":
        return np.abs(X)
    if kind == "equal sums":
        return np.abs(X) / np.abs(X).sum(axis=1, keepdims=True)
    if kind == "wide":  # sums of very different size need many terms
        return np.abs(X) * 10.0 ** RNG.uniform(-2, 1, size=(30, 1))
    return np.where(np.abs(X) < 1, 0.0, X)  # with zeros, and rows of zeros


KINDS = ["signed", "positive", "equal sums", "wide", "zeros"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_steps_solve_the_equations(kind, make):
    X, D = features(kind), RNG.dirichlet(np.ones(3), 30)
    P = softmax(RNG.normal(size=(30, 3)), axis=1)
    delta = _Sweep(make(X), D).step(P)
    f, signs = np.abs(X).sum(axis=1), np.sign(X)
    for k in range(5):
        for label in range(3):

            def equation(d, k=k, label=label):
                scaled = X[:, k] * np.exp(d * signs[:, k] * f)
                return D[:, label] @ X[:, k] - P[:, label] @ scaled

            assert_allclose(delta[k, label], brentq(equation, -9, 9), atol=1e-8)


def test_closed_form_where_all_sums_are_equal():
    X, D = features("equal sums"), RNG.dirichlet(np.ones(3), 30)
    P = softmax(RNG.normal(size=(30, 3)), axis=1)
    assert_allclose(_Sweep(X, D).step(P), np.log((X.T @ D) / (X.T @ P)), atol=1e-10)


def test_a_label_that_never_occurs_gets_the_largest_step_down():
    X, D = features("positive"), np.tile([0.4, 0.6, 0.0], (30, 1))
    sweep = _Sweep(X, D)
    delta = sweep.step(np.full((30, 3), 1 / 3))
    assert_allclose(delta[:, 2], -sweep.limit)
    X[:, 1] = 0.0
    assert_allclose(_Sweep(X, D).step(np.full((30, 3), 1 / 3))[1], 0.0)


@pytest.mark.parametrize("overrelax", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_sweep_raises_the_objective(kind, overrelax):
    X, D = features(kind), RNG.dirichlet(np.ones(3) / 5, 30)
    objective = MaxEntKL(X, D)
    start = 3 * RNG.normal(size=objective.shape)
    solution = iis(objective, start, max_iter=40, tol=0.0, overrelax=overrelax)
    values = [objective.value_and_grad(start)[0], *solution.history]
    assert np.all(np.diff(values) <= 1e-10)
    assert_allclose(objective.value_and_grad(solution.x)[0], solution.value)
    assert values[-1] < values[0]


def test_reaches_the_minimum_of_lbfgs():
    X = RNG.normal(size=(80, 2))
    D = softmax(X @ RNG.normal(size=(2, 3)) + 0.5 * RNG.normal(size=(80, 3)), axis=1)
    objective = MaxEntKL(X, D)
    scaled = iis(objective, np.zeros((2, 3)), max_iter=3000, tol=1e-9)
    best = lbfgs(objective, np.zeros((2, 3)), max_iter=1000, tol=1e-9)
    assert scaled.converged
    assert_allclose(scaled.value, best.value, atol=1e-4)


def test_overrelaxed_sweeps_get_farther_to_the_same_minimum():
    X = RNG.normal(size=(80, 6))
    D = softmax(X @ RNG.normal(size=(6, 3)) + 0.5 * RNG.normal(size=(80, 3)), axis=1)
    objective, start = MaxEntKL(X, D), np.zeros((6, 3))
    plain = iis(objective, start, max_iter=30, tol=0.0)
    long = iis(objective, start, max_iter=30, tol=0.0, overrelax=True)
    assert long.value < plain.value
    best = lbfgs(objective, start, max_iter=1000, tol=1e-9)
    ended = iis(objective, start, max_iter=3000, tol=1e-10, overrelax=True)
    assert ended.converged
    assert_allclose(ended.value, best.value, atol=1e-6)


def test_callback_and_refusals():
    seen = []
    objective = MaxEntKL(features("signed"), RNG.dirichlet(np.ones(3), 30))
    solution = iis(
        objective, np.zeros((5, 3)), max_iter=3, callback=lambda *a: seen.append(a)
    )
    assert seen == list(enumerate(solution.history, start=1))
    assert not solution.converged
    assert solution.n_iter == 3
    other = MaxEntKL(objective.X, objective.D, fit_intercept=True)
    with pytest.raises(ValueError, match="without intercept"):
        iis(other, np.zeros((6, 3)))
