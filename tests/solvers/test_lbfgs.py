"""L-BFGS on problems with known answers."""

import numpy as np
from numpy.testing import assert_allclose

from skldl.solvers import lbfgs


class Quadratic:
    def __init__(self, A, b):
        self.A, self.b = A, b

    def value_and_grad(self, x):
        return float(0.5 * np.vdot(x, self.A @ x) - np.vdot(self.b, x)), (
            self.A @ x - self.b
        )


def problem(seed=0, n=12, m=3):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(n, n))
    return Quadratic(R @ R.T + np.eye(n), rng.normal(size=(n, m)))


def test_solves_a_quadratic_and_keeps_the_shape():
    objective = problem()
    solution = lbfgs(objective, np.zeros((12, 3)), tol=1e-7)
    assert solution.converged
    assert solution.residual <= 1e-7
    assert_allclose(solution.x, np.linalg.solve(objective.A, objective.b), atol=1e-6)
    assert_allclose(solution.value, objective.value_and_grad(solution.x)[0])


def test_history_never_rises_and_the_callback_sees_it():
    seen = []
    solution = lbfgs(
        problem(),
        np.ones((12, 3)),
        callback=lambda iteration, value: seen.append((iteration, value)),
    )
    assert seen == list(enumerate(solution.history, start=1))
    assert np.all(np.diff(solution.history) <= 0)


def test_says_when_it_was_stopped():
    solution = lbfgs(problem(), np.ones((12, 3)), max_iter=2)
    assert not solution.converged
    assert solution.n_iter == 2
    assert solution.residual > 1e-6


def test_relative_decrease_is_a_stopping_rule_of_its_own():
    solution = lbfgs(problem(), np.ones((12, 3)), tol=0.0, ftol=1e-3)
    assert solution.converged
