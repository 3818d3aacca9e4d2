"""Sequential minimal optimisation of support vectors with weights on both sides."""

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.solvers._solution import Solution

_LOOK = 1000  # steps after which rounding is looked at
_FLAT = 1e-12  # curvature between equal samples, for which products may be below 0


def smo(
    K: FloatArray,
    positive: FloatArray,
    negative: FloatArray,
    *,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
) -> list[Solution]:
    r"""Fit support vector classifiers whose samples may be of both classes.

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
    positive, negative : ndarray of shape (n_problems, n_samples)
        Weights p and q, none below 0. Problems with one kernel take their steps
        together, which is faster than one after the other as long as their arrays fit
        into the processor's cache.
    tol : float, default=1e-3
        Slope that may be left along the best direction. Problems whose slopes cannot
        get so small, for rounding, end without convergence.
    max_iter : int, default=1_000_000
        Steps of a problem at most; each moves two variables.

    Returns
    -------
    solutions : list of Solution
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
    >>> is_positive = np.array([[0.0, 0.0, 1.0, 1.0]])
    >>> [solution] = smo(x @ x.T, is_positive, 1 - is_positive)
    >>> beta, intercept = solution.x
    >>> (x.T @ beta).round(3)
    array([1.])
    """
    # in rows: steps write into flat views of the problems
    arrays = (np.ascontiguousarray(a, np.float64) for a in (K, positive, negative))
    return _Problems(*arrays).solve(tol, max_iter)


class _Problems:
    """Problems in rows that take their steps together; those that are done leave."""

    _STATE = ("number", "upper", "lower", "corner", "beta", "gradient", "rise", "fall")

    def __init__(
        self, K: FloatArray, positive: FloatArray, negative: FloatArray
    ) -> None:
        self.K = K
        self.half = K.diagonal() * (0.5 + _FLAT) + _FLAT
        self.upper, self.lower = positive, -negative
        self.corner = positive - negative
        of_problems = (self.corner @ K, self.corner, self.lower, self.upper)
        self.beta = np.array([_balanced(*x) for x in zip(*of_problems, strict=True)])
        self.gradient = self.beta @ K
        self.rise, self.fall = _sides(self.beta, self.corner, self.lower, self.upper)
        self.number = np.arange(len(self.beta))
        self._make_room()

    def _make_room(self) -> None:
        self.first = len(self.K) * np.arange(len(self.beta))
        self.slopes, self.curvature, self.decrease, self.row = np.empty(
            (4, *self.beta.shape)
        )

    def solve(self, tol: float, max_iter: int) -> list[Solution]:
        """Take steps until no slope of a problem is steeper."""
        found: dict[int, Solution] = {}
        n_iter = 0
        while len(self.number):
            i, j = self._pairs()
            slope = self.slopes.ravel()[self.first + j]
            look = n_iter % _LOOK == 0
            # a slope that was chosen need not be the steepest
            if n_iter == max_iter or look or slope.min() <= tol:
                steepest = self.slopes.max(axis=1)
                done = (steepest <= tol) | (n_iter == max_iter)
                if look:
                    done |= steepest <= self._rounding()
                if done.any():
                    found |= self._leave(done, steepest, n_iter, tol)
                    continue
            self._move(i, j, slope)
            n_iter += 1
        return [found[number] for number in sorted(found)]

    def _rounding(self) -> FloatArray:
        """Slopes that no step can lower: digits of the variables end before."""
        largest = np.abs(self.beta).max(axis=1) * self.half.max()
        return 4 * np.finfo(np.float64).eps * (1 + largest)

    def _pairs(self) -> tuple[IndexArray, IndexArray]:
        """The variables to raise, of steepest slope, and those to lower."""
        slopes, curvature, decrease = self.slopes, self.curvature, self.decrease
        np.subtract(self.rise, self.gradient, out=slopes)
        i = slopes.argmax(axis=1)
        self.highest = slopes.ravel()[self.first + i]
        np.subtract(self.gradient, self.fall, out=slopes)
        slopes += self.highest[:, None]
        self.K.take(i, axis=0, out=self.row, mode="clip")
        np.subtract(self.half, self.row, out=curvature)
        curvature += self.half[i][:, None]
        np.maximum(slopes, 0, out=decrease)
        decrease *= decrease
        decrease /= curvature
        return i, decrease.argmax(axis=1)

    def _move(self, i: IndexArray, j: IndexArray, slope: FloatArray) -> None:
        """Raise one variable and lower the other to the minimum, or the next corner."""
        up, down = self.first + i, self.first + j
        beta, corner = self.beta.ravel(), self.corner.ravel()
        high, low = beta[up], beta[down]
        above = np.where(high < corner[up], corner[up], self.upper.ravel()[up])
        below = np.where(low > corner[down], corner[down], self.lower.ravel()[down])
        rise, fall = above - high, low - below
        step = slope / (2 * self.curvature.ravel()[down])
        step = np.minimum(np.minimum(step, rise), fall)
        beta[up] = np.where(step == rise, above, high + step)
        beta[down] = np.where(step == fall, below, low - step)
        self._turn(np.concatenate([up, down]))
        self.K.take(j, axis=0, out=self.decrease, mode="clip")
        self.row -= self.decrease
        self.row *= step[:, None]
        self.gradient += self.row

    def _turn(self, moved: IndexArray) -> None:
        state = (self.beta, self.corner, self.lower, self.upper)
        sides = _sides(*(x.ravel()[moved] for x in state))
        self.rise.ravel()[moved], self.fall.ravel()[moved] = sides

    def _leave(
        self, done: IndexArray, steepest: FloatArray, n_iter: int, tol: float
    ) -> dict[int, Solution]:
        """Numbers and solutions of problems; the others stay."""
        values = 0.5 * np.sum(self.beta * self.gradient, axis=1)
        values += np.abs(self.beta - self.corner).sum(axis=1)
        # without weights on a side one end is infinite
        ends = np.array([self.highest, np.min(self.fall - self.gradient, axis=1)])
        known = np.isfinite(ends)
        intercepts = np.where(known, ends, 0).sum(axis=0)
        intercepts /= np.maximum(known.sum(axis=0), 1)
        found = {
            int(self.number[k]): Solution(
                (self.beta[k].copy(), float(intercepts[k])),
                float(values[k]),
                n_iter,
                bool(steepest[k] <= tol),
                max(float(steepest[k]), 0.0),
            )
            for k in np.flatnonzero(done)
        }
        for name in self._STATE:
            setattr(self, name, getattr(self, name)[~done])
        self._make_room()
        return found


def _sides(
    beta: FloatArray, corner: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What the gradient is subtracted from for the slopes upwards and downwards."""
    rise = np.where(beta >= corner, -1.0, 1.0)
    fall = np.where(beta > corner, -1.0, 1.0)
    rise[beta >= upper] = -np.inf
    fall[beta <= lower] = np.inf
    return rise, fall


def _balanced(
    values: FloatArray, corner: FloatArray, lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Bring the sum to 0: the samples farthest out on the heavier side give way."""
    if corner.sum() < 0:
        return -_balanced(-values, -corner, -upper, -lower)
    # from below: what the lighter side has may be lost in sums of the heavier one
    order = np.argsort(values, kind="stable")
    room = upper[order]
    share = np.clip(-lower.sum() - (np.cumsum(room) - room), 0, room)
    beta = lower.copy()
    beta[order] = np.where(share == room, corner[order], lower[order] + share)
    return beta
