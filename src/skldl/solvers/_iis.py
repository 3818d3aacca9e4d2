"""Improved iterative scaling, for all coefficients at once and without tensors.

One sweep needs, for every feature k and label l, the root of a sum over samples of
exp(delta f_i), f_i being the sum of the absolute features of sample i. These sums are
power series in delta whose coefficients are moments of f, so one matrix product
replaces an exponential for every sample, feature and label.
"""

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray
from skldl.objectives import MaxEntKL, softmax_kl
from skldl.solvers._solution import Solution

_ORDERS = (
    3,
    4,
    5,
    6,
    8,
    12,
    18,
    26,
    36,
    48,
)  # terms of the series, tried in turn
_REST = 1e-10  # what the terms left out may amount to
_LARGEST = 10.0  # of a step
_STACKED = 200_000  # entries of X whose products with powers are kept
_SPARSE = 0.1  # share of entries that are not 0, below which zeros are skipped
_EXPONENT = 50.0  # of exp(delta f)
_TINY = 1e-300
_GROWTH = 1.5  # of the factor of overrelaxed steps


def iis(
    objective: MaxEntKL,
    start: FloatArray,
    *,
    max_iter: int = 200,
    tol: float = 1e-7,
    overrelax: bool = False,
    callback: Callable[[int, float], None] | None = None,
) -> Solution:
    """Minimise the divergence of a maximum-entropy model by improved iterative scaling.

    No sweep raises the objective. A step is cut at 10, and where it would make an
    exponent larger than 50; any step between 0 and the root lowers the objective, too.

    Parameters
    ----------
    objective : MaxEntKL
        Without intercept.
    start : ndarray of shape (n_features, n_labels)
        Where to begin.
    max_iter : int, default=200
        Sweeps at most.
    tol : float, default=1e-7
        Converged when a sweep lowers the objective by less than this.
    overrelax : bool, default=False
        Take longer steps than the roots, as long as the objective falls; where it does
        not, the plain step is taken. The factor grows by a half after a success and
        is halved after a failure.
    callback : callable, default=None
        Called with the number of the sweep and the objective.

    Returns
    -------
    solution : Solution
        ``residual`` is the last decrease.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import MaxEntKL, softmax_kl
    >>> from skldl.solvers import iis
    >>> objective = MaxEntKL(np.eye(2), np.array([[0.5, 0.5], [0.9, 0.1]]))
    >>> solution = iis(objective, np.zeros((2, 2)))
    >>> bool(solution.value < 1e-6)
    True
    """
    if objective.fit_intercept:
        raise ValueError("iis takes a MaxEntKL without intercept.")
    sweep = _Sweep(objective.X, _weighted_degrees(objective))
    x = np.array(start, dtype=np.float64)
    value, P = _predict(objective, x)
    decrease = np.inf
    history: list[float] = []
    factor = 1.0
    while len(history) < max_iter and decrease >= tol:
        step = sweep.step(P)
        before = value
        value, P = _predict(objective, x + factor * step)
        if value > before and factor > 1:
            factor = max(factor / 2, 1.0)
            value, P = _predict(objective, x + step)
            x += step
        else:
            x += factor * step
            factor *= _GROWTH if overrelax else 1
        decrease = before - value
        history.append(value)
        if callback is not None:
            callback(len(history), value)
    return Solution(
        x=x,
        value=value,
        n_iter=len(history),
        converged=bool(decrease < tol),
        residual=float(decrease),
        history=history,
    )


def _predict(objective: MaxEntKL, x: FloatArray) -> tuple[float, FloatArray]:
    """The objective and the predictions times weights, from one pass."""
    value, P = softmax_kl(
        objective.scores(x), objective.D, objective.log_D, objective.sample_weight
    )
    P += _weighted_degrees(objective)  # the gradient is P - D, times weights
    return value, P


def _weighted_degrees(objective: MaxEntKL) -> FloatArray:
    weights = objective.sample_weight
    return objective.D if weights is None else objective.D * weights[:, None]


