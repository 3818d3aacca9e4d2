"""Solvers: functions from an objective and a start to a Solution."""

from skldl.solvers._admm import Layer, SmoothPencil, layer_admm
from skldl.solvers._barrier import barrier_lbfgs, barrier_newton
from skldl.solvers._grassmann import grassmann_ascent
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._solution import Solution

__all__ = [
    "Layer",
    "SmoothPencil",
    "Solution",
    "barrier_lbfgs",
    "barrier_newton",
    "grassmann_ascent",
    "layer_admm",
    "lbfgs",
]
