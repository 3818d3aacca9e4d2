"""ConformalDistribution: coverage, groups, weights, folds, degenerate data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.auto import AutoLDL
from skldl.conformal import ConformalDistribution, conformal_quantile
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, LogisticLDL, MeanDistribution
from skldl.validation import check_distribution

DISTANCES = ("tv", "kl", "aitchison", "label")


@pytest.fixture(scope="module")
def data():
    X, D = make_ldl(400, n_features=4, n_labels=3, random_state=0)
    rng = np.random.default_rng(0)
    V = np.array([rng.multinomial(15, d) for d in D]) / 15
    return X, V


@pytest.fixture(scope="module")
def fitted(data):
    X, D = data
    return FrozenEstimator(LogisticLDL().fit(X[:100], D[:100]))


def test_split_is_the_quantile_of_scores_of_rows_kept_apart(data):
    X, D = data
    model = ConformalDistribution(AAkNN(), "tv", calibration_size=50, random_state=0)
    regions = model.fit(X[:300], D[:300]).predict_region(X[300:])
    assert len(model.calibration_.scores) == 50
    radius = conformal_quantile(model.calibration_.scores, 0.9)
    assert_array_equal(regions.radius, np.full(100, radius))
    assert_array_equal(regions.center, model.predict(X[300:]))
    assert_array_equal(regions.center, model.estimators_[0].predict(X[300:]))
    tv = np.abs(regions.center - D[300:]).sum(axis=1) / 2
    assert_array_equal(regions.contains(D[300:]), tv <= radius + 1e-12)


@pytest.mark.parametrize("distance", DISTANCES)
def test_regions_stay_on_the_simplex(data, distance):
    X, D = data
    D = np.where(D < 0.3, 0.0, D)
    D /= D.sum(axis=1, keepdims=True)
    model = ConformalDistribution(AAkNN(2), distance, random_state=0).fit(X, D)
    for coverage in (0.1, 0.9, 0.98):
        regions = model.predict_region(X, coverage=coverage)
        check_distribution(regions.center, on_unnormalized="raise")
        assert (regions.lower >= 0).all()
        assert (regions.upper <= 1).all()
        assert (regions.lower <= regions.upper).all()
        # the degrees of the others must be able to fill up to 1
        assert (regions.lower.sum(axis=1) <= 1 + 1e-9).all()
        assert (regions.upper.sum(axis=1) >= 1 - 1e-9).all()
        assert regions.labels.any(axis=1).all()
        inside = regions.contains(D)
        within = ((regions.lower - 1e-9 <= D) & (regions.upper + 1e-9 >= D)).all(axis=1)
        assert (within | ~inside).all()
        won = np.take_along_axis(regions.labels, D.argmax(axis=1)[:, None], 1)[:, 0]
        assert (won | ~inside).all()


@pytest.mark.parametrize("distance", DISTANCES)
def test_coverage_of_exchangeable_rows_is_in_the_binomial_band(distance):
    """300 data sets of 20 rows, one new row each: independent trials."""
    rng = np.random.default_rng(0)
    trials, n, n_cal = 300, 20, 9
    covered = 0
    for _ in range(trials):
        D = rng.dirichlet([1, 2, 3], n + 1)
        X = rng.normal(size=(n + 1, 1))
        model = ConformalDistribution(
            MeanDistribution(),
            distance,
            calibration_size=n_cal,
            random_state=rng_seed(rng),
        )
        regions = model.fit(X[:n], D[:n]).predict_region(X[n:], coverage=0.8)
        covered += int(regions.contains(D[n:])[0])
    low, high = binom(trials, 0.8).ppf([0.001, 0.999])  # 8 of 9 + 1
    assert low <= covered <= high


def rng_seed(rng):
    return int(rng.integers(2**31 - 1))


@pytest.mark.parametrize("distance", ["tv", "aitchison", "label"])
def test_the_ball_of_cross_holds_the_cross_conformal_region(data, distance):
    """Distributions that few scores are below, found on a grid."""
    X, D = data
    model = ConformalDistribution(AAkNN(3), distance, "cross", random_state=0, cv=4)
    model.fit(X[:40], D[:40])
    regions = model.predict_region(X[40:44], coverage=0.7)
    steps = np.arange(41)
    a, b = (g.ravel() for g in np.meshgrid(steps, steps))
    grid = np.column_stack([a, b, 40 - a - b])[a + b <= 40] / 40
    scores, number = model.calibration_.scores, model.calibration_.model
    for i in range(4):
        below = np.zeros(len(grid))
        for k, (part, ball) in enumerate(
            zip(model.estimators_, model._balls, strict=True)
        ):
            P = part.predict(X[40 + i : 41 + i])
            distances = ball.distance(grid, P)
            below += (scores[number == k] < distances[:, None]).sum(axis=1)
        region = grid[below < 0.7 * 41]
        assert len(region)
        assert (regions.distances(region, i) <= regions.radius[i] + 1e-12).all()


def test_cross_keeps_its_bound_and_uses_every_row():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(60):
        X, D = rng.normal(size=(40, 1)), rng.dirichlet([1, 2, 3], 40)
        model = ConformalDistribution(
            MeanDistribution(), method="cross", random_state=rng_seed(rng), coverage=0.8
        ).fit(X[:30], D[:30])
        assert len(model.calibration_.scores) == 30
        covered += model.predict_region(X[30:]).contains(D[30:]).tolist()
    bound = 1 - 2 * 0.2 - 2 * (1 - 1 / 5) / (30 / 5 + 1)
    assert bound < 0.7 < np.mean(covered)


def test_cross_refuses_what_is_not_a_metric(data):
    with pytest.raises(ValueError, match="triangle inequality"):
        ConformalDistribution(distance="kl", method="cross").fit(*data)


def test_cross_needs_every_row_once(data):
    X, D = data
    folds = [(np.arange(20), np.arange(20, 30))]
    with pytest.raises(ValueError, match="exactly once"):
        ConformalDistribution(method="cross", cv=folds).fit(X[:30], D[:30])


def test_too_few_samples_give_the_whole_simplex_with_a_warning(data):
    X, D = data
    model = ConformalDistribution(calibration_size=8, random_state=0).fit(X, D)
    with pytest.warns(UserWarning, match="needs 9 calibration samples, there are 8"):
        regions = model.predict_region(X[:5])
    assert np.isinf(regions.radius).all()
    assert (regions.lower == 0).all()
    assert (regions.upper == 1).all()
    assert regions.labels.all()
    assert regions.contains(D[:5]).all()
    with pytest.warns(UserWarning, match="whole simplex"):
        lower, upper = model.intervals(X[:5])
    assert_array_equal(upper - lower, np.ones((5, 3)))


def test_weights_of_two_are_rows_twice(data, fitted):
    X, D = data
    times = np.random.default_rng(0).integers(0, 3, 100)
    rows = np.repeat(np.arange(100, 200), times)
    weighted = ConformalDistribution(fitted).fit(X[100:200], D[100:200], times)
    repeated = ConformalDistribution(fitted).fit(X[rows], D[rows])
    for coverage in (0.5, 0.9):
        one = weighted.predict_region(X[200:], coverage=coverage)
        two = repeated.predict_region(X[200:], coverage=coverage)
        assert_array_equal(one.radius, two.radius)
        assert_array_equal(
            weighted.intervals(X[200:], coverage=coverage),
            repeated.intervals(X[200:], coverage=coverage),
        )


def test_likelihood_ratios_cover_shifted_data():
    """Errors grow with x; new samples have large x, and weights that say so."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=4000)
    noise = x * rng.uniform(-0.5, 0.5, 4000)
    D = np.column_stack([0.5 + noise, 0.5 - noise])
    X = x[:, None]
    half = FrozenEstimator(MeanDistribution().fit(X, np.full((4000, 2), 0.5)))
    old, new = slice(0, 2000), 2000 + np.flatnonzero(rng.uniform(size=2000) < x[2000:])
    plain = ConformalDistribution(half).fit(X[old], D[old])
    model = ConformalDistribution(half).fit(X[old], D[old], x[old])
    regions = model.predict_region(X[new], sample_weight=x[new])
    assert plain.predict_region(X[new]).contains(D[new]).mean() < 0.86
    assert 0.875 < regions.contains(D[new]).mean() < 0.925


