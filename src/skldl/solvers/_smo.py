"""Sequential minimal optimisation of support vectors with weights on both sides."""

import numpy as np

from skldl._typing import FloatArray
from skldl.solvers._solution import Solution

_FLAT = 1e-12  # curvature along a direction between equal samples


def smo(
    K: FloatArray,
    positive: FloatArray,
    negative: FloatArray,
    *,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
) -> Solution:
    r"""Fit a support vector classifier whose samples may be of both classes.

    Sample i counts :math:`p_i` times as positive and :math:`q_i` times as negative:

    .. math::
        \min_{f, b}\ \tfrac12 \lVert f \rVert_K^2
        + \sum_i p_i \max(0, 1 - f_i - b) + q_i \max(0, 1 + f_i + b).

    The two dual variables of a sample enter the kernel by their difference only, so
    one variable a sample is enough, with a corner at :math:`p_i - q_i`, the value of
    every sample between the margins:

    .. math::
        \min_\beta\ \tfrac12 \beta^\top K \beta
        + \sum_i \lvert \beta_i - (p_i - q_i) \rvert
        \quad\text{with}\quad -q_i \le \beta_i \le p_i,\ \sum_i \beta_i = 0.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Kernel values.
    positive, negative : ndarray of shape (n_samples,)
        Weights p and q, none below 0.
    tol : float, default=1e-3
        Slope that may be left along the best direction.
    max_iter : int, default=1_000_000
        Steps at most; each moves two variables.

    Returns
    -------
    solution : Solution
        x is the pair of :math:`\beta` and the intercept b, value the dual objective,
        residual the slope that is left.

    Notes
    -----
    The first variable of a step has the steepest slope, the second one the largest
    decrease by a quadratic model [1]_. The start puts every sample between the margins
    but for those farthest out on the heavier side, which make the sum 0.

    References
    ----------
    .. [1] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working Set Selection Using Second Order
       Information for Training Support Vector Machines", JMLR 6, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.solvers import smo
    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> is_positive = np.array([0.0, 0.0, 1.0, 1.0])
    >>> beta, intercept = smo(x @ x.T, is_positive, 1 - is_positive).x
    >>> (x.T @ beta).round(3)
    array([1.])
    """
    dual = _Dual(K, positive, negative)
    n_iter = 0
    i, j, slope = dual.pair(tol)
    while slope > tol and n_iter < max_iter:
        dual.move(i, j)
        n_iter += 1
        i, j, slope = dual.pair(tol)
    x = (dual.beta, dual.steepest - slope / 2)
    return Solution(x, dual.value(), n_iter, slope <= tol, max(slope, 0.0))


class _Dual:
    """The variables, their gradient, and which way the objective falls."""

    def __init__(
        self, K: FloatArray, positive: FloatArray, negative: FloatArray
    ) -> None:
        self.K = K
        self.half = K.diagonal() / 2
        self.upper, self.lower = positive, -negative
        self.corner = positive - negative
        self.beta = _balanced(K @ self.corner, self.corner, self.lower, self.upper)
        self.gradient = K @ self.beta
        # what to subtract the gradient from for the slope upwards and downwards
        side = self.beta - self.corner
        self.rise = np.where(side >= 0, -1.0, 1.0)
        self.rise[self.beta >= self.upper] = -np.inf
        self.fall = np.where(side > 0, -1.0, 1.0)
        self.fall[self.beta <= self.lower] = np.inf
        self.steepest = 0.0
        self.slopes, self.curvature, self.decrease = np.empty((3, len(K)))

    def pair(self, tol: float) -> tuple[int, int, float]:
        """The variables to raise and to lower, and the slope of the objective.

        The slope is the steepest one if that is within the tolerance.
        """
        slopes, curvature, decrease = self.slopes, self.curvature, self.decrease
        np.subtract(self.rise, self.gradient, out=slopes)
        i = int(slopes.argmax())
        self.steepest = float(slopes[i])
        np.subtract(self.gradient, self.fall, out=slopes)
        slopes += self.steepest
        np.subtract(self.half, self.K[i], out=curvature)
        curvature += self.half[i]
        np.maximum(curvature, _FLAT, out=curvature)
        np.maximum(slopes, 0, out=decrease)
        decrease *= decrease
        decrease /= curvature
        j = int(decrease.argmax())
        slope = float(slopes[j])
        return i, j, slope if slope > tol else float(slopes.max())

    def move(self, i: int, j: int) -> None:
        """Raise one variable and lower the other to the minimum, or the next corner."""
        beta, corner = self.beta, self.corner
        above = corner[i] if beta[i] < corner[i] else self.upper[i]
        below = corner[j] if beta[j] > corner[j] else self.lower[j]
        rise, fall = above - beta[i], beta[j] - below
        step = min(self.slopes[j] / (2 * self.curvature[j]), rise, fall)
        beta[i] = above if step == rise else beta[i] + step
        beta[j] = below if step == fall else beta[j] - step
        for moved in (i, j):
            self._turn(moved)
        np.subtract(self.K[i], self.K[j], out=self.decrease)
        self.decrease *= step
        self.gradient += self.decrease

    def _turn(self, i: int) -> None:
        value, corner = self.beta[i], self.corner[i]
        self.rise[i] = -1.0 if value >= corner else 1.0
        if value >= self.upper[i]:
            self.rise[i] = -np.inf
        self.fall[i] = -1.0 if value > corner else 1.0
        if value <= self.lower[i]:
            self.fall[i] = np.inf

    def value(self) -> float:
        """The objective."""
        distance = float(np.abs(self.beta - self.corner).sum())
        return 0.5 * float(self.beta @ self.gradient) + distance


def _balanced(
    values: FloatArray, corner: FloatArray, lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Bring the sum to 0: the samples farthest out on the heavier side give way."""
    excess = float(corner.sum())
    if excess < 0:
        return -_balanced(-values, -corner, -upper, -lower)
    order = np.argsort(-values, kind="stable")
    room = (corner - lower)[order]
    taken = np.clip(excess - (np.cumsum(room) - room), 0, room)
    beta = corner.copy()
    beta[order] -= taken
    # where all room was taken, exactly
    return np.maximum(beta, lower)
