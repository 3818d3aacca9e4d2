"""Closed forms of balls against a grid of the simplex and against optimisation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from skldl.conformal._balls import Ball
from skldl.conformal._log_ratio_ball import log_ratio_bounds

SCORES = ("tv", "kl", "aitchison", "label")


def grid(n=150):
    """All distributions of three labels whose degrees are multiples of 1/n."""
    a, b = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    inside = a + b <= n
    a, b = a[inside], b[inside]
    return np.column_stack([a, b, n - a - b]) / n


def make_ball(score, smoothing=0.02):
    return Ball(score, smoothing, np.array([0.5, 1.0, 2.0]))


CENTERS = np.array(
    [[0.2, 0.3, 0.5], [1 / 3] * 3, [0.02, 0.08, 0.9], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("radius", [0.02, 0.15, 0.6])
def test_bounds_and_largest_labels_are_those_of_a_grid(score, radius):
    ball, Q = make_ball(score), grid()
    radii = np.full(len(CENTERS), radius * (1 if score != "aitchison" else 3))
    lower, upper = ball.bounds(CENTERS, radii)
    labels = ball.largest(CENTERS, radii)
    # a ball that is a little larger has grid points near its border
    for i, p in enumerate(CENTERS):
        distance = ball.distance(Q, p)
        inside = Q[distance <= radii[i]]
        if len(inside):
            assert (inside >= lower[i] - 1e-9).all()
            assert (inside <= upper[i] + 1e-9).all()
        for j in range(3):
            winners = distance[Q[:, j] == Q.max(axis=1)]
            assert labels[i, j] >= (winners <= radii[i]).any()
            if labels[i, j] and p[j] < p.max():
                assert winners.min() <= radii[i] * 1.05 + 0.02
        if score in ("tv", "kl", "label") and len(inside) > 20:
            assert_allclose(inside.min(axis=0), lower[i], atol=0.03)
            assert_allclose(inside.max(axis=0), upper[i], atol=0.03)


@pytest.mark.parametrize("seed", range(6))
def test_log_ratio_bounds_are_the_optimum(seed):
    rng = np.random.default_rng(seed)
    n_labels = int(rng.integers(2, 6))
    p = rng.dirichlet(np.ones(n_labels))[None]
    radius = np.array([rng.choice([0.1, 1.0, 3.0, 8.0])])
    lower, upper = log_ratio_bounds(p, radius)
    z = np.log(p[0])
    z -= z.mean()

    def value(direction, j, sign=1):
        direction = direction - direction.mean()
        v = z + radius[0] * direction / max(np.linalg.norm(direction), 1e-300)
        return sign * (v[j] - np.log(np.exp(v).sum()))

    for j in range(n_labels):
        starts = rng.normal(size=(12, n_labels))
        low = min(minimize(value, s, args=(j,)).fun for s in starts)
        high = -min(minimize(value, s, args=(j, -1)).fun for s in starts)
        assert_allclose(np.log(lower[0, j]), low, atol=1e-5)
        assert_allclose(np.log(upper[0, j]), high, atol=1e-5)


def test_the_smallest_degree_leaves_a_saddle():
    """From the uniform centre the gradient points to a saddle, not to the least."""
    lower, _ = log_ratio_bounds(np.full((1, 4), 0.25), np.array([6.0]))
    e = np.array([-1, 1, 0, 0]) * 6.0 / np.sqrt(2)
    assert lower[0, 0] <= np.exp(e[0]) / np.exp(e).sum() + 1e-12


@pytest.mark.parametrize("score", SCORES)
def test_many_labels_largest_by_optimisation(score):
    rng = np.random.default_rng(0)
    scale = rng.uniform(0.5, 2, 4)
    ball = Ball(score, 0.0, scale)
    for p in rng.dirichlet(np.ones(4), 4):
        for j in range(4):
            found = _nearest_with_largest(ball, p, j)
            for factor, expected in ((1.02, True), (0.98, False)):
                radius = np.array([found * factor])
                if found > 1e-6:
                    assert ball.largest(p[None], radius)[0, j] == expected


def _nearest_with_largest(ball, p, j):
    """Least distance by linear or smooth programs over v with q_j >= q_k."""
    if p[j] == p.max():
        return 0.0
    if ball.score in ("tv", "label"):
        return _by_linear_program(ball, p, j)

    def distance(v):
        q = np.exp(v - v.max())
        return float(ball.distance((q / q.sum())[None], p[None])[0])

    others = [k for k in range(4) if k != j]
    rules = [{"type": "ineq", "fun": lambda v, k=k: v[j] - v[k]} for k in others]
    found = minimize(
        distance, np.log(p) * 0.1, constraints=rules, options={"ftol": 1e-12}
    )
    return found.fun


def _by_linear_program(ball, p, j):
    from scipy.optimize import linprog

    n = len(p)
    scale = ball.scale if ball.score == "label" else np.ones(n)
    width = 1 if ball.score == "label" else n
    errors = np.ones((n, 1)) * scale[:, None] if width == 1 else np.eye(n)
    rows = [np.hstack([s * np.eye(n), -errors]) for s in (1, -1)]
    order = np.eye(n) - np.eye(n)[j]
    A = np.vstack([*rows, np.hstack([order, np.zeros((n, width))])])
    b = np.concatenate([p, -p, np.zeros(n)])
    cost = np.concatenate([np.zeros(n), np.full(width, 1.0 if width == 1 else 0.5)])
    one = np.concatenate([np.ones(n), np.zeros(width)])[None]
    return linprog(cost, A, b, one, [1.0]).fun


@pytest.mark.parametrize("score", SCORES)
def test_infinite_radius_is_the_whole_simplex(score):
    ball = make_ball(score)
    lower, upper = ball.bounds(CENTERS, np.full(5, np.inf))
    assert (lower == 0).all()
    assert (upper == 1).all()
    assert ball.largest(CENTERS, np.full(5, np.inf)).all()


@pytest.mark.parametrize("score", SCORES)
def test_radius_zero_is_the_center(score):
    ball = make_ball(score, smoothing=0.0 if score in ("tv", "label") else 1e-9)
    P = CENTERS[:3]
    lower, upper = ball.bounds(P, np.zeros(3))
    assert_allclose(lower, P, atol=1e-6)
    assert_allclose(upper, P, atol=1e-6)
    top = P.max(axis=1, keepdims=True)
    assert (ball.largest(P, np.zeros(3)) == (top == P)).all()


@pytest.mark.parametrize("score", SCORES)
def test_one_label(score):
    ball = Ball(score, 0.01, np.ones(1))
    lower, upper = ball.bounds(np.ones((2, 1)), np.array([0.3, np.inf]))
    assert (lower == 1).all()
    assert (upper == 1).all()


def test_metrics_have_a_triangle_inequality():
    rng = np.random.default_rng(0)
    A, B, C = rng.dirichlet(np.full(3, 0.3), (3, 200))
    for score in ("tv", "aitchison", "label"):
        d = make_ball(score).distance
        assert (d(A, C) <= d(A, B) + d(B, C) + 1e-12).all()
