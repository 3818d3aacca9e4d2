"""AutoLDL: its pool, its estimate, its limits, its store."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator

from skldl.auto import AutoLDL, read_portfolio
from skldl.auto._candidates import PRESETS, make_candidates, split_by_size
from skldl.auto._largest_label import LargestLabel
from skldl.auto._plan import LARGEST, SMALL, plan_stages
from skldl.auto._search import do_all
from skldl.auto._words import misplaced, verdict
from skldl.base import DistributionPredictorMixin
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, LogisticLDL, MeanDistribution, combine
from skldl.metrics import get_metric
from skldl.models import load_model, save_model

X, D = make_ldl(150, random_state=0)
FEW = [("near", AAkNN(5)), ("softmax", LogisticLDL(0.1))]


def small(**settings):
    given = {"portfolio": FEW, "cv": 3, "random_state": 0, "backend": "serial"}
    return AutoLDL(**{**given, **settings})


class Sleeper(DistributionPredictorMixin, BaseEstimator):
    """Takes its time."""

    def __init__(self, seconds=30.0):
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.n_ = y.shape[1]
        return self

    def predict(self, X):
        return np.full((len(X), self.n_), 1 / self.n_)


class Breaker(Sleeper):
    """Cannot be fitted."""

    def fit(self, X, y):
        raise ArithmeticError("no luck")


class Negative(Sleeper):
    """Does not predict distributions."""

    def fit(self, X, y):
        self.n_ = y.shape[1]
        return self

    def predict(self, X):
        return -np.ones((len(X), self.n_))


class BreaksOnAllRows(LogisticLDL):
    """Can be fitted in folds, but not on all rows."""

    def fit(self, X, y, sample_weight=None):
        if len(X) == 150:
            raise ArithmeticError("too many rows")
        return super().fit(X, y, sample_weight)


class Interrupting(Sleeper):
    """Somebody presses Ctrl-C while it is fitted."""

    def fit(self, X, y):
        raise KeyboardInterrupt


# --- the pool and its estimate


def test_prediction_is_the_pool_of_the_members():
    model = small().fit(X, D)
    members = np.stack([m.predict(X) for m in model.estimators_])
    pooled = combine(
        members, list(model.weights_.values()), pool=model.pool_, bias=model.bias_
    )
    assert_allclose(model.predict(X), pooled)
    for name, member in zip(model.weights_, model.estimators_, strict=True):
        if name != "mean":
            again = dict(FEW)[name].fit(X, D).predict(X)
            assert_allclose(member.predict(X), again, atol=1e-12)


@pytest.mark.parametrize("metric", ["clark", "cosine", "zero_one_loss"])
def test_score_is_the_metric_of_the_unseen_rows(metric):
    model = small(metric=metric).fit(X, D)
    truth = D[model.oof_rows_]
    value = get_metric(metric).fn(truth, model.oof_prediction_)
    assert model.leaderboard_.loc["pool", "score"] == pytest.approx(value)
    sign = 1 if get_metric(metric).greater_is_better else -1
    assert model.score_ == pytest.approx(value + sign * model.size_gain_)
    assert_array_equal(np.sort(model.oof_rows_), np.arange(len(X)))


def test_leaderboard_says_everything():
    board = small().fit(X, D).leaderboard_
    assert board.index[0] == "pool"
    assert set(board.index) == {"pool", "mean", "near", "softmax"}
    assert board.loc["mean", "gain"] == 0
    single = board.iloc[1:]
    assert single["gain"].is_monotonic_decreasing
    assert_allclose(
        single["score"], board.loc["mean", "score"] - single["gain"], atol=1e-12
    )
    assert (board["status"] == "ok").all()


def test_where_features_say_nothing_it_says_so():
    noise = np.random.default_rng(0).normal(size=X.shape)
    model = small().fit(noise, D)
    assert "Nothing beats that average" in model.verdict_
    assert model.score_ <= model.mean_score_ + 2 * model.score_error_
    assert "Nothing" not in small().fit(X, D).verdict_


def test_words():
    truth, guess = np.array([[1.0, 0.0]]), np.array([[0.89, 0.11]])
    assert misplaced(truth, guess, np.ones(1)) == pytest.approx(0.11)
    assert verdict(0.11, 0.192, 1.0, 0.1) == (
        "On average 11 of 100 votes are put on the wrong label; the average of all "
        "votes would put 19 wrong."
    )


# --- candidates and plans


def test_portfolio_can_be_made():
    for metric in ("kl_divergence", "zero_one_loss"):
        found = make_candidates(None, "best", metric, 0)
        assert found[0].name == "mean"
        largest = [c for c in found if c.name.startswith("largest label")]
        assert bool(largest) == (metric == "zero_one_loss")
    names = [entry["name"] for entry in read_portfolio()]
    assert len(names) == len(set(names))


def test_core_boosting_stands_in_for_the_optional_package(monkeypatch):
    there = {c.name for c in make_candidates(None, "best", "clark", 0)}
    assert "core boosting" not in there
    monkeypatch.setattr("skldl.auto._candidates.find_spec", lambda name: None)
    without = {c.name for c in make_candidates(None, "best", "clark", 0)}
    assert "core boosting" in without
    assert "boosting" not in without


def test_largest_label():
    model = LargestLabel(MeanDistribution()).fit(
        np.zeros((4, 1)),
        np.array([[0.5, 0.5, 0.0], [0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.4, 0.3, 0.3]]),
    )
    assert_allclose(model.predict(np.zeros((1, 1))), [[2.5 / 4, 1.5 / 4, 0]])


@pytest.mark.parametrize("n", [50, SMALL, SMALL + 1, 30_000, 300_000])
def test_stages(n):
    stages = plan_stages(n, 12, 5, 0)
    assert (len(stages) == 1) == (n <= SMALL)
    assert stages[-1].n_rows == min(n, LARGEST)
    for stage in stages:
        assert len(np.unique(stage.rows)) == stage.n_rows
        for train, test in stage.folds:
            assert not set(train[:100]) & set(test)
            assert len(train) + len(test) == stage.n_rows
    keeps = [stage.keep for stage in stages]
    assert keeps == sorted(keeps, reverse=True)
    assert keeps[-1] >= 4
    for one, two in pairwise(stages):
        assert np.isin(one.rows, two.rows).all()


def test_halving_keeps_the_better_ones(monkeypatch):
    monkeypatch.setattr("skldl.auto._plan.SMALL", 60)
    monkeypatch.setattr("skldl.auto._plan._FIRST", 50)
    monkeypatch.setattr("skldl.auto._plan._LEAST", 2)
    bad = [(f"far {k}", AAkNN(30 - k)) for k in range(4)]
    model = small(portfolio=[*bad, ("softmax", LogisticLDL(0.1))]).fit(X, D)
    board = model.leaderboard_
    assert board.loc["softmax", "status"] == "ok"
    assert board.loc["mean", "status"] == "ok"
    assert (board["status"] == "dropped").sum() >= 2
    assert len(model.oof_rows_) == len(X)


def test_the_best_of_a_stage_come_first_in_the_next(monkeypatch):
    monkeypatch.setattr("skldl.auto._plan.SMALL", 60)
    monkeypatch.setattr("skldl.auto._plan._FIRST", 50)
    turns = []

    def noted(jobs, *more):
        turns.append(list(dict.fromkeys(job.candidate for job in jobs)))
        return do_all(jobs, *more)

    monkeypatch.setattr("skldl.auto._search.do_all", noted)
    portfolio = [("far", AAkNN(30)), ("near", AAkNN(7)), ("softmax", LogisticLDL(0.1))]
    model = small(portfolio=portfolio).fit(X, D)
    stages = [names for names in turns if len(names) > 1][:2]
    assert stages[0] == ["far", "near", "softmax"]
    scores = model.leaderboard_["score"].drop(["pool", "mean"])
    assert stages[1][0] == scores.idxmin() == "softmax"


def test_sizes_leave_candidates_out():
    entries = [{"name": "few", "learner": "AAkNN", "params": {}, "max_rows": 100}]
    kept, left_out = split_by_size(make_candidates(entries, "fast", "clark", 0), 101)
    assert ([c.name for c in kept], [c.name for c in left_out]) == (["mean"], ["few"])
    with pytest.warns(UserWarning, match=r"150 rows: few \(up to 100\)"):
        model = small(portfolio=entries).fit(X, D)
    assert model.leaderboard_.loc["few", "status"] == "left out"
    assert model.weights_ == {"mean": 1.0}


def test_candidates_for_larger_tables():
    entries = [{"name": "many", "learner": "AAkNN", "params": {}, "min_rows": 100}]
    candidates = make_candidates(entries, "fast", "clark", 0)
    for n_rows, names in ((99, ["mean"]), (100, ["mean", "many"])):
        kept, left_out = split_by_size(candidates, n_rows)
        assert ([c.name for c in kept], left_out) == (names, [])
    # presets do not count them, so that smaller tables try as many as before
    for preset, (_, size) in PRESETS.items():
        candidates = make_candidates(None, preset, "clark", 0)
        for n_rows in (1000, 5000):
            kept, _ = split_by_size(candidates, n_rows)
            counted = [c.name for c in kept if c.min_rows == 0 and c.name != "mean"]
            assert size is None or len(counted) == size
    larger = [c.name for c in kept if c.min_rows]
    assert larger[0].endswith("boosting with large trees")
    assert len(larger) == 1


# --- what goes wrong


def test_failures_are_rows():
    portfolio = [("breaks", Breaker()), ("negative", Negative()), *FEW]
    board = small(portfolio=portfolio).fit(X, D).leaderboard_
    assert board.loc["breaks", "status"] == "failed"
    assert "ArithmeticError: no luck" in board.loc["breaks", "message"]
    assert "non-negative" in board.loc["negative", "message"]
    assert board.loc["pool", "gain"] > 0


def test_time_limit_in_processes():
    begin = time.monotonic()
    with pytest.warns(UserWarning, match="time was over for sleeps"):
        model = small(
            portfolio=[*FEW, ("sleeps", Sleeper(600))], backend="process", time_limit=30
        ).fit(X, D)
    assert time.monotonic() - begin < 33
    assert model.leaderboard_.loc["sleeps", "status"] == "timeout"
    assert model.score_ < model.mean_score_


@pytest.mark.parametrize(
    ("shape", "n_jobs", "backend"),
    [
        ((1000, 200), None, "serial"),
        ((1000, 200), 2, "process"),
        ((1001, 2), None, "process"),
        ((500, 401), None, "process"),
    ],
)
def test_only_small_tables_are_fitted_in_this_process(shape, n_jobs, backend):
    """There a learner that does not report its progress cannot be stopped in time."""
    assert AutoLDL(n_jobs=n_jobs)._budget(np.empty(shape), 0.0, 1.0).backend == backend


@pytest.mark.parametrize("others", [[], [("near", AAkNN(5))]])
def test_scores_are_those_of_the_model_if_a_member_is_lost(others):
    portfolio = [*others, ("breaks", BreaksOnAllRows(0.1))]
    with pytest.warns(UserWarning, match="'breaks' left the pool.*too many rows"):
        model = small(portfolio=portfolio).fit(X, D)
    without = small(portfolio=others).fit(X, D)
    assert model.weights_ == without.weights_
    assert model.score_ == without.score_
    assert model.verdict_ == without.verdict_
    assert_array_equal(
        model.leaderboard_.loc["pool", ["score", "gain"]],
        without.leaderboard_.loc["pool", ["score", "gain"]],
    )
    assert_allclose(model.predict(X), without.predict(X), rtol=0, atol=1e-12)
    assert (
        model.leaderboard_.loc["breaks", "gain"]
        > without.leaderboard_.loc["pool", "gain"]
    )


def test_the_best_member_may_be_a_little_late(monkeypatch):
    now, real = [0.0], time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + now[0])

    class TakesAllTheTime(LogisticLDL):
        def predict(self, X):
            if len(X) == 50:  # a fold, the last of which ends after the limit
                now[0] += 100
            return super().predict(X)

    portfolio = [("near", AAkNN(5)), ("slow", TakesAllTheTime(0.1))]
    model = small(portfolio=portfolio, time_limit=290).fit(X, D)
    assert model.weights_["slow"] > 0.5
    assert model.score_ < model.mean_score_


@pytest.mark.filterwarnings("ignore:The time was over")
@pytest.mark.filterwarnings("ignore:.*left the pool")
def test_without_any_time_there_is_the_mean():
    model = small(portfolio=FEW, time_limit=1e-300).fit(X, D)
    assert model.weights_ == {"mean": 1.0}
    assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (len(X), 1)))


def test_interrupt_keeps_what_is_finished():
    portfolio = [*FEW, ("stop", Interrupting()), ("late", AAkNN(3))]
    with pytest.warns(UserWarning, match="interrupted"):
        model = small(portfolio=portfolio).fit(X, D)
    assert set(model.weights_) <= {"near", "softmax", "mean"}
    assert model.leaderboard_.loc["late", "status"] == "timeout"
    assert_allclose(model.predict(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"portfolio": [("a", AAkNN()), ("a", AAkNN())]}, "two candidates called 'a'"),
        ({"portfolio": [("mean", AAkNN())]}, "two candidates called 'mean'"),
        ({"portfolio": ["AAkNN"]}, r"pairs \(name, learner\)"),
        ({"portfolio": [{"name": "a"}]}, "Cannot read the entry"),
        (
            {"portfolio": [{"name": "a", "learner": "AAkNN", "scale": "log"}]},
            "scale of candidate 'a'",
        ),
        ({"metric": "hamming_loss"}, "not a metric of predicted distributions"),
        ({"preset": "huge"}, "preset"),
        ({"time_limit": 0}, "time_limit"),
        ({"backend": "dask"}, "needs a client"),
    ],
)
def test_bad_settings(settings, match):
    with pytest.raises(ValueError, match=match):
        small(**settings).fit(X, D)


def test_bad_data():
    with pytest.raises(ValueError, match="minimum of 4 samples"):
        small().fit(X[:3], D[:3])
    model = small().fit(X, D)
    gap = X[:3].copy()
    gap[1, 2] = np.nan
    with pytest.raises(ValueError, match="row 1, column 2"):
        model.predict(gap)


# --- equal results


@pytest.mark.parametrize("backend", ["process"])
def test_one_and_two_jobs_agree(backend):
    one = small().fit(X, D)
    two = small(backend=backend, n_jobs=2).fit(X, D)
    assert one.weights_ == two.weights_
    assert (one.score_, one.size_gain_) == (two.score_, two.size_gain_)
    assert_array_equal(one.predict(X), two.predict(X))


def test_dask_agrees():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=1, processes=False, dashboard_address=None):
        there = small(backend="dask").fit(X, D)
    assert_allclose(there.predict(X), small().fit(X, D).predict(X), atol=1e-12)


def test_store_saves_the_work(tmp_path, monkeypatch):
    path = tmp_path / "auto.sqlite"
    first = small(store=path).fit(X, D)
    calls = []
    from skldl.auto import _engines

    original = _engines.do_job
    monkeypatch.setattr(
        _engines, "do_job", lambda job, data: calls.append(job) or original(job, data)
    )
    again = small(store=path).fit(X, D)
    assert {job.test is None for job in calls} == {True}  # fits on all rows only
    assert_array_equal(first.predict(X), again.predict(X))
    calls.clear()
    small(store=path).fit(X + 1, D)  # other data
    folds = [len(job.train) for job in calls if job.test is not None]
    assert folds.count(100) == 9
    assert folds.count(50) == len(folds) - 9 >= 3  # of the learning curve
    foreign = tmp_path / "x.csv"
    foreign.write_text("a,b\n1,2\n" * 500)
    with pytest.raises(ValueError, match="not a store"):
        small(store=foreign).fit(X, D)
    assert foreign.read_text().startswith("a,b")


SCRIPT = """
import sys, time
import numpy as np
from skldl.auto import AutoLDL
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, ExtraTreesLDL, LogisticLDL
X, D = make_ldl(150, random_state=0)
portfolio = [("near", AAkNN(5)), ("softmax", LogisticLDL(0.1)),
             *((f"trees {k}", ExtraTreesLDL(100, max_depth=k)) for k in range(3, 9))]
