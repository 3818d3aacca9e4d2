"""Names for help and completion, read without importing what they name."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_ROOT = Path(__file__).parents[1]
#: Families of estimators, as in ``skldl.discovery.FAMILIES``.
FAMILIES = ("ldl", "auto", "multilabel", "projection", "classifiers")
#: Public classes of the families that are not estimators.
_NO_METHODS = {"Pool"}
PREPROCESSING = ("raw", "standard", "minmax", "unit", "table")


def method_names(family: str | None = None) -> list[str]:
    """Estimators by name: the capitalised public names of the families."""
    names = []
    for one in FAMILIES if family is None else (family,):
        public = _assigned(_ROOT / one / "__init__.py", "__all__")
        names += [e.value for e in public.elts if e.value[:1].isupper()]
    return sorted(set(names) - _NO_METHODS)


def dataset_names() -> list[str]:
    """Data sets by name, built-in ones first."""
    built_in = _assigned(_ROOT / "datasets" / "_generators.py", "BUILT_IN")
    registry = json.loads((_ROOT / "datasets" / "registry.json").read_text("utf-8"))
    return [*(key.value for key in built_in.keys), *registry]


def _assigned(path: Path, name: str) -> Any:
    """The value that a module assigns to a name, as a syntax tree."""
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if any(getattr(target, "id", None) == name for target in targets):
            return node.value  # type: ignore[attr-defined]
    raise LookupError(name)


def complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """Complete the last step of a method such as ``standard+LSELDL``."""
    begin, _, last = incomplete.rpartition("+")
    begin = f"{begin}+" if begin else ""
    known = [*PREPROCESSING, *method_names()]
    return [begin + name for name in known if name.lower().startswith(last.lower())]


def complete_dataset(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """Complete the name of a data set."""
    names = dataset_names()
    return [name for name in names if name.lower().startswith(incomplete.lower())]


def complete_data(ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
    """Complete a data set's name, or let the shell complete a file's."""
    from click.shell_completion import CompletionItem

    names = complete_dataset(ctx, param, incomplete) if incomplete else []
    return [
        *(CompletionItem(name) for name in names),
        CompletionItem(incomplete, type="file"),
    ]


def file_argument(name: str) -> Callable[[Any], Any]:
    """An argument that is the path of a file."""
    return click.argument(name, type=click.Path(path_type=Path))
