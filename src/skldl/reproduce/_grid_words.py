"""Values of grids in sentences, so that pages say what was searched."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.model_selection import ParameterGrid

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
          "ten", "eleven", "twelve")  # fmt: skip


def either(values: Iterable[float]) -> str:
    """Give numbers with commas, and "or" before the last.

    Parameters
    ----------
    values : iterable of float
        Two at least.

    Returns
    -------
    words : str
    """
    *others, last = [f"{value:g}" for value in values]
    return f"{', '.join(others)} or {last}"


def settings_of(grid: Mapping[str, Any]) -> str:
    """Say how many settings a grid has.

    Parameters
    ----------
    grid : mapping of str to list
        Values by parameter.

    Returns
    -------
    words : str
        Such as "twelve settings".
    """
    number = len(ParameterGrid(dict(grid)))
    name = _SMALL[number] if number < len(_SMALL) else str(number)
    return f"{name} setting{'' if number == 1 else 's'}"
