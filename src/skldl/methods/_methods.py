"""Methods by name: estimators, the steps before them, and their search grids."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC

from skldl._grids import named_grid
from skldl._text import split_outside_brackets
from skldl.discovery import FAMILIES, all_estimators
from skldl.methods._foreign import (
    as_factory,
    import_method,
    is_foreign,
    load_plug_in,
    plug_ins,
)
from skldl.methods._hints import method_hint
from skldl.methods._nested import is_scikit_learn, plain_name, read_settings
from skldl.methods._settings import wrong_settings
from skldl.preprocessing import TableEncoder

#: Names of preprocessing; ``raw`` leaves the features as they are.
PREPROCESSING: dict[str, Callable[..., Any] | None] = {
    "raw": None,
    "standard": StandardScaler,
    "minmax": MinMaxScaler,
    "unit": Normalizer,
    "table": TableEncoder,
}
# scikit-learn's own, which published tables compare with
_SCIKIT_LEARN: dict[str, Callable[..., Any]] = {
    "PCA": PCA,
    "LDA": LinearDiscriminantAnalysis,
    "1NN": lambda **settings: KNeighborsClassifier(**{"n_neighbors": 1, **settings}),
    "SVM": SVC,
}
# where to look for a name that was misspelt
_FAMILY_OF = {"transform": "projection"}
_REGISTERED: dict[str, tuple[Callable[..., Any], Mapping[str, list[Any]]]] = {}


@dataclass(frozen=True)
class Method:
    """A named estimator with the grid that tuning searches.

    Attributes
    ----------
    name : str
        What tables call it.
    estimator : estimator
        Not fitted.
    grid : dict of str to list
        Parameter of the estimator to values; empty if there is nothing to tune.
    """

    name: str
    estimator: BaseEstimator
    grid: Mapping[str, list[Any]] = field(default_factory=dict)


def register(
    name: str,
    factory: Callable[..., Any] | BaseEstimator,
    grid: Mapping[str, list[Any]] | None = None,
) -> None:
    """Make an estimator of your own a method by name.

    Parameters
    ----------
    name : str
        Its name; letters, digits, ``-`` and ``_``. Replaces an earlier one.
    factory : class, function or estimator
        Called with the settings written in brackets; an estimator is cloned.
    grid : dict of str to list, default=None
        What tuning searches.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from skldl.methods import make_method, register
    >>> register("dummy", DummyRegressor, {"strategy": ["mean", "median"]})
    >>> make_method("standard+dummy").grid
    {'dummy__strategy': ['mean', 'median']}
    """
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ValueError(f"A method's name has letters, digits, - and _; got {name!r}.")
    _REGISTERED[plain_name(name)] = (as_factory(factory, name), dict(grid or {}))


def list_methods() -> list[str]:
    """Names that :func:`make_method` knows, without preprocessing.

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> from skldl.methods import list_methods
    >>> "AAkNN" in list_methods()
    True
    """
    return [*_discovered(), *_SCIKIT_LEARN, *_REGISTERED, *plug_ins()]


def learner_names(family: str = "ldl") -> list[str]:
    """Estimators of a family that stand for themselves, so not the baseline.

    Parameters
    ----------
    family : str, default="ldl"
        One of ``skldl.discovery.FAMILIES``.

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> from skldl.methods import learner_names
    >>> "AAkNN" in learner_names(), "MeanDistribution" in learner_names()
    (True, False)
    """
    names = [name for name, _ in all_estimators(family)]
    return [name for name in names if name != "MeanDistribution"]


def make_method(
    spec: str | Method,
    *,
    label: str | None = None,
    params: Mapping[str, Any] | None = None,
    grid: Mapping[str, list[Any]] | None = None,
    needs: str = "predict",
) -> Method:
    """Make a method from its name.

    Parameters
    ----------
    spec : str or Method
        Steps joined by ``+``, each with settings in brackets if need be:
        ``"AAkNN"``, ``"standard+AAkNN(n_neighbors=7)"``, ``"standard+PCA+AAkNN"``.
        Preprocessing is ``raw``, ``standard``, ``minmax``, ``unit`` or ``table`` (a
        :class:`~skldl.preprocessing.TableEncoder`, which comes first). Case, hyphens
        and underscores in names do not matter. ``"own:MyLearner"`` and
        ``"path/own.py:MyLearner"`` are your own classes, and packages may offer methods
        by entry points of the group ``skldl.methods``. Settings may be models, also
        those of scikit-learn, and lists of models:
        ``"DistributionRegressor(Ridge(alpha=2.0))"``,
        ``"StackedDistribution([SABFGS(reg=1.0), standard+AAkNN])"``.
    label : str, default=None
        What tables call it; None keeps ``spec``.
    params : dict, default=None
        Further settings of the last step, or ``step__name`` of another.
    grid : dict of str to list, default=None
        Search grid in the same names; None takes the steps' own default grids.
    needs : {"predict", "transform"}, default="predict"
        What the last step must be able to do.

    Returns
    -------
    method : Method

    Examples
    --------
    >>> from skldl.methods import make_method
    >>> method = make_method("standard+aaknn(weights='dudani')")
    >>> [name for name, _ in method.estimator.steps]
    ['standard', 'aaknn']
    """
    if isinstance(spec, Method):
        return spec
    steps: list[tuple[str, Any]] = []
    defaults: dict[str, list[Any]] = {}
    for name, settings in _parse(spec):
        made, step_grid = make_step(name, settings, family=_FAMILY_OF.get(needs))
        if made is not None:
            step = plain_name(name.rpartition(":")[2])
            if step in dict(steps):
                raise ValueError(f"{spec} has the step {step} twice.")
            steps.append((step, made))
            defaults |= {f"{step}__{key}": value for key, value in step_grid.items()}
    _check_steps(spec, steps, needs)
    estimator = steps[0][1] if len(steps) == 1 else Pipeline(steps)
    chosen = _with_step(grid, steps) if grid is not None else defaults
    if len(steps) == 1:
        prefix = f"{steps[0][0]}__"
        chosen = {key.removeprefix(prefix): value for key, value in chosen.items()}
    if params:
        names = _with_step(params, steps) if len(steps) > 1 else dict(params)
        estimator.set_params(**names)
    _check_grid(spec, chosen, estimator)
    return Method(label or spec, estimator, chosen)


def _check_grid(spec: str, grid: Mapping[str, Any], estimator: BaseEstimator) -> None:
    for key, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ValueError(f"The grid of {key!r} must be a list, got {values!r}.")
        if isinstance(values, Sized) and len(values) == 0:
            raise ValueError(f"The grid of {key!r} is empty; give at least one value.")
    unknown = set(grid) - set(estimator.get_params())
    if unknown:
        raise ValueError(
            f"{spec} has no parameter {sorted(unknown)[0]!r} to search; it has "
            f"{', '.join(sorted(estimator.get_params()))}."
        )


def _parse(spec: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and settings of each step."""
    return [_parse_step(part, spec) for part in split_outside_brackets(spec, "+")]


