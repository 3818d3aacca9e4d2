"""Barrier methods against linear and quadratic programs."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import OptimizeResult, linprog, minimize

from skldl.datasets import make_ldl
from skldl.graphs import neighbor_graph
from skldl.objectives import NeighborMargin
from skldl.solvers import barrier_lbfgs, barrier_newton


def problem(seed, k, *, inputs=False, margin_weight=1.0, reg=0.0, n=40):
    X, D = make_ldl(n, 4, 3, noise=0.5, random_state=seed)
    graph = neighbor_graph(X, k)
    u = graph.distances / graph.distances.mean(axis=1, keepdims=True)
    return NeighborMargin(
        D, graph.indices, u if inputs else None, slope=10 * margin_weight, reg=reg
    )


def start(loss):
    k = loss.shape[0]
    return np.full(loss.shape, 1.0 / k ** len(loss.shape))


def design(loss):
    """Matrix of the linear map from raveled weights to raveled predictions."""
    columns = []
    for j in range(int(np.prod(loss.shape))):
        unit = np.zeros(int(np.prod(loss.shape)))
        unit[j] = 1
        columns.append(loss.image(unit.reshape(loss.shape)).ravel())
    return np.array(columns).T


def rows_of(loss):
    """Residuals are C v - offset; their slopes are at most ``upper``."""
    A = design(loss)
    n, m = loss.D.shape
    top = np.repeat(np.arange(n) * m + loss.largest, m)
    rivals = np.flatnonzero(top != np.arange(n * m))
    C = np.vstack([A, A[rivals] - A[top[rivals]]])
    offset = np.concatenate([loss.D.ravel(), -np.repeat(loss.margin, m)[rivals]])
    upper = np.concatenate([np.ones(n * m), np.full(len(rivals), loss.slope)])
    return C, offset, upper


def optimum_by_linear_program(loss):
    """The optimum without a ridge, by HiGHS: weights, then a bound per term."""
    C, offset, upper = rows_of(loss)
    size, terms, absolute = C.shape[1], len(C), loss.D.size
    above = sp.hstack([C, -sp.identity(terms)])
    below = sp.hstack([-C, -sp.identity(terms)]).tocsr()[:absolute]
    result = linprog(
        np.concatenate([np.zeros(size), upper]),
        sp.vstack([above, below]),
        np.concatenate([offset, -offset[:absolute]]),
        bounds=[(None, None)] * size + [(0, None)] * terms,
    )
    assert result.status == 0
    return result.fun


@pytest.mark.parametrize("margin_weight", [0.0, 1.0])
@pytest.mark.parametrize(
    ("k", "inputs", "n"),
    [
        (1, False, 40),
        (4, False, 40),
        (21, False, 40),
        (1, True, 40),
        (6, True, 40),
        (12, True, 100),
        (21, True, 160),
    ],
)
def test_reaches_the_optimum_of_the_linear_program(k, inputs, n, margin_weight):
    if (k, inputs, margin_weight) == (21, True, 0.0):
        pytest.skip("as many weights as terms: the optimum is 0")
    loss = problem(k, k, inputs=inputs, margin_weight=margin_weight, n=n)
    solution = barrier_newton(loss, start(loss), tol=1e-6)
    best = optimum_by_linear_program(loss)
    assert solution.converged
    assert_allclose(solution.value, loss.value(solution.x))
    assert best * (1 - 1e-9) <= solution.value <= best * (1 + 1e-6)
    # the certificate holds, and is not far too pessimistic
    assert solution.value * (1 - solution.residual) <= best * (1 + 1e-9)


@pytest.mark.parametrize("inputs", [False, True])
@pytest.mark.parametrize("reg", [1e-3, 0.5, 20.0])
def test_reaches_the_optimum_of_the_quadratic_program(inputs, reg):
    """With a ridge: the dual is a quadratic program in a box."""
    loss = problem(0, 3, inputs=inputs, reg=reg, n=15)
    C, offset, upper = rows_of(loss)
    lower = np.where(np.arange(len(C)) < loss.D.size, -upper, 0.0)

    def negative_dual(y):
        back = C.T @ y
        return offset @ y + back @ back / (2 * reg), offset + C @ back / reg

    result = OptimizeResult(x=np.zeros(len(C)))
    for _ in range(30):  # old versions of SciPy stop early; from there they go on
        result = minimize(
            negative_dual,
            result.x,
            jac=True,
            bounds=np.column_stack([lower, upper]),
            method="L-BFGS-B",
            options={"maxiter": 100_000, "maxfun": 100_000, "ftol": 0, "gtol": 1e-10},
        )
    solution = barrier_newton(loss, start(loss), tol=1e-7)
    assert_allclose(solution.value, -result.fun, rtol=1e-5)
    assert solution.value >= -result.fun * (1 - 1e-9)


def test_lbfgs_reaches_and_certifies_the_same_optimum():
    loss = problem(0, 5, reg=1e-3)
    newton = barrier_newton(loss, start(loss), tol=1e-6)
    other = barrier_lbfgs(loss, start(loss), tol=1e-4)
    assert other.converged
    assert newton.value <= other.value * (1 + 1e-6)
    assert_allclose(other.value, newton.value, rtol=1e-4)


@pytest.mark.parametrize("solve", [barrier_newton, barrier_lbfgs])
def test_stopped_early_it_says_so(solve):
    loss = problem(0, 5, reg=1e-3)
    seen = []
    solution = solve(
        loss, start(loss), max_iter=3, callback=lambda *step: seen.append(step)
    )
    assert not solution.converged
    assert solution.n_iter == 3
    assert [i for i, *_ in seen] == [1, 2, 3]
    assert_allclose(solution.value, loss.value(solution.x))


def test_the_start_changes_nothing():
    loss = problem(0, 6, inputs=True, reg=1e-3)
    far = np.random.default_rng(0).normal(size=loss.shape) * 10
    values = [barrier_newton(loss, s, tol=1e-7).value for s in (start(loss), far)]
    assert_allclose(*values, rtol=1e-6)


def test_a_perfect_fit_ends():
    D = np.tile([[0.7, 0.3]], (10, 1))
    loss = NeighborMargin(D, np.arange(10)[:, None] - 1, slope=0.0)
    solution = barrier_newton(loss, np.array([0.2]))
    assert solution.converged
    assert_allclose(solution.x, 1.0, atol=1e-5)


def test_repeated_neighbours_without_a_ridge():
    """A singular Hessian: two columns of every block are the same."""
    rng = np.random.default_rng(0)
    D = rng.dirichlet(np.ones(3), 20)
    near = rng.integers(0, 20, (20, 2))
    twice = NeighborMargin(D, near[:, [0, 0, 1]])
    once = NeighborMargin(D, near)
    assert_allclose(
        barrier_newton(twice, np.full(3, 1 / 3)).value,
        barrier_newton(once, np.full(2, 0.5)).value,
        rtol=2e-5,
    )
