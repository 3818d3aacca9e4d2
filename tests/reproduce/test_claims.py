"""Claims are judged from numbers, by stated rules."""

import numpy as np
import pandas as pd
import pytest

from skldl.reproduce import read_summary
from skldl.reproduce._claims import CLAIMS, claim_chapters, claims_table
from skldl.reproduce._columns import make_summary
from skldl.reproduce._counted import counted_rows
from skldl.reproduce._presets import FORMER
from skldl.reproduce.claims import _claim, hamming, jplay, lse, lwknn, mslp
from skldl.reproduce.claims._claim import (
    FAILS,
    HOLDS,
    IN_PART,
    UNMEASURED,
    Evidence,
    NotMeasuredError,
    count_below,
    count_first,
    judge_cases,
    judge_share,
)
from skldl.reproduce.papers.jplay import AS_RELEASED


@pytest.mark.parametrize(
    ("found", "verdict"),
    [(10, HOLDS), (7, HOLDS), (6, IN_PART), (4, IN_PART), (3, FAILS)],
)
def test_shares_are_judged_by_the_printed_one(found, verdict):
    # printed 0.75: holds from 0.70, in part from 0.375
    assert judge_share(found, 10, 0.75) == (f"{found} of 10", verdict)


@pytest.mark.parametrize(
    ("found", "verdict"), [(4, HOLDS), (3, IN_PART), (2, IN_PART), (1, FAILS)]
)
def test_every_case_must_agree(found, verdict):
    assert judge_cases(found, 4) == (f"{found} of 4", verdict)


def test_nothing_is_judged_from_nothing():
    for judge in (lambda: judge_cases(0, 0), lambda: judge_share(0, 0, 0.5)):
        with pytest.raises(NotMeasuredError):
            judge()
    empty = {key: pd.DataFrame() for key in CLAIMS}
    table = claims_table(empty, None)
    assert len(table) == sum(map(len, CLAIMS.values()))
    assert set(table["verdict"]) == {UNMEASURED}
    assert set(table["ours"]) == {""}
    assert (table["printed"] != "").all()
    assert claim_chapters({}, None) == []


def test_first_and_below_count_cells():
    table = pd.DataFrame({"own": [1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0]})
    assert count_first({"m": table}, "own") == (2, 3)  # a tie is a first place
    assert count_below(table, ("own",), ("b",)) == (1, 3)
    with pytest.raises(NotMeasuredError):
        count_first({"m": table}, "another")


def summary_row(method, variant, dataset="SJAFFE", metric="clark", mean=0.5, **more):
    published = {"AABP": "AA-BP", "LSELDL": "LSE-LDL"}.get(method, method)
    facts = {"part": "", "dataset": dataset, "method": method, "published": published,
             "features": "raw", "variant": variant, "protocol": "honest",
             "metric": metric, "mean": mean, "std": 0.0, "n_folds": 1,
             "n_expected": 1, "folds": [mean]}  # fmt: skip
    return {**facts, **more}


def test_a_rival_counts_in_the_first_form_that_has_run():
    from skldl.reproduce._papers import get_papers

    (paper,) = get_papers(["lse-ldl"])
    (part, *_) = paper.parts()
    forms = [e for e in part.entries if e.published == "PT-SVM" and e.features == "raw"]
    assert len(forms) >= 2
    first, second = (
        {**summary_row(e.columns["method"], e.columns["variant"]),
         "published": "PT-SVM", "mean": 0.1 * (place + 1)}
        for place, e in enumerate(forms[:2])
    )  # fmt: skip
    both = counted_rows("lse-ldl", make_summary([second, first]))
    assert list(both["mean"]) == [pytest.approx(0.1)]
    assert list(both["first"]) == [True]
    only = counted_rows("lse-ldl", make_summary([second]))
    assert list(only["first"]) == [False]
    failed = make_summary([{**first, "mean": np.nan}, second])
    assert list(counted_rows("lse-ldl", failed)["mean"]) == [pytest.approx(0.2)]
    told = _claim.with_forms(("1 of 2", HOLDS), only)
    assert told == ("1 of 2 (1 of 1 methods partly in another form)", HOLDS)
    assert _claim.with_forms(("1 of 2", HOLDS), both) == ("1 of 2", HOLDS)
    # a data set that a rival lacks does not count, nor do the forms that ran on it
    more = only.assign(dataset="Movie", published=["PT-SVM"] * len(only))
    rival = both.assign(published="LSE-LDL")
    rows = pd.concat([both, rival, more])
    assert _claim.with_forms(("1 of 2", HOLDS), rows) == ("1 of 2", HOLDS)


