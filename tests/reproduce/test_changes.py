"""Verdicts of the first runs and of today, and reasons for what is worse."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from skldl.reproduce import compare_paper, read_summary
from skldl.reproduce._changes import verdict_changes, verdicts_before, worse_groups
from skldl.reproduce._papers import PAPERS
from skldl.reproduce._protocol import Paper

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
PAPER = Paper("p", "The paper", "", lambda quick: [])


def cells(*verdicts):
    rows = [
        {"table": "1", "dataset": f"data{i % 2}", "method": f"m{i}", "metric": "clark",
         "column": "honest, raw", "verdict": verdict, "main": True,
         "n_folds": 10, "n_expected": 10}
        for i, verdict in enumerate(verdicts)
    ]  # fmt: skip
    other = {**rows[0], "main": False, "verdict": "worse"}
    return pd.DataFrame([*rows, other])


def test_changes_count_every_judged_cell_once():
    now = cells("better", "worse", "worse", "no verdict")
    before = now[now["main"]].assign(
        paper="p", verdict=["worse", "worse", "better", "same within noise"]
    )[["paper", "table", "dataset", "method", "metric", "verdict"]]
    table = verdict_changes([(PAPER, now)], before)
    own = table[table["paper"] == "The paper"].set_index("first runs")
    assert own.loc["worse", ["cells", "better", "worse"]].tolist() == [2, 1, 1]
    assert own.loc["better", "worse"] == 1
    assert own.loc["same within noise", "no verdict"] == 1
    total = table[table["paper"] == "all"]
    assert total["cells"].sum() == 4


def test_the_first_reason_that_fits_counts():
    now = cells("worse", "worse", "better", "worse")
    reasons = [
        {"paper": "other", "reason": "of another paper"},
        {"paper": "p", "methods": ["m0", "m2"], "reason": "one"},
        {"paper": "p", "datasets": ["data1"], "methods": ["m1"], "reason": "two"},
    ]
    other = {"main": False, "verdict": "same within noise"}
    forms = [{**now.iloc[0], "column": "honest, standardised", **other},
             {**now.iloc[1], "column": "best on test, raw", **other},
             {**now.iloc[3], "column": "honest, standardised", **other,
              "n_folds": 5}]  # fmt: skip
    now = pd.concat([now, pd.DataFrame(forms)], ignore_index=True)
    table = worse_groups([(PAPER, now)], reasons).set_index("reason")
    reached = table["another form reaches"].to_dict()
    assert reached == {"one": 1, "two": 0, "unexplained": 0}
    assert table["cells"].to_dict() == {"one": 1, "two": 1, "unexplained": 1}
    assert table.loc["one", "methods"] == "m0"
    assert table.loc["unexplained", "data sets"] == "data1"
    for metric, reason in (("clark", "three"), ("cosine", "unexplained")):
        given = [{"paper": "p", "metrics": [metric], "reason": "three"}]
        assert set(worse_groups([(PAPER, now)], given)["reason"]) == {reason}


@pytest.mark.skipif(
    not (RESULTS / "mslp.csv").exists(), reason="needs the summaries of the repository"
)
def test_every_worse_cell_has_a_reason_and_every_reason_a_cell():
    before = verdicts_before(RESULTS / "verdicts_before.csv")
    counts = before["verdict"].value_counts()
    assert counts[["better", "same within noise", "worse"]].tolist() == [302, 480, 301]
    text = (ROOT / "docs" / "reproducibility_reasons.toml").read_text(encoding="utf-8")
    reasons = tomllib.loads(text)["group"]
    found = [
        (paper, compare_paper(paper, read_summary(RESULTS / f"{key}.csv")))
        for key, paper in PAPERS.items()
        if paper.name
    ]
    groups = worse_groups(found, reasons)
    assert "unexplained" not in set(groups["reason"])
    assert set(groups["reason"]) == {group["reason"] for group in reasons}
    # every cell of the first runs is still there
    changes = verdict_changes(found, before)
    judged = changes[changes["paper"] == "all"].set_index("first runs")["cells"]
    assert judged.tolist() == [302, 480, 301]
