"""Models inside models by name, as in ``DistributionRegressor(Ridge(alpha=2.0))``.

Only names are looked up and only literals are read: nothing is evaluated.
"""

import ast
import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.discovery import all_estimators

from skldl.methods._settings import wrong_settings

#: Gives what makes a step, by a name that is its own or scikit-learn's.
Lookup = Callable[[str], Any]


def read_settings(call: ast.Call, factory: Any, lookup: Lookup) -> dict[str, Any]:
    """Settings in brackets: literals, models, and lists of models.

    Parameters
    ----------
    call : Call
        The brackets, as a syntax tree.
    factory : class or function
        What will be called; a first model without a name is its first parameter.
    lookup : callable
        ``lookup(name)`` gives the class or function of a step, or None.

    Returns
    -------
    settings : dict
    """
    settings = {str(k.arg): _value(k.value, lookup) for k in call.keywords}
    if not call.args:
        return settings
    if len(call.args) > 1 or _is_literal(call.args[0]) or factory is None:
        raise ValueError("settings need names")
    first = next(iter(inspect.signature(factory).parameters), None)
    if first is None or first in settings:
        raise ValueError("settings need names")
    return {first: _value(call.args[0], lookup), **settings}


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _value(node: ast.expr, lookup: Lookup) -> Any:
    if _is_literal(node):
        return ast.literal_eval(node)
    if not isinstance(node, ast.List | ast.Tuple):
        return _model(node, lookup)[1]
    pairs: list[tuple[str, Any]] = []
    for item in node.elts:
        name, model = _model(item, lookup)
        same = sum(other.rstrip("0123456789") == name for other, _ in pairs)
        pairs.append((f"{name}{same + 1}" if same else name, model))
    return pairs


def _model(node: ast.expr, lookup: Lookup) -> tuple[str, Any]:
    """Name of the last step, and the model: one step or a Pipeline."""
    steps: list[tuple[str, Any]] = []
    for part in _parts(node):
        name, call = _name_and_call(part)
        factory = lookup(name)
        if factory is None:
            factory = _scikit_learn().get(plain_name(name))
        if factory is None:
            raise ValueError(_unknown(name))
        settings = {} if call is None else read_settings(call, factory, lookup)
        fault = wrong_settings(factory, settings)
        if fault:
            raise ValueError(f"wrong settings for {name}: {fault.rstrip('.')}")
        try:
            steps.append((plain_name(name), factory(**settings)))
        except TypeError as error:
            raise ValueError(f"wrong settings for {name}: {error}") from None
    if len({name for name, _ in steps}) < len(steps):
        raise ValueError("a step appears twice")
    return steps[-1][0], steps[0][1] if len(steps) == 1 else Pipeline(steps)


def _parts(node: ast.expr) -> list[ast.expr]:
    """Steps joined by +."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_parts(node.left), node.right]
    return [node]


def _name_and_call(node: ast.expr) -> tuple[str, ast.Call | None]:
    if isinstance(node, ast.Name):
        return node.id, None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id, node
    raise ValueError(f"{ast.unparse(node)!r} is not a literal or a model by name")


@lru_cache(maxsize=1)
def _scikit_learn() -> dict[str, Any]:
    """Every public estimator of scikit-learn by its name in lower case."""
    return {plain_name(name): cls for name, cls in all_estimators()}


def is_scikit_learn(name: str) -> bool:
    """Whether scikit-learn has an estimator of that name."""
    return plain_name(name) in _scikit_learn()


def _unknown(name: str) -> str:
    shown = {key: cls.__name__ for key, cls in _scikit_learn().items()}
    close = get_close_matches(plain_name(name), shown, n=1, cutoff=0.6)
    hint = f"; did you mean {shown[close[0]]}?" if close else ""
    return f"unknown model {name!r}{hint}"


def plain_name(name: str) -> str:
    """A name without what does not matter in it: case, hyphens and underscores."""
    return name.strip().lower().replace("-", "").replace("_", "")