def test_each_group_has_its_own_quantile(data, fitted):
    X, D = data
    groups = np.where(X[:, 0] > 0, "north", "south")
    model = ConformalDistribution(fitted).fit(X[100:], D[100:], groups=groups[100:])
    regions = model.predict_region(X[:100], groups=groups[:100])
    for name in ("north", "south"):
        mine = np.flatnonzero(groups[100:] == name) + 100
        alone = ConformalDistribution(fitted).fit(X[mine], D[mine])
        rows = np.flatnonzero(groups[:100] == name)
        expected = alone.predict_region(X[rows])
        assert_array_equal(regions.radius[rows], expected.radius)
    assert len(np.unique(regions.radius)) == 2


def test_groups_that_are_not_known_small_or_missing(data, fitted):
    X, D = data
    groups = np.array(["a"] * 60 + ["b"] * 5)
    model = ConformalDistribution(fitted).fit(X[100:165], D[100:165], groups=groups)
    with pytest.raises(ValueError, match="'c' in row 1, which fit has not seen"):
        model.predict_region(X[:2], groups=["a", "c"])
    with pytest.raises(ValueError, match="give groups"):
        model.predict_region(X[:2])
    with pytest.warns(UserWarning, match="of the groups b are the whole simplex"):
        regions = model.predict_region(X[:2], groups=["a", "b"])
    assert_array_equal(np.isinf(regions.radius), [False, True])
    plain = ConformalDistribution(fitted).fit(X, D)
    with pytest.raises(ValueError, match="fit had no groups"):
        plain.predict_region(X[:1], groups=["a"])


