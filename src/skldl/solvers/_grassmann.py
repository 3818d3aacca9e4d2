"""Ascent over subspaces, along geodesics."""

from collections.abc import Callable

import numpy as np

from skldl._typing import FloatArray
from skldl.solvers._solution import Solution

ValueAndGrad = Callable[[FloatArray], tuple[float, FloatArray]]


def geodesic(W: FloatArray, direction: FloatArray, length: float) -> FloatArray:
    r"""Move orthonormal rows along a direction that is orthogonal to them.

    Equals :math:`W \exp(t(W^T \Delta - \Delta^T W))`, by a thin decomposition of the
    direction in place of the exponential of a (d, d) matrix.

    Parameters
    ----------
    W : ndarray of shape (k, d)
        Orthonormal rows.
    direction : ndarray of shape (k, d)
        :math:`\Delta` with :math:`\Delta W^T = 0`.
    length : float
        t.

    Returns
    -------
    W : ndarray of shape (k, d)
    """
    U, s, Vt = np.linalg.svd(direction, full_matrices=False)
    turned = (U * np.cos(length * s)) @ (U.T @ W) + (U * np.sin(length * s)) @ Vt
    if U.shape[1] < len(W):  # rows that the direction leaves alone
        turned += W - U @ (U.T @ W)
    Q, R = np.linalg.qr(turned.T)  # against the drift of many steps
    return (Q * np.where(np.diag(R) < 0, -1.0, 1.0)).T


def grassmann_ascent(
    value_and_grad: ValueAndGrad,
    start: FloatArray,
    *,
    max_iter: int = 100,
    tol: float = 1e-4,
    callback: Callable[[int, float], None] | None = None,
) -> Solution:
    """Maximise a function of the span of orthonormal rows; never ends below its start.

    Parameters
    ----------
    value_and_grad : callable
        From W of shape (k, d) to the value, which must not change when the rows are
        rotated among themselves, and the gradient in W.
    start : ndarray of shape (k, d)
        Orthonormal rows.
    max_iter : int, default=100
        Iterations at most.
    tol : float, default=1e-4
        Converged when a step raises the value by less than this share of it, or when
        no step along the gradient raises it.
    callback : callable, default=None
        Called with the number of the iteration and the value.

    Returns
    -------
    solution : Solution
        ``residual`` is the share by which the last step raised the value.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.solvers import grassmann_ascent
    >>> A = np.diag([3.0, 2.0, 1.0])
    >>> start = np.linalg.qr(np.ones((3, 1)))[0].T
    >>> best = grassmann_ascent(
    ...     lambda W: (float(np.trace(W @ A @ W.T)), 2 * W @ A), start, tol=1e-9
    ... )
    >>> round(best.value, 4)
    3.0
    """
    W, history, step, gain = start, [], 1.0, np.inf
    value, gradient = value_and_grad(W)
    for iteration in range(1, max_iter + 1):
        direction = gradient - (gradient @ W.T) @ W
        size = float(np.linalg.norm(direction))
        if size == 0.0:
            gain = 0.0
            break
        found = _geodesic_line_search(
            value_and_grad, W, direction / size, value, size, step
        )
        if found is None:
            gain = 0.0
            break
        W, new, gradient, used = found
        gain, value = (new - value) / max(abs(new), 1e-300), new
        step = min(2.0 * used, 1.0)
        history.append(value)
        if callback is not None:
            callback(iteration, value)
        if gain < tol:
            break
    return Solution(W, value, len(history), gain < tol, gain, history)


def _geodesic_line_search(
    value_and_grad: ValueAndGrad,
    W: FloatArray,
    direction: FloatArray,
    value: float,
    slope: float,
    step: float,
) -> tuple[FloatArray, float, FloatArray, float] | None:
    """Halve the step until the value rises as the slope promises, or give up."""
    for _ in range(30):
        moved = geodesic(W, direction, step)
        new, gradient = value_and_grad(moved)
        if new > value + 1e-4 * step * slope:
            return moved, new, gradient, step
        step /= 2.0
    return None