model = AutoLDL(portfolio=portfolio, cv=3, random_state=0, store=sys.argv[1])
np.save(sys.argv[2], model.fit(X, D).predict(X))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_and_started_again(tmp_path):
    def start(store, result):
        command = [sys.executable, "-c", SCRIPT, str(store), str(result)]
        return subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})

    store = tmp_path / "auto.sqlite"
    process = start(store, tmp_path / "a.npy")
    log = tmp_path / "auto.sqlite-wal"
    while not log.exists() or log.stat().st_size < 20_000:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "a.npy").exists()
    assert start(store, tmp_path / "a.npy").wait() == 0
    assert start(tmp_path / "other.sqlite", tmp_path / "b.npy").wait() == 0
    assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))


# --- what it can do


def test_weights_of_samples():
    weight = np.ones(len(X))
    weight[100:] = 0
    some = small().fit(X, D, sample_weight=weight)
    part = small().fit(X[:100], D[:100])
    assert_allclose(some.predict(X), part.predict(X))


def mixed_table(rng, n=120):
    table = pd.DataFrame(
        {
            "age": rng.normal(40, 10, size=n),
            "region": rng.choice(["north", "south"], size=n),
            "seen": pd.date_range("2024-01-01", periods=n).astype(str),
        }
    )
    table.loc[::7, "age"] = np.nan
    north = (table["region"] == "north").to_numpy()
    votes = np.where(north[:, None], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6])
    return table, pd.DataFrame(votes, columns=["good", "fair", "bad"])


