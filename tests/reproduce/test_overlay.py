"""New results over earlier summaries: what changes, and what does not."""

import json

import numpy as np
import pandas as pd
import pytest

from skldl.benchmark import Split, run
from skldl.ldl import AAkNN
from skldl.methods import Method
from skldl.reproduce import Selection, read_summary, reproduce
from skldl.reproduce._columns import SETTINGS_FILE, make_summary, write_summary
from skldl.reproduce._overlay import lay_over
from skldl.reproduce._protocol import Entry, Paper, Part
from skldl.reproduce._runner import make_plans


def entries():
    return [
        Entry(Method("first", AAkNN(3)), "AA-KNN", name="kNN"),
        Entry(Method("second", AAkNN(5)), "AA-KNN", variant="other", name="kNN"),
        Entry(Method("own", AAkNN(9)), "MSLP", name="own"),
    ]


def small_paper():
    part = Part("", ["Table 1"], ["SJAFFE"], entries(), Split(n_splits=2),
                members={"SJAFFE": ["toy"]})  # fmt: skip
    return Paper("mslp", "MSLP", "A small paper", lambda quick: [part])


def row(method, variant="", metric="clark", mean=0.5, n_folds=2, **more):
    return {
        "part": "", "dataset": "SJAFFE", "method": method, "published": "MSLP",
        "features": "raw", "variant": variant, "protocol": "honest", "metric": metric,
        "mean": mean, "n_folds": n_folds, "n_expected": 2, "failed": 0, "params": "{}",
        "reason": "", "folds": [mean] * n_folds, **more,
    }  # fmt: skip


def numbers(summary):
    keys = ["method", "variant", "metric", "mean"]
    return list(summary[keys].itertuples(index=False, name=None))


def test_rows_are_replaced_and_added_in_the_order_of_the_tables():
    old = make_summary([row("own"), row("kNN", mean=0.4), row("Gone", mean=0.9)])
    new = make_summary([row("kNN", mean=0.3), row("kNN", "other", mean=0.2)])
    assert numbers(lay_over(small_paper(), old, new)) == [
        ("kNN", "", "clark", 0.3),
        ("kNN", "other", "clark", 0.2),
        ("own", "", "clark", 0.5),
        ("Gone", "", "clark", 0.9),  # a method that is not run any more stays
    ]


def test_only_the_same_metric_and_column_is_replaced():
    old = make_summary([row("kNN"), row("kNN", metric="cosine"),
                        row("kNN", features="standardised")])  # fmt: skip
    new = make_summary([row("kNN", mean=0.1)])
    found = lay_over(small_paper(), old, new)
    assert list(found["mean"]) == [0.1, 0.5, 0.5]


def test_fewer_folds_replace_nothing():
    old, few = make_summary([row("kNN")]), make_summary([row("kNN", n_folds=1)])
    paper = small_paper()
    assert lay_over(paper, old, few)["n_folds"].tolist() == [2]
    assert lay_over(paper, few, old)["n_folds"].tolist() == [2]


def part_row(folds, **more):
    known = [v for v in folds if not np.isnan(v)]
    facts = {"std": 0.0, "fit_s": 1.0, "predict_s": 0.5, "peak_mb": 3.0,
             "n_expected": 3, "settings": '[["AAkNN", {}]]', "versions": '{"n": "1"}',
             **more}  # fmt: skip
    return row("kNN", mean=float(np.mean(known)), n_folds=len(known), **facts) | {
        "folds": folds
    }


def test_folds_of_two_runs_are_put_together():
    gap = np.nan
    old = make_summary([part_row([0.1, 0.2, gap], fit_s=1.0)])
    new = make_summary([part_row([gap, gap, 0.6], fit_s=4.0, peak_mb=5.0)])
    for first, second in ((old, new), (new, old)):
        (found,) = lay_over(small_paper(), first, second).to_dict("records")
        assert [found[f"fold_{i}"] for i in range(3)] == [0.1, 0.2, 0.6]
        assert found["n_folds"] == 3
        assert found["mean"] == pytest.approx(0.3)
        assert found["std"] == pytest.approx(np.std([0.1, 0.2, 0.6], ddof=1))
        assert found["fit_s"] == pytest.approx(2.0)  # two of 1 s, one of 4 s
        assert found["peak_mb"] == 5.0


@pytest.mark.parametrize(
    "other",
    [{"settings": '[["AAkNN", {"k": 2}]]'}, {"versions": '{"n": "2"}'},
     {"n_expected": 5}, {"search": '{"grid": {"k": [1, 3]}}'}],
)  # fmt: skip
def test_folds_of_other_runs_are_not_mixed(other):
    gap = np.nan
    old = make_summary([part_row([0.1, 0.2, gap], params='{"k": 3}')])
    new = make_summary([part_row([gap, gap, 0.6], **{"params": '{"k": 9}', **other})])
    assert lay_over(small_paper(), old, new)["mean"].tolist() == [pytest.approx(0.15)]