class _Sweep:
    """The roots of one sweep, for given predictions."""

    def __init__(self, X: Any, D: FloatArray) -> None:
        sums = np.asarray(abs(X).sum(axis=1), dtype=np.float64).ravel()
        used = sums[sums > 0] if (sums > 0).any() else np.ones(1)
        # in the middle of the range the series needs the fewest terms
        self.middle = float(used.max() + used.min()) / 2
        half = float(used.max() - used.min()) / 2
        self.half = half if half > 1e-12 * self.middle else 0.0
        self.place = np.zeros_like(sums)
        if self.half:
            self.place = np.clip((sums - self.middle) / self.half, -1.0, 1.0)
        self.positive, self.negative = _parts(X)
        if not sp.issparse(self.positive) and X.size <= _STACKED:
            self.positive = _Stack(self.positive)
            self.negative = None if self.negative is None else _Stack(self.negative)
        self.target = np.asarray(X.T @ D)
        self.limit = min(_LARGEST, _EXPONENT / float(used.max()))
        if self.half:
            self.limit = min(self.limit, _reach(_ORDERS[-1]) / self.half)
        self.order = 0  # place in _ORDERS that was enough last time
        self.last = np.zeros_like(self.target)  # roots of the last sweep
        self.powers = np.ones((_ORDERS[-1], len(sums)))  # place^j / j!
        for j in range(1, len(self.powers)):
            self.powers[j] = self.powers[j - 1] * self.place / j

    def step(self, P: FloatArray) -> FloatArray:
        """Roots for every feature and label."""
        for order in range(self.order, len(_ORDERS)):
            terms = _ORDERS[order] if self.half else 1
            up, down = (
                None if part is None else self._moments(part, P, terms)
                for part in (self.positive, self.negative)
            )
            # beyond its reach a short series is nonsense: look no farther, then retry
            reach = _reach(terms) / self.half if self.half else np.inf
            delta = self._solve(up, down, min(self.limit, reach))
            largest = float(np.abs(delta).max(initial=0.0)) * self.half
            if largest < reach * self.half:
                break
        # steps shrink from sweep to sweep, so fewer terms may do next time
        fewer = order > 0 and largest < _reach(_ORDERS[order - 1]) / 2
        self.order = order - fewer
        self.last = delta
        return delta

    def _moments(self, part: Any, P: FloatArray, terms: int) -> FloatArray:
        """Sums over samples of weight times place^j / j!, j first."""
        if isinstance(part, _Stack):
            return part.moments(P, self.powers[:terms])
        columns = P[:, None, :] * self.powers[:terms].T[:, :, None]
        sums = (part.T @ columns.reshape(len(P), -1)).reshape(part.shape[1], terms, -1)
        return np.ascontiguousarray(np.moveaxis(sums, 1, 0))

    def _solve(self, up: Any, down: Any, limit: float) -> FloatArray:
        """Newton's method on the difference of logarithms, which is nearly linear."""
        delta = np.clip(self.last, -limit, limit)  # a good guess
        left, right = np.maximum(-self.target, 0), np.maximum(self.target, 0)
        for _ in range(30):
            rising, slope = self._series(up, delta)
            rising += left
            gap = np.log(np.maximum(rising, _TINY))
            slope /= np.maximum(rising, _TINY)
            if down is None:
                falling = right
            else:
                falling, back = self._series(down, -delta)
                falling += right
                slope += back / np.maximum(falling, _TINY)
            gap -= np.log(np.maximum(falling, _TINY))
            move = gap / np.maximum(slope, _TINY)
            new = np.clip(delta - move, -limit, limit)
            change = np.abs(new - delta).max(initial=0.0)
            delta = new
            if change * self.middle < 1e-13:
                break
        return delta

    def _series(
        self, moments: FloatArray, delta: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """A weighted sum of exp(delta f) and its derivative, by Horner's rule."""
        t = delta * self.half
        value, slope = moments[-1].copy(), np.zeros_like(delta)
        for coefficient in moments[-2::-1]:
            slope *= t
            slope += value
            value *= t
            value += coefficient
        factor = np.exp(delta * self.middle)
        value = np.maximum(value, 0.0) * factor
        return value, self.middle * value + self.half * slope * factor


class _Stack:
    """Few features times powers, made once: then a sweep is one matrix product."""

    def __init__(self, part: FloatArray) -> None:
        self.part = part
        self.stacked = np.empty((0, len(part)))

    def moments(self, P: FloatArray, powers: FloatArray) -> FloatArray:
        """Sums over samples, (power, feature, label)."""
        size = self.part.shape[1] * len(powers)
        if len(self.stacked) < size:
            rows = powers[:, None, :] * self.part.T
            self.stacked = rows.reshape(size, -1)
        return (self.stacked[:size] @ P).reshape(len(powers), -1, P.shape[1])


def _parts(X: Any) -> tuple[Any, Any]:
    """Positive and negative part of X; None where there is no negative entry."""
    if not sp.issparse(X) and np.count_nonzero(X) < _SPARSE * X.size:
        X = sp.csr_array(X)
    if X.min() >= 0:
        return X, None
    if sp.issparse(X):
        return X.maximum(0).tocsr(), (-X).maximum(0).tocsr()
    return np.maximum(X, 0.0), np.maximum(-X, 0.0)


def _reach(terms: int) -> float:
    """The largest exponent for which so many terms of its series are enough."""
    return float((_REST * factorial(terms)) ** (1.0 / terms))
