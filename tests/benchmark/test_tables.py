"""Summaries of results as tables."""

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from skldl.benchmark import (
    Plan,
    Split,
    compare_with_reference,
    run,
    score_table,
    stats,
    summarize,
)
from skldl.methods import Method

from faulty import Raises  # isort: skip


@pytest.fixture(scope="module")
def rows():
    plan = Plan(
        ["synthetic", "toy"], ["AAkNN", Method("broken", Raises())], Split(n_splits=3)
    )
    return run(plan, engine="serial")


def test_summary_is_mean_and_deviation_and_counts_failures(rows):
    table = summarize(rows, metrics=["clark"]).set_index(["dataset", "method"])
    values = rows[
        (rows["metric"] == "clark")
        & (rows["dataset"] == "toy")
        & (rows["method"] == "AAkNN")
    ]["value"]
    cell = table.loc[("toy", "AAkNN")]
    assert_allclose([cell["mean"], cell["std"]], [values.mean(), values.std(ddof=1)])
    assert (cell["n"], cell["failed"]) == (3, 0)
    broken = table.loc[("toy", "broken")]
    assert pd.isna(broken["mean"])
    assert (broken["n"], broken["failed"]) == (0, 3)


def test_order_is_that_of_the_plan(rows):
    table = summarize(rows, metrics=["clark"])
    assert list(table["dataset"].unique()) == ["synthetic", "toy"]
    assert list(table["method"].unique()) == ["AAkNN", "broken", "MeanDistribution"]


def test_scores_with_a_failed_fold_are_missing(rows):
    table = score_table(rows, "clark")
    assert table["broken"].isna().all()
    assert table[["AAkNN", "MeanDistribution"]].notna().all(axis=None)
    partly = rows.copy()
    gone = (partly["method"] == "AAkNN") & (partly["fold"] == 0)
    partly.loc[gone, "status"] = "timeout"
    assert score_table(partly, "clark")["AAkNN"].isna().all()
    with pytest.raises(ValueError, match="methods with missing scores: broken"):
        stats.friedman(table)
    with pytest.raises(ValueError, match="Unknown metric"):
        score_table(rows, "clarc")


def test_reference_stands_beside(rows):
    reference = pd.DataFrame(
        {"dataset": ["toy"], "method": ["AAkNN"], "metric": ["clark"], "value": [0.5]}
    )
    table = compare_with_reference(summarize(rows), reference)
    known = table.dropna(subset="reference")
    assert len(known) == 1
    assert_allclose(known["difference"], known["mean"] - 0.5)
