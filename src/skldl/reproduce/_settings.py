"""What a method was when it ran: its steps with their parameters, as text."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import BaseCrossValidator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.svm import SVC

from skldl.methods import Tuning, make_step
from skldl.reproduce._presets import PUBLISHED

_NO_MATTER = {"n_jobs", "verbose", "memory", "copy", "copy_X", "transform_input"}
_SEED = "random_state"
# steps of scikit-learn that are no methods by name
_FOREIGN: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        FunctionTransformer,
        KNeighborsClassifier,
        LinearDiscriminantAnalysis,
        MinMaxScaler,
        SVC,
    )
}
Step = dict[str, Any]


def settings_text(estimator: Any) -> str:
    """Write the steps of an estimator and their parameters as JSON.

    Parameters
    ----------
    estimator : estimator
        Not fitted; a pipeline has several steps.

    Returns
    -------
    text : str
        A list of [name of the class, parameters]. Parameters that change speed alone
        are left out.
    """
    steps = [s for _, s in estimator.steps] if isinstance(estimator, Pipeline) else None
    parts = [_plain(step) for step in steps or [estimator]]
    return json.dumps(parts, sort_keys=True)


def search_text(grid: Mapping[str, Any], tuning: Tuning | None) -> str:
    """Write what a search chooses from, and by what, as JSON.

    Parameters
    ----------
    grid : mapping of str to list
        Parameter to values.
    tuning : Tuning or None
        How the grid is searched.

    Returns
    -------
    text : str
        Grid, metrics and number of inner folds; empty if nothing is searched.
    """
    if not grid or tuning is None:
        return ""
    given = tuning.scoring or "intersection"
    found = {
        "grid": _plain(grid),
        "metrics": [given] if isinstance(given, str) else list(given),
        "n_splits": tuning.n_splits,
    }
    return json.dumps(found, sort_keys=True)


def _plain(thing: Any) -> Any:
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        given = thing.get_params(deep=False).items()
        own = {key: _plain(value) for key, value in given if key not in _NO_MATTER}
        return [type(thing).__name__, own]
    if isinstance(thing, Mapping):
        return {str(key): _plain(value) for key, value in thing.items()}
    if isinstance(thing, BaseCrossValidator):
        return [type(thing).__name__, _plain(vars(thing))]
    if isinstance(thing, list | tuple):
        return [_plain(value) for value in thing]
    if thing is None or isinstance(thing, str | int | float | bool):
        return thing
    return getattr(thing, "__qualname__", type(thing).__name__)


def last_step(text: str) -> tuple[str, Step]:
    """Give the class and the parameters of the last step of stored settings.

    Parameters
    ----------
    text : str
        What :func:`settings_text` gave; empty if nothing is known.

    Returns
    -------
    name : str
        Empty if nothing is known.
    params : dict
    """
    if not text:
        return "", {}
    name, params = json.loads(text)[-1]
    return name, params


def is_published(text: str) -> bool | None:
    """Whether stored settings are those of the method's published preset.

    What the preset does not name must be as by default, apart from the seed.

    Parameters
    ----------
    text : str
        What :func:`settings_text` gave.

    Returns
    -------
    same : bool or None
        None if the method has no published preset.
    """
    name, params = last_step(text)
    if name not in PUBLISHED:
        return None
    wanted = {**defaults_of(name), **json.loads(json.dumps(PUBLISHED[name]))}
    return all(
        params.get(key, value) == value for key, value in wanted.items() if key != _SEED
    )


def settings_words(text: str) -> str:
    """Say what stored settings are, leaving out what is as by default today.

    Parameters
    ----------
    text : str
        What :func:`settings_text` gave.

    Returns
    -------
    words : str
        Steps joined by " + ", each with the parameters of its published preset and
        those that differ from the defaults of this version.
    """
    return " + ".join(step_words(*step) for step in json.loads(text)) if text else ""


def step_words(name: str, params: Step) -> str:
    """Say what one step is.

    Parameters
    ----------
    name : str
        Its class.
    params : dict
        Stored parameters.

    Returns
    -------
    words : str
    """
    known = ", ".join(
        f"{key} = {plain_words(params[key])}" for key in shown_params(name, params)
    )
    return f"{name} ({known})" if known else name


def shown_params(name: str, params: Step) -> list[str]:
    """Name the parameters worth saying: of the preset, and not as by default.

    Parameters
    ----------
    name : str
        Class of the step.
    params : dict
        Stored parameters.

    Returns
    -------
    names : list of str
    """
    default, missing = defaults_of(name), object()
    changed = [key for key in params if default.get(key, missing) != params[key]]
    return [key for key in dict.fromkeys([*PUBLISHED.get(name, ()), *changed])
            if key in params and params[key] != "deprecated"]  # fmt: skip


@lru_cache(maxsize=100)
def defaults_of(name: str) -> Step:
    """Give the parameters that a step has by default today.

    Parameters
    ----------
    name : str
        Its class.

    Returns
    -------
    params : dict
        Empty if the class is not known.
    """
    try:
        step = _FOREIGN[name]() if name in _FOREIGN else make_step(name, {})[0]
    except ValueError:  # not a method by name, such as a search of our own
        return {}
    given = step.get_params(deep=False).items()
    plain: Step = json.loads(json.dumps({key: _plain(value) for key, value in given}))
    return plain


def plain_words(value: Any) -> str:
    """Write the value of a parameter.

    Parameters
    ----------
    value : object
        Plain, as in stored settings.

    Returns
    -------
    words : str
    """
    if isinstance(value, list | tuple):
        return ", ".join(map(plain_words, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
