"""Files beside the package agree with each other: versions, citation, hooks."""

import ast
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


#: Phrases that need a second reading; CONTRIBUTING.md says what to write instead.
REFUSED = [
    r"(?<!there )\b(?:is|are|was|were) no (?!longer|more|less|better|worse)",
    r"\blies? in\b",
    r"\bof (?:itself|themselves)\b",
    r"\bother than (?:the paper|published)\b",
    r"\bwill do\b",
    r"\bfor want of\b",
    r"\bfor so (?:many|few|they)\b",
    r"\bholds? (?:no|only|numbers?|text|dates|infinity|types|bytes|votes|several)\b",
    r"\bhang together\b",
    r"\bmend(?:s|ed)?\b",
    r"\bof (?:ours|yours)\b",
    r"\banew\b",
    r"\ba word (?:about|to)\b",
    r"\bneed hear\b|\bbe heard\b",
    r"\bnot to be had\b",
]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.rst")),
    *sorted((ROOT / "docs" / "guide").glob("*.rst")),
    *sorted((ROOT / "docs" / "evidence").glob("*.rst")),
    *sorted((ROOT / "docs").glob("*.toml")),
    *sorted((ROOT / "examples").rglob("*.py")),
]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def refused(text):
    """Phrases of a text that the house list refuses, with a few words around."""
    text = " ".join(text.split())
    for pattern in REFUSED:
        for found in re.finditer(pattern, text, re.IGNORECASE):
            yield text[max(0, found.start() - 30) : found.end() + 30]


def strings(path):
    """All texts of a module: docstrings, messages, help and output."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [getattr(part, "value", "x") for part in node.values]
            yield "".join(part if isinstance(part, str) else "x" for part in parts)


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_are_in_plain_english(path):
    assert list(refused(path.read_text(encoding="utf-8"))) == []


def test_strings_of_the_package_are_in_plain_english():
    found = {
        str(path.relative_to(ROOT)): list(phrases)
        for path in SOURCES
        if (phrases := dict.fromkeys(r for s in strings(path) for r in refused(s)))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is no store.", 1),
        ("There is no store.", 0),
        ("It is no longer there.", 0),
        ("The page lies\nin a folder.", 1),
        ("Column 'a' holds numbers; the bound holds.", 1),
        ("Search it anew, one sentence will do.", 2),
    ],
)
def test_the_house_list_refuses(text, count):
    assert len(list(refused(text))) == count


def test_the_house_list_is_in_the_guide_for_contributors():
    listed = (ROOT / "CONTRIBUTING.md").read_text().partition("## Plain English")[2]
    rows = [row.split("|")[1] for row in listed.splitlines() if row.startswith("| ")]
    assert len(rows) > 12
    for row in rows[2:]:  # after the heading
        assert list(refused(row)), row
