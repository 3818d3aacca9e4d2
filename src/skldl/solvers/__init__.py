"""Solvers: functions from an objective and a start to a Solution."""

from skldl.solvers._adam import adam
from skldl.solvers._barrier import barrier_lbfgs, barrier_newton
from skldl.solvers._grassmann import grassmann_ascent
from skldl.solvers._iis import iis
from skldl.solvers._jplay import JPlayLayer, JPlayPencil, jplay_admm
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._lse import (
    LSEProducts,
    lse_alternate,
    lse_descend,
    lse_fit_labels,
)
from skldl.solvers._precondition import Preconditioned
from skldl.solvers._smo import smo
from skldl.solvers._solution import Solution

__all__ = [
    "JPlayLayer",
    "JPlayPencil",
    "LSEProducts",
    "Preconditioned",
    "Solution",
    "adam",
    "barrier_lbfgs",
    "barrier_newton",
    "grassmann_ascent",
    "iis",
    "jplay_admm",
    "lbfgs",
    "lse_alternate",
    "lse_descend",
    "lse_fit_labels",
    "smo",
]
