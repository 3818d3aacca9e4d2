"""The package as a whole: imports go down only, everything public is documented."""

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import skldl
from skldl.datasets import make_toy_ldl

SOURCE = Path(skldl.__file__).parent

LAYERS_FILE = Path(__file__).parents[1] / "docs" / "architecture_layers.toml"
LAYER = {
    name: number
    for number, layer in enumerate(tomllib.loads(LAYERS_FILE.read_text())["layer"])
    for name in layer["packages"]
}


def imported_parts(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (n.split(".")[1] for n in names if n.startswith("skldl."))


@pytest.mark.parametrize(
    "path",
    [
        p
        for p in SOURCE.rglob("*.py")
        if p.relative_to(SOURCE).parts != ("__init__.py",)
    ],
    ids=lambda p: str(p.relative_to(SOURCE)),
)
def test_imports_go_down_only(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in LAYER, f"{own} has no layer; add it to {LAYERS_FILE.name}"
    for other in imported_parts(path):
        allowed = other == own or LAYER[other] < LAYER[own]
        assert allowed, f"{path.name} imports skldl.{other}"


# a module of each has its own: what the command line loads, what a paper consists of
SHARED_NAMES = {"cli": {"command"}, "papers": {"parts", "entries"}}


@pytest.mark.parametrize(
    "folder",
    sorted({p.parent for p in SOURCE.rglob("*.py")}),
    ids=lambda p: str(p.relative_to(SOURCE.parent)),
)
def test_no_two_functions_or_classes_of_a_package_share_a_name(folder):
    owners = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                owners.setdefault(node.name, set()).add(path.name)
    allowed = SHARED_NAMES.get(folder.name, set())
    shared = {n: o for n, o in owners.items() if len(o) > 1 and n not in allowed}
    assert not shared


PRIVATE = re.compile(r"_(?!_)")  # __version__ is everybody's


def private_imports(own, tree):
    """Modules and names with an underscore that belong to another package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            root, *parts = name.split(".")
            # modules such as skldl._files are common ground
            if root == "skldl" and len(parts) > 1 and parts[0] != own:
                yield from (name for part in parts[1:] if PRIVATE.match(part))


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from skldl.datasets._table import load_table", 1),
        ("from skldl.datasets import _table", 1),
        ("import skldl.datasets._table", 1),
        ("from skldl.datasets.readers import _dense", 1),
        ("from skldl._files import _whole", 1),
        ("from skldl.datasets import load_table", 0),
        ("from skldl.cli._data import note", 0),
        ("from skldl._files import write_text", 0),
        ("from skldl._version import __version__", 0),
    ],
)
def test_private_imports_are_found(code, found):
    assert len(list(private_imports("cli", ast.parse(code)))) == found


@pytest.mark.parametrize(
    "path", list(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_no_private_imports_across_packages(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for name in private_imports(own, ast.parse(path.read_text())):
        pytest.fail(
            f"{path.relative_to(SOURCE)} imports {name}, which is private to skldl."
            f"{name.split('.')[1]}: make it a public name there, or move it to the "
            "package that owns it."
        )


def test_every_layer_is_of_the_package():
    parts = {p.name.removesuffix(".py") for p in SOURCE.iterdir()}
    unknown = set(LAYER) - parts
    assert not unknown, f"{LAYERS_FILE.name} names {sorted(unknown)}"


def public_names():
    for module_name in skldl._MODULES:
        module = importlib.import_module(f"skldl.{module_name}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield f"{module_name}.{name}", thing


@pytest.mark.parametrize(("name", "thing"), list(public_names()))
def test_public_names_are_documented(name, thing):
    doc = inspect.getdoc(thing)
    assert doc, f"{name} has no docstring"
    if inspect.isfunction(thing):
        parameters = inspect.signature(thing).parameters.values()
        for parameter in parameters:
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                assert parameter.name in doc, f"{name}: {parameter.name}"


def test_private_scikit_learn_is_imported_in_one_place():
    for path in SOURCE.rglob("*.py"):
        if path.name == "_sklearn.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.ImportFrom)
                and (node.module or "")[:7] == "sklearn"
            ):
                parts = [*node.module.split("."), *(a.name for a in node.names)]
                assert not [p for p in parts if p.startswith("_")], path


def test_top_level_names():
    assert set(skldl._MODULES) <= set(dir(skldl))
    assert skldl.ldl.AAkNN is dict(skldl.all_estimators())["AAkNN"]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = skldl.nothing


def test_help_does_not_import_scikit_learn():
    code = (
        "import sys; from skldl.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'sklearn', 'pandas', 'sqlite3'} & set(sys.modules)"
    )
    run_python(code)


def run_python(code):
    environment = {**os.environ, "COVERAGE_PROCESS_START": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_nothing_needs_modules_of_posix_alone():
    names = [
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for path in SOURCE.rglob("*.py")
        if path.stem != "__main__"
    ]
    run_python(
        "import sys, signal\nfrom importlib import import_module\n"
        "import distributed, joblib, matplotlib, rich.console, skops.io\n"
        "for name in ('resource', 'fcntl', 'pwd', 'grp', 'termios'):\n"
        "    sys.modules[name] = None\n"
        "del signal.SIGHUP, signal.SIGKILL, signal.pthread_sigmask\n"
        f"for name in {names}: import_module(name)\n"
        "from skldl.benchmark import Plan, Split, run\n"
        "plan = Plan(['synthetic'], ['AAkNN'], Split(n_splits=2))\n"
        "assert (run(plan, engine='serial')['status'] == 'ok').all()"
    )


def test_models_are_used_without_the_runner(tmp_path):
    table = make_toy_ldl(40, random_state=0)
    data = tmp_path / "votes.csv"
    model = tmp_path / "model.skldl"
    frame = pd.DataFrame(np.hstack(table), columns=list("abcxyz"))
    frame.to_csv(data, index=False)
    labels = ["--labels", "x,y,z"]
    for arguments in (
        ["fit", data, *labels, "-m", "AAkNN", "--tune", "-o", model],
        ["predict", model, data, "-o", tmp_path / "out.csv"],
        ["evaluate", model, data],
        ["embed", data, *labels, "-o", tmp_path / "points.csv"],
        ["select", data, *labels],
    ):
        code = (
            "import sys; from skldl.cli import main\n"
            f"main({[str(argument) for argument in arguments]})\n"
            "unwanted = {'skldl.benchmark', 'sqlite3', 'distributed'}\n"
            "assert not unwanted & set(sys.modules), unwanted & set(sys.modules)"
        )
        run_python(code)