def test_tables(tmp_path):
    table, votes = mixed_table(np.random.default_rng(0))
    model = small(portfolio=[("softmax", LogisticLDL(0.01))]).fit(table, votes)
    new = pd.DataFrame(
        {"seen": [None, "2024-02-01"], "region": ["north", "west"], "age": [3, None]}
    )
    P = model.predict(new)
    assert model.classify(new)[0] == "good"
    assert model.leaderboard_.loc["softmax", "gain"] > 0.1
    found = model.explain(table, votes, n_repeats=2, random_state=0)
    assert found.index[0] == "region"
    assert list(found.columns) == ["importance", "std", "good", "fair", "bad"]
    path = tmp_path / "model.skldl"
    save_model(model, path)
    loaded = load_model(path)
    assert_array_equal(np.asarray(loaded.predict(new)), P)
    assert loaded.estimator.leaderboard_.equals(model.leaderboard_)


def test_encoder_learns_from_the_training_rows_of_each_fold():
    table, votes = mixed_table(np.random.default_rng(0))
    from skldl.auto._search import Features, fold_data
    from skldl.preprocessing import TableEncoder

    folds = [(np.arange(60), np.arange(60, 120))]
    data = fold_data(folds, Features(table, TableEncoder()), votes.to_numpy(), None)
    expected = TableEncoder().fit(table[:60]).transform(table)
    assert_array_equal(data["fold 0"].X, expected)


def test_explain_array():
    model = small().fit(X, D)
    useless = np.column_stack([X, np.ones(len(X))])
    found = small().fit(useless, D).explain(useless, D, n_repeats=1, random_state=0)
    assert found.loc[f"x{X.shape[1]}", "importance"] == pytest.approx(0)
    assert (model.explain(X, D, n_repeats=1)["importance"] > 0).any()


def test_distill_and_refit():
    model = small().fit(X, D)
    student = model.distill(X, LogisticLDL(1e-3))
    assert_allclose(student.predict(X), model.predict(X), atol=0.1)
    weights = dict(model.weights_)
    model.refit(X[:100], D[:100])
    assert model.weights_ == weights
    expected = dict(FEW)["softmax"].fit(X[:100], D[:100]).predict(X)
    place = list(weights).index("softmax")
    assert_allclose(model.estimators_[place].predict(X), expected, atol=1e-12)
    table, votes = mixed_table(np.random.default_rng(0))
    teacher = small(portfolio=[("softmax", LogisticLDL(0.01))]).fit(table, votes)
    assert teacher.distill(table, AAkNN(3)).predict(table).shape == (120, 3)
