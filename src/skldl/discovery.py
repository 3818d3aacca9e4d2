"""Find every estimator: feeds common checks, the command line and the API list."""

import inspect
from importlib import import_module

from sklearn.base import BaseEstimator

#: The families of methods; a kind is a family's name.
FAMILIES = ("ldl", "auto", "multilabel", "projection", "classifiers")
#: Modules with estimators that work on others and are not methods themselves.
TOOLS = ("model_selection", "preprocessing", "conformal")

__all__ = ["FAMILIES", "TOOLS", "all_estimators"]


def all_estimators(kind: str | None = None) -> list[tuple[str, type[BaseEstimator]]]:
    """List the public estimators by name.

    Parameters
    ----------
    kind : str, default=None
        One of ``skldl.discovery.FAMILIES`` or ``skldl.discovery.TOOLS``; None for
        all.

    Returns
    -------
    estimators : list of (name, class)
        Sorted by name.

    Examples
    --------
    >>> from skldl import all_estimators
    >>> [name for name, _ in all_estimators("ldl")][:2]
    ['AABP', 'AAkNN']
    """
    kinds = (*FAMILIES, *TOOLS)
    if kind is not None and kind not in kinds:
        raise ValueError(
            f"Unknown kind {kind!r}; choose from {', '.join(kinds)} or None."
        )
    families = kinds if kind is None else (kind,)
    found = {}
    for family in families:
        module = import_module(f"skldl.{family}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
                found[name] = thing
    return sorted(found.items())
