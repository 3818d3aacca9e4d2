"""Grids of settings: by name beside the estimator, or as given."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

Grid = Mapping[str, Sequence[Any]]


def named_grid(estimator: Any, name: str = "default") -> dict[str, list[Any]]:
    """A grid of an estimator by its name.

    Parameters
    ----------
    estimator : estimator or class
        Its ``_grids`` are looked at; of a Pipeline, those of its steps.
    name : str, default="default"
        ``"default"`` is what comparisons tune, ``"published"`` what the paper searched.

    Returns
    -------
    grid : dict of str to list
        Empty if there is none of that name.
    """
    if isinstance(estimator, Pipeline):
        return {
            f"{step}__{key}": values
            for step, model in estimator.steps
            for key, values in named_grid(model, name).items()
        }
    grids = getattr(estimator, "_grids", {})
    return {key: list(values) for key, values in grids.get(name, {}).items()}


def resolve_grid(estimator: BaseEstimator, grid: str | Grid) -> dict[str, list[Any]]:
    """The values of each parameter, from a name or from what a user wrote."""
    if not isinstance(grid, str):
        return {name: grid_values(values) for name, values in grid.items()}
    found = named_grid(estimator, grid)
    if not found:
        last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
        known = ", ".join(map(repr, getattr(last, "_grids", {}))) or "none"
        raise ValueError(
            f"{type(last).__name__} has no grid of the name {grid!r} (it has {known}); "
            "give a dict of parameters to values as param_grid."
        )
    return found


def grid_values(setting: Any) -> list[Any]:
    """A sequence of values, or one value."""
    return [setting] if np.ndim(setting) == 0 else list(setting)


def check_grid(base: BaseEstimator, grid: Grid) -> None:
    """Refuse empty axes and values that the estimator would refuse."""
    for name, values in grid.items():
        if len(values) == 0:
            raise ValueError(f"{name} is empty; give at least one value.")
        twice = [value for i, value in enumerate(values) if value in values[:i]]
        if twice:
            raise ValueError(f"{name} lists {twice[0]!r} twice.")
        step = name.rpartition("__")[0]
        for value in values:
            model = clone(base).set_params(**{name: value})
            (model.get_params()[step] if step else model)._validate_params()
