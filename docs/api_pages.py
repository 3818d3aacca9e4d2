"""The API pages: an index by task, and a page for each module. Nothing is left out."""

import inspect
from importlib import import_module
from pathlib import Path

from skldl import _MODULES
from skldl.discovery import FAMILIES, TOOLS, all_estimators

HERE = Path(__file__).parent

#: Title, one sentence, modules; the index has them in this order.
TASKS = [
    (
        "Read and check data",
        "Tables of votes, open data sets, generators.",
        ["datasets"],
    ),
    ("Count votes of a crowd", "From single answers to distributions.", ["crowd"]),
    (
        "Encode columns",
        "Categories, dates, text and gaps as numbers.",
        ["preprocessing"],
    ),
    ("Get a good model without choosing", "", ["auto"]),
    ("Learn distributions", "All of them have ``fit`` and ``predict``.", ["ldl"]),
    ("Say how sure a prediction is", "Regions with a guarantee.", ["conformal"]),
    ("Choose settings", "Grid searches that share work.", ["model_selection"]),
    ("Judge predictions", "Metrics with direction and ideal value.", ["metrics"]),
    (
        "Compare methods",
        "Plans, stores and statistics; pages.",
        ["benchmark", "report"],
    ),
    ("Draw", "Pictures on a matplotlib Axes.", ["plotting"]),
    ("Save and open models", "Files that run no code when opened.", ["models"]),
    ("Project features", "Few coordinates that follow the labels.", ["projection"]),
    (
        "Rank label sets and classify",
        "Multi-label rankers; a forest of classes.",
        ["multilabel", "classifiers"],
    ),
    ("Work with large data", "Data in blocks, threads.", ["blocks", "config"]),
    ("Run published tables again", "", ["reproduce"]),
    ("Cite", "References of methods and data sets as BibTeX.", ["citations"]),
    (
        "Write your own methods",
        "Common methods, methods by name, checks of input, checks of estimators.",
        ["base", "methods", "discovery", "validation", "testing"],
    ),
    (
        "Build on the parts",
        "Graphs, linear algebra, objectives and solvers.",
        ["graphs", "linalg", "objectives", "solvers"],
    ),
]

#: Groups of learners in the index; those that no group names come last.
LEARNERS = {
    "Baseline": ["MeanDistribution"],
    "Trees": ["ExtraTreesLDL", "RandomForestLDL", "BoostingLDL", "LightGBMLDL"],
    "Kernels and linear models": [
        "KernelRidgeLDL",
        "KernelSoftmaxLDL",
        "LogisticLDL",
        "LogRatioRidgeLDL",
        "DirichletLDL",
    ],
    "Any scikit-learn model": ["DistributionRegressor", "SoftLabelClassifier"],
    "Ensembles": ["StackedDistribution", "DistributionVoting", "BaggedDistribution"],
    "Neighbours": ["AAkNN", "LWkNN", "LDkNN"],
    "Feature selection": ["LSELDL"],
}


def write_if_changed(path, text):
    """Leave an unchanged page alone, so that it is not built again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def heading(title, underline):
    """A title with its line below."""
    return [title, underline * len(title), ""]


def summary(names, module, toctree=False):
    """An autosummary table of some names of a module."""
    lines = [f".. currentmodule:: skldl.{module}", "", ".. autosummary::"]
    lines += ["   :toctree: generated", ""] if toctree else [""]
    return [*lines, *(f"   {name}" for name in names), ""]


def public(module_name):
    """Classes and functions of a module by name, and its other values."""
    module = import_module(f"skldl.{module_name}")
    things = {name: getattr(module, name) for name in module.__all__}
    things = {n: t for n, t in things.items() if not inspect.ismodule(t)}
    callables = {
        n: t for n, t in things.items() if inspect.isclass(t) or inspect.isfunction(t)
    }
    return callables, [name for name in things if name not in callables]


def module_page(module_name):
    """Everything public of one module."""
    title = f"skldl.{module_name}"
    module = import_module(title)
    callables, values = public(module_name)
    lines = [*heading(title, "="), inspect.getdoc(module), ""]
    groups = {}
    if module_name in (*FAMILIES, *TOOLS):
        groups["Estimators"] = [name for name, _ in all_estimators(module_name)]
    others = {
        n: t for n, t in callables.items() if n not in groups.get("Estimators", [])
    }
    groups["Classes"] = [n for n, t in others.items() if inspect.isclass(t)]
    groups["Functions"] = [n for n, t in others.items() if inspect.isfunction(t)]
    for name, names in groups.items():
        if names:
            lines += [*heading(name, "-"), *summary(names, module_name, toctree=True)]
    if values:
        lines += heading("Values", "-")
        lines += [*(f"* ``{title}.{name}``" for name in values), ""]
    if module_name == "benchmark":
        lines += heading("Statistics", "-")
        lines += summary(module.stats.__all__, "benchmark.stats", toctree=True)
    return "\n".join(lines)


def learner_groups():
    """Names of ``skldl.ldl`` by group."""
    callables, _ = public("ldl")
    estimators = [name for name, _ in all_estimators("ldl")]
    named = [name for names in LEARNERS.values() for name in names]
    return {
        **LEARNERS,
        "Published methods": [name for name in estimators if name not in named],
        "Functions": [name for name in callables if name not in estimators],
    }


def index_page():
    """All public names by task, one line each, and the list of modules."""
    covered = [module for _, _, modules in TASKS for module in modules]
    if sorted(covered) != sorted(_MODULES):
        missing = set(_MODULES) ^ set(covered)
        raise RuntimeError(
            f"TASKS of docs/api_pages.py and the package differ: {missing}"
        )
    lines = [*heading("API", "="), "Everything public, by task.", ""]
    lines += [".. contents::", "   :local:", "   :depth: 1", "   :backlinks: none", ""]
    for title, sentence, modules in TASKS:
        pages = ", ".join(f":doc:`skldl.{name} <{name}>`" for name in modules)
        more = "Module" if len(modules) == 1 else "Modules"
        lines += [*heading(title, "-"), f"{sentence} {more}: {pages}.".strip(), ""]
        for name in modules:
            groups = learner_groups() if name == "ldl" else {"": list(public(name)[0])}
            for group, names in groups.items():
                lines += [f".. rubric:: {group}", ""] if group else []
                lines += summary(names, name)
    lines += heading("Modules", "-")
    lines += [".. toctree::", "   :maxdepth: 1", ""]
    return "\n".join([*lines, *(f"   {name}" for name in sorted(_MODULES)), ""])


def main():
    """Write all pages into ``docs/api``."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    for name in _MODULES:
        write_if_changed(folder / f"{name}.rst", module_page(name))
    write_if_changed(folder / "index.rst", index_page())
