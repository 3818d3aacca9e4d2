"""Losses of distributions against their definitions, corner by corner."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skldl.objectives import (
    AbsoluteError,
    ColumnDistances,
    LabelManifold,
    LeadMargin,
    Linear,
    MaxEntKL,
    RestError,
    ScoresKL,
    TopError,
)

RNG = np.random.default_rng(0)
D, P = RNG.dirichlet(np.ones(4), 20), RNG.dirichlet(np.ones(4), 20)
TOP = D.argmax(axis=1)
TINY = 1e-16  # rounding of corners that leaves 8 digits


def test_absolute_error():
    weight = RNG.uniform(size=(20, 1))
    value, _ = AbsoluteError(D, weight, TINY).value_and_grad(P)
    assert_allclose(value, (weight * np.abs(P - D)).sum(), atol=1e-6)


def test_lead_margin():
    expected = sum(
        max(0.0, 0.2 - (p[t] - p[label]))
        for p, t in zip(P, TOP, strict=True)
        for label in range(4)
        if label != t
    )
    value, _ = LeadMargin(TOP, 0.2, 3.0, TINY).value_and_grad(P)
    assert_allclose(value, 3 * expected, atol=1e-6)


def test_top_and_rest_error():
    one_hot = np.eye(4)[TOP]
    distances = np.abs(P - one_hot).sum(axis=1)
    value, _ = TopError(TOP, 0.9, TINY).value_and_grad(P)
    assert_allclose(value, np.maximum(0, distances - 0.9).sum(), atol=1e-6)
    gaps = RNG.uniform(size=20)
    rest = (np.abs(P - D) * (1 - one_hot)).sum(axis=1)
    value, _ = RestError(D, TOP, gaps, 0.5, TINY).value_and_grad(P)
    assert_allclose(value, np.maximum(0, rest - gaps).sum() / 2, atol=1e-6)


def test_rounded_corners_lie_above_the_corner_and_near_it():
    for corner_eps in (1e-2, 1e-4):
        rounded, _ = AbsoluteError(D, 1.0, corner_eps).value_and_grad(P)
        exact = np.abs(P - D).sum()
        assert exact <= rounded <= exact + D.size * np.sqrt(corner_eps)


def test_manifold():
    Z, rows = RNG.normal(size=(4, 4)), np.array([2, 3, 5])
    value, _ = LabelManifold([(rows, Z, 0.3)]).value_and_grad(P)
    expected = 0.3 * np.linalg.norm(P[rows] - P[rows] @ Z) ** 2
    assert_allclose(value, expected)


def test_column_distances_are_norms():
    x = RNG.normal(size=(5, 3))
    signs = np.array([[0, 1, -1], [1, 0, 0], [-1, 0, 0]])
    value, _ = ColumnDistances(signs).value_and_grad(x)
    expected = np.linalg.norm(x[:, 0] - x[:, 1]) - np.linalg.norm(x[:, 0] - x[:, 2])
    assert_allclose(value, expected)
    value, gradient = ColumnDistances(abs(signs)).value_and_grad(np.ones((5, 3)))
    assert_allclose(value, 1e-5)  # two pairs, half of the width each
    assert_allclose(gradient, 0)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_linear_scores_give_the_maximum_entropy_objective(fit_intercept):
    X = RNG.normal(size=(20, 3))
    one = Linear(X, 4, ScoresKL(D), fit_intercept=fit_intercept)
    other = MaxEntKL(X, D, fit_intercept=fit_intercept)
    x = RNG.normal(size=other.shape)
    assert one.shape == other.shape
    for a, b in zip(one.value_and_grad(x), other.value_and_grad(x), strict=True):
        assert_allclose(a, b)
