"""The table of all constructor parameters, from vocabulary.toml and the signatures."""

import inspect
import tomllib
from collections import defaultdict
from pathlib import Path

from skldl.discovery import all_estimators

HERE = Path(__file__).parent
HEADS = ("Name", "Meaning", "Default", "Who has it")


def read_vocabulary():
    """Meanings by name."""
    return tomllib.loads((HERE / "vocabulary.toml").read_text())["parameters"]


def signatures():
    """Name of a parameter to {estimator: default}."""
    found = defaultdict(dict)
    for name, estimator in all_estimators():
        for word in estimator._get_param_names():
            found[word][name] = inspect.signature(estimator).parameters[word].default
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def defaults(owners):
    """Every default once, with who has it where there are several."""
    by_value = defaultdict(list)
    for name, value in owners.items():
        by_value[f"``{value!r}``"].append(name)
    if len(by_value) == 1:
        return next(iter(by_value))
    return "; ".join(f"{value} ({', '.join(who)})" for value, who in by_value.items())


def table():
    """A reST list-table of the parameters that estimators have."""
    meanings = read_vocabulary()
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 16 40 22 22", ""]
    rows = [HEADS]
    for word, owners in signatures().items():
        row = (f"``{word}``", meanings[word], defaults(owners), ", ".join(owners))
        rows.append(row)
    for row in rows:
        first, *rest = row
        lines += [f"   * - {first}", *(f"     - {cell}" for cell in rest)]
    return "\n".join([*lines, ""])
