"""A stranger's path: the commands of the README and the guide, copied from the page."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pandas as pd
import pytest

from sessions import as_shown, blocks, run, session

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide" / "cli.rst").read_text(encoding="utf-8")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A folder with the tables that the page tells to make."""
    assert "python examples/make_votes.py" in README
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "make_votes.py"))["main"]()
    assert {p.name for p in tmp_path.iterdir()} == {"votes.csv", "new.csv"}


def check_session(block):
    for command, shown in session(block):
        output = run(command)
        assert as_shown(shown, output), f"$ {command}\n{output}"


@pytest.mark.usefixtures("tables")
def test_the_commands_of_the_readme_print_what_it_shows():
    (block,) = blocks(README, "console")
    assert len(session(block)) == 3
    check_session(block)


@pytest.mark.usefixtures("tables")
def test_the_python_of_the_readme_prints_what_it_shows():
    (code,), (shown,) = blocks(README, "python"), blocks(README, "text")
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 9
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert as_shown(shown, printed.getvalue()), printed.getvalue()


@pytest.mark.usefixtures("tables")
def test_the_sessions_of_the_guide_print_what_it_shows():
    found = blocks(GUIDE, "console")
    assert len(found) >= 5
    for block in found:
        check_session(block)


def test_set_up_commands_are_there():
    shell = "\n".join(blocks(README, "sh"))
    assert "pip install ." in shell
    targets = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", shell, re.M):
        assert re.search(rf"^{target}:", targets, re.M), target
    assert {"make demo", "make test"} <= set(re.findall(r"make \w+", shell))


def test_the_table_of_votes_is_that_of_the_example(tmp_path):
    make_table = runpy.run_path(str(ROOT / "examples" / "make_votes.py"))["make_table"]
    table = make_table(300, seed=0).set_index("picture")
    rows = re.findall(r"^\| (p\d+) +\|(.*)\|$", README, re.M)
    assert len(rows) == 3
    for name, cells in rows:
        shown = [cell.strip() for cell in cells.split("|")]
        there = [
            f"{v:.0f}" if isinstance(v, float) else str(v) for v in table.loc[name]
        ]
        assert shown == there


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 8
    for link in links:
        assert (ROOT / link).exists(), link


def test_reasons_have_the_numbers_of_committed_tables():
    results = ROOT / "bench" / "results"
    learners = pd.read_csv(results / "learners_overview.csv")
    learners = learners[learners["learner"].str.endswith(", standard")]
    everywhere = learners[learners["beats the mean on"] == 16]
    words = {8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}
    assert f"{words[len(everywhere)]} learners" in README
    best = learners.sort_values("average rank").iloc[0]
    assert f"`{best['learner'].partition(',')[0]}`" in README
    assert f"{best.iloc[-1]:.3f} of its divergence" in README
    regions = pd.read_csv(results / "conformal.csv")
    ours = regions["way"].isin(["label", "tv", "kl", "aitchison"])
    rows = regions[ours & (regions["level"] == 0.9)]
    assert f"{100 * rows['coverage'].mean():.1f} % on average" in README
    assert f"{len(rows)} combinations" in README
    counts = (ROOT / "docs" / "reproducibility_counts.inc").read_text()
    cells, _, measured = re.search(r"^all +(\d+) +(\d+) +(\d+)", counts, re.M).groups()
    assert f"{int(measured):,} of the {int(cells):,} numbers" in README


@pytest.mark.parametrize(
    ("shown", "output", "same"),
    [
        ("a 13 b", "a 14  b\n", True),
        ("a 13 b", "a 17 b", False),
        ("x ...\nend", "x 1 2\n3 end", True),
        ("0.71,0.2", "0.73,0.2", True),
        ("0.71", "0.91", False),
        ("one", "one two", False),
    ],
)
def test_outputs_are_compared(shown, output, same):
    assert as_shown(shown, output) == same


def test_the_picture_is_small():
    picture = ROOT / "docs" / "_static" / "votes.svg"
    assert picture.stat().st_size < 100_000
