"""Plans in TOML files."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

from skldl.benchmark._plan import Plan
from skldl.benchmark._reference import read_reference
from skldl.benchmark._splits import Split
from skldl.datasets import Dataset, load_table
from skldl.methods import Method, Tuning, expand_methods, make_method

_PLAN_KEYS = {
    "datasets", "methods", "split", "tune", "metrics", "seed", "reference", "title",
    "max_folds", "skip_folds", "weights",
}  # fmt: skip


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan from a TOML file.

    Parameters
    ----------
    path : str or Path
        The file. Its keys: ``datasets`` (names, or tables with ``path``, ``labels``
        and perhaps ``features``, ``normalize``), ``methods`` (names, or tables with
        ``name`` and perhaps ``label``, ``params``, ``grid``), ``split`` (the
        parameters of :class:`Split`), ``tune`` (true, or the parameters of
        :class:`Tuning`), ``metrics``, ``seed``, ``max_folds``, ``skip_folds``,
        ``weights``, and ``reference`` (a CSV file, beside the plan, or a table with
        ``path`` and columns to select by).

    Returns
    -------
    plan : Plan

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.benchmark import read_plan
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "plan.toml"
    ...     text = ["datasets = ['toy']", "methods = ['AAkNN']", "tune = true"]
    ...     _ = path.write_text(chr(10).join(text))
    ...     read_plan(path).tuning
    Tuning(scoring=None, n_splits=5)
    """
    path = Path(path)
    content = _read_toml(path)
    unknown = set(content) - _PLAN_KEYS
    if unknown:
        raise ValueError(
            f"{path}: unknown key {sorted(unknown)[0]!r}; a plan has "
            f"{', '.join(sorted(_PLAN_KEYS))}."
        )
    try:
        return _plan(content, path.parent)
    except TypeError as error:  # an unknown key inside a table
        raise ValueError(f"{path}: {error}.") from error


def plan_files(path: str | os.PathLike[str]) -> list[Path]:
    """List the files that a plan reads beside itself.

    Parameters
    ----------
    path : str or Path
        A plan in TOML, see :func:`read_plan`.

    Returns
    -------
    files : list of Path
        Tables of data sets, and the published numbers.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skldl.benchmark import plan_files
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "plan.toml"
    ...     _ = path.write_text("datasets = ['toy', {path = 'votes.csv'}]")
    ...     [file.name for file in plan_files(path)]
    ['votes.csv']
    """
    path = Path(path)
    content = _read_toml(path)
    entries = content.get("datasets", [])
    named = [*(entries if isinstance(entries, list) else [])]
    named = [entry for entry in named if isinstance(entry, dict)]
    reference = content.get("reference")
    named.append({"path": reference} if isinstance(reference, str) else reference)
    places = [entry.get("path") for entry in named if isinstance(entry, dict)]
    return [path.parent / place for place in places if isinstance(place, str)]


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not a TOML file: {error}.") from error
    except RecursionError:
        raise ValueError(
            f"{path} has brackets nested too deeply; a plan needs no more than a few."
        ) from None


def _plan(content: dict[str, Any], folder: Path) -> Plan:
    tune = content.get("tune", False)
    if not isinstance(content.get("split", {}), dict):
        raise ValueError(
            f"split must be a table such as {{n_splits = 5}}, got {content['split']!r}."
        )
    return Plan(
        datasets=[_dataset(entry, folder) for entry in _listed(content, "datasets")],
        methods=[
            method
            for entry in _listed(content, "methods")
            for method in _read_methods(entry)
        ],
        split=Split(**content.get("split", {})),
        tuning=_tuning(tune),
        metrics=content.get("metrics", []),
        seed=content.get("seed", 0),
        reference=_reference(content.get("reference"), folder),
        max_folds=content.get("max_folds"),
        skip_folds=content.get("skip_folds", 0),
        weights=content.get("weights"),
    )


def _tuning(entry: Any) -> Tuning | None:
    if isinstance(entry, str):
        return Tuning(entry)
    if isinstance(entry, dict):
        return Tuning(**entry)
    return Tuning() if entry else None


def _dataset(entry: Any, folder: Path) -> str | Dataset:
    if isinstance(entry, str):
        return entry
    entry = _table(entry, "path")
    if not isinstance(entry.get("normalize", False), bool):
        raise ValueError(
            f"normalize must be true or false, got {entry['normalize']!r}."
        )
    return load_table(**{**entry, "path": folder / entry["path"]})


def _listed(content: dict[str, Any], key: str) -> list[Any]:
    """A list; one name in its place, such as "all", is a list of one."""
    found = content.get(key, [])
    return [found] if isinstance(found, str) else found


def _read_methods(entry: Any) -> list[Method]:
    if isinstance(entry, str):
        return [make_method(name) for name in expand_methods(entry)]
    entry = dict(_table(entry, "name"))
    if not isinstance(entry.get("label", ""), str):
        raise ValueError(f"label must be a text, got {entry['label']!r}.")
    return [make_method(entry.pop("name"), **entry)]


def _table(entry: Any, needed: str, what: str = "Expected a name") -> dict[str, Any]:
    if not isinstance(entry, dict) or not isinstance(entry.get(needed), str):
        raise ValueError(f"{what}, or a table with {needed!r}, got {entry!r}.")
    return entry


def _reference(entry: Any, folder: Path) -> pd.DataFrame | None:
    if entry is None:
        return None
    entry = {"path": entry} if isinstance(entry, str) else entry
    entry = dict(_table(entry, "path", "reference: expected a file"))
    return read_reference(folder / entry.pop("path"), **entry)
