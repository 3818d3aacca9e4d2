"""Comparisons on tables of votes: weights and the noise floor."""

import json

import numpy as np
import pandas as pd
import pytest

from skldl.benchmark import Plan, Split, fingerprint
from skldl.benchmark import run as run_plan
from skldl.datasets import load_table, make_crowd
from votes_table import run

METHOD = "standard+SABFGS(reg=0.1)"


@pytest.fixture(scope="module")
def crowd():
    return make_crowd(60, n_labels=3, votes_per_item=(1, 9), random_state=1)


@pytest.fixture(scope="module")
def data(crowd):
    counts = pd.crosstab(crowd.votes["item"], crowd.votes["label"])
    frame = crowd.features.join(counts).reset_index(drop=True)
    return load_table(frame, "label_*")


def scores(data, **options):
    plan = Plan([data], [METHOD], Split(n_splits=2), **options)
    rows = run_plan(plan, engine="serial")
    assert (rows["status"] == "ok").all()
    jobs = {job.method: job for job in plan.jobs({data.name: data})}
    return rows[rows["method"] == METHOD]["value"].to_numpy(), jobs[METHOD]


def test_weights_are_a_part_of_the_job(data):
    plain, job = scores(data)
    assert "weights" not in job.spec  # stored results keep their names
    assert job.fingerprint == fingerprint(data)
    weighted, other = scores(data, weights="count")
    assert other.key != job.key
    assert not np.allclose(plain, weighted)
    data.extra["n_votes"][0] += 1
    try:
        assert scores(data)[1].key == job.key
        assert scores(data, weights="count")[1].key != other.key
    finally:
        data.extra["n_votes"][0] -= 1
    with pytest.raises(ValueError, match="'root'"):
        Plan([data], [METHOD], weights="root")


def test_weights_do_nothing_where_votes_are_not_known():
    plan = {w: Plan(["toy"], [METHOD], weights=w) for w in (None, "count")}
    keys = [[job.key for job in p.jobs(p.load())] for p in plan.values()]
    assert keys[0] == keys[1]


def test_compare_answers_and_report_the_floor(crowd, data, tmp_path):
    crowd.votes.to_csv(tmp_path / "answers.csv", index=False)
    crowd.features.reset_index().to_csv(tmp_path / "items.csv", index=False)
    store = tmp_path / "s.sqlite"
    said = run("compare", tmp_path / "items.csv", "--annotations",
               tmp_path / "answers.csv", "--weights", "count", "-m", METHOD, "--cv", 2,
               "--serial", "--store", store, "--json")  # fmt: skip
    found = pd.DataFrame(json.loads(said.stdout)).set_index(["method", "metric"])
    rows = run_plan(Plan([data], [METHOD], Split(n_splits=2), weights="count"),
                    engine="serial")  # fmt: skip
    assert {"MeanDistribution", METHOD} == set(found.index.levels[0])
    assert found["mean"].notna().all()
    assert len(rows)
    run("report", store, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "perfect model (noise floor)" in page
    run("compare", "toy", "-m", METHOD, "--cv", 2, "--serial", "--store",
        tmp_path / "t.sqlite", "--json")  # fmt: skip
    run("report", tmp_path / "t.sqlite", "-o", tmp_path / "t.html")
    assert "noise floor" not in (tmp_path / "t.html").read_text("utf-8")
