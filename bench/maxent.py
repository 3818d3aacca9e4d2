"""SABFGS and SAIIS against PyLDL's SA_BFGS and SA_IIS, in one run, by CPU time.

Same data, one thread each. SA_BFGS: ours runs first, as it is and preconditioned; the
other is stopped as soon as its objective is no higher, or after 600 iterations. SA_IIS:
both make the same sweeps from the same start, so the objectives must agree; ours runs
overrelaxed, too, until its objective is no higher than that.

PyLDL is optional: install it (``python-ldl``) where Python finds it. Its models import
keras, whose numpy backend is enough.

    python bench/maxent.py [DATASET ...] [--write]
"""

import os
import sys
import time
import warnings
from contextlib import suppress

os.environ.setdefault("KERAS_BACKEND", "numpy")

import numpy as np
from _tables import rst, write_include
from sklearn.exceptions import ConvergenceWarning

from skldl.datasets import load
from skldl.ldl import SABFGS, SAIIS
from skldl.objectives import MaxEntKL

SWEEPS = {"SJAFFE": 20, "Yeast_alpha": 50, "Movie": 5}
LIMIT = 600  # iterations, twice as many as published
HEAD = ["data set", "method", "CPU s", "objective", "PyLDL CPU s", "objective", "ratio"]


def timed(call):
    """CPU seconds, and what the call gives."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def race(X, D, theirs, target):
    """CPU seconds of PyLDL's SA_BFGS to an objective, and what it reached."""

    class ReachedError(Exception):
        """The objective is no higher than the target."""

    class Watched(theirs.SA_BFGS):
        """Stops there, whatever its own rule says."""

        best = np.inf

        def _obj_func(self, w):
            value, gradient = super()._obj_func(w)
            self.best = min(self.best, value)
            if value <= target:
                raise ReachedError
            return value, gradient

    np.random.seed(0)  # noqa: NPY002
    other = Watched()
    start = time.process_time()
    with suppress(ReachedError):
        other.fit(X, D, max_iterations=LIMIT)
    return time.process_time() - start, other.best


def bfgs(X, D, theirs, **settings):
    """Ours, and how long the other takes to get as far."""
    used, model = timed(lambda: SABFGS(0.0, fit_intercept=False, **settings).fit(X, D))
    row = [f"{used:.3f}", f"{model.objective_:.4f}"]
    if theirs is None:
        return [*row, "", "", ""]
    other, value = race(X, D, theirs, model.objective_)
    return [*row, f"{other:.2f}", f"{value:.4f}", f"{other / used:.1f}"]


def iis(X, D, theirs, sweeps):
    """Some sweeps from the identity, plain and overrelaxed."""
    used, model = timed(lambda: SAIIS(sweeps, tol=0.0).fit(X, D))
    fewer = SAIIS(sweeps, tol=0.0, overrelax=True).fit(X, D).objective_history_
    fewer = int(np.argmax(fewer <= model.objective_)) + 1
    short = SAIIS(fewer, tol=0.0, overrelax=True)
    less, quick = timed(lambda: short.fit(X, D))
    row = [f"{used:.3f}", f"{model.objective_:.4f}"]
    second = [f"{less:.3f}", f"{quick.objective_:.4f}"]
    labels = [f"SAIIS, {sweeps} sweeps", f"SAIIS, {fewer} overrelaxed"]
    if theirs is None:
        return [[labels[0], *row, "", "", ""], [labels[1], *second, "", "", ""]]

    class Same(theirs.SA_IIS):
        """Starts where ours does."""

        def _before_train(self, **settings):
            self._W = np.eye(X.shape[1], D.shape[1])
            super()._before_train(**settings)

    other, fitted = timed(
        lambda: Same().fit(X, D, max_iterations=sweeps, convergence_criterion=-1.0)
    )
    value = MaxEntKL(X, D).value_and_grad(fitted.W)[0]
    last = [f"{other:.2f}", f"{value:.4f}"]
    return [
        [labels[0], *row, *last, f"{other / used:.0f}"],
        [labels[1], *second, *last, f"{other / less:.0f}"],
    ]


def pyldl():
    """The other library's methods, or None."""
    try:
        import pyldl.algorithms as algorithms

        return algorithms
    except ImportError as error:
        print(f"PyLDL is not here ({error}); ours alone.")
        return None


def main(names):
    """Four rows per data set."""
    theirs, rows = pyldl(), []
    for name in names:
        data = load(name)
        X, D, sweeps = data.X, data.D, SWEEPS.get(name, 2)
        rows += [
            [name, "SABFGS", *bfgs(X, D, theirs)],
            [name, "SABFGS, preconditioned", *bfgs(X, D, theirs, precondition=True)],
            *([name, *row] for row in iis(X, D, theirs, sweeps)),
        ]
        print(rst(HEAD, rows), flush=True)
    return rows


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    result = main([a for a in sys.argv[1:] if not a.startswith("--")] or list(SWEEPS))
    if "--write" in sys.argv:
        write_include("maxent_results", rst(HEAD, result))
