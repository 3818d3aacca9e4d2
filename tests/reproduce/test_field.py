"""The page of the field: every learner beside published rows."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from skldl.reproduce import read_summary
from skldl.reproduce._columns import make_summary
from skldl.reproduce._field_page import field_chapters, field_overview, field_table
from skldl.reproduce.papers import field

METHODS = ["AABP", "standard+AABP", "LDSVR", "standard+LDSVR", "MeanDistribution"]
FOLDS = [f"fold_{i}" for i in range(10)]
KL = {
    "SJAFFE": [0.07, 0.04, 0.05, 0.06, 0.08],
    "Movie": [0.10, 0.09, np.nan, np.nan, 0.12],
}


@pytest.fixture
def summary():
    rows = [
        {
            "part": "",
            "dataset": dataset,
            "method": method.removeprefix("standard+"),
            "features": "standardised" if method.startswith("standard") else "raw",
            "metric": metric,
            "mean": value,
            "fit_s": 1.5,
            "peak_mb": 20.0,
            "n_folds": 0 if np.isnan(value) else 10,
            "n_expected": 10,
            "reason": "failed: too large" if np.isnan(value) else "",
            "folds": [value] * 10,
        }
        for dataset, values in KL.items()
        for method, value in zip(METHODS, values, strict=True)
        for metric in ("clark", "kl_divergence")
    ]
    return make_summary(rows)


def test_published_rows_stand_below_ours(summary):
    table = field_table(summary, "SJAFFE")
    assert list(table.index[:5]) == METHODS
    assert list(table.columns) == ["clark", "kl_divergence", "fit s", "MB", "folds"]
    assert_allclose(table["kl_divergence"][:5].astype(float), KL["SJAFFE"])
    assert table.loc["CPNN (MSLP)", "kl_divergence"] == "0.0642"
    assert table.loc["LDSVR (MSLP)", "clark"] == "0.4050"  # the last zero is printed
    assert pd.isna(table.loc["LALOT (LSE-LDL)", "kl_divergence"])
    assert pd.isna(table.loc["CPNN (MSLP)", "MB"])
    assert field_table(summary, "Movie").loc["LDSVR", "folds"] == "0 of 10"


def test_learners_like_the_mean_distribution_are_marked(summary):
    near = (summary["method"] == "AABP") & (summary["features"] == "raw")
    summary.loc[near & (summary["dataset"] == "SJAFFE"), "mean"] = 0.0811
    assert field_table(summary, "SJAFFE").index[0] == "AABP \N{ALMOST EQUAL TO}"
    one = near & (summary["dataset"] == "SJAFFE") & (summary["metric"] == "clark")
    summary.loc[one, "mean"] = 0.09
    assert field_table(summary, "SJAFFE").index[0] == "AABP"


def test_overview_divides_by_the_mean_and_ranks_where_all_are(summary):
    table = field_overview(summary, "raw")
    assert list(table.index) == ["LDSVR", "AABP", "MeanDistribution"]
    assert list(table["average rank"]) == [1, 2, 3]  # Movie has no number of LDSVR
    assert_allclose(table["SJAFFE"], [0.05 / 0.08, 0.07 / 0.08, 1])
    assert_allclose(table["Movie"][1:], [0.10 / 0.12, 1])
    scaled = field_overview(summary, "standardised")
    assert list(scaled.index) == ["AABP", "LDSVR", "MeanDistribution"]
    assert_allclose(scaled["SJAFFE"], [0.04 / 0.08, 0.06 / 0.08, 1])


def test_overview_compares_the_same_folds(summary):
    on_sjaffe = summary["dataset"] == "SJAFFE"
    mean = summary["method"] == "MeanDistribution"
    # two folds are hard ones
    summary.loc[on_sjaffe & mean, FOLDS] = [0.1, 0.05, 0.12, *[0.05] * 7]
    few = on_sjaffe & (summary["method"] == "AABP") & (summary["features"] == "raw")
    summary.loc[few, ["mean", "n_folds"]] = [0.099, 2]
    summary.loc[few, FOLDS] = [0.099, np.nan, 0.099, *[np.nan] * 7]
    table = field_overview(summary, "raw")
    assert_allclose(table.loc["AABP", "SJAFFE"], 0.9)
    assert_allclose(table.loc["LDSVR", "SJAFFE"], 0.5 / 0.62)


def test_pages_of_a_run_that_has_not_come_to_the_baseline(summary):
    summary = summary[summary["method"] != "MeanDistribution"]
    assert field_overview(summary, "raw")["average rank"].isna().all()
    glance, sets = field_chapters(summary)
    assert list(glance.blocks[1].frame["method"]) == ["AABP", "LDSVR"]
    assert [t.caption for t in sets.blocks[1:3]] == list(KL)


def test_chapters(summary):
    glance, sets = field_chapters(summary)
    assert [t.caption for t in glance.blocks[1:]] == [
        "raw features", "standardised features"
    ]  # fmt: skip
    assert [t.caption for t in sets.blocks[1:3]] == list(KL)
    assert sets.blocks[3:] == [
        "LDSVR has no number on Movie: failed: too large.",
        "standard+LDSVR has no number on Movie: failed: too large.",
    ]
    cells = sets.blocks[1].frame.set_index("method")
    assert cells.loc["AABP", "kl_divergence"] == "0.0700"
    assert cells.loc["AABP", "MB"] == "20"
    assert cells.loc["CPNN (MSLP)", "fit s"] == ""
    assert list(field_chapters(summary[:0])) == []


def test_ranks_are_drawn_where_data_sets_are_enough(summary):
    one = summary[summary["dataset"] == "SJAFFE"]
    more = [one.assign(dataset=name) for name in ("SJAFFE", "M2B", "Movie")]
    glance, _ = field_chapters(pd.concat(more, ignore_index=True))
    raw, standardised = glance.blocks[2], glance.blocks[4]
    assert raw.name == "field-ranks-kl-divergence-raw-features"
    assert raw.alt == "Average ranks: LDSVR 1.00, AABP 2.00, MeanDistribution 3.00."
    assert "over 3 data sets" in standardised.caption


def test_the_field_has_the_learners_of_the_papers_tables():
    names = field.tabled()
    assert {"AAkNN", "LSELDL", "LWkNN", "PTSVM"} <= set(names)
    assert not {"KernelRidgeLDL", "ExtraTreesLDL", "MeanDistribution"} & set(names)
    stored = Path(__file__).resolve().parents[2] / "results" / "field.csv"
    if not stored.exists():
        pytest.skip("needs the summaries of the repository")
    assert set(read_summary(stored)["method"]) == {*names, "MeanDistribution"}
