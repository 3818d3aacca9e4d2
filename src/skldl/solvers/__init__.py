"""Solvers: functions from an objective and a start to a Solution."""

from skldl.solvers._barrier import barrier_lbfgs, barrier_newton
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._solution import Solution

__all__ = ["Solution", "barrier_lbfgs", "barrier_newton", "lbfgs"]
