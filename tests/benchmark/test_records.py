"""Predictions that a store keeps beside the results."""

from dataclasses import replace

import numpy as np
import pytest

from skldl.benchmark import Plan, Split, Store, picture_of, run
from skldl.benchmark._job import run_job
from skldl.benchmark._records import choose_predictions, this_command
from skldl.datasets import load, make_dataset

PLAN = Plan(["synthetic"], ["AAkNN"], Split(n_splits=4))


def test_kept_predictions_are_those_of_the_first_fold():
    data = load("synthetic")
    with Store(":memory:") as store:
        rows = run(PLAN, store, engine="serial", keep_predictions=5)
        kept = store.predictions()
        facts = store.datasets()
        runs = store.runs()
    _, test = PLAN.split.rows(data, 0, 0, 0)
    samples = list(dict.fromkeys(kept["sample"]))
    assert len(samples) == 5
    assert set(samples) <= set(test)
    assert len(kept) == 2 * 5 * 5  # methods, samples, labels
    assert set(kept["job"]) <= set(rows.loc[rows["fold"] == 0, "job"])
    true = kept.drop_duplicates(["sample", "label"])["true"].to_numpy().reshape(5, 5)
    np.testing.assert_allclose(true, data.D[samples], atol=1e-6)
    # from the clearest to the most mixed
    tops = data.D[test].max(axis=1)
    assert true[0].max() == pytest.approx(tops.max(), abs=1e-6)
    assert true[-1].max() == pytest.approx(tops.min(), abs=1e-6)
    sums = kept.groupby(["job", "sample"])["predicted"].sum()
    np.testing.assert_allclose(sums, 1.0, atol=1e-5)
    (fact,) = facts.values()
    assert (fact["name"], fact["n_samples"]) == ("synthetic", 500)
    assert len(fact["picture"]["coordinates"]) == 400
    assert len(runs) == 1


def test_keeping_predictions_changes_no_result_and_no_key():
    plain = run(PLAN, engine="serial")
    with Store(":memory:") as store:
        kept = run(PLAN, store, engine="serial", keep_predictions=2)
        again = run(PLAN, store, engine="serial")
        assert len(store.runs()) == 1  # the second call had nothing to do
    assert plain["job"].tolist() == kept["job"].tolist() == again["job"].tolist()
    np.testing.assert_array_equal(plain["value"], kept["value"])


def test_without_asking_nothing_is_kept():
    with Store(":memory:") as store:
        run(PLAN, store, engine="serial")
        assert store.predictions().empty
        (fact,) = store.datasets().values()
    assert fact["picture"] is None


@pytest.mark.parametrize("wrong", [-1, 101])
def test_a_store_is_no_copy_of_the_data(wrong):
    with pytest.raises(ValueError, match="keep_predictions must be in 0..100"):
        run(PLAN, engine="serial", keep_predictions=wrong)


def test_a_job_done_anew_replaces_its_predictions(tmp_path):
    with Store(tmp_path / "s") as store:
        run(PLAN, store, engine="serial", keep_predictions=3)
        before = len(store.predictions())
        data = PLAN.load()
        job = replace(PLAN.jobs(data)[0], n_kept=1)
        store.save(job, run_job(job, data["synthetic"]))
        assert len(store.predictions()) == before - 2 * 5


def test_more_samples_than_there_are():
    data = load("synthetic")
    chosen = choose_predictions(50, data, np.arange(3), data.D[:3])
    assert sorted(chosen["samples"]) == [0, 1, 2]
    assert choose_predictions(0, data, np.arange(3), data.D[:3]) == {}
    iris = load("iris")
    assert choose_predictions(3, iris, np.arange(3), iris.y[:3]) == {}


def test_pictures_of_small_and_other_data():
    random = np.random.default_rng(0)
    D = random.dirichlet(np.ones(3), 4)
    tiny = make_dataset(random.normal(size=(4, 60)), D)
    picture = picture_of(tiny)
    assert picture["method"] in ("MSLP", "PCA")
    assert np.isfinite(picture["coordinates"]).all()
    assert picture_of(load("iris")) is None
    same = make_dataset(np.ones((30, 4)), np.full((30, 2), 0.5))
    found = picture_of(same)
    assert found is None or np.isfinite(found["coordinates"]).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/a/b/skldl", "compare", "my file"], "skldl compare 'my file'"),
        (["/x/skldl/__main__.py", "demo"], "python -m skldl demo"),
        (["script.py"], "script.py"),
        (["-c"], "a Python session"),
        ([""], "a Python session"),
        ([], "a Python session"),
    ],
)
def test_the_command_as_one_would_type_it(arguments, said, monkeypatch):
    monkeypatch.setattr("sys.argv", arguments)
    assert this_command() == said


def test_read_only_stores_change_nothing(tmp_path):
    path = tmp_path / "s.sqlite"
    with pytest.raises(FileNotFoundError, match="no store"):
        Store(path, read_only=True)
    with Store(path) as store:
        run(PLAN, store, engine="serial")
    before = path.read_bytes()
    with Store(path, read_only=True) as store:
        assert len(store.rows())
        with pytest.raises(Exception, match="readonly"):
            store.note_run("x", {})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
