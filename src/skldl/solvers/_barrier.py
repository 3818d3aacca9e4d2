"""Barrier methods for piecewise linear losses, with a certificate."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from skldl._typing import FloatArray
from skldl.objectives import Objective
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._solution import Solution

_SHRINK = 0.15  # of the barrier, from level to level
_STEPS = 20  # at one level, at most
_CENTERED = 1e-2  # Newton decrement per term, in units of the barrier, to go on
_ARMIJO = 1e-4


class BarrierObjective(Protocol):
    """A piecewise linear loss of a linear image, plus a ridge."""

    reg: float
    n_terms: int
    total_weight: float
    D: FloatArray

    def image(self, v: FloatArray) -> FloatArray:
        """The linear image."""

    def ridge(self, v: FloatArray) -> float:
        """The ridge."""

    def levels(self, P: FloatArray, mu: float) -> tuple[float, float]:
        """Smoothed loss, loss."""

    def lower_bound(
        self, P: FloatArray, along: FloatArray, v: FloatArray, mu: float
    ) -> float:
        """Value of the dual problem where a Newton step leads."""

    def derivatives(
        self, P: FloatArray, mu: float, *, second: bool = True
    ) -> tuple[FloatArray, FloatArray | None]:
        """Gradient and Hessian of the smoothed loss."""

    def smoothed(self, mu: float) -> Objective:
        """The smoothed objective."""


def barrier_newton(
    objective: BarrierObjective,
    start: FloatArray,
    *,
    max_iter: int = 200,
    tol: float = 1e-5,
    callback: Callable[[int, float, float], None] | None = None,
) -> Solution:
    r"""Minimise a piecewise linear loss plus a ridge, and bound the error.

    The corners are rounded by a barrier of level :math:`\mu`, which shrinks from level
    to level; each level takes some Newton steps. The slopes of the rounded terms,
    moved along a Newton step, are a feasible point of the dual problem once the step
    is small. The dual value is a lower bound on the optimum, with a ridge or without.

    Parameters
    ----------
    objective : objective
        Like :class:`skldl.objectives.NeighborMargin`.
    start : ndarray
        Where to begin.
    max_iter : int, default=200
        Newton steps at most.
    tol : float, default=1e-5
        Ends when the gap between the best value and the best bound is at most this
        share of the value.
    callback : callable, default=None
        Called with the number of the step, the best value and the relative gap.

    Returns
    -------
    solution : Solution
        ``residual`` is the relative gap, infinite as long as there is no bound. It is
        relative to the value, or to 1e-4 per sample, times its weight, if that is more.
        Where a singular Hessian had to be lifted (no ridge), the bound holds up to that
        rounding. ``history`` has the objective before each step, corners not rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import NeighborMargin
    >>> from skldl.solvers import barrier_newton
    >>> D = np.array([[0.6, 0.4], [0.5, 0.5], [0.6, 0.4]])
    >>> loss = NeighborMargin(D, np.array([[2, 1], [0, 2], [0, 1]]), slope=0, reg=1e-3)
    >>> solution = barrier_newton(loss, np.full(2, 0.5))
    >>> solution.converged, abs(solution.x).round(2)
    (True, array([1., 0.]))
    """
    v = np.array(start, dtype=np.float64)
    P = objective.image(v)
    tracker = _Tracker(objective, v, tol)
    mu, steps = _first_level(objective, P), 0
    for n_iter in range(1, max_iter + 1):
        move = tracker.look(v, P, mu)
        if callback is not None:
            callback(n_iter, tracker.value, tracker.gap)
        if tracker.done:
            break
        step = _barrier_line_search(objective, v, P, move, mu)
        v, P = v + step * move.direction, P + step * move.along
        steps += 1
        centered = move.decrement < _CENTERED * mu * objective.n_terms
        if mu > tracker.last_level and (centered or steps >= _STEPS):
            mu, steps = max(_SHRINK * mu, tracker.last_level), 0
    return tracker.solution(n_iter)


def barrier_lbfgs(
    objective: BarrierObjective,
    start: FloatArray,
    *,
    max_iter: int = 2000,
    tol: float = 1e-5,
    callback: Callable[[int, float, float], None] | None = None,
) -> Solution:
    """Minimise as :func:`barrier_newton`, but by L-BFGS and one last Newton step.

    Forms the Hessian once in place of once per step, for when there are very many
    weights. Slower to reach high accuracy than :func:`barrier_newton`, and the
    certificate may fail.

    Parameters
    ----------
    objective : objective
        Like :class:`skldl.objectives.NeighborMargin`.
    start : ndarray
        Where to begin.
    max_iter : int, default=2000
        Iterations at most, of all levels together.
    tol : float, default=1e-5
        Relative gap that counts as converged.
    callback : callable, default=None
        Called with the number of the iteration, the objective and a NaN.

    Returns
    -------
    solution : Solution
        ``residual`` is the relative gap, infinite if there is no certificate.
        ``history`` has the objective at the end of each level, corners not rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import NeighborMargin
    >>> from skldl.solvers import barrier_lbfgs
    >>> D = np.array([[0.6, 0.4], [0.5, 0.5], [0.6, 0.4]])
    >>> loss = NeighborMargin(D, np.array([[2, 1], [0, 2], [0, 1]]), slope=0, reg=1e-3)
    >>> abs(barrier_lbfgs(loss, np.full(2, 0.5)).x).round(2)
    array([1., 0.])
    """
    v = np.array(start, dtype=np.float64)
    tracker = _Tracker(objective, v, tol)
    mu, n_iter = _first_level(objective, objective.image(v)), 0
    while True:
        follow = None
        if callback is not None:

            def follow(i: int, value: float, before: int = n_iter) -> None:
                callback(before + i, value, np.nan)

        part = lbfgs(
            objective.smoothed(mu),
            v,
            max_iter=max_iter - n_iter,
            tol=1e-3 * mu,
            callback=follow,
        )
        v, n_iter = part.x, n_iter + part.n_iter
        tracker.see(v, objective.levels(objective.image(v), mu)[1] + objective.ridge(v))
        if mu <= tracker.last_level or n_iter >= max_iter:
            break
        mu = max(_SHRINK * mu, tracker.last_level)
    tracker.look(v, objective.image(v), mu)
    return tracker.solution(max(n_iter, 1))


class _Move(NamedTuple):
    """A Newton step: in the weights, in their image, and what it promises."""

    direction: FloatArray
    along: FloatArray
    decrement: float
    smooth: float


class _Tracker:
    """The best value, the best bound, and the gap between them."""

    def __init__(self, objective: BarrierObjective, x: FloatArray, tol: float) -> None:
        self.objective, self.x, self.tol = objective, x, tol
        self.value, self.bound = np.inf, -np.inf
        self.history: list[float] = []

    def see(self, x: FloatArray, value: float, bound: float = -np.inf) -> None:
        self.history.append(float(value))
        if value < self.value:
            self.x, self.value = x, value
        self.bound = max(self.bound, bound)

    def look(self, v: FloatArray, P: FloatArray, mu: float) -> _Move:
        """Take stock at a point, and say where Newton would go."""
        objective = self.objective
        gradient, hessian = objective.derivatives(P, mu)
        gradient = gradient + objective.reg * v
        direction, decrement = _newton_direction(gradient, hessian, objective.reg)
        along = objective.image(direction)
        smooth, value = objective.levels(P, mu)
        ridge = objective.ridge(v)
        bound = objective.lower_bound(P, along, v + direction, mu)
        self.see(v, value + ridge, bound)
        return _Move(direction, along, decrement, smooth + ridge)

    @property
    def scale(self) -> float:
        """The best value, or a small share of what predicting zeros would cost."""
        return max(self.value, 1e-4 * self.objective.total_weight)

    @property
    def gap(self) -> float:
        excess = self.value - self.bound
        if excess < -1e-7 * self.scale:  # no bound can exceed the value: rounding won
            return np.inf
        return max(0.0, excess) / self.scale

    @property
    def done(self) -> bool:
        return self.gap <= self.tol

    @property
    def last_level(self) -> float:
        """The barrier's level whose minimum is as near as wanted."""
        return 0.5 * self.tol * self.scale / self.objective.n_terms

    def solution(self, n_iter: int) -> Solution:
        return Solution(self.x, self.value, n_iter, self.done, self.gap, self.history)