def _parse_step(part: str, spec: str) -> tuple[str, dict[str, Any]]:
    name, bracket, inside = part.partition("(")
    if not bracket:
        return name, {}
    try:
        call = ast.parse(f"f({inside}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError("one pair of brackets")
        settings = read_settings(call, _factory(name), _factory)
    except (SyntaxError, ValueError) as error:
        raise ValueError(
            f"Cannot read the settings of {part!r} in method {spec!r} ({error}); write "
            "them as AAkNN(n_neighbors=7, weights='dudani')."
        ) from None
    except (RecursionError, MemoryError):  # Python's parser has limits
        raise ValueError(
            f"The settings of {name!r} are nested too deeply; write them as "
            "AAkNN(n_neighbors=7, weights='dudani')."
        ) from None
    return name.strip(), settings


def _factory(name: str) -> Any:
    """What makes a step of that name; None if there is nothing."""
    return _find(name)[0]


def _find(name: str) -> tuple[Any, Mapping[str, list[Any]], bool]:
    """What makes a step, its grid, and whether there is such a step."""
    if is_foreign(name):
        made = import_method(name)
        return made, named_grid(made), True
    table = _steps()
    if plain_name(name) in table:
        return *table[plain_name(name)], True
    made = load_plug_in(name)
    return made, named_grid(made), made is not None


def make_step(
    name: str, settings: dict[str, Any], *, family: str | None = None
) -> tuple[Any, Mapping[str, list[Any]]]:
    """Make one step of a method from its name.

    Parameters
    ----------
    name : str
        Without ``+`` and brackets.
    settings : dict
        Its parameters.
    family : str, default=None
        The family to suggest names of, if there is no such step.

    Returns
    -------
    step : estimator or None
        None for ``raw``, which leaves the features as they are.
    grid : mapping of str to list
        What tuning searches by default.

    Examples
    --------
    >>> from skldl.methods import make_step
    >>> make_step("AAkNN", {"n_neighbors": 3})[0]
    AAkNN(n_neighbors=3)
    """
    factory, grid, there = _find(name)
    if not there:
        raise ValueError(_unknown_method(name, family))
    if factory is None:
        if settings:
            raise ValueError(f"{name} has no settings.")
        return None, {}
    fault = wrong_settings(factory, settings)
    if fault:
        raise ValueError(f"Wrong settings for {name}: {fault}")
    try:
        return factory(**settings), grid
    except TypeError as error:
        raise ValueError(f"Wrong settings for {name}: {error}.") from None


def _unknown_method(name: str, family: str | None) -> str:
    others = [*PREPROCESSING, *_SCIKIT_LEARN, *_REGISTERED, *plug_ins()]
    hint = method_hint(name, others, family)
    if is_scikit_learn(name):
        hint = f" Write DistributionRegressor({name}()) or SoftLabelClassifier(...)."
    known = ", ".join([*PREPROCESSING, *list_methods()])
    return f"Unknown method {name!r}.{hint} Known: {known}."


def _steps() -> dict[str, tuple[Any, Mapping[str, list[Any]]]]:
    table: dict[str, tuple[Any, Mapping[str, list[Any]]]] = {}
    for name, maker in {**PREPROCESSING, **_SCIKIT_LEARN}.items():
        table[plain_name(name)] = (maker, {})
    for name, estimator in _discovered().items():
        table[plain_name(name)] = (estimator, named_grid(estimator))
    return table | _REGISTERED


@lru_cache(maxsize=1)
def _discovered() -> dict[str, Any]:
    return dict(sorted(pair for f in FAMILIES for pair in all_estimators(f)))


def _check_steps(spec: str, steps: list[tuple[str, Any]], needs: str) -> None:
    if not steps:
        raise ValueError(f"Method {spec!r} has no estimator.")
    if needs == "transform" and not hasattr(steps[-1][1], needs):
        raise ValueError(
            f"The last step of {spec!r} does not transform, so it gives no embedding; "
            "name a projection, such as MSLP."
        )
    if not hasattr(steps[-1][1], needs):
        raise ValueError(
            f"The last step of {spec!r} does not predict; add one that does, as in "
            f"{spec}+AAkNN."
        )
    for name, step in steps[:-1]:
        if not hasattr(step, "transform"):
            raise ValueError(
                f"{name} in {spec!r} does not transform, so it must be last."
            )


def _with_step(
    names: Mapping[str, Any], steps: list[tuple[str, Any]]
) -> dict[str, Any]:
    """Settings without a step's name belong to the last step."""
    first = {name for name, _ in steps}
    return {
        key if key.split("__")[0] in first else f"{steps[-1][0]}__{key}": value
        for key, value in names.items()
    }
