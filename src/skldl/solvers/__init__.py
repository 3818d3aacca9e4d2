"""Solvers: functions from an objective and a start to a Solution."""

from skldl.solvers._alternating import Products, alternate, descend, fit_labels
from skldl.solvers._iis import iis
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._precondition import Preconditioned
from skldl.solvers._solution import Solution

__all__ = [
    "Preconditioned",
    "Products",
    "Solution",
    "alternate",
    "descend",
    "fit_labels",
    "iis",
    "lbfgs",
]
