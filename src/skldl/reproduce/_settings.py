"""What a method was when it ran: its steps with their parameters, as text."""

import json
from collections.abc import Mapping
from typing import Any

from sklearn.pipeline import Pipeline

from skldl.methods import make_step
from skldl.reproduce._presets import PUBLISHED

_NO_MATTER = {"n_jobs", "verbose", "memory", "copy", "copy_X", "transform_input"}
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


def _plain(thing: Any) -> Any:
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        given = thing.get_params(deep=False).items()
        own = {key: _plain(value) for key, value in given if key not in _NO_MATTER}
        return [type(thing).__name__, own]
    if isinstance(thing, Mapping):
        return {str(key): _plain(value) for key, value in thing.items()}
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
    wanted = json.loads(json.dumps(PUBLISHED[name]))
    return all(params.get(key) == value for key, value in wanted.items())


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
    return " + ".join(_step_words(*step) for step in json.loads(text)) if text else ""


def _step_words(name: str, params: Step) -> str:
    shown = {**dict.fromkeys(PUBLISHED.get(name, ())), **_changed(name, params)}
    known = ", ".join(f"{key} = {_word(params[key])}" for key in shown if key in params)
    return f"{name} ({known})" if known else name


def _changed(name: str, params: Step) -> Step:
    try:
        default = make_step(name, {})[0].get_params(deep=False)
    except ValueError:  # not a method by name, such as a search of our own
        return {k: v for k, v in params.items() if not isinstance(v, list | dict)}
    plain = json.loads(json.dumps({k: _plain(v) for k, v in default.items()}))
    missing = object()
    return {k: v for k, v in params.items() if plain.get(k, missing) != v}


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_word, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
