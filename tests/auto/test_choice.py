"""AutoLDL: which pool is taken, and what it reaches on new data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skldl.auto import AutoLDL
from skldl.auto._choice import (
    WAYS,
    _taken_way,
    choose,
    estimate,
    mean_and_error,
    sample_losses,
)
from skldl.auto._curve import gains_of_all_rows, halved
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, LogisticLDL, combine


def test_estimate_never_sees_the_rows_that_judge_it():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), size=(4, 60))
    truth = rng.dirichlet(np.ones(3), size=60)
    folds = np.array_split(np.arange(60), 3)
    weight = rng.uniform(0.5, 2, size=60)
    found = estimate(P, truth, weight, "kl_divergence", folds, list(WAYS))
    other = truth.copy()
    other[folds[0]] = rng.dirichlet(np.ones(3), size=20)
    names = list("abcd")
    for way in WAYS:
        rest = np.concatenate(folds[1:])
        choice = choose(
            way, P[:, rest], truth[rest], weight[rest], "kl_divergence", names
        )
        members = P[[names.index(n) for n in choice.weights]][:, folds[0]]
        pooled = combine(
            members, list(choice.weights.values()), pool=choice.kind, bias=choice.bias
        )
        expected = sample_losses("kl_divergence", truth[folds[0]], pooled)
        assert_allclose(found.losses[way][folds[0]], expected)
    # members and weights of a way do not depend on the truth of the fold
    for way in WAYS:
        changed = estimate(P, other, weight, "kl_divergence", folds, [way])
        same = estimate(P, truth, weight, "kl_divergence", folds, [way])
        assert_allclose(changed.predict(P)[folds[0]], same.predict(P)[folds[0]])


def test_the_other_folds_take_the_way_of_a_fold():
    rng = np.random.default_rng(2)
    truth = rng.dirichlet(np.ones(3), size=90)
    folds = np.array_split(np.arange(90), 3)
    noise = rng.dirichlet(np.ones(3), size=(2, 90))
    P = 0.5 * truth + 0.5 * noise  # their mean is better than one of them ...
    P[0, folds[2]] = truth[folds[2]]  # ... but in the last fold the first is perfect
    weight = np.ones(90)
    found = estimate(P, truth, weight, "chebyshev", folds, list(WAYS))
    for fold in folds:
        rest = np.setdiff1d(np.arange(90), fold)
        way = _taken_way({w: v[rest] for w, v in found.losses.items()}, weight[rest])
        taken = sample_losses("chebyshev", truth[fold], found.predict(P)[fold])
        assert_allclose(taken, found.losses[way][fold])
    last = sample_losses("chebyshev", truth, found.predict(P))[folds[2]].mean()
    assert last > found.losses["single"][folds[2]].mean()
    # only members of some pool are used
    unused = np.setdiff1d(np.arange(len(P)), found.members)
    without = P.copy()
    without[unused] = np.nan
    assert_array_equal(found.predict(without), found.predict(P))


@pytest.mark.parametrize(("gain", "taken"), [(0.5, "single"), (1.5, "log")])
def test_a_pool_must_be_better_by_one_standard_error(gain, taken):
    differences = np.random.default_rng(1).normal(size=40)
    differences -= differences.mean()
    differences /= differences.std(ddof=1) / np.sqrt(40)  # standard error 1
    single = np.full(40, 10.0)
    losses = {
        "single": single,
        "linear": single + 0.1,
        "log": single - differences - gain,
    }
    assert _taken_way(losses, np.full(40, 2.0)) == taken
    assert _taken_way({"single": single, "log": single + 1}, np.ones(40)) == "single"


def test_the_best_way_is_taken_where_it_is_clearly_best():
    rng = np.random.default_rng(1)
    truth = rng.dirichlet(np.ones(4), size=90)
    parts = 0.5 * truth + 0.5 * rng.dirichlet(np.ones(4), size=(2, 90))
    folds = np.array_split(np.arange(90), 3)
    found = estimate(parts, truth, np.ones(90), "clark", folds, list(WAYS))
    means = {way: losses.mean() for way, losses in found.losses.items()}
    assert means[found.way] == min(means.values()) < means["single"]


def test_errors_are_those_of_a_weighted_mean():
    rng = np.random.default_rng(0)
    values = rng.normal(size=50)
    mean, error = mean_and_error(values, np.ones(50))
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / np.sqrt(50))
    assert mean_and_error(values, np.full(50, 3.0)) == pytest.approx((mean, error))


# --- the learning curve


def test_halves_are_of_the_training_rows():
    rows = np.arange(100, 131)
    folds = [(np.setdiff1d(rows, test), test) for test in np.array_split(rows, 3)]
    for (train, test), (whole, same) in zip(halved(folds, 0), folds, strict=True):
        assert_array_equal(test, same)
        assert len(train) == (len(whole) + 1) // 2 == len(np.unique(train))
        assert np.isin(train, whole).all()
    again = halved(folds, 0)
    assert_array_equal(again[1][0], halved(folds, 0)[1][0])
    assert not np.array_equal(again[1][0], halved(folds, 1)[1][0])


def _with_loss(D, loss):
    """Distributions of two labels with a given Chebyshev distance."""
    return D + loss[:, None] * np.array([1, -1])


@pytest.mark.parametrize("best", [0.1, 0.0])
@pytest.mark.parametrize("h", [20, 21])
def test_gains_are_exact_where_the_loss_falls_as_one_by_the_rows(best, h):
    rng = np.random.default_rng(0)
    D = np.full((30, 2), [0.3, 0.7])
    slope, weight = rng.uniform(0.5, 1.5, size=30), rng.uniform(1, 2, size=30)
    m, n = 40, 50
    half, fold = (_with_loss(D, best + slope / rows) for rows in (h, m))
    gains = gains_of_all_rows(D, half, fold, weight, "chebyshev", (h, m, n))
    assert_allclose(gains, slope / m - slope / n, atol=1e-15)


def test_too_few_rows_say_little():
    """Losses that fall faster than to zero are not extrapolated below it."""
    D = np.full((10, 2), [0.3, 0.7])
    fold = _with_loss(D, np.full(10, 0.01))
    half = _with_loss(D, np.linspace(0.2, 0.4, 10))
    gains = gains_of_all_rows(D, half, fold, np.ones(10), "chebyshev", (4, 8, 10))
    assert gains.mean() == pytest.approx(0.2 * 0.01)
    same = gains_of_all_rows(D, fold, fold, np.ones(10), "chebyshev", (4, 8, 10))
    assert_array_equal(same, 0)


X, D = make_ldl(150, random_state=0)
FEW = [("near", AAkNN(5)), ("softmax", LogisticLDL(0.1))]


def test_score_follows_the_learning_curve(tmp_path):
    settings = {"portfolio": FEW, "cv": 3, "random_state": 0, "backend": "serial"}
    model = AutoLDL(store=tmp_path / "store", **settings).fit(X, D)
    assert model.size_gain_ > 0
    pool = model.leaderboard_.loc["pool", "score"]
    assert model.score_ == pytest.approx(pool - model.size_gain_)
    again = AutoLDL(store=tmp_path / "store", **settings).fit(X, D)
    assert (again.score_, again.score_error_) == (model.score_, model.score_error_)


def test_the_mean_has_a_learning_curve_as_well():
    """If the model is the mean distribution, both have the same score."""
    settings = {"portfolio": [], "cv": 3, "random_state": 0, "backend": "serial"}
    model = AutoLDL(metric="cosine", **settings).fit(X[:20], D[:20])
    assert model.weights_ == {"mean": 1.0}
    assert model.score_ == pytest.approx(model.mean_score_, rel=1e-12)
    assert abs(model.size_gain_) > 1e-6


def test_the_curve_takes_the_encoders_of_the_folds():
    """Half of the rows may have no value of a column at all."""
    table = pd.DataFrame(X[:40], columns=[f"x{j}" for j in range(X.shape[1])])
    rare = np.full(40, np.nan)
    rare[[3, 17, 30]] = 1.0, 2.0, 3.0
    table = table[[]].assign(rare=rare, word=["a"] * 37 + ["b"] * 3)
    for seed in range(4):
        model = AutoLDL(portfolio=FEW, cv=3, random_state=seed, backend="serial")
        assert np.isfinite(model.fit(table, D[:40]).size_gain_)


def test_the_curve_counts_rows_that_the_search_did_not_take(monkeypatch):
    """The model of a large table is fitted on more rows than candidates are judged."""
    monkeypatch.setattr("skldl.auto._plan.SMALL", 60)
    monkeypatch.setattr("skldl.auto._plan.LARGEST", 90)
    monkeypatch.setattr("skldl.auto._plan._FIRST", 45)
    seen = []
    monkeypatch.setattr(
        "skldl.auto._auto.gains_of_all_rows",
        lambda *given: seen.append(given[-1]) or gains_of_all_rows(*given),
    )
    AutoLDL(portfolio=FEW, random_state=0, backend="serial").fit(X, D)
    assert seen == [(30, 60, 150)] * 2


def test_without_time_for_the_curve_the_score_is_that_of_the_folds(monkeypatch):
    monkeypatch.setattr("skldl.auto._search.Record.time_of", lambda self, what: 1000.0)
    model = AutoLDL(portfolio=FEW, cv=3, random_state=0, backend="serial").fit(X, D)
    assert np.isnan(model.size_gain_)
    assert model.score_ == model.leaderboard_.loc["pool", "score"]


class StopsOnFewRows(LogisticLDL):
    """Somebody presses Ctrl-C while it is fitted on half of the rows."""

    def fit(self, X, y, sample_weight=None):
        if len(X) == 50:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


class FailsOnFewRows(LogisticLDL):
    """Cannot be fitted on half of the rows."""

    def fit(self, X, y, sample_weight=None):
        if len(X) == 50:
            raise ArithmeticError("too few rows")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("learner", [StopsOnFewRows, FailsOnFewRows])
def test_a_curve_that_ends_badly_keeps_the_model(learner):
    portfolio = [("softmax", learner(0.1))]
    model = AutoLDL(portfolio=portfolio, cv=3, backend="serial").fit(X, D)
    assert model.weights_.keys() == {"softmax"}
    assert np.isnan(model.size_gain_)
    assert model.score_ == model.leaderboard_.loc["pool", "score"]
