"""Tables of coverage and reliability; the concentration of votes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.stats import dirichlet_multinomial

from skldl.conformal import (
    ConformalDistribution,
    coverage_table,
    fit_concentration,
    reliability_table,
)
from skldl.datasets import make_ldl


@pytest.fixture(scope="module")
def data():
    return make_ldl(400, n_features=3, n_labels=3, random_state=0)


def test_rows_say_what_regions_say(data):
    X, D = data
    model = ConformalDistribution(random_state=0).fit(X[:200], D[:200])
    groups = np.where(X[200:, 0] > 0, "a", "b")
    table = coverage_table(model, X[200:], D[200:], [0.7, 0.9], groups=groups)
    assert len(table) == 2 * (1 + 2 + 3)
    regions = model.predict_region(X[200:], coverage=0.7)
    inside = regions.contains(D[200:])
    first = table[table["level"] == 0.7].set_index("part")
    assert first.loc["all", "coverage"] == inside.mean()
    assert first.loc["all", "size"] == pytest.approx(regions.size.mean())
    assert first.loc["b", "coverage"] == inside[groups == "b"].mean()
    assert np.isnan(first.loc["b", "low"])  # nothing was promised for it
    lower, upper = model.intervals(X[200:], coverage=0.7)
    within = (lower[:, 1] <= D[200:, 1]) & (D[200:, 1] <= upper[:, 1])
    assert first.loc[1, "coverage"] == within.mean()
    assert first.loc["all", "low"] < 0.7 < first.loc["all", "high"]


def test_the_band_holds_the_coverage_as_often_as_it_says():
    """Calibration and new scores of one source: the law is beta-binomial."""
    from skldl.conformal._calibration import Calibration
    from skldl.conformal._views import _band

    rng = np.random.default_rng(0)
    n, m, k = 30, 40, 25  # 0.8 * 31 = 24.8
    scores = rng.uniform(size=(4000, n + m))
    threshold = np.sort(scores[:, :n], axis=1)[:, k - 1]
    share = (scores[:, n:] <= threshold[:, None]).mean(axis=1)
    part = Calibration(scores[0, :n], scores[:1], np.zeros(n, int), None, None, [])
    low, high = _band(part, None, 0.8, m, 0.9)
    assert 0.89 < ((low <= share) & (share <= high)).mean() < 0.95


def test_known_groups_have_bands(data):
    X, D = data
    groups = np.where(X[:, 0] > 0, "a", "b")
    model = ConformalDistribution(random_state=0)
    model.fit(X[:300], D[:300], groups=groups[:300])
    table = coverage_table(model, X[300:], D[300:], [0.8], groups=groups[300:])
    by_part = table.set_index("part")
    assert by_part.loc[["a", "b"], "low"].notna().all()
    assert np.isnan(by_part.loc["all", "low"])


def test_reliability_is_means_of_bins():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 500)
    D = rng.dirichlet([1, 1, 1], 500)
    table = reliability_table(D, P, n_bins=5)
    assert (table.groupby("label")["n_samples"].sum() == 500).all()
    assert len(table) == 15
    first = table[table["label"] == 0]
    order = np.argsort(P[:, 0])[:100]
    assert_allclose(first["predicted"].iloc[0], P[order, 0].mean())
    assert_allclose(first["observed"].iloc[0], D[order, 0].mean())
    equal = reliability_table(D, D, n_bins=3)
    assert_allclose(equal["predicted"], equal["observed"])
    constant = reliability_table(D, np.full(D.shape, 1 / 3))
    assert len(constant) == 3
    with pytest.raises(ValueError, match="n_bins"):
        reliability_table(D, P, n_bins=0)


def test_concentration_is_the_most_likely_one():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([2, 2, 2], 60)
    votes = np.array([rng.multinomial(9, rng.dirichlet(5 * p)) for p in P])
    found = fit_concentration(votes, P)

    def loss(x):
        return -dirichlet_multinomial.logpmf(votes, np.exp(x) * P, 9).sum()

    best = minimize_scalar(loss, bounds=(-3, 8), method="bounded")
    assert_allclose(found, np.exp(best.x), rtol=1e-3)
    safe = fit_concentration(votes, P, confidence=0.95)
    assert safe < found
    assert_allclose(loss(np.log(safe)) - best.fun, 1.6449**2 / 2, rtol=1e-3)
