"""The finite-sample quantile: every order of a tiny set, weights as repeated scores."""

from fractions import Fraction
from itertools import permutations
from math import ceil, inf

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skldl.conformal import conformal_quantile
from skldl.conformal._quantile import needed_rank, needed_samples, row_quantiles


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("coverage", [0.2, 0.5, 0.6, 0.75, 0.8, 0.9])
def test_coverage_over_all_orders_of_a_tiny_set(n, coverage):
    """Of n + 1 exchangeable scores the last is covered exactly so often."""
    covered = [
        order[-1] <= conformal_quantile(order[:-1], coverage)
        for order in permutations(range(n + 1))
    ]
    rank = ceil(Fraction(str(coverage)) * (n + 1))
    assert np.mean(covered) == pytest.approx(rank / (n + 1))
    assert np.mean(covered) >= coverage - 1e-12
    # one place lower would not be enough
    assert (rank - 1) / (n + 1) < coverage


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95, 0.975, 0.99])
def test_needed_samples_are_the_fewest(coverage):
    n = needed_samples(coverage)
    assert needed_rank(n, coverage) <= n
    assert needed_rank(n - 1, coverage) > n - 1
    assert conformal_quantile(np.arange(n), coverage) == n - 1
    assert conformal_quantile(np.arange(n - 1), coverage) == inf


def test_rounding_does_not_ask_for_one_more():
    # 0.7 * 10 is above 7 in floating point
    assert conformal_quantile(range(9), 0.7) == 6


def test_integer_weights_are_repeated_scores():
    rng = np.random.default_rng(0)
    for coverage in (0.3, 0.5, 0.8, 0.9):
        scores, times = rng.normal(size=15), rng.integers(0, 4, 15)
        weighted = conformal_quantile(scores, coverage, sample_weight=times)
        assert weighted == conformal_quantile(np.repeat(scores, times), coverage)


def test_a_heavy_new_sample_needs_the_whole_simplex():
    ones = np.ones(20)
    assert conformal_quantile(range(20), 0.9, sample_weight=ones) < inf
    assert conformal_quantile(range(20), 0.9, sample_weight=ones, new_weight=9) == inf


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_single_quantiles(weighted):
    rng = np.random.default_rng(0)
    shifted, new = rng.normal(size=(6, 12)), rng.uniform(0.5, 3, 6)
    weights = rng.uniform(0, 2, 12) if weighted else None
    found = row_quantiles(shifted, 0.8, weights, new)
    one = [
        conformal_quantile(s, 0.8, sample_weight=weights, new_weight=w)
        for s, w in zip(shifted, new, strict=True)
    ]
    assert_array_equal(found, one)


@pytest.mark.parametrize("coverage", [0, 1, 1.5, -0.1])
def test_bad_coverage(coverage):
    with pytest.raises(ValueError, match="coverage must be between 0 and 1"):
        conformal_quantile([1.0], coverage)
