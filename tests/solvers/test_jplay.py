"""Each block update minimises the augmented Lagrangian in its block."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skldl.solvers import JPlayLayer, JPlayPencil, jplay_admm
from skldl.solvers._jplay import (
    update_basis,
    update_bounded,
    update_codes,
    update_layer_projection,
    update_nonnegative,
)

N, D, K, LABELS = 25, 7, 4, 3
BLOCKS = ("T", "H", "G", "Q", "S")


class Problem:
    """Random data, with the Lagrangian written down from its definition."""

    def __init__(self, seed, labelled=True, mu=0.7, weight=0.3, alpha=0.6):
        rng = np.random.default_rng(seed)
        self.X = rng.uniform(size=(N, D))
        W = rng.uniform(size=(N, N))
        W = (W + W.T) * (1 - np.eye(N))
        self.smooth = self.X.T @ (np.diag(W.sum(1)) - W) @ self.X
        self.Y = rng.uniform(size=(N, LABELS)) if labelled else None
        self.B = rng.normal(size=(LABELS, K))
        self.mu, self.weight, self.alpha = mu, weight, alpha
        codes, basis = (N, K), (K, D)
        self.values = {"T": rng.normal(size=basis), "G": rng.normal(size=basis)}
        self.values |= {name: rng.normal(size=codes) for name in "HQS"}
        self.multipliers = {
            name: rng.normal(size=self.values[name].shape) for name in "HGQS"
        }
        pull = {}
        if labelled:
            pull = {
                "label_pull": alpha * self.Y @ self.B,
                "label_gram": alpha * self.B.T @ self.B,
            }
        pencil = JPlayPencil.of(self.X, self.smooth)
        self.layer = JPlayLayer(self.X, pencil, weight, **pull)

    def lagrangian(self, **changed):
        v = self.values | changed
        Z = self.X @ v["T"].T
        value = 0.5 * np.sum((self.X - v["H"] @ v["G"]) ** 2)
        value += self.weight / 2 * np.trace(v["T"] @ self.smooth @ v["T"].T)
        if self.Y is not None:
            value += self.alpha / 2 * np.sum((self.Y - v["H"] @ self.B.T) ** 2)
        for name, true in (("H", Z), ("G", v["T"]), ("Q", Z), ("S", Z)):
            gap = v[name] - true
            value += np.sum(self.multipliers[name] * gap)
            value += self.mu / 2 * np.sum(gap**2)
        return value

    def update(self, block):
        v, m, mu, layer = self.values, self.multipliers, self.mu, self.layer
        Z = self.X @ v["T"].T
        if block == "T":
            pull = mu * (v["H"] + v["Q"] + v["S"]) + m["H"] + m["Q"] + m["S"]
            return update_layer_projection(layer, pull, v["G"], m["G"], mu)
        if block == "H":
            return update_codes(layer, v["G"], Z, m["H"], mu)
        if block == "G":
            return update_basis(layer, v["H"], v["T"], m["G"], mu)
        update = update_nonnegative if block == "Q" else update_bounded
        return update(Z, m[block], mu)


def feasible(block, value):
    if block == "Q":
        return np.maximum(value, 0)
    if block == "S":
        return value / np.maximum(1, np.linalg.norm(value, axis=1, keepdims=True))
    return value


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("block", BLOCKS)
def test_block_updates_minimise_the_augmented_lagrangian(block, labelled):
    for seed, mu in ((0, 0.7), (1, 1e-3), (2, 1e3)):
        problem = Problem(seed, labelled, mu=mu)
        best = problem.update(block)
        assert_allclose(feasible(block, best), best, atol=1e-14)
        least = problem.lagrangian(**{block: best})
        rng = np.random.default_rng(seed)
        for size in np.repeat([1e-3, 1e-1, 1.0], 30):
            other = feasible(block, best + size * rng.normal(size=best.shape))
            assert problem.lagrangian(**{block: other}) >= least - 1e-9 * abs(least)


@pytest.mark.parametrize("block", ["T", "H", "G"])
def test_gradients_of_the_free_blocks_vanish(block):
    problem = Problem(3)
    best, rng = problem.update(block), np.random.default_rng(3)
    for _ in range(10):
        step = 1e-4 * rng.normal(size=best.shape)
        up = problem.lagrangian(**{block: best + step})
        down = problem.lagrangian(**{block: best - step})
        assert abs(up - down) / 2e-4 < 1e-6


def test_constrained_copies_are_the_projections():
    problem = Problem(4)
    V = problem.X @ problem.values["T"].T - problem.multipliers["Q"] / problem.mu
    assert_allclose(problem.update("Q"), np.where(V > 0, V, 0))
    V = problem.X @ problem.values["T"].T - problem.multipliers["S"] / problem.mu
    inside = np.linalg.norm(V, axis=1) <= 1
    S = problem.update("S")
    assert_allclose(S[inside], V[inside])
    assert_allclose(np.linalg.norm(S[~inside], axis=1), 1.0)


@pytest.mark.parametrize(("n", "d"), [(30, 6), (5, 12)])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_pencil_inverts_for_every_weight_and_penalty(n, d, scale):
    rng = np.random.default_rng(0)
    X = scale * rng.uniform(size=(n, d))
    L = np.eye(n) - 1 / n
    pencil = JPlayPencil.of(X, X.T @ L @ X)
    right = rng.normal(size=(3, d))
    for weight, mu in ((0.0, 1.0), (2.0, 1e-3), (0.5, 1e6)):
        matrix = weight * X.T @ L @ X + mu * (3 * X.T @ X + np.eye(d))
        expected = np.linalg.solve(matrix, right.T).T
        size = np.abs(expected).max()
        assert_allclose(pencil.solve(right, weight, mu), expected, atol=1e-9 * size)


@pytest.mark.parametrize("growth", [1.2, 2.0])
@pytest.mark.parametrize("labelled", [True, False])
def test_the_end_is_feasible(growth, labelled):
    problem = Problem(5, labelled)
    seen = []
    solution = jplay_admm(
        problem.layer,
        np.eye(K, D),
        growth=growth,
        callback=lambda *progress: seen.append(progress),
    )
    Z = problem.X @ solution.x.T
    assert solution.converged
    assert solution.residual < 1e-6
    assert Z.min() > -1e-6
    assert np.linalg.norm(Z, axis=1).max() < 1 + 1e-6
    assert np.abs(Z).max() > 0.05
    assert seen == list(enumerate(solution.history, start=1))
    assert len(seen) == solution.n_iter


def test_the_start_enters_through_the_codes_only():
    problem = Problem(6)
    start = np.random.default_rng(0).uniform(size=(K, D))
    null = np.linalg.svd(problem.X[: D - 2])[2][-1]
    layer = JPlayLayer(
        problem.X[: D - 2],
        JPlayPencil.of(problem.X[: D - 2], np.zeros((D, D))),
        0.1,
    )
    first = jplay_admm(layer, start)
    second = jplay_admm(layer, start + np.outer(np.ones(K), null))
    assert_allclose(first.x, second.x, atol=1e-9)


def test_too_few_iterations_say_so():
    solution = jplay_admm(Problem(7).layer, np.eye(K, D), max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3
    assert solution.residual == solution.history[-1] > 1e-6
