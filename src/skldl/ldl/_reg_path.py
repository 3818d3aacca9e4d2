"""A ridge chosen by cross-validation along a path of warm starts."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.objectives import Objective
from skldl.solvers import Solution, lbfgs

_PATIENCE = 4  # settings without a better loss before a path ends
_ROUNDING = 1e-6  # of a gradient, by the objective
# ridges per unit of weight, strongest first
SHARES = np.logspace(1, -6, 15)


class Diagonal:
    """An objective in the variables x times positive numbers."""

    def __init__(self, objective: Objective, root: FloatArray) -> None:
        self.objective = objective
        self.root = root

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient in the new variables."""
        value, gradient = self.objective.value_and_grad(x / self.root)
        return value, gradient / self.root


def minimize(
    objective: Objective, root: FloatArray, start: FloatArray, **options: Any
) -> Solution:
    """L-BFGS in units in which curvatures are near 1.

    A search that a line without descent ends counts as converged where the gradient is
    what rounding of the objective makes of 0.
    """
    solution = lbfgs(Diagonal(objective, root), start * root, **options)
    rounding = _ROUNDING * max(1.0, abs(solution.value))
    return Solution(
        solution.x / root,
        solution.value,
        solution.n_iter,
        solution.converged or solution.residual <= rounding,
        solution.residual,
        solution.history,
    )


class Choice(NamedTuple):
    """The chosen ridge, all that were tried and their mean losses (NaN: not tried)."""

    reg: float
    regs: FloatArray
    losses: FloatArray


def choose_reg(
    regs: FloatArray,
    splits: Iterable[tuple[IndexArray, IndexArray]],
    fit: Callable[[IndexArray, float, FloatArray | None], FloatArray],
    loss: Callable[[IndexArray, FloatArray], float],
) -> Choice:
    """Go from the strongest ridge down in all folds together, until losses rise.

    Parameters
    ----------
    regs : ndarray of shape (n_regs,)
        Descending.
    splits : iterable of (train, test)
        Rows of the folds.
    fit : callable
        ``fit(train, reg, start)`` gives coefficients; start is None or the last ones.
    loss : callable
        ``loss(test, coefficients)`` gives a sum over the test rows.

    Returns
    -------
    choice : Choice
        The strongest ridge if there are no folds to judge by.
    """
    pairs = list(splits)
    losses = np.full(len(regs), np.nan)
    if not pairs:
        return Choice(float(regs[0]), regs, losses)
    coefs: list[FloatArray | None] = [None] * len(pairs)
    best = 0
    for number, reg in enumerate(regs):
        coefs = [
            fit(train, reg, coef) for (train, _), coef in zip(pairs, coefs, strict=True)
        ]
        losses[number] = sum(
            loss(test, coef)
            for (_, test), coef in zip(pairs, coefs, strict=True)
            if coef is not None
        )
        if losses[number] < losses[best]:
            best = number
        if number - best >= _PATIENCE and best > 0:
            break
    return Choice(float(regs[best]), regs, losses)