def test_other_choices_of_the_same_search_are_alike():
    """Per metric or not, what was chosen may differ from run to run."""
    for chosen in ('{"k": %d}', '{"clark": {"k": %d}, "cosine": {"k": 1}}'):
        old = make_summary([part_row([0.1, 0.2, np.nan], params=chosen % 3)])
        new = make_summary([part_row([np.nan, np.nan, 0.6], params=chosen % 9)])
        assert lay_over(small_paper(), old, new)["n_folds"].tolist() == [3]


def test_folds_that_failed_are_not_forgotten():
    late = {"failed": 1, "reason": "stopped by the limit of time"}
    old = make_summary([part_row([0.1, np.nan, np.nan])])
    new = make_summary([part_row([np.nan, 0.2, np.nan], **late)])
    for first, second in ((old, new), (new, old)):
        (found,) = lay_over(small_paper(), first, second).to_dict("records")
        assert (found["n_folds"], found["failed"]) == (2, 1)
        assert found["reason"] == late["reason"]


def test_a_fold_that_failed_once_and_ran_since_is_forgiven():
    late = {"failed": 1, "reason": "stopped by the limit of time"}
    old = make_summary([part_row([0.1, 0.2, np.nan], **late)])
    new = make_summary([part_row([np.nan, np.nan, 0.6])])
    (found,) = lay_over(small_paper(), old, new).to_dict("records")
    assert (found["n_folds"], found["failed"], found["reason"]) == (3, 0, "")


def test_costs_that_one_run_did_not_measure():
    unknown = {"peak_mb": np.nan, "fit_s": np.nan}
    old = make_summary([part_row([0.1, 0.2, np.nan])])
    new = make_summary([part_row([np.nan, np.nan, 0.6], **unknown)])
    for first, second in ((old, new), (new, old)):
        (found,) = lay_over(small_paper(), first, second).to_dict("records")
        assert (found["peak_mb"], found["fit_s"]) == (3.0, 1.0)


def test_a_fold_that_ran_again_counts_once():
    old = make_summary([part_row([0.1, 0.2, np.nan])])
    new = make_summary([part_row([np.nan, 0.3, 0.5])])
    (found,) = lay_over(small_paper(), old, new).to_dict("records")
    assert [found[f"fold_{i}"] for i in range(3)] == [0.1, 0.3, 0.5]


def test_nothing_new_changes_nothing():
    old = make_summary([row("kNN"), row("own")])
    pd.testing.assert_frame_equal(
        lay_over(small_paper(), old, old.iloc[:0]), old, check_dtype=False
    )


def test_labels_of_either_side_are_kept():
    old = make_summary([row("kNN", classifier="NN")], ["classifier"])
    new = make_summary([row("kNN", classifier="SVM")], ["classifier"])
    found = lay_over(small_paper(), old, new)
    assert sorted(found["classifier"]) == ["NN", "SVM"]


@pytest.fixture
def paper(monkeypatch):
    made = small_paper()
    monkeypatch.setattr("skldl.reproduce._papers.PAPERS", {"mslp": made})
    return made


def test_pages_show_old_and_new_together(tmp_path, paper):
    earlier, store = tmp_path / "results", tmp_path / "new.sqlite"
    old = make_summary([row("own", mean=0.123), row("kNN", mean=0.456)])
    write_summary(old, earlier / "mslp.csv")
    for _, plan in make_plans(paper, Selection(methods=["first"])):
        run(plan, store, engine="serial")
    (made,) = reproduce("mslp", store, tmp_path / "out", run=False, results=earlier)
    found = read_summary(tmp_path / "out" / "mslp.csv")
    clark = found[found["metric"] == "clark"].set_index("method")
    assert clark.loc["own", "mean"] == 0.123
    assert clark.loc["kNN", "mean"] != 0.456
    assert json.loads(clark.loc["kNN", "settings"])[0][1]["n_neighbors"] == 3
    assert (tmp_path / "out" / SETTINGS_FILE).exists()
    assert "0.1230" in made.pages[0].read_text()
    # the folder that was read is as before
    assert read_summary(earlier / "mslp.csv")["mean"].tolist() == [0.123, 0.456]


def test_a_run_is_laid_over_at_once(tmp_path, paper):
    earlier = tmp_path / "results"
    write_summary(make_summary([row("own", mean=0.123)]), earlier / "mslp.csv")
    some = Selection(methods=["second"])
    (made,) = reproduce("mslp", tmp_path / "s.sqlite", earlier, results=earlier,
                        selection=some, engine="serial")  # fmt: skip
    again = read_summary(earlier / "mslp.csv")
    assert {"own", "kNN", "MeanDistribution"} == set(again["method"])
    assert len(made.summary) == len(again)