def evidence(tmp_path, **tables):
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name.replace('_', '-')}.csv", index=False)
    return Evidence({}, tmp_path)


def curves_of(values, series="MSLP", error=0.01):
    return pd.DataFrame(
        [(panel, series, x, y, error) for panel, line in values.items()
         for x, y in line.items()],
        columns=["panel", "series", "x", "y", "error"],
    )  # fmt: skip


def test_the_best_share_of_dimensions(tmp_path):
    flat, far = {0.1: 0.500, 0.9: 0.495}, {0.1: 0.6, 0.9: 0.5}
    found = evidence(tmp_path, mslp_shares=curves_of({"a": flat, "b": far}))
    ours, verdict = mslp._smallest_share(found)
    assert ours.startswith("1 of 2")
    assert "b 90%" in ours
    assert verdict == IN_PART
    peers = curves_of({"a": {0.1: 0.1, 0.9: 0.2}, "b": {0.1: 0.2, 0.9: 0.1}}, "PCA")
    found = evidence(tmp_path, mslp_shares=peers)
    assert mslp._shares_of_peers(found) == ("best from 10% to 90%", HOLDS)


def test_stability_is_judged_from_sixty_per_cent_on(tmp_path):
    stable = {0.5: 9.0, 0.6: 1.01, 1.0: 1.0}
    rows = curves_of({f"m{i}": stable for i in range(6)})
    assert lse._stable(evidence(tmp_path, **{"lse_ldl_selection": rows}))[1] == HOLDS
    rows.loc[(rows["panel"] == "m0") & (rows["x"] == 0.6), "y"] = 1.1
    found = evidence(tmp_path, **{"lse_ldl_selection": rows})
    assert lse._stable(found)[0].startswith("5 of 6")


def test_metrics_on_fewer_data_sets_stand_apart(monkeypatch):
    ranks = {"LSE-LDL": 1.0, "B": 2.0, "C": 3.0}
    many, few = (pd.DataFrame([ranks] * n) for n in (20, 3))
    tables = {"clark": many, "kl_divergence": few}
    monkeypatch.setattr(lse, "metric_ranks", lambda summary: tables)
    said, verdict = lse._superior(Evidence({"lse-ldl": many}))
    assert said.startswith("2 of 2 on 20 data sets, worse in 0; other metrics")
    # three data sets cannot tell neighbours in rank apart
    assert said.endswith("on fewer sets: 1 of 2, worse in 0")
    assert verdict == HOLDS


def test_exponents_of_time(tmp_path):
    def line(exponent):
        return {n: (n / 1000.0) ** exponent for n in (1000, 2000, 4000)}

    names = {"LWkNN-LDL": 2.0, "LWkNN-LDL, approximate search": 1.0}
    rows = pd.concat([curves_of({"p": line(e)}, name) for name, e in names.items()])
    text, verdict = lwknn._search(evidence(tmp_path, lwknn_search_time=rows))
    assert text == "exponents 2.0 to 2.0 exact, 1.0 to 1.0 approximate"
    assert verdict == HOLDS
    names = {"LWkNN-LDL": 1.0, "LWkNN-LDL, approximate search": 1.2}
    rows = pd.concat([curves_of({"p": line(e)}, name) for name, e in names.items()])
    assert lwknn._search(evidence(tmp_path, lwknn_search_time=rows))[1] == FAILS


def test_best_values_of_curves(tmp_path):
    rising, falling = {1.0: 0.1, 21.0: 0.2}, {1.0: 0.2, 21.0: 0.1}
    rows = curves_of({"a": rising, "b": falling}, "LWkNN-LDL")
    found = evidence(tmp_path, lwknn_margin_weight=rows)
    assert lwknn._weight(found) == ("best in 1 of 2 curves", IN_PART)


