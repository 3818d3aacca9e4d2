"""Limited-memory BFGS, by scipy, for arrays of any shape."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from skldl._typing import FloatArray
from skldl.objectives import Objective
from skldl.solvers._solution import Solution


def lbfgs(
    objective: Objective,
    start: FloatArray,
    *,
    max_iter: int = 300,
    tol: float = 1e-6,
    ftol: float = 0.0,
    memory: int = 20,
    callback: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise a smooth objective; never ends above its start.

    Parameters
    ----------
    objective : objective
        With ``value_and_grad``.
    start : ndarray
        Where to begin, of any shape.
    max_iter : int, default=300
        Iterations at most.
    tol : float, default=1e-6
        Converged when no entry of the gradient is larger than this.
    ftol : float, default=0.0
        Also converged when an iteration lowers the objective by less than this share
        of it.
    memory : int, default=20
        Pairs of steps and gradient changes to keep.
    callback : callable, default=None
        Called with the number of the iteration and the objective.

    Returns
    -------
    solution : Solution
        ``residual`` is the largest absolute entry of the gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import Ridge
    >>> from skldl.solvers import lbfgs
    >>> solution = lbfgs(Ridge(1.0), np.ones((2, 2)))
    >>> solution.converged, solution.x.shape
    (True, (2, 2))
    """
    shape = np.shape(start)
    history: list[float] = []

    def flat(x: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective.value_and_grad(x.reshape(shape))
        return value, np.asarray(gradient).ravel()

    def follow(intermediate_result: object) -> None:
        history.append(float(intermediate_result.fun))  # type: ignore[attr-defined]
        if callback is not None:
            callback(len(history), history[-1])

    result = minimize(
        flat,
        np.ravel(start).astype(np.float64),
        jac=True,
        method="L-BFGS-B",
        callback=follow,
        options={
            "maxiter": max_iter,
            "maxfun": 10 * max_iter + 100,
            "gtol": tol,
            "ftol": ftol,
            "maxcor": memory,
            "maxls": 40,
        },
    )
    residual = float(np.max(np.abs(result.jac), initial=0.0))
    return Solution(
        x=result.x.reshape(shape),
        value=float(result.fun),
        n_iter=int(result.nit),
        converged=residual <= tol or (ftol > 0 and result.status == 0),
        residual=residual,
        history=history,
    )
