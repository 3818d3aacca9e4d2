"""Methods of others: ``module:Class``, and plug-ins of installed packages."""

import inspect
import sys
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from sklearn.base import BaseEstimator, clone

from skldl.methods._nested import plain_name

#: Group of entry points by which a package offers its methods.
ENTRY_POINTS = "skldl.methods"


def is_foreign(name: str) -> bool:
    """Whether a name is that of a class in a module, as in ``own:MyLearner``."""
    return ":" in name


def import_method(name: str) -> Any:
    """What makes a step, from ``module:Class``.

    Parameters
    ----------
    name : str
        A module that can be imported, or a ``.py`` file, then ``:`` and a class, a
        function that gives an estimator, or an estimator. Modules are also looked for
        in the current folder.

    Returns
    -------
    factory : callable
        Called with settings; an estimator is cloned.
    """
    place, _, attribute = (part.strip() for part in name.rpartition(":"))
    if not place or not attribute:
        raise ValueError(f"Write {name!r} as module:Class, as in own:MyLearner.")
    module = _import(place, name)
    if not hasattr(module, attribute):
        names = [n for n, thing in vars(module).items() if inspect.isclass(thing)]
        close = get_close_matches(attribute, names, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"The module {place} has no {attribute!r}.{hint}")
    return as_factory(getattr(module, attribute), name)


def as_factory(thing: Any, name: str) -> Any:
    """A class or function as it is; of an estimator a function that clones it."""
    if inspect.isclass(thing):
        if not hasattr(thing, "fit"):
            raise ValueError(f"{name} is not an estimator: it has no method fit.")
        return thing
    if isinstance(thing, BaseEstimator):
        return lambda **settings: clone(thing).set_params(**settings)
    if callable(thing):
        return thing
    raise ValueError(f"{name} is not a class, a function or an estimator.")


def _import(place: str, name: str) -> ModuleType:
    folder = Path.cwd()
    if place.endswith(".py"):
        path = Path(place).expanduser().resolve()
        if not path.is_file():
            raise ValueError(f"There is no file {place} for the method {name!r}.")
        folder, place = path.parent, path.stem
    # workers get the same path, so that they find the class, too
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        return import_module(place)
    except ModuleNotFoundError as error:
        if error.name != place.partition(".")[0] and error.name != place:
            raise ValueError(
                f"The module {place} cannot be imported: {error}."
            ) from error
        raise ValueError(
            f"There is no module {place!r} for the method {name!r}. It was looked for "
            f"among installed packages and in {folder}."
        ) from None
    except Exception as error:
        raise ValueError(
            f"The module {place} cannot be imported: {type(error).__name__}: {error}."
        ) from error


@lru_cache(maxsize=1)
def plug_ins() -> dict[str, EntryPoint]:
    """Methods that installed packages offer, by name; none is imported."""
    found = entry_points(group=ENTRY_POINTS)
    return {entry.name: entry for entry in found}


def load_plug_in(name: str) -> Any:
    """What makes a step, from an entry point.

    Parameters
    ----------
    name : str
        One of :func:`plug_ins`, whatever its case.

    Returns
    -------
    factory : callable or None
        None if there is no such entry point.
    """
    table = {plain_name(other): entry for other, entry in plug_ins().items()}
    entry = table.get(plain_name(name))
    if entry is None:
        return None
    try:
        thing = entry.load()
    except Exception as error:
        raise ValueError(
            f"The method {entry.name!r} of {_package(entry)} ({entry.value}) cannot be "
            f"loaded: {type(error).__name__}: {error}."
        ) from error
    return as_factory(thing, entry.value)


def _package(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name}" if entry.dist else "an installed package"