def test_many_neighbours_must_be_better_by_more_than_chance(tmp_path):
    worse, within, clear = {1: 0.1, 11: 0.2}, {1: 0.21, 11: 0.2}, {1: 0.3, 11: 0.2}
    rows = curves_of({"a": worse, "b": within, "c": clear}, "LWkNN-LDL")
    said, verdict = lwknn._neighbors(evidence(tmp_path, lwknn_neighbors=rows))
    assert said == (
        "by more than a standard error in 1 of 3 curves; best k is there in 2 "
        "(1 of 2 values are there)"
    )
    assert verdict == FAILS


def test_sensitivity_to_the_margin(tmp_path):
    values = {"SBU_3DFE": {0.1: 1.0, 0.5: 1.5}, "M2B": {0.1: 1.0, 0.5: 1.1}}
    rows = curves_of(values, "LWkNN-LDL")
    ours, verdict = lwknn._margin_sizes(evidence(tmp_path, lwknn_margin_size=rows))
    assert ours == "loss varies by up to: SBU_3DFE 40%, M2B 10% (1 of 1 comparisons)"
    assert verdict == HOLDS
    rows = curves_of({**values, "Movie": {0.1: 1.0, 0.5: 1.01}}, "LWkNN-LDL")
    ours, verdict = lwknn._margin_sizes(evidence(tmp_path, lwknn_margin_size=rows))
    assert ours.startswith("loss varies by up to: SBU_3DFE 40%, Movie 1%, M2B 10%")
    assert verdict == IN_PART


def test_margins_of_the_data(tmp_path):
    facts = pd.DataFrame(
        {
            "dataset": ["Yeast_alpha", "Yeast_spo5", "SJAFFE", "M2B"],
            "mean margin": [0.004, 0.083, 0.09, 0.5],
        }
    )
    said, verdict = lwknn._margins(evidence(tmp_path, lwknn_data_sets=facts))
    assert said == (
        "2 of 2 of them above all of the first nine; from 0.090, the others up to 0.083"
    )
    assert verdict == HOLDS
    facts.loc[2, "mean margin"] = 0.08
    _, verdict = lwknn._margins(evidence(tmp_path, lwknn_data_sets=facts))
    assert verdict == IN_PART


def test_depth_and_first_of_jplay():
    table = pd.DataFrame(
        {"PCA": [0.5, 0.9], "J-Play1": [0.4, 0.6], "J-Play4": [0.8, 0.5]}
    )
    table.index = pd.MultiIndex.from_product(
        [["Indian_Pines"], ["NN", "SVM"]], names=["dataset", "classifier"]
    )
    assert jplay._best_share(table) == (1, 2)
    assert jplay._depth_share(table, jplay._PINES) == (1, 2)
    assert jplay._depth_share(table, jplay._HOUSTON) == (0, 0)
    assert jplay._deeper_share(table) == (1, 2)


def test_the_weights_of_the_script_are_counted_beside_our_own():
    """The verdict is that of the weights which folds chose."""

    def pines(depth, variant, mean):
        more = {"part": "repaired cube", "classifier": "NN"}
        name, data = f"J-Play{depth}", "Indian_Pines"
        return summary_row(name, variant, data, "accuracy", mean, **more)

    own = [pines(1, "", 0.9), pines(4, "", 0.8)]
    script = [pines(1, AS_RELEASED, 0.7), pines(4, AS_RELEASED, 0.75)]
    for rows, words in (
        (own, "0 of 1"),
        (own + script, "0 of 1; with the weights of the authors' script 1 of 1"),
    ):
        found = Evidence({"jplay": make_summary(rows, ["classifier"])})
        assert jplay._depth(jplay._PINES, found) == (words, FAILS)


