"""Committed tables and pages are those of the committed summaries."""

import importlib.util
from pathlib import Path

import pytest

from skldl.reproduce import get_papers, read_summary, write_pages

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"

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
        line = f".. include:: {Path(name).name}"
        assert any(line in page for page in pages), name


def test_pages_are_those_of_the_summaries(tmp_path):
    (paper,) = get_papers(["generalized-hamming"])
    summary = read_summary(RESULTS / f"{paper.key}.csv")
    page, _ = write_pages(paper, summary, tmp_path, figures=RESULTS / "figures")
    committed = (RESULTS / page.name).read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8") == committed
