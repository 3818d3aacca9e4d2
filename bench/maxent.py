"""SABFGS and SAIIS against PyLDL's SA_BFGS and SA_IIS, in one run, by CPU time.

Same data and one thread each. SA_BFGS: SABFGS runs first; the other is stopped as soon
as its objective is no higher, or where it stops by itself.
SA_IIS: both make the same few sweeps from the same start, so the objectives must agree.

PyLDL is optional: install it (``python-ldl``) where Python finds it. Its models import
keras, whose numpy backend is enough.

    python bench/maxent.py [DATASET ...]
"""

import os
import sys
import time
import warnings

os.environ.setdefault("KERAS_BACKEND", "numpy")

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skldl.datasets import load
from skldl.ldl import SABFGS, SAIIS
from skldl.objectives import MaxEntKL

DATASETS = ["SJAFFE", "Yeast_alpha", "Movie"]
SWEEPS = {"SJAFFE": 20, "Yeast_alpha": 50, "Movie": 1}
LIMIT = 3000  # iterations


def timed(call):
    """CPU seconds, and what the call gives."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def divergence(X, D, coefficients):
    """Sum of divergences."""
    return MaxEntKL(X, D).value_and_grad(coefficients)[0]


def bfgs(X, D, theirs):
    """CPU time to the objective that SABFGS reaches in 300 iterations."""
    ours, model = timed(lambda: SABFGS().fit(X, D))
    target = model.objective_
    fast, white = timed(lambda: SABFGS(precondition=True).fit(X, D))
    line = (
        f"SABFGS {ours:.2f} s, objective {target:.4f}, {model.n_iter_} iterations "
        f"(preconditioned: {fast:.2f} s, {white.objective_:.4f}, {white.n_iter_})"
    )
    if theirs is None:
        return line

    class Reached(Exception):
        """Their objective is no higher than ours."""

    class Watched(theirs.SA_BFGS):
        """Stops there, whatever its own rule says."""

        best = np.inf

        def _obj_func(self, w):
            value, gradient = super()._obj_func(w)
            self.best = min(self.best, value)
            if value <= target:
                raise Reached
            return value, gradient

    np.random.seed(0)  # noqa: NPY002
    other = Watched()
    start = time.process_time()
    try:
        other.fit(X, D, max_iterations=LIMIT)
        end = "stopped there"
    except Reached:
        end = "reached ours"
    used = time.process_time() - start
    return (
        f"{line}; PyLDL {used:.2f} s, objective {other.best:.4f} ({end}); ratio "
        f"{used / ours:.1f}"
    )


def iis(X, D, theirs, sweeps):
    """CPU time of some sweeps from the identity."""
    ours, model = timed(lambda: SAIIS(sweeps, tol=0.0).fit(X, D))
    line = f"SAIIS {ours:.3f} s for {sweeps} sweeps, objective {model.objective_:.6f}"
    if theirs is None:
        return line

    class Same(theirs.SA_IIS):
        """Starts where ours does."""

        def _before_train(self, **settings):
            self._W = np.eye(X.shape[1], D.shape[1])
            super()._before_train(**settings)

    used, other = timed(
        lambda: Same().fit(X, D, max_iterations=sweeps, convergence_criterion=-1.0)
    )
    value = divergence(X, D, other.W)
    return f"{line}; PyLDL {used:.1f} s, {value:.6f}; ratio {used / ours:.0f}"


def pyldl():
    """The other library's methods, or None."""
    try:
        import pyldl.algorithms as algorithms

        return algorithms
    except ImportError as error:
        print(f"PyLDL is not here ({error}); ours alone.")
        return None


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    other_library = pyldl()
    for name in sys.argv[1:] or DATASETS:
        data = load(name)
        print(f"{name}: {bfgs(data.X, data.D, other_library)}", flush=True)
        sweeps = SWEEPS.get(name, 2)
        print(f"{name}: {iis(data.X, data.D, other_library, sweeps)}", flush=True)
