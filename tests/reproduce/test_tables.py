"""Committed tables and pages are those of the committed summaries."""

import importlib.util
import re
from pathlib import Path

import pandas as pd
import pytest

from skldl.report import to_rst
from skldl.reproduce import list_papers, read_summary, reproduce
from skldl.reproduce._columns import VERSIONS_FILE, fold_values, write_summary

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
INCLUDES = sorted(
    path
    for folder in ("docs", "docs/guide")
    for path in (ROOT / folder).glob("*.inc")
    if path.name not in ("names_changed.inc", "vocabulary_table.inc")  # list tables
)
TABLE = re.compile(r"^(=[= ]*)\n(.+)\n\1\n((?:.+\n)*?)\1\n", re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not (RESULTS / "mslp.csv").exists(), reason="needs the summaries of the repository"
)


@pytest.fixture(scope="module")
def tables():
    path = ROOT / "docs" / "write_tables.py"
    spec = importlib.util.spec_from_file_location("write_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tables(RESULTS)


def test_no_number_of_the_documentation_is_typed_by_hand(tables):
    for name, text in tables.items():
        committed = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert committed == text, f"{name}: run python docs/write_tables.py"


def test_every_table_is_shown(tables):
    pages = [p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.rst")]
    for name in tables:
        line = re.compile(rf"\.\. include:: (\S+/)?{re.escape(Path(name).name)}$", re.M)
        assert any(line.search(page) for page in pages), name


def read_rst(match):
    """A simple table of reStructuredText as a DataFrame of texts."""
    rule, head, body = match.groups()
    ends = [found.span() for found in re.finditer("=+", rule)]

    def cells(line):
        return [line[start:end].strip() for start, end in ends]

    return pd.DataFrame(map(cells, body.splitlines()), columns=cells(head))


@pytest.mark.parametrize("path", INCLUDES, ids=lambda path: path.name)
def test_every_include_is_as_the_writer_makes_it(path):
    # benchmarks take hours, so their tables are checked in form alone
    text = path.read_text(encoding="utf-8")
    again, n_tables = TABLE.subn(lambda found: to_rst(read_rst(found)), text)
    assert n_tables
    assert text == again


def test_every_include_that_a_page_names_is_there():
    made_by_the_build = ("architecture/", "scaling/", "vocabulary/")
    made_by_the_build += ("learners/", "../learners/", "../commands/")
    made_by_the_build += ("auto_results/", "../auto_results/", "changes/")
    folders = (ROOT / "docs", ROOT / "docs/guide", ROOT / "docs/evidence")
    for page in [page for folder in folders for page in folder.glob("*.rst")]:
        for name in re.findall(r"\.\. include:: (\S+)", page.read_text()):
            there = name.startswith(made_by_the_build) or (page.parent / name).exists()
            assert there, f"{page.name} includes {name}"


@pytest.mark.parametrize("key", list_papers())
def test_summaries_are_written_as_they_were_read(key, tmp_path):
    summary = read_summary(RESULTS / f"{key}.csv")
    again = write_summary(summary, tmp_path / f"{key}.csv")
    for name in (f"{key}.csv", VERSIONS_FILE):
        assert (RESULTS / name).read_bytes() == again.with_name(name).read_bytes()


@pytest.mark.parametrize("key", list_papers())
def test_means_and_deviations_are_those_of_the_folds(key):
    summary = read_summary(RESULTS / f"{key}.csv")
    folds = pd.DataFrame(fold_values(summary), index=summary.index)
    assert (folds.notna().sum(axis=1) == summary["n_folds"]).all()
    wrong = (folds.mean(axis=1) - summary["mean"]).abs() > 1e-5 * summary["mean"].abs()
    assert not wrong.any()
    spread = folds.std(axis=1, ddof=1)
    assert (spread.isna() == summary["std"].isna()).all()
    # folds have six digits, and a deviation may be much smaller than its mean
    wrong = (spread - summary["std"]).abs() > 1e-5 * folds.abs().max(axis=1)
    assert not wrong.any()


def test_pages_are_those_of_the_summaries(tmp_path):
    reproduce("all", None, tmp_path, results=RESULTS)
    pages = sorted(tmp_path.glob("*.md"))
    assert [page.stem for page in pages] == sorted(["README", *list_papers()])
    for page in pages:
        committed = (RESULTS / page.name).read_text(encoding="utf-8")
        assert page.read_text(encoding="utf-8") == committed, (
            f"{page.name}: run skldl reproduce all --report --results results "
            "--output results --force"
        )
