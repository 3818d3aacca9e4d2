"""Files beside the package agree with each other: versions, citation, hooks."""

import re
import tomllib
from pathlib import Path

import pytest

import skldl

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# they check or measure the source; tests do not run on old versions of them
TOOLS = {"mypy", "pytest-cov", "ruff"}


def read_yaml(name):
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    return yaml.safe_load((ROOT / name).read_text())


def pinned(name):
    """Packages of a file of constraints that are pinned exactly."""
    lines = (ROOT / name).read_text().splitlines()
    pairs = (line.split("==") for line in lines if "==" in line)
    return {package.lower(): version for package, version in pairs}


def as_numbers(version, width=3):
    parts = [int(part) for part in version.split(".")]
    return tuple(parts + [0] * (width - len(parts)))


def test_the_oldest_versions_are_those_of_the_project():
    extras = PROJECT["optional-dependencies"]
    names = set(extras) - {"docs", "bench"}
    wanted = PROJECT["dependencies"] + [b for name in names for b in extras[name]]
    bounds = dict(bound.split(">=") for bound in wanted if ">=" in bound)
    oldest = pinned("constraints-oldest.txt")
    assert set(oldest) == set(bounds) - TOOLS
    for package, version in oldest.items():
        assert as_numbers(version) == as_numbers(bounds[package]), package


def test_hooks_have_the_ruff_of_the_constraints():
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    versions = set(re.findall(r"ruff==([\d.]+)", text))
    assert versions == {pinned("constraints.txt")["ruff"]}
    read_yaml(".pre-commit-config.yaml")


def test_data_files_are_refused_and_sources_are_not():
    (repository,) = read_yaml(".pre-commit-config.yaml")["repos"]
    hook = next(h for h in repository["hooks"] if h["id"] == "data-files")
    for name in ("SJAFFE.mat", "data/yeast.arff", "a/results.sqlite", "x.csv.gz"):
        assert re.search(hook["files"], name), name
    for name in ("src/skldl/datasets/_mat.py", "results/mslp.csv", "bench/a.json"):
        assert not re.search(hook["files"], name), name


def test_the_citation_is_of_this_version():
    citation = read_yaml("CITATION.cff")
    assert citation["title"] == PROJECT["name"]
    assert citation["version"] == skldl.__version__
    assert citation["license"] == PROJECT["license"]["text"]
    assert citation["authors"] == PROJECT["authors"]
    assert len(citation["references"]) == 5
    docs = " ".join(" ".join(e.__doc__.split()) for _, e in skldl.all_estimators())
    for reference in citation["references"]:
        assert reference["title"] in docs
        for name in reference["notes"].split(";")[0].split(" and "):
            assert name in dict(skldl.all_estimators())


def test_every_version_of_python_has_a_target():
    named = "Programming Language :: Python :: 3."
    versions = [c.rpartition(".")[2] for c in PROJECT["classifiers"] if named in c]
    assert PROJECT["requires-python"] == f">=3.{min(versions, key=int)}"
    makefile = (ROOT / "Makefile").read_text()
    (targets,) = re.findall(r"^PYTHONS := (.*)$", makefile, flags=re.MULTILINE)
    assert targets.split() == [f"py3{version}" for version in versions]
    for version in versions:
        place = f".venv-py3{version}/bin/python: PYTHON = python3.{version}"
        assert place in makefile
