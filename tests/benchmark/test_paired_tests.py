"""Corrected and Bayesian tests: closed forms, symmetries, the plain test as limit."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats as oracle

from skldl.benchmark import Plan, Split, run, stats
from skldl.benchmark._bayes import _masses

RNG = np.random.default_rng(0)
DIFFERENCE = RNG.normal(0.3, 1.0, size=10)


def test_without_overlap_the_corrected_test_is_the_paired_one():
    ours = stats.corrected_resampled_t(DIFFERENCE, ratio=0.0)
    assert_allclose(ours, oracle.ttest_1samp(DIFFERENCE, 0.0), rtol=1e-12)


def test_the_correction_divides_t_by_its_factor():
    plain, _ = stats.corrected_resampled_t(DIFFERENCE, ratio=0.0)
    t, p = stats.corrected_resampled_t(DIFFERENCE, ratio=1 / 9)
    assert_allclose(t, plain / np.sqrt(1 + 10 / 9))
    assert_allclose(p, 2 * oracle.t.sf(abs(t), 9))
    assert np.isnan(stats.corrected_resampled_t([1.0], ratio=0.1)).all()
    with pytest.raises(ValueError, match="ratio"):
        stats.corrected_resampled_t(DIFFERENCE, ratio=-1.0)
    with pytest.raises(ValueError, match="vector"):
        stats.corrected_resampled_t([DIFFERENCE], ratio=0.1)


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (Split(n_splits=5), 1 / 4),
        (Split(n_splits=3, n_repeats=2, stratify=True), 1 / 2),
        (Split("shuffle", test_size=0.2, n_repeats=3), 1 / 4),
    ],
)
def test_results_are_corrected_by_their_split(split, expected):
    rows = run(Plan(["synthetic"], ["AAkNN"], split), engine="serial")
    assert_allclose(stats.split_ratio(rows["split"][0]), expected)
    how = {"metric": "clark", "control": "AAkNN", "greater_is_better": False}
    plain = stats.paired_t_tests(rows, **how).iloc[0]
    corrected = stats.paired_t_tests(rows, corrected=True, **how).iloc[0]
    factor = np.sqrt(1 + plain["n"] * expected)
    assert_allclose(corrected["t"], plain["t"] / factor)
    assert corrected["p_value"] > plain["p_value"]
    with pytest.raises(ValueError, match="column 'split'"):
        stats.paired_t_tests(rows.drop(columns="split"), corrected=True, **how)
    mixed = rows.assign(split=["kfold-2", *rows["split"][1:]])
    with pytest.raises(ValueError, match="several splits"):
        stats.paired_t_tests(mixed, corrected=True, **how)


def test_a_fixed_split_cannot_be_corrected():
    with pytest.raises(ValueError, match="'fixed' has no random test part"):
        stats.split_ratio("fixed")


def test_mean_masses_are_the_integral_of_the_dirichlet():
    """E[w_i w_j] = (a_i a_j + [i = j] a_i) / (A (A + 1))."""
    rope, strength = 0.2, 0.5
    z = np.concatenate([[0.0], DIFFERENCE])
    a = np.concatenate([[strength], np.ones(10)])
    moments = (np.outer(a, a) + np.diag(a)) / (a.sum() * (a.sum() + 1))
    sums = z[:, None] + z
    expected = [
        moments[sums > 2 * rope].sum(),
        moments[np.abs(sums) <= 2 * rope].sum(),
        moments[sums < -2 * rope].sum(),
    ]
    masses = _masses(DIFFERENCE, rope, strength, 50_000, 0)
    assert_allclose(masses.sum(axis=1), 1.0)
    error = 5 * masses.std(axis=0) / np.sqrt(50_000)
    assert (np.abs(masses.mean(axis=0) - expected) < error).all()


@pytest.mark.parametrize("strength", [0.5, 2.0])
def test_one_data_set_has_a_closed_form(strength):
    """The prior's weight w is Beta(s, 1), and the masses are 1 - w^2 and w^2."""
    table = pd.DataFrame({"a": [1.0], "b": [0.0]})
    found = stats.bayesian_signed_rank(
        table,
        greater_is_better=True,
        rope=0.01,
        prior_strength=strength,
        n_draws=40_000,
    ).iloc[0]
    assert_allclose(found["p_first"], 0.5 ** (strength / 2), atol=0.0125)
    assert_allclose(found["p_rope"], 1 - found["p_first"])
    assert found["p_second"] == 0.0


def test_symmetries_of_the_bayesian_test():
    table = pd.DataFrame(RNG.normal(size=(8, 2)) + [0.0, 0.4], columns=["a", "b"])
    one = stats.bayesian_signed_rank(table, greater_is_better=True, rope=0.1).iloc[0]
    other = stats.bayesian_signed_rank(
        table[["b", "a"]], greater_is_better=True, rope=0.1
    ).iloc[0]
    down = stats.bayesian_signed_rank(table, greater_is_better=False, rope=0.1).iloc[0]
    names = ["p_first", "p_rope", "p_second"]
    assert_allclose(one[names].sum(), 1.0)
    assert one[names].tolist() == other[names[::-1]].tolist()
    assert one[names].tolist() == down[names[::-1]].tolist()
    assert one["p_second"] > one["p_first"]


def test_equal_scores_are_equivalent_and_without_a_region_undecided():
    same = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": np.nan})
    wide = stats.bayesian_signed_rank(same, greater_is_better=True, rope=0.1)
    assert wide.iloc[0][["p_first", "p_rope", "p_second"]].tolist() == [0, 1, 0]
    none = stats.bayesian_signed_rank(same, greater_is_better=True, control="a")
    assert none.iloc[0][["p_first", "p_rope", "p_second"]].tolist() == [0.5, 0, 0.5]
    assert none.iloc[1][["n", "p_first"]].isna().tolist() == [False, True]
    with pytest.raises(ValueError, match="control 'z'"):
        stats.bayesian_signed_rank(same, greater_is_better=True, control="z")


@pytest.mark.parametrize(
    "setting", [{"rope": -1}, {"prior_strength": 0}, {"n_draws": 0}]
)
def test_bad_settings_of_the_bayesian_test(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        stats.bayesian_signed_rank(
            pd.DataFrame({"a": [1.0], "b": [2.0]}), greater_is_better=True, **setting
        )