def test_a_data_set_with_too_few_folds_does_not_count():
    def rows(dataset, **folds):
        return [
            summary_row(method, "", dataset, mean=mean, n_expected=10, **folds)
            for method, mean in (("AABP", 0.2), ("LSELDL", 0.1))
        ]

    table = make_summary(
        [*rows("SJAFFE", n_folds=10), *rows("Yeast_spo", n_folds=5),
         *rows("Movie", n_folds=2)]
    )  # fmt: skip
    found = Evidence({"lse-ldl": table})
    assert lse._first_place(found)[0].startswith("2 of 2")
    assert set(found.counted("lse-ldl")["dataset"]) == {"SJAFFE", "Yeast_spo"}
    assert "Movie" in set(found.counted("lse-ldl", least_folds=1)["dataset"])
    # a single run of one is whole
    single = make_summary([summary_row("LSELDL", "")])
    assert len(Evidence({"lse-ldl": single}).counted("lse-ldl")) == 1


def test_rivals_also_count_in_their_best_whole_form():
    def rival(variant, mean, **folds):
        return summary_row("AABP", variant, mean=mean, n_expected=10, **folds)

    own = summary_row("LSELDL", "", mean=0.2, n_folds=10, n_expected=10)
    better, half = (rival(FORMER, 0.1, n_folds=n) for n in (10, 9))
    for others, first in (([better], 0), ([half], 1), ([], 1)):
        rows = [own, rival("", 0.3, n_folds=10), *others]
        said, _ = lse._first_place(Evidence({"lse-ldl": make_summary(rows)}))
        assert said.startswith(f"1 of 1; {first} if the best form")


def test_first_and_second_places():
    values = [("SJAFFE", 0.2), ("Yeast_spo", 0.4)]
    table = make_summary(
        [summary_row("AABP", "", dataset, mean=0.3) for dataset, _ in values]
        + [summary_row("LSELDL", "", dataset, mean=mean) for dataset, mean in values]
    )
    said, verdict = lse._first_or_second(Evidence({"lse-ldl": table}))
    assert said.startswith("2 of 2, second in 1")
    assert verdict == HOLDS


def test_who_is_first_and_the_average_rank(monkeypatch):
    rows = pd.DataFrame(
        [(d, m, "clark", v, True) for d, line in enumerate([(1, 2), (3, 2), (3, 2)])
         for m, v in zip(("MSLP", "CCA"), line, strict=True)],
        columns=["dataset", "published", "metric", "mean", "first"],
    )  # fmt: skip
    monkeypatch.setattr(Evidence, "counted", lambda self, paper: rows)
    said = "1 of 3, CCA in 2; average rank 1.7, place 2"
    assert mslp._first(Evidence({})) == (said, FAILS)


def test_insensitive_is_what_rises_no_more_than_its_peers(tmp_path):
    term = pd.DataFrame(
        [(dataset, method, split, 1 + 0.01 * split + change * (method == "with"))
         for dataset, change in (("a", 0.1), ("b", 0.001))
         for method in ("with", "without") for split in range(3)],
        columns=["dataset", "method", "split", "value"],
    )  # fmt: skip
    # of a, LPP rises less than MSLP beyond noise, of b no peer does
    rises = {("a", "MSLP"): 0.2, ("a", "LPP"): 0.1, ("a", "PCA"): 0.2,
             ("b", "MSLP"): 0.3, ("b", "LPP"): 0.5, ("b", "PCA"): 0.299}  # fmt: skip
    rows = pd.DataFrame(
        [(dataset, method, labels, split,
          1 + rise * (labels == "exchanged") * (1 + 0.01 * split * (method == "PCA")))
         for (dataset, method), rise in rises.items()
         for labels in ("given", "exchanged") for split in range(3)],
        columns=["dataset", "method", "labels", "split", "value"],
    )  # fmt: skip
    found = evidence(tmp_path, mslp_hetero=term, mslp_exchanged=rows)
    said, verdict = mslp._insensitive(found)
    assert said.startswith("KL rises by 20 to 30 %, in 3 of 4 comparisons not by more")
    assert said.endswith("beyond noise on 1 of 2 sets (a 10 % worse)")
    assert verdict == IN_PART


def test_samples_learned_by_heart_count_apart(tmp_path):
    rows = pd.DataFrame(
        [("toy", "MSLP", 0.5), ("toy", "LPP", 0.4), ("SJAFFE", "MSLP", 0.6),
         ("SJAFFE", "LPP", 1.0)],
        columns=["dataset", "method", "share"],
    )  # fmt: skip
    said, verdict = mslp._locality(evidence(tmp_path, mslp_locality=rows))
    assert said.startswith("nearer labels on toy sets: 0 of 1 (LPP); apart, SJAFFE")
    assert said.endswith("1 of 1")
    assert verdict == FAILS