class Spread(RegressorMixin, BaseEstimator):
    """The first feature as the logarithm of the difficulty."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def test_difficulty_scales_the_radius():
    rng = np.random.default_rng(0)
    hard = rng.choice([-1.0, 1.0], 3000)
    noise = 0.1 * np.exp(hard) * rng.uniform(-1, 1, 3000)
    D, X = np.column_stack([0.5 + noise, 0.5 - noise]), hard[:, None]
    plain = ConformalDistribution(MeanDistribution(), random_state=0)
    model = ConformalDistribution(
        MeanDistribution(), difficulty=Spread(), random_state=0
    )
    regions = model.fit(X[:2000], D[:2000]).predict_region(X[2000:])
    ratio = regions.radius[hard[2000:] > 0][0] / regions.radius[hard[2000:] < 0][0]
    assert_allclose(ratio, np.exp(2))
    for group in (-1, 1):
        mine = hard[2000:] == group
        assert 0.85 < regions.contains(D[2000:])[mine].mean() < 0.95
    wide = plain.fit(X[:2000], D[:2000]).predict_region(X[2000:])
    assert regions.size.mean() < 0.8 * wide.size.mean()


def test_difficulty_by_prediction_and_its_bins(data):
    X, D = data
    model = ConformalDistribution(difficulty="prediction", n_bins=2, random_state=0)
    regions = model.fit(X[:300], D[:300]).predict_region(X[300:])
    assert len(np.unique(regions.radius)) > 2
    assert model.groups_ == ["difficulty 1", "difficulty 2"]
    assert 0.75 < regions.contains(D[300:]).mean() <= 1
    cross = ConformalDistribution(
        method="cross", cv=3, difficulty="prediction", random_state=0
    )
    assert cross.fit(X[:100], D[:100]).predict_region(X[300:]).size.mean() < 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_bins": 3}, "needs a difficulty"),
        ({"n_bins": 3, "difficulty": "prediction", "method": "cross"}, "split"),
        ({"method": "oof"}, "keeps out-of-fold predictions"),
        ({"estimator": LogisticLDL}, "instance"),
        ({"calibration_size": 400}, "must leave at least one training"),
        ({"target": "underlying"}, "give n_votes"),
        ({"coverage": 1.0}, "coverage"),
    ],
)
def test_settings_that_do_not_go_together(data, settings, words):
    with pytest.raises(ValueError, match=words):
        ConformalDistribution(**settings).fit(*data)


def test_a_frozen_model_is_calibrated_on_all_rows(data, fitted):
    X, D = data
    model = ConformalDistribution(fitted).fit(X[100:200], D[100:200])
    assert len(model.calibration_.scores) == 100
    assert_array_equal(model.predict(X), fitted.predict(X))
    with pytest.raises(ValueError, match="frozen"):
        ConformalDistribution(fitted, difficulty="prediction").fit(X, D)
    with pytest.raises(ValueError, match="FrozenEstimator"):
        ConformalDistribution(fitted, method="cross").fit(X, D)


@pytest.mark.parametrize("distance", DISTANCES)
def test_one_label_and_equal_rows(distance):
    X = np.arange(40.0)[:, None]
    one = ConformalDistribution(MeanDistribution(), distance, random_state=0)
    regions = one.fit(X, np.ones((40, 1))).predict_region(X)
    assert_array_equal(regions.lower, np.ones((40, 1)))
    assert_array_equal(regions.upper, np.ones((40, 1)))
    assert_array_equal(one.intervals(X)[0], np.ones((40, 1)))
    equal = np.tile([0.2, 0.3, 0.5], (40, 1))
    regions = one.fit(X, equal).predict_region(X)
    assert regions.contains(equal).all()
    assert_array_equal(regions.labels[0], [False, False, True])


def test_intervals_one_by_one_are_valid_and_shorter(data):
    X, D = data
    model = ConformalDistribution(calibration_size=100, random_state=0)
    model.fit(X[:300], D[:300])
    lower, upper = model.intervals(X[300:], coverage=0.8)
    joint = model.intervals(X[300:], coverage=0.8, joint=True)
    assert (upper - lower).mean() < (joint[1] - joint[0]).mean()
    within = ((lower - 1e-12 <= D[300:]) & (upper + 1e-12 >= D[300:])).mean(axis=0)
    assert (within > 0.68).all()
    errors = model.calibration_.residuals
    widths = [conformal_quantile(e, 0.8) for e in errors.T]
    P = model.predict(X[300:])
    assert_allclose(upper, np.minimum(P + widths, 1))


def test_regions_behind_votes():
    """More votes would not change what is behind them."""
    X, D = make_ldl(900, n_features=4, n_labels=3, random_state=1)
    rng = np.random.default_rng(0)
    V = np.array([rng.multinomial(12, d) for d in D])
    settings = {"estimator": AAkNN(8), "random_state": 0}
    with pytest.warns(match="do not sum to 1"):
        observed = ConformalDistribution(**settings).fit(X[:600], V[:600])
        behind = ConformalDistribution(target="underlying", **settings)
        behind.fit(X[:600], V[:600])
    large, small = (m.predict_region(X[600:]) for m in (observed, behind))
    assert (small.radius < 0.8 * large.radius).all()
    assert large.contains(V[600:]).mean() > 0.85
    assert small.contains(V[600:]).mean() < 0.8
    assert small.contains(D[600:]).mean() > 0.86
    named = ConformalDistribution(target="underlying", **settings)
    named.fit(X[:600], V[:600] / 12, n_votes=12)
    assert named.concentration_ == pytest.approx(behind.concentration_, rel=1e-6)
    with pytest.raises(ValueError, match="row 3 has 0"):
        named.fit(X[:5], V[:5] / 12, n_votes=[1, 1, 1, 0, 1])


def test_names_and_tables(data):
    X, D = data
    X = pd.DataFrame(X, columns=list("abcd"), index=[f"row{i}" for i in range(len(X))])
    D = pd.DataFrame(D, columns=["joy", "fear", "calm"], index=X.index)
    model = ConformalDistribution(
        make_pipeline(StandardScaler(), LogisticLDL()), random_state=0
    ).fit(X, D)
    regions = model.predict_region(X[:3])
    table = regions.to_frame()
    assert list(table.index) == ["row0", "row1", "row2"]
    assert list(table.columns[:3]) == ["joy", "joy_lower", "joy_upper"]
    first = table["labels"].iloc[0].split("|")
    assert first[0] == model.classify(X[:1])[0]
    assert len(first) == regions.labels[0].sum()
    with pytest.raises(ValueError, match="columns"):
        regions.contains(D[["calm", "fear", "joy"]][:3])
    with pytest.raises(ValueError, match="one row per region"):
        regions.contains(np.ones((7, 3)) / 3)


def test_share_of_the_simplex():
    """A total variation ball inside a triangle is a hexagon of area 3 r^2."""
    X = np.zeros((40, 1))
    D = np.tile([0.4, 0.3, 0.3], (40, 1))
    D[::2] = [0.5, 0.2, 0.3]
    model = FrozenEstimator(MeanDistribution().fit(X, D[[1] * 40]))
    regions = ConformalDistribution(model, "tv").fit(X, D).predict_region(X[:1])
    assert_allclose(regions.radius, 0.1)
    # half of the square a, b >= 0, a + b <= 1 is the simplex
    share = regions.share(n_draws=100_000, random_state=0)
    assert_allclose(share, 3 * 0.1**2 / 0.5, rtol=0.05)


def test_auto_uses_its_out_of_fold_predictions(data):
    X, D = data
    auto = AutoLDL(portfolio=[("near", AAkNN())], cv=3, random_state=0)
    model = ConformalDistribution(auto, "tv", "oof", random_state=0).fit(X, D)
    (inner,) = model.estimators_
    scores = np.abs(inner.oof_prediction_ - D[inner.oof_rows_]).sum(axis=1) / 2
    assert_allclose(model.calibration_.scores, scores)
    assert_array_equal(inner.oof_target_, D[inner.oof_rows_])
    other = ConformalDistribution.from_fitted(inner, distance="tv", coverage=0.8)
    assert_array_equal(
        other.predict_region(X).radius, model.predict_region(X, coverage=0.8).radius
    )
    assert_array_equal(other.predict(X), inner.predict(X))
    with pytest.raises(ValueError, match="no out-of-fold predictions"):
        ConformalDistribution.from_fitted(AAkNN().fit(X, D))