def _first_level(objective: BarrierObjective, P: FloatArray) -> float:
    mean_weight = objective.total_weight / len(objective.D)
    return 0.3 * mean_weight * max(float(np.abs(P - objective.D).mean()), 1e-12)


def _newton_direction(
    gradient: FloatArray, hessian: FloatArray | None, reg: float
) -> tuple[FloatArray, float]:
    """Solve for the step; a singular Hessian is lifted a little."""
    assert hessian is not None
    size = len(hessian)
    diagonal = np.arange(size)
    scale = max(float(np.trace(hessian)) / size, np.finfo(float).tiny)
    lift = 0.0
    while True:
        lifted = hessian.copy()
        lifted[diagonal, diagonal] += reg + lift
        try:
            factor = cho_factor(lifted, overwrite_a=True, check_finite=False)
            break
        except LinAlgError:
            lift = max(10 * lift, 1e-14 * scale)
    direction = -cho_solve(factor, gradient.ravel(), check_finite=False)
    decrement = -float(np.vdot(direction, gradient))
    return direction.reshape(gradient.shape), decrement


def _barrier_line_search(
    objective: BarrierObjective, v: FloatArray, P: FloatArray, move: _Move, mu: float
) -> float:
    """Halve the step until the smoothed objective falls enough; 0 if it never does."""
    step = 1.0
    for _ in range(30):
        smooth, _ = objective.levels(P + step * move.along, mu)
        value = smooth + objective.ridge(v + step * move.direction)
        if value <= move.smooth - _ARMIJO * step * move.decrement:
            return step
        step /= 2
    return 0.0