def test_times_are_compared_in_all(monkeypatch):
    seconds = {"LWkNN-LDL": 1, "LDkNN-LDL": 3, "RWLM-LDL": 2, "LDLM": 4}
    rows = pd.DataFrame(
        [
            ("Movie", name, "total_s", value, 2, name != "LDLM")
            for name, value in seconds.items()
        ],
        columns=["dataset", "published", "metric", "mean", "n_folds", "first"],
    )
    monkeypatch.setattr(Evidence, "counted", lambda self, *names, **options: rows)
    said, verdict = lwknn._time(Evidence({}))
    assert said == (
        "3 of 4: 1.0 and 3.0 s against 2.0 and 4.0 s, 2 splits "
        "(1 of 4 methods partly in another form)"
    )
    assert verdict == IN_PART


def test_rankers_of_the_poster(tmp_path):
    losses = {"GH": 0.1, "PCA": 0.2}
    rows = pd.DataFrame(
        [("d", name, ranker, split, value + 0.001 * split * (ranker == "r"))
         for name, value in losses.items() for ranker in "rs" for split in range(3)],
        columns=["dataset", "embedding", "ranker", "split", "value"],
    )  # fmt: skip
    found = evidence(tmp_path, **{"generalized_hamming_rankers": rows})
    ours, verdict = hamming._rankers(found)
    assert ours == "lowest in 2 of 2; below PCA by two standard errors in 2"
    assert verdict == HOLDS


def test_printed_counts_are_those_of_the_published_tables():
    table = claims_table({key: pd.DataFrame() for key in CLAIMS}, None)
    printed = table.set_index("claim")["printed"]
    assert printed["J-Play is more accurate than all other projections"].startswith(
        "12 of 12"
    )
    depth = "accuracy is best with"
    assert printed[f"Indian Pines: {depth} around 4 or 5 layers"].startswith("3 of 3")
    assert printed[f"Houston: {depth} 2 or 3 layers"].startswith("3 of 3")
    assert printed[f"Faces: {depth} around 4 or 5 layers"].startswith("3 of 6")
    time = "Both need less time in all than RWLM-LDL and LDLM"
    assert printed[time] == "12 of 12 comparisons"
    learned = "Learned weights have lower KL divergence than averages"
    assert printed[learned] == "29 of 32 comparisons"


def test_the_first_places_are_those_of_the_published_mslp_table():
    """The paper's 93.3 % is what its own tables give."""
    firsts = total = 0
    for metric, sign in (("chebyshev", 1), ("clark", 1), ("canberra", 1),
                         ("kl_divergence", 1), ("cosine", -1),
                         ("intersection", -1)):  # fmt: skip
        table = sign * _claim.published_table("MSLP", metric)
        found, cells = count_first({metric: table}, "MSLP")
        firsts, total = firsts + found, total + cells
    assert (firsts, total) == (28, 30)
    assert pytest.approx(firsts / total) == mslp._FIRST


def test_the_places_are_those_of_the_published_lse_tables():
    tables = {m: _claim.published_table("LSE-LDL", m) for m in lse._PRINTED_METRICS}
    assert count_first(tables, "LSE-LDL") == (21, 30)
    places = [table.rank(axis=1, method="min")["LSE-LDL"] for table in tables.values()]
    assert sum((place == 2).sum() for place in places) == 5


def test_committed_claims_have_a_figure_wherever_they_have_a_verdict():
    from pathlib import Path

    results = Path(__file__).resolve().parents[2] / "results"
    if not (results / "mslp.csv").exists():
        pytest.skip("needs the summaries of the repository")
    summaries = {key: read_summary(results / f"{key}.csv") for key in CLAIMS}
    table = claims_table(summaries, results / "figures")
    judged = table["verdict"] != UNMEASURED
    assert (table["ours"] != "")[judged].all()
    assert judged.mean() > 0.7
