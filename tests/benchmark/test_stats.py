"""Statistics against SciPy, scikit-posthocs and worked examples."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from numpy.testing import assert_allclose
from scipy import stats as oracle

from skldl.benchmark import cd_diagram, stats

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    RNG.normal(size=(12, 5)) + np.arange(5) * 0.4, columns=list("abcde")
)
TIED = TABLE.round(0)


def test_demsars_worked_example():
    """Average ranks of four tree learners on 14 data sets."""
    outcome = stats.friedman_from_ranks([3.143, 2.000, 2.893, 1.964], 14)
    assert_allclose(outcome.statistic, 9.28, atol=0.005)
    assert_allclose(outcome.f_statistic, 3.69, atol=0.005)
    assert outcome.f_p_value < 0.05  # the critical value of F(3, 39) is 2.85
    assert_allclose(stats.critical_difference(4, 14), 1.25, atol=0.005)
    # by the q values printed there: 2.569 at 0.05, 2.291 at 0.10
    assert_allclose(
        stats.critical_difference(4, 14), 2.569 * np.sqrt(20 / 84), rtol=1e-3
    )
    at_ten = stats.critical_difference(4, 14, alpha=0.1)
    assert_allclose(at_ten, 2.291 * np.sqrt(20 / 84), rtol=1e-3)


@pytest.mark.parametrize("table", [TABLE, TIED], ids=["plain", "tied"])
def test_friedman_against_scipy(table):
    outcome = stats.friedman(table)
    expected = oracle.friedmanchisquare(*table.to_numpy().T)
    assert_allclose([outcome.statistic, outcome.p_value], expected, rtol=1e-10)
    n, k = table.shape
    f = (n - 1) * outcome.statistic / (n * (k - 1) - outcome.statistic)
    assert_allclose(outcome.f_p_value, oracle.f.sf(f, k - 1, (k - 1) * (n - 1)))


@pytest.mark.parametrize("table", [TABLE, TIED], ids=["plain", "tied"])
def test_nemenyi_against_scikit_posthocs(table):
    expected = scikit_posthocs.posthoc_nemenyi_friedman(table)
    assert_allclose(stats.nemenyi(table), expected, atol=1e-6)


def test_nemenyi_and_the_critical_difference_agree():
    ranks = stats.average_ranks(TABLE, greater_is_better=False)
    cd = stats.critical_difference(5, 12)
    difference = np.abs(ranks.to_numpy()[:, None] - ranks.to_numpy())
    assert ((stats.nemenyi(TABLE) < 0.05).to_numpy() == (difference > cd)).all()


def test_direction_turns_the_ranks():
    low = stats.average_ranks(TABLE, greater_is_better=False)
    high = stats.average_ranks(TABLE, greater_is_better=True)
    assert_allclose(low + high, 6.0)
    assert low.idxmin() == "a"
    ties = stats.rank_rows(
        pd.DataFrame({"a": [1.0], "b": [1.0]}), greater_is_better=True
    )
    assert ties.to_numpy().tolist() == [[1.5, 1.5]]


def test_missing_cells_are_left_out_and_said():
    holes = TABLE.copy()
    holes.loc[3, "b"] = np.nan
    holes.loc[7, "e"] = np.nan
    rest = TABLE.drop(index=[3, 7])
    outcome = stats.friedman(holes)
    assert outcome.dropped == [3, 7]
    assert outcome.n_blocks == 10
    assert outcome.statistic == stats.friedman(rest).statistic
    assert stats.average_ranks(holes, greater_is_better=True).attrs["dropped"] == [3, 7]
    assert_allclose(stats.nemenyi(holes), stats.nemenyi(rest))
    pairs = stats.wilcoxon_holm(holes).set_index(["first", "second"])
    assert pairs.loc[("a", "b"), "n"] == 11
    assert pairs.loc[("b", "e"), "n"] == 10
    with pytest.raises(ValueError, match="methods with missing scores: b"):
        stats.friedman(TABLE.assign(b=np.nan))
    with pytest.raises(ValueError, match="two methods"):
        stats.friedman(TABLE[["a"]])


def test_equal_scores_differ_nowhere():
    same = pd.DataFrame(np.ones((6, 3)), columns=list("abc"))
    outcome = stats.friedman(same)
    assert (outcome.statistic, outcome.p_value) == (0.0, 1.0)
    assert (stats.nemenyi(same) == 1).all(axis=None)
    assert (stats.wilcoxon_holm(same)["p_value"] == 1).all()


def test_perfect_separation_has_an_infinite_f():
    clear = pd.DataFrame(np.tile([1.0, 2.0, 3.0], (5, 1)), columns=list("abc"))
    outcome = stats.friedman(clear)
    assert outcome.f_statistic == np.inf
    assert outcome.f_p_value == 0.0


def test_wilcoxon_and_holm_against_direct_computation():
    pairs = stats.wilcoxon_holm(TABLE, control="a")
    assert list(pairs["second"]) == list("bcde")
    expected = [oracle.wilcoxon(TABLE["a"], TABLE[m]).pvalue for m in "bcde"]
    assert_allclose(pairs["p_value"], expected)
    order = np.argsort(expected)
    running = 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (4 - place) * expected[index]))
        assert_allclose(pairs["p_holm"][index], running)
    assert len(stats.wilcoxon_holm(TABLE)) == 10
    with pytest.raises(ValueError, match="control 'z'"):
        stats.wilcoxon_holm(TABLE, control="z")


def tidy(values):
    """Scores of two methods on folds, as a run gives them."""
    rows = [
        {"dataset": d, "repetition": 0, "fold": f, "method": m, "metric": "clark",
         "value": v}
        for d, methods in values.items()
        for m, scores in methods.items()
        for f, v in enumerate(scores)
        if v is not None
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_paired_t_tests_count_wins_by_direction():
    a, b = RNG.normal(size=(2, 10))
    rows = tidy(
        {
            "noise": {"ours": a, "other": b},
            "clear": {"ours": a, "other": a + 1 + 0.1 * b},
            "constant": {"ours": a, "other": a - 2.0},
            "same": {"ours": a, "other": a},
            "short": {"ours": [1.0, None], "other": [2.0, 3.0]},
        }
    )
    tests = stats.paired_t_tests(
        rows, metric="clark", control="ours", greater_is_better=False
    ).set_index("dataset")
    assert_allclose(tests.loc["noise", "p_value"], oracle.ttest_rel(a, b).pvalue)
    expected = oracle.ttest_rel(a, a + 1 + 0.1 * b)
    assert_allclose(tests.loc["clear", ["t", "p_value"]].astype(float), expected)
    outcomes = tests["outcome"].to_dict()
    assert outcomes["clear"] == "win"
    assert outcomes["constant"] == "loss"
    assert outcomes["same"] == "tie"
    assert pd.isna(outcomes["short"])
    counts = stats.win_tie_loss(tests.reset_index()).loc["other"]
    assert counts[["win", "loss", "missing"]].to_list() == [1, 1, 1]
    reverse = stats.paired_t_tests(
        rows, metric="clark", control="ours", greater_is_better=True
    ).set_index("dataset")
    assert reverse.loc["clear", "outcome"] == "loss"


def test_rounding_is_no_win_and_absent_methods_are_missing():
    a = RNG.uniform(size=10)
    b = a.copy()
    b[0] = np.nextafter(b[0], 2.0)
    rows = tidy({"d": {"ours": a, "other": b}})
    absent = rows.iloc[:1].assign(method="absent", metric="none")
    rows = pd.concat([rows, absent])
    tests = stats.paired_t_tests(
        rows, metric="clark", control="ours", greater_is_better=False
    ).set_index("method")
    assert tests.loc["other", "outcome"] == "tie"
    assert stats.win_tie_loss(tests.reset_index()).loc["absent", "missing"] == 1
    table = TABLE.assign(z=np.nan)
    pairs = stats.wilcoxon_holm(table, control="a").set_index("second")
    assert pd.isna(pairs.loc["z", "p_holm"])
    whole = stats.wilcoxon_holm(TABLE, control="a").set_index("second")
    assert_allclose(pairs.drop(index="z")["p_holm"], whole["p_holm"])


def test_groups_are_maximal_and_strictly_within_the_difference():
    ranks = pd.Series({"a": 1.0, "b": 1.5, "c": 2.0, "d": 4.0})
    assert stats.cd_groups(ranks, 1.0) == [["a", "b"], ["b", "c"]]
    assert stats.cd_groups(ranks, 1.1) == [["a", "b", "c"]]
    assert stats.cd_groups(ranks, 0.1) == []
    assert stats.cd_groups(ranks, 9.0) == [["a", "b", "c", "d"]]


def test_diagram_is_well_formed_and_names_everything():
    from xml.etree import ElementTree

    ranks = pd.Series({"A<B>": 1.5, "b & c": 2.0, "d": 3.9, "e": 2.6})
    svg = cd_diagram(ranks, 1.25, title="Clark")
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    for name, rank in ranks.items():
        assert f"{name} ({rank:.2f})" in texts
    assert "CD = 1.25" in texts
    assert root.attrib["aria-label"] == "Clark"
    bars = [e for e in root.iter() if e.attrib.get("stroke-width") == "4"]
    assert len(bars) == len(stats.cd_groups(ranks, 1.25))
    cd_diagram(pd.Series({"one": 1.0, "two": 2.0}), 5.0)
