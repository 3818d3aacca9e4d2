"""Where values stand in a chart."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

_START, _END = 3.0, 97.0  # per cent of the width of a chart
_FENCE = 3.0  # quartile distances beyond which a value is far from the others
_GAIN = 2.0  # how many times longer the axis must be with far values to leave them out


@dataclass(frozen=True)
class Axis:
    """Places of values, from ``start`` to ``end``.

    Attributes
    ----------
    low, high : float
        Values at the two ends.
    start, end : float
        Places of the two ends, such as per cent of a width.
    log : bool
        Whether the axis is logarithmic.
    """

    low: float
    high: float
    start: float = _START
    end: float = _END
    log: bool = False

    def __call__(self, value: float) -> float:
        """Place of a value; values beyond the ends are at the ends."""
        value = min(max(value, self.low), self.high)
        low, high, value = (
            (math.log10(v) if self.log else v) for v in (self.low, self.high, value)
        )
        share = (value - low) / ((high - low) or 1.0)
        return self.start + share * (self.end - self.start)

    def beyond(self, value: float) -> bool:
        """Whether a value is past an end."""
        slack = 1e-9 * (self.high - self.low)
        return value > self.high + slack or value < self.low - slack

    def ticks(self, most: int = 6) -> list[float]:
        """Round values between the ends."""
        if not self.log:
            inside = list(
                MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
            )
        else:
            decades = range(
                math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1
            )
            steps = (1, 3) if len(decades) < 4 else (1,)
            inside = [s * 10.0**d for d in decades for s in steps]
        slack = 1e-9 * (self.high - self.low)
        return [float(t) for t in inside if self.low - slack <= t <= self.high + slack]


def axis(
    values: Any, start: float = _START, end: float = _END, *, log: bool = False
) -> Axis:
    """An axis with a little room around the values."""
    low, high = float(np.min(values)), float(np.max(values))
    if log:
        return Axis(low / 1.4, high * 1.4, start, end, log=True)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 0.5
    return Axis(low - room, high + room, start, end)


def near(values: Any, *, greater_is_better: bool) -> np.ndarray:
    """Which values are not much worse than most others.

    One method that failed to learn would squash all others into a few pixels.

    Parameters
    ----------
    values : array-like of float
        One per method.
    greater_is_better : bool
        Direction; only bad values can be far.

    Returns
    -------
    near : ndarray of bool
        All True, unless an axis without the far ones is at most half as long.
    """
    loss = np.asarray(values, dtype=float) * (-1 if greater_is_better else 1)
    everything = np.ones(len(loss), dtype=bool)
    if len(loss) < 4:
        return everything
    low, high = np.quantile(loss, [0.25, 0.75])
    kept = loss <= high + _FENCE * (high - low)
    length = np.ptp(loss[kept])
    return kept if np.ptp(loss) > _GAIN * max(length, 1e-12) else everything
