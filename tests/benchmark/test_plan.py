"""Plans of comparisons: files, baselines and mistakes."""

import numpy as np
import pandas as pd
import pytest

from skldl.benchmark import Plan, Split, Store, read_plan, read_reference, run
from skldl.datasets import load
from skldl.methods import Tuning

PLAN = """
title = "A plan"
datasets = ["toy", {path = "votes.csv", labels = ["yes", "no"], normalize = true}]
metrics = ["clark"]
seed = 7
split = {kind = "shuffle", test_size = 0.3, n_repeats = 2}
tune = {scoring = "clark", n_splits = 3}
reference = {path = "numbers.csv", paper = "P"}

[[methods]]
name = "AAkNN"

[[methods]]
name = "standard+AAkNN"
label = "scaled"
params = {n_neighbors = 3}
grid = {n_neighbors = [1, 2]}
"""


@pytest.fixture
def folder(tmp_path):
    votes = pd.DataFrame({"x": range(6), "yes": [1, 2, 3, 1, 2, 3], "no": 1})
    votes.to_csv(tmp_path / "votes.csv", index=False)
    numbers = [("P", "toy", "AAkNN", "kl", 0.1), ("Q", "toy", "AAkNN", "kl", 0.2)]
    columns = ["paper", "dataset", "method", "metric", "value"]
    pd.DataFrame(numbers, columns=columns).to_csv(tmp_path / "numbers.csv", index=False)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_plan_file(folder):
    plan = read_plan(folder / "plan.toml")
    datasets = plan.load()
    assert list(datasets) == ["toy", "votes"]
    assert plan.split == Split("shuffle", test_size=0.3, n_repeats=2)
    assert plan.tuning == Tuning("clark", 3)
    assert plan.seed == 7
    names = [method.name for method in plan.resolved_methods("distribution")]
    assert names == ["AAkNN", "scaled", "MeanDistribution"]
    scaled = plan.resolved_methods("distribution")[1]
    assert scaled.estimator["aaknn"].n_neighbors == 3
    assert scaled.grid == {"aaknn__n_neighbors": [1, 2]}
    assert plan.reference["value"].tolist() == [0.1]
    assert plan.reference["metric"].tolist() == ["kl_divergence"]
    jobs = plan.jobs(datasets)
    assert len(jobs) == 2 * 2 * 3
    assert len({job.key for job in jobs}) == 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("seed =", "sed ="), "unknown key 'sed'"),
        (('"toy", ', '"tyo", '), "Did you mean 'toy'"),
        (("kind =", "sort ="), "unexpected keyword argument 'sort'"),
        (('["clark"]', '["clarc"]'), "Did you mean 'clark'"),
        (("seed = 7", "seed = = 7"), "not a TOML file"),
        (("numbers.csv", "votes.csv"), "no column 'dataset'"),
        (('paper = "P"', 'papier = "P"'), "no column 'papier'"),
        (('label = "scaled"', 'label = "AAkNN"'), "Two methods are called 'AAkNN'"),
        (("grid = {n_neighbors", "grid = {neighbors"), "no parameter"),
        (('name = "AAkNN"', 'nam = "AAkNN"'), "a table with 'name'"),
        (('path = "votes.csv", ', ""), "a table with 'path'"),
        (("n_repeats = 2", "n_repeats = 2.5"), "n_repeats must be an integer"),
        (("n_splits = 3", "n_splits = 1"), "n_splits of tuning"),
        (('["clark"]', '"clark"'), "metrics must be a list"),
        (("normalize = true", "normalize = 'no'"), "normalize must be true or false"),
        (('label = "scaled"', "label = ['a']"), "label must be a text"),
        (("seed = 7", "seed = 'x'"), "seed must be a whole number, got 'x'"),
        (("seed = 7", "seed = nan"), "seed must be a whole number, got nan"),
        (("seed = 7", "seed = true"), "seed must be a whole number, got True"),
    ],
)
def test_bad_plans(folder, change, words):
    (folder / "plan.toml").write_text(PLAN.replace(*change))
    with pytest.raises(ValueError, match=words):
        read_plan(folder / "plan.toml").load()


def test_a_split_is_a_table(folder):
    (folder / "plan.toml").write_text("datasets = ['toy']\nsplit = 'kfold'\n")
    with pytest.raises(ValueError, match="split must be a table"):
        read_plan(folder / "plan.toml")


def test_whatever_seed_a_plan_takes_a_store_gives_back(tmp_path):
    seed = np.int64(10**18)
    run(
        Plan(["toy"], ["AAkNN"], Split(n_splits=2), seed=seed),
        tmp_path / "s.sqlite",
        engine="serial",
    )
    with Store(tmp_path / "s.sqlite") as store:
        assert set(store.rows()["seed"]) == {10**18}


def test_baseline_is_always_there_once():
    plan = Plan(["toy"], ["mean-distribution"])
    assert len(plan.resolved_methods("distribution")) == 1
    assert len(Plan(["iris"], ["1NN"]).resolved_methods("classes")) == 1
    assert (
        Plan(["toy"], []).resolved_methods("distribution")[0].name == "MeanDistribution"
    )


def test_empty_and_doubled():
    with pytest.raises(ValueError, match="at least one data set"):
        Plan([], ["AAkNN"])
    with pytest.raises(ValueError, match="same name"):
        Plan(["toy", load("toy")], ["AAkNN"]).load()
    with pytest.raises(ValueError, match="at least one method"):
        Plan(["iris"], []).resolved_methods("classes")


def test_reference_needs_its_columns(tmp_path):
    pd.DataFrame({"a": [1]}).to_csv(tmp_path / "r.csv")
    with pytest.raises(ValueError, match="no column 'dataset'"):
        read_reference(tmp_path / "r.csv")


def test_first_folds_only():
    split = Split("shuffle", n_repeats=3, test_size=0.3)
    whole = Plan(["toy"], ["AAkNN"], split)
    few = Plan(["toy"], ["AAkNN"], split, max_folds=2)
    keys = [job.key for job in whole.jobs(whole.load())]
    assert [job.key for job in few.jobs(few.load())] == keys[:4]
    for wrong in (0, 2.5, "3", True):
        with pytest.raises(
            ValueError, match="max_folds must be a whole number of at least 1"
        ):
            Plan(["toy"], ["AAkNN"], max_folds=wrong)


def test_first_folds_left_out():
    split = Split("shuffle", n_repeats=4, test_size=0.3)
    whole = Plan(["toy"], ["AAkNN"], split)
    keys = [job.key for job in whole.jobs(whole.load())]
    last = Plan(["toy"], ["AAkNN"], split, skip_folds=3)
    assert [job.key for job in last.jobs(last.load())] == keys[6:]
    some = Plan(["toy"], ["AAkNN"], split, skip_folds=1, max_folds=3)
    assert [job.key for job in some.jobs(some.load())] == keys[2:6]
    for wrong in (-1, 2.5, "3", True, None):
        with pytest.raises(
            ValueError, match="skip_folds must be a whole number of at least 0"
        ):
            Plan(["toy"], ["AAkNN"], skip_folds=wrong)
    with pytest.raises(ValueError, match="skip_folds=2 leaves nothing of max_folds=2"):
        Plan(["toy"], ["AAkNN"], skip_folds=2, max_folds=2)
    with pytest.raises(ValueError, match="leaves nothing of the 4 folds"):
        Plan(["toy"], ["AAkNN"], split, skip_folds=4)
