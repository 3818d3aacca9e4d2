"""Do the tests notice wrong code? Single-place mutants of the numerical core.

    python bench/mutants.py --count 40 --seed 2

A mutant changes one operator, comparison, number, truth value or function of one
module, in a copy of the checkout. It is killed if the nearest tests fail: those of the
same package that name something of the module, or whose file has its name, those that
import it, and the module's own examples; then, if these pass, the tests that all
estimators share, for those that the module is a part of. Prints a line for each mutant
and the share that was killed. Sizes of blocks are not changed: no result depends on
them. Other changes without an effect, such as a larger step of a solver that ends at
the same solution, are listed in mutants_without_effect.toml with the reason; they are
tried and shown, but do not count if they survive.
"""

import argparse
import ast
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

# imported once, for all copies of this process; skldl itself is not, nor are plugins of
# pytest, which it must import itself
LIBRARIES = (
    "pandas", "scipy.linalg", "scipy.optimize", "scipy.stats",
    "sklearn.cluster", "sklearn.ensemble", "sklearn.model_selection", "sklearn.svm",
    "sklearn.neighbors", "sklearn.neural_network", "sklearn.utils.estimator_checks",
)  # fmt: skip
EQUAL = Path(__file__).with_name("mutants_without_effect.toml")
ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("solvers", "objectives", "graphs", "linalg", "metrics", "ldl", "projection")
PARTS = ("src", "tests", "docs", "examples", "bench", "results", "pyproject.toml")
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "sqrt": "abs",
    "minimum": "maximum", "maximum": "minimum", "exp": "expm1", "log": "log1p",
    "mean": "sum", "sum": "mean", "zeros": "ones", "ones": "zeros", "any": "all",
    "all": "any", "floor": "ceil", "ceil": "floor",
}  # fmt: skip

VAGUE = ("time", "unknown")  # ends of tests that name no test
#: Tests of all estimators, whose cases have their names.
SHARED = (
    "test_common.py", "test_documented_defaults.py", "test_models.py", "blocks",
    "ldl/test_default_grids.py", "test_hostile_input.py",
)  # fmt: skip
SIZES = re.compile(r"_?(CHUNK|BATCH|BLOCK|WORK|SCATTER|STACKED|AT_ONCE|PREDICT_ROWS)")

Place = tuple[int, str, Callable[[], None]]


def places(tree: ast.Module) -> list[Place]:
    """Line, description and change of every possible mutant."""
    left_out = {id(part) for node in ast.walk(tree) for part in _not_code(node)}
    nodes = (node for node in ast.walk(tree) if id(node) not in left_out)
    return [place for node in nodes for place in _changes(node)]


def _not_code(node: ast.AST) -> Iterator[ast.AST]:
    """Parts that no test can see: annotations, docstrings, errors, sizes of blocks."""
    for mark in getattr(node, "decorator_list", []):
        if re.match("dataclass|fit_context", ast.unparse(mark)):
            yield from ast.walk(mark)
    if isinstance(node, ast.Assign) and SIZES.fullmatch(ast.unparse(node.targets[0])):
        yield from ast.walk(node)
    for field in ("annotation", "returns"):
        if getattr(node, field, None) is not None:
            yield from ast.walk(getattr(node, field))
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and ast.unparse(body[0])[:1] in "\"'":
        yield from ast.walk(body[0])
    if isinstance(node, ast.Raise | ast.JoinedStr):
        yield from ast.walk(node)


def _changes(node: ast.AST) -> Iterator[Place]:
    op = getattr(node, "op", None)
    if type(op) in SWAPS and not _joins_texts(node):
        new = SWAPS[type(op)]
        yield node.lineno, new.__name__, lambda: setattr(node, "op", new())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        other = SWAPS[type(node.ops[0])]
        yield node.lineno, other.__name__, lambda: node.ops.__setitem__(0, other())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        value = node.value
        found = not value if isinstance(value, bool) else value * 3 + 1
        yield node.lineno, f"{value} to {found}", lambda: setattr(node, "value", found)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        name = NAMES[node.attr]
        yield node.lineno, f"{node.attr} to {name}", lambda: setattr(node, "attr", name)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        wrong = ast.UnaryOp(ast.Not(), node.test)
        yield node.lineno, "condition negated", lambda: setattr(node, "test", wrong)


def _joins_texts(node: ast.AST) -> bool:
    sides = [getattr(node, "left", None), getattr(node, "right", None)]
    return any(isinstance(s, ast.JoinedStr) or _is_text(s) for s in sides)


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def nearest_tests(work: Path, module: Path) -> list[Path]:
    """Test files of the package that name something of it, and all that import it."""
    tree = ast.parse(module.read_text())
    kinds = ast.FunctionDef | ast.ClassDef
    names = [node.name for node in tree.body if isinstance(node, kinds)]
    words = re.compile(r"\b(" + "|".join([*names, module.stem.strip("_")]) + r")\b")
    own = sorted((work / "tests" / module.parent.name).glob("test_*.py"))
    near = [t for t in own if words.search(t.read_text()) or words.search(t.stem)]
    line = f"from skldl.{module.parent.name}.{module.stem} import"
    others = sorted(set((work / "tests").rglob("test_*.py")) - set(own))
    near += [t for t in others if line in t.read_text()]
    # the quickest to fail first: those named after the module, then short ones
    named = re.compile(module.stem.strip("_"))
    return sorted(
        near or own, key=lambda t: (named.search(t.stem) is None, t.stat().st_size)
    )


