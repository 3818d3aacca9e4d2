"""Solvers: functions from an objective and a start to a Solution."""

from skldl.solvers._barrier import barrier_lbfgs, barrier_newton
from skldl.solvers._grassmann import grassmann_ascent
from skldl.solvers._iis import iis
from skldl.solvers._jplay import Layer, SmoothPencil, layer_admm
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._lse import Products, alternate, descend, fit_labels
from skldl.solvers._precondition import Preconditioned
from skldl.solvers._smo import smo
from skldl.solvers._solution import Solution

__all__ = [
    "Layer",
    "Preconditioned",
    "Products",
    "SmoothPencil",
    "Solution",
    "alternate",
    "barrier_lbfgs",
    "barrier_newton",
    "descend",
    "fit_labels",
    "grassmann_ascent",
    "iis",
    "layer_admm",
    "lbfgs",
    "smo",
]
