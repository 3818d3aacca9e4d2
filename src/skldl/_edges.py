"""Say when a search ends at the edge of its grid."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from skldl._sklearn import Interval
from skldl._typing import FloatArray
from skldl._warnings import caller_level

_FEWEST = 3  # values that make an axis with an inside
_PLATEAU = 1e-4  # a gain below this share of the score is not a reason to go on


class GridEdgeWarning(UserWarning):
    """The best setting of a search is at the edge of its grid.

    Better ones may be outside. The message names the parameter, its value and values
    to try. It is given for numeric parameters with at least three values, unless the
    edge is a natural bound (a weight of 0, a single neighbour, all features), or the
    score hardly changes towards the edge.

    Examples
    --------
    >>> import warnings, skldl
    >>> warnings.simplefilter("ignore", skldl.GridEdgeWarning)
    """


def warn_of_edges(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]],
    settings: Sequence[Mapping[str, Any]],
    scores: FloatArray,
) -> None:
    """Warn once if the best setting is at an edge of the grid.

    Parameters
    ----------
    estimator : estimator
        What was searched; its constraints tell which edges are natural bounds.
    grid : mapping of str to sequence
        The values of each parameter.
    settings : sequence of mapping
        What was tried.
    scores : ndarray
        Score of each setting, larger is better; NaN for one that failed.
    """
    notes = edge_notes(estimator, grid, settings, scores)
    if notes:
        warnings.warn(
            f"The best setting is at the edge of its grid: {'; '.join(notes)}.",
            GridEdgeWarning,
            stacklevel=caller_level(),
        )


def edge_notes(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]],
    settings: Sequence[Mapping[str, Any]],
    scores: FloatArray,
) -> list[str]:
    """One sentence for each parameter whose best value is at an edge."""
    if np.isnan(scores).all():
        return []
    best = settings[int(np.nanargmax(scores))]
    notes = []
    for name, values in grid.items():
        numbers = sorted(value for value in values if _is_number(value))
        found = best.get(name)
        if len(numbers) < _FEWEST or found not in (numbers[0], numbers[-1]):
            continue
        largest = found == numbers[-1]
        intervals = _intervals(estimator, name)
        if _is_bound(found, intervals, largest) or _is_plateau(
            name, found, settings, scores
        ):
            continue
        side = "largest" if largest else "smallest"
        further = _further(numbers if largest else numbers[::-1])
        fits = not intervals or any(i.is_satisfied_by(further) for i in intervals)
        advice = (
            f"try {further:.4g}, too"
            if fits
            else f"try {'larger' if largest else 'smaller'} ones, too"
        )
        notes.append(f"{name}={found:.4g} is the {side} value ({advice})")
    return notes


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _intervals(estimator: Any, name: str) -> list[Interval]:
    """Where the parameter may be, also that of a step of a pipeline."""
    step, _, own = name.rpartition("__")
    owner = estimator.get_params().get(step) if step else estimator
    constraints = getattr(owner, "_parameter_constraints", {}).get(own, [])
    if not isinstance(constraints, list):  # "no_validation"
        return []
    return [c for c in constraints if isinstance(c, Interval)]


def _is_bound(value: Any, intervals: list[Interval], largest: bool) -> bool:
    """Whether there is nothing beyond: zero, or the end of what is allowed."""
    if value == 0:
        return True
    step = 1 if isinstance(value, Integral) else 0
    own = [interval for interval in intervals if interval.is_satisfied_by(value)]
    beyond = np.nextafter(float(value), np.inf if largest else -np.inf)
    if step:
        beyond = value + step if largest else value - step
    return bool(own) and not any(i.is_satisfied_by(beyond) for i in own)


def _is_plateau(
    name: str, found: Any, settings: Sequence[Mapping[str, Any]], scores: FloatArray
) -> bool:
    """Whether the best of the other values is as good, up to very little."""
    others = [i for i, setting in enumerate(settings) if setting.get(name) != found]
    rest = scores[others]
    if not others or np.isnan(rest).all():
        return False
    top = np.nanmax(scores)
    return bool(top - np.nanmax(rest) <= _PLATEAU * abs(top))


def _further(numbers: Sequence[Any]) -> Any:
    """The next value after the last of a sequence, by its last step."""
    before, last = numbers[-2:]
    grows = before > 0 and last > 0
    value = last * last / before if grows else last + (last - before)
    if not isinstance(last, Integral):
        return float(value)
    value = round(float(value))
    return value if value != last else int(last + np.sign(last - before))
