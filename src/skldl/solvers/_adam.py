"""Adam: small batches, steps scaled by the gradients of the past."""

from collections.abc import Callable
from typing import Any

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.objectives import Objective
from skldl.solvers._solution import Solution

_FIRST, _SECOND, _EPS = 0.9, 0.999, 1e-8  # of the published method


def adam(
    part: Callable[[IndexArray], Objective],
    start: FloatArray,
    n_samples: int,
    *,
    random_state: np.random.RandomState,
    n_epochs: int = 200,
    batch_size: int = 32,
    learning_rate: float = 1e-3,
) -> Solution:
    """Minimise by steps along the gradients of small batches.

    Parameters
    ----------
    part : callable
        Gives the objective of some samples by their numbers.
    start : ndarray
        First point.
    n_samples : int
        Samples in all.
    random_state : RandomState
        Where the order of the samples comes from, another one in each epoch.
    n_epochs : int, default=200
        Passes over the samples.
    batch_size : int, default=32
        Samples of a step.
    learning_rate : float, default=1e-3
        Size of a step.

    Returns
    -------
    solution : Solution
        The last point. The history is the objective of all samples after each epoch.
        There is no stopping rule, so the residual is NaN.

    References
    ----------
    .. [1] D. P. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization",
       International Conference on Learning Representations, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import Ridge
    >>> from skldl.solvers import adam
    >>> rng = np.random.RandomState(0)
    >>> end = adam(lambda rows: Ridge(1.0), np.ones(2), 64, random_state=rng,
    ...            n_epochs=500, learning_rate=0.01)
    >>> bool(abs(end.x).max() < 0.01)
    True
    """
    x = start.copy()
    first, second = np.zeros_like(x), np.zeros_like(x)
    whole = part(np.arange(n_samples))
    history: list[float] = []
    n_steps = 0
    for _ in range(n_epochs):
        order = random_state.permutation(n_samples)
        for begin in range(0, n_samples, batch_size):
            _, gradient = part(order[begin : begin + batch_size]).value_and_grad(x)
            n_steps += 1
            x -= learning_rate * _adam_step(gradient, first, second, n_steps)
        history.append(float(whole.value_and_grad(x)[0]))
    return Solution(x, history[-1], n_epochs, True, float("nan"), history)


def _adam_step(gradient: Any, first: Any, second: Any, n_steps: int) -> Any:
    """Direction of a step; the running means are changed in their place."""
    first += (1 - _FIRST) * (gradient - first)
    second += (1 - _SECOND) * (gradient**2 - second)
    mean = first / (1 - _FIRST**n_steps)
    square = second / (1 - _SECOND**n_steps)
    return mean / (np.sqrt(square) + _EPS)
