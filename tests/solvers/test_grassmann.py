"""Descent on subspaces: geodesics, optima and bad gradients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm, subspace_angles

from skldl.solvers import grassmann_ascent
from skldl.solvers._grassmann import geodesic

RNG = np.random.default_rng(0)


def orthonormal(k, d):
    return np.linalg.qr(RNG.normal(size=(d, k)))[0].T


@pytest.mark.parametrize(("k", "d"), [(1, 4), (2, 7), (3, 4), (4, 4)])
def test_geodesic_is_the_exponential(k, d):
    W = orthonormal(k, d)
    G = RNG.normal(size=(k, d))
    direction = G - (G @ W.T) @ W
    for length in (0.0, 0.3, 2.0):
        moved = geodesic(W, direction, length)
        expected = W @ expm(length * (W.T @ direction - direction.T @ W))
        assert_allclose(moved @ moved.T, np.eye(k), atol=1e-12)
        # the same subspace; its basis is made orthonormal anew
        assert_allclose(moved.T @ moved, expected.T @ expected, atol=1e-9)


def test_finds_the_leading_subspace():
    A = RNG.normal(size=(8, 8))
    A = A @ A.T
    seen = []
    solution = grassmann_ascent(
        lambda W: (float(np.trace(W @ A @ W.T)), 2 * W @ A),
        orthonormal(3, 8),
        max_iter=2000,
        tol=1e-13,
        callback=lambda *progress: seen.append(progress),
    )
    values, vectors = np.linalg.eigh(A)
    assert_allclose(solution.value, values[-3:].sum(), rtol=1e-6)
    assert subspace_angles(solution.x.T, vectors[:, -3:]).max() < 1e-2
    assert (np.diff(solution.history) > 0).all()
    assert solution.converged
    assert seen == list(enumerate(solution.history, start=1))


def test_a_stationary_start_and_a_wrong_gradient_end_at_once():
    A = np.diag([3.0, 2.0, 1.0])
    top = grassmann_ascent(lambda W: (0.0, 2 * W @ A), np.eye(1, 3))
    assert (top.n_iter, top.converged) == (0, True)
    start = orthonormal(1, 3)
    down = grassmann_ascent(lambda W: (float(np.trace(W @ A @ W.T)), -2 * W @ A), start)
    assert down.n_iter <= 1  # rounding may let one last tiny step pass
    assert_allclose(down.x, start, atol=1e-7)


def test_too_few_steps_say_so():
    A = np.diag(np.arange(1.0, 9))
    solution = grassmann_ascent(
        lambda W: (float(np.trace(W @ A @ W.T)), 2 * W @ A),
        orthonormal(2, 8), max_iter=1, tol=1e-12,
    )  # fmt: skip
    assert not solution.converged
    assert solution.residual > 1e-12
