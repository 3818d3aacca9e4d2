"""Stored steps without the searches around them, and what the searches chose from."""

import json
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._peers import KERNELS, NEIGHBORS, TunedPeer
from skldl.reproduce._settings import plain_words, step_words

Step = Sequence[Any]  # name of the class, parameters
BY = "judged by"


class Described(NamedTuple):
    """What ran: steps, and what each searched parameter was chosen from.

    Attributes
    ----------
    steps : list
        Each the name of a class and its parameters.
    search : dict of str to str
        Parameter to values; empty if nothing was searched.
    """

    steps: list[Step]
    search: dict[str, str]


def describe_steps(steps: Sequence[Step]) -> Described:
    """Take searches off steps.

    Parameters
    ----------
    steps : sequence of (str, dict)
        What :func:`settings_text` gave, read from JSON.

    Returns
    -------
    described : Described
    """
    found = [_TAKE.get(name, _as_it_is)(name, params) for name, params in steps]
    search = {key: text for one in found for key, text in one.search.items()}
    return Described([step for one in found for step in one.steps], search)


def grid_words(grid: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Say from which values each parameter of a grid is chosen.

    Parameters
    ----------
    grid : mapping or sequence of mappings
        Parameter to values. Of several grids, parameters that go together are named
        together.

    Returns
    -------
    words : dict of str to str
    """
    grids = [grid] if isinstance(grid, Mapping) else grid
    values: dict[str, list[tuple[Any, ...]]] = {}
    for one in grids:
        for name, given in one.items():
            values.setdefault(name.rpartition("__")[2], []).append(tuple(given))
    alike: dict[str, list[str]] = {}
    for name, given in values.items():
        known = dict.fromkeys(value for part in given for value in part)
        # one value in each grid: they change together
        joint = len(grids) > 1 and all(len(part) == 1 for part in given)
        key = json.dumps([joint or name, [plain_words(v) for v in known]])
        alike.setdefault(key, []).append(name)
    return {
        " = ".join(names): ", ".join(json.loads(key)[1]) for key, names in alike.items()
    }


def _as_it_is(name: str, params: Mapping[str, Any]) -> Described:
    return Described([(name, params)], {})


def _tuned(name: str, params: Mapping[str, Any]) -> Described:
    inner, own = params["estimator"]
    grids = params["grid"] if isinstance(params["grid"], list) else [params["grid"]]
    if sum(prod(map(len, grid.values())) for grid in grids) == 1:
        fixed = {key: values[0] for key, values in grids[0].items()}
        return Described([(inner, {**own, **fixed})], {})
    judge = params["classifier"]
    words = "1-NN" if judge is None else _words(judge)
    by = {BY: f"{words} on {params['n_splits']} folds"}
    if inner == "Pipeline":
        grids = [_told_apart(grid, own["steps"]) for grid in grids]
    return Described(describe_steps([(inner, own)]).steps, grid_words(grids) | by)


def _told_apart(
    grid: Mapping[str, Any], steps: Sequence[tuple[str, Step]]
) -> dict[str, Any]:
    """A grid in which a parameter that several steps have says whose it is."""
    named = {}
    for key, values in grid.items():
        step, _, name = key.rpartition("__")
        having = {own: kind for own, (kind, params) in steps if name in params}
        shared = len(having) > 1 and step in having
        named[f"{name} of {having[step]}" if shared else key] = values
    return named


def _tuned_as(name: str, params: Mapping[str, Any]) -> Described:
    inner, own = params["estimator"]
    model = params["model"]
    other = model[1]["estimator"][1]
    changed = {key: value for key, value in other.items() if own[key] != value}
    words = ", ".join(f"{key} = {plain_words(v)}" for key, v in changed.items())
    if not words:
        return Described([(inner, own)], {})
    search = _tuned(*model).search
    if params["names"]:
        search = {k: v for k, v in search.items() if k in (*params["names"], BY)}
    if name == "TunedNear":  # the estimator's own values compete with the chosen ones
        search[BY] += ", against the defaults"
    return Described([(inner, own)], {"chosen with": words} | search)


def _peer(name: str, params: Mapping[str, Any]) -> Described:
    model = TunedPeer(**params)
    given = {
        "kernel": KERNELS,
        "n_neighbors (of the graph)": model._graphs(),
        "share (of the directions)": model._shares(),
        "k (neighbours of the average)": NEIGHBORS,
    }
    grid = {key: values for key, values in given.items() if len(values) > 1}
    by = f"{metric_words(model.metric)} on {model.n_splits} folds"
    steps: list[Step] = [(model.projection, {}), ("AAkNN", {})]
    return Described(steps, grid_words(grid) | {BY: by})


def _pipeline(name: str, params: Mapping[str, Any]) -> Described:
    return describe_steps([step for _, step in params["steps"]])


def _grid_search(name: str, params: Mapping[str, Any]) -> Described:
    by = {BY: f"accuracy on {_folds_words(params['cv'])}"}
    return Described([params["estimator"]], grid_words(params["param_grid"]) | by)


def _folds_words(folds: Any) -> str:
    """Folds, given as a number or as a stored splitter with its parameters."""
    if not isinstance(folds, list):
        return f"{folds} folds in the order of the rows"
    given = folds[1]
    kind = "shuffled folds" if given["shuffle"] else "folds in the order of the rows"
    return f"{given['n_splits']} {kind}"


_TAKE = {
    "Tuned": _tuned,
    "TunedInTurn": _tuned,
    "TunedAs": _tuned_as,
    "TunedNear": _tuned_as,
    "TunedPeer": _peer,
    "Pipeline": _pipeline,
    "GridSearchCV": _grid_search,
}


def search_words(search: Mapping[str, str]) -> str:
    """Write what was searched as one text.

    Parameters
    ----------
    search : mapping of str to str
        Of :class:`Described`.

    Returns
    -------
    words : str
    """
    parts = [
        f"{key} {text}" if key in (BY, "chosen with") else f"{key}: {text}"
        for key, text in search.items()
    ]
    return "; ".join(parts)


def _words(step: Step) -> str:
    """A whole classifier in a few words, its own search included."""
    found = describe_steps([step])
    names = " + ".join(step_words(*one) for one in found.steps)
    return names if not found.search else f"{names} (tuned)"


def classifier_words(step: Step) -> str:
    """Say what a last step is, and what it searches.

    Parameters
    ----------
    step : (str, dict)
        Name of the class, and parameters.

    Returns
    -------
    words : str
    """
    found = describe_steps([step])
    names = " + ".join(step_words(*one) for one in found.steps)
    return f"{names}, {search_words(found.search)}" if found.search else names