def shared_tests(work: Path, module: Path) -> list[str]:
    """Tests of all estimators, for those of the module and those that import it."""
    names = []
    for path in sorted(module.parent.glob("_*.py")):
        text = path.read_text()
        if path == module or re.search(
            rf"from skldl\.[a-z]+\.{module.stem} import", text
        ):
            names += re.findall(r"^class ([A-Z]\w+)", text, re.MULTILINE)
    if not names:
        return []
    files = [str(work / "tests" / name) for name in SHARED]
    return [*files, "-k", " or ".join(names)]


def failures(work: Path, targets: list[str], seconds: float, *more: str) -> list[str]:
    """The tests that fail, or ["time"] if they take too much CPU time.

    The tests run in a copy of this process, which has imported other libraries already.
    """
    output = work / "output.txt"
    child = os.fork()
    if child == 0:
        _run_tests(work, ["-q", "-p", "no:cacheprovider", *more, *targets], seconds)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return ["time"]
    text = output.read_text(errors="replace")
    found = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", text, re.MULTILINE)
    nothing = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return found or ([] if code in nothing else ["unknown"])


class _Patient:
    """A test that is slow on a busy machine has not failed."""

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, settings

        settings.register_profile(
            "patient", deadline=None, suppress_health_check=list(HealthCheck)
        )
        settings.load_profile("patient")


def _run_tests(work: Path, arguments: list[str], seconds: float) -> NoReturn:
    with (work / "output.txt").open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    limit = int(seconds + time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    os.chdir(work)
    sys.path.insert(0, str(work / "src"))
    os.environ["PYTHONPATH"] = str(work / "src")
    sys.dont_write_bytecode = True
    code = 3
    try:
        code = int(pytest.main(arguments, plugins=[_Patient()]))
    finally:
        sys.stdout.flush()
        os._exit(code)


def run(count: int, seed: int, packages: list[str], seconds: float) -> float:
    """Try so many mutants; the share that was killed."""
    for name in LIBRARIES:
        import_module(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        work = Path(folder)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, work / part)
        modules = [
            path
            for package in packages
            for path in sorted((work / "src/skldl" / package).glob("_*.py"))
            if path.name != "__init__.py"
        ]
        sizes = [(path, len(places(ast.parse(path.read_text())))) for path in modules]
        pool = [(path, i) for path, size in sizes for i in range(size)]
        chosen = random.Random(seed).sample(pool, count)
        killers = [_killer(work, path, index, seconds) for path, index in chosen]
        # a test that fails without a change, too, would kill everything
        named = sorted({k for k in killers if "::" in k or k.endswith(".py")})
        unsound = failures(work, named, 10 * seconds) if named else []
        if set(unsound) & set(VAGUE):
            raise RuntimeError("The tests that failed do not run without a change.")
    doubtful = {"left out", "no effect", *unsound}
    tried = [killer for killer in killers if killer not in doubtful]
    killed = sum(killer != "" for killer in tried)
    share = killed / max(len(tried), 1)
    print(f"{killed} of {len(tried)} mutants killed ({share:.0%})")
    equal = killers.count("no effect")
    print(f"{equal} without an effect")
    rest = count - len(tried) - equal
    print(f"{rest} left out, whose tests fail without a change or by chance")
    return share


def without_effect() -> set[tuple[str, str, str]]:
    """Module, line and change of mutants that give the same results."""
    entries = tomllib.loads(EQUAL.read_text())["mutant"]
    return {(e["module"], e["code"], e["change"]) for e in entries}


def _killer(work: Path, path: Path, index: int, seconds: float) -> str:
    """The test that notices a mutant; "" if none does."""
    source = path.read_text()
    tree = ast.parse(source)
    line, what, change = places(tree)[index]
    change()
    targets = [*map(str, nearest_tests(work, path)), str(path)]
    path.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    begin = time.time()
    killer = next(iter(failures(work, targets, seconds, "-x")), "")
    more = shared_tests(work, path)
    if not killer and more:
        killer = next(iter(failures(work, more, seconds, "-x")), "")
    if killer not in ("", *VAGUE) and not failures(work, [killer], seconds):
        killer = "left out"  # it failed by chance, such as a time that was over
    path.write_text(source)
    # no test is named, so the tests themselves may be at fault
    if killer in VAGUE and failures(work, targets, seconds, "-x"):
        killer = "left out"
    module = str(path.relative_to(work / "src/skldl"))
    where, code = f"{module}:{line}", source.splitlines()[line - 1].strip()
    if not killer and (module, code, what) in without_effect():
        killer = "no effect"
    words = {"": "SURVIVED", "left out": "left out", "no effect": "no effect"}
    verdict = words.get(killer, "killed")
    took = time.time() - begin
    print(f"{verdict:9s} {took:4.0f} s {where} [{what}] {code[:70]}", flush=True)
    if verdict == "killed":
        print(f"         by {killer}", flush=True)
    return killer


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120.0, help="of CPU")
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES))
    given = parser.parse_args()
    share = run(given.count, given.seed, given.packages, given.seconds)
    sys.exit(int(share < 0.9))
