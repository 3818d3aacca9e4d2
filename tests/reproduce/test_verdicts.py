"""Verdicts by arithmetic that can be checked by hand."""

import numpy as np
import pytest

from skldl.benchmark import read_reference
from skldl.report import BASELINE
from skldl.reproduce import compare_paper
from skldl.reproduce._columns import make_summary
from skldl.reproduce._pages import column_counts
from skldl.reproduce._papers import get_papers
from skldl.reproduce._verdicts import count_verdicts, coverage, judge


@pytest.mark.parametrize(
    ("published", "measured", "greater", "verdict"),
    [
        (0.50, 0.45, False, "better"),
        (0.50, 0.55, False, "worse"),
        (0.50, 0.55, True, "better"),
        (0.50, 0.45, True, "worse"),
        (0.50, 0.519, False, "same within noise"),
        (np.nan, 0.5, True, "no published value"),
        (0.50, np.nan, True, "not measured yet"),
    ],
)
def test_judge(published, measured, greater, verdict):
    assert judge(published, measured, noise=0.02, greater_is_better=greater) == verdict


def test_rounding_of_the_paper_is_no_difference():
    assert judge(0.35, 0.3549, noise=0.0, greater_is_better=False) == "worse"
    same = judge(0.35, 0.3549, noise=0.0, greater_is_better=False, printed=0.005)
    assert same == "same within noise"


def test_final_zeros_are_printed_digits():
    table = read_reference(paper="MSLP", metric="kl_divergence")
    assert set(table["digits"]) == {3, 4}  # 11.832, the others have four
    assert set(read_reference(paper="LWkNN-LDL", table="Table III")["digits"]) == {2}
    zeros = read_reference(paper="MSLP", table="Table 1", metric="chebyshev")
    zeros = zeros[[len(repr(value)) < 6 for value in zeros["value"]]]
    assert len(zeros)
    printed = zeros.iloc[0]
    name = {"dataset": printed["dataset"], "metric": "chebyshev"}
    row = {**name, "method": "AAkNN", "published": printed["method"], "std": 1e-9}
    entries = get_papers(["mslp"])[0].parts()[0].entries
    methods = {e.published: e.columns["method"] for e in reversed(entries)
               if e.features == "raw" and not e.variant}  # fmt: skip
    row["method"] = methods[printed["method"]]
    for shift, verdict in ((4e-5, "same within noise"), (8e-5, "worse")):
        cells = cells_of("mslp", {**row, "mean": printed["value"] + shift})
        found = one(cells, **name, method=printed["method"], main=True)
        assert found["verdict"] == verdict


def test_noise_is_wider_where_folds_are_missing():
    row = {"method": "MSLP", "published": "MSLP", "metric": "kl_divergence",
           "std": 0.003}  # fmt: skip
    where = {"dataset": "SJAFFE", "method": "MSLP", "metric": "kl_divergence"}

    def verdict(n_folds, errors):
        mean = 0.0451 + errors * 0.003 / n_folds**0.5
        std = 0.003 if n_folds > 1 else np.nan
        found = cells_of("mslp", {**row, "mean": mean, "std": std, "n_folds": n_folds})
        return one(found, **where, main=True)["verdict"], coverage(found)[0]

    assert verdict(10, 3.3) == ("worse", 1)
    # Student's t: 3 errors with 9 degrees of freedom are as rare as 4.2 with 4
    assert verdict(5, 4.1) == ("same within noise", 1)
    assert verdict(5, 4.4) == ("worse", 1)
    # too few folds: measured, but nothing to say
    assert verdict(4, 99.0) == ("no verdict", 1)
    assert verdict(1, 99.0) == ("no verdict", 1)


def test_times_on_another_machine_get_no_verdict():
    row = {"part": "running time", "dataset": "Movie", "method": "LDLM",
           "published": "LDLM", "metric": "total_s", "mean": 1e6,
           "std": 0.1}  # fmt: skip
    cells = cells_of("lwknn", row)
    cells = cells[cells["table"] == "Table VIII"]
    found = cells[(cells["method"] == "LDLM") & cells["measured"].notna()]
    assert len(found)
    assert set(found["verdict"]) == {"no verdict"}
    assert set(found["reason"]) == {"a time on another machine"}


def test_the_first_measured_form_counts_and_says_if_it_stands_in():
    former = {"method": "LDSVR", "published": "LDSVR", "metric": "clark", "mean": 0.4,
              "std": 0.01, "variant": "our former defaults"}  # fmt: skip
    where = {"dataset": "SJAFFE", "method": "LDSVR", "metric": "clark", "main": True}
    alone = one(cells_of("mslp", former), **where)
    assert alone["column"] == "honest, raw, our former defaults"
    assert alone["stands_in"]
    both = cells_of("mslp", former, {**former, "variant": "", "mean": 0.41})
    assert one(both, **where)["measured"] == 0.41
    assert not one(both, **where)["stands_in"]
    # a form with too few folds does not yet take the place of one with all
    few = {**former, "variant": "", "mean": 0.41, "n_folds": 2}
    assert one(cells_of("mslp", former, few), **where)["measured"] == 0.4
    # standardised features never count
    other = {**former, "features": "standardised"}
    assert one(cells_of("mslp", other), **where)["verdict"] == "not measured yet"


def test_the_repaired_cube_counts():
    row = {"part": "Indian Pines", "dataset": "Indian_Pines", "method": "PCA",
           "published": "PCA", "classifier": "NN", "metric": "accuracy", "mean": 0.6,
           "std": np.nan, "n_folds": 1, "n_expected": 1}  # fmt: skip
    both = cells_of("jplay", row, {**row, "part": "repaired cube", "mean": 0.65})
    main = one(both, dataset="Indian_Pines", method="PCA", main=True,
               metric="overall_accuracy_percent_nn")  # fmt: skip
    assert main["measured"] == 65.0
    assert main["column"] == "honest, raw, repaired cube"
    assert not main["stands_in"]


def test_learners_that_are_the_mean_distribution_are_marked():
    usual = {"published": "CPNN", "method": "CPNN", "std": 0.01}
    rows = [
        {"metric": m, "mean": v, "std": 0.01, "published": "", "method": BASELINE}
        for m, v in (("clark", 0.4), ("cosine", 0.9))
    ]

    def marked(clark, cosine):
        own = [{**usual, "metric": "clark", "mean": clark},
               {**usual, "metric": "cosine", "mean": cosine}]  # fmt: skip
        cells = cells_of("mslp", *rows, *own)
        return set(cells[cells["measured"].notna()]["like_mean"])

    assert marked(0.4 * 1.014, 0.9 * 0.986) == {True}
    assert marked(0.4 * 1.016, 0.9) == {False}  # every metric must be near
    assert marked(0.4, 0.9 * 0.98) == {False}


def test_published_deviations_reach_further_with_fewer_folds():
    where = {"dataset": "SJAFFE", "method": "LWkNN-LDL"}
    printed = read_reference(paper="LWkNN-LDL", table="Table III", **where).iloc[0]
    row = {
        "part": "classification", "method": "LWkNN", "published": "LWkNN-LDL",
        "metric": "zero_one_loss", "std": 0.01, "n_folds": 5,
    }  # fmt: skip

    def verdict(shift):  # five folds: sqrt((1 + 10 / 5) / 2) = 1.22 deviations
        mean = (printed["value"] + shift * printed["std"]) / 100
        cells = cells_of("lwknn", {**row, "mean": mean})
        return one(cells, table="Table III", **where, main=True)["verdict"]

    assert verdict(1.2) == "same within noise"
    assert verdict(1.3) == "worse"
    row["n_folds"] = 4
    assert verdict(9) == "no verdict"


def summary_row(**values):
    usual = {
        "part": "", "dataset": "SJAFFE", "features": "raw", "variant": "",
        "protocol": "honest", "n_folds": 10, "n_expected": 10, "failed": 0,
        "reason": "", "fit_s": 1.0, "predict_s": 0.1, "peak_mb": 1.0, "params": "{}",
        "versions": "",
    }  # fmt: skip
    return usual | values


def cells_of(key, *rows):
    labels = {name for row in rows for name in row if name == "classifier"}
    return compare_paper(key, make_summary([summary_row(**r) for r in rows], labels))


def one(cells, **where):
    for column, value in where.items():
        cells = cells[cells[column] == value]
    assert len(cells) == 1, cells
    return cells.iloc[0]


def test_noise_is_the_standard_error_where_no_deviation_is_printed():
    # published KL 0.0451; standard error 0.003 / sqrt(10) = 0.00095, noise 0.0028
    def verdict(mean):
        row = {"method": "MSLP", "published": "MSLP", "metric": "kl_divergence"}
        cells = cells_of("mslp", {**row, "mean": mean, "std": 0.003})
        return one(
            cells, dataset="SJAFFE", method="MSLP", metric="kl_divergence", main=True
        )

    near, far = verdict(0.0475), verdict(0.0485)
    assert near["verdict"] == "same within noise"
    assert far["verdict"] == "worse"
    assert far["unit"] == "our standard error"
    assert far["difference"] == pytest.approx((0.0485 - 0.0451) / (0.003 / 10**0.5))


def test_noise_is_the_published_deviation_over_folds_and_in_percent():
    # published 0/1 loss of LWkNN-LDL on SJAFFE with its deviation over splits
    printed = read_reference(
        paper="LWkNN-LDL", table="Table III", dataset="SJAFFE", method="LWkNN-LDL"
    ).iloc[0]
    row = {
        "part": "classification", "method": "LWkNN", "published": "LWkNN-LDL",
        "metric": "zero_one_loss", "std": 0.01,
    }  # fmt: skip

    def cell(shift):
        mean = (printed["value"] + shift * printed["std"]) / 100
        cells = cells_of("lwknn", {**row, "mean": mean})
        return one(
            cells, table="Table III", dataset="SJAFFE", method="LWkNN-LDL", main=True
        )

    assert cell(0.9)["verdict"] == "same within noise"
    assert cell(1.5)["verdict"] == "worse"
    assert cell(-1.5)["verdict"] == "better"
    assert cell(1.5)["unit"] == "published deviation"
    assert cell(1.5)["difference"] == pytest.approx(1.5)


def test_deviations_over_samples_do_not_excuse_a_difference():
    # LSE-LDL prints deviations over samples, ten times the standard error
    printed = read_reference(
        paper="LSE-LDL", dataset="Yeast_cold", method="LSE-LDL", metric="clark"
    ).iloc[0]
    row = {"dataset": "Yeast_cold", "method": "LSELDL", "published": "LSE-LDL",
           "metric": "clark", "std": 0.003}  # fmt: skip
    mean = printed["value"] + 0.5 * printed["std"]
    cells = cells_of("lse-ldl", {**row, "mean": mean})
    found = one(
        cells, dataset="Yeast_cold", method="LSE-LDL", metric="clark", main=True
    )
    assert found["verdict"] == "worse"
    # in the unit that judged, not in the deviations over samples
    error = 0.003 / 10**0.5
    assert found["unit"] == "our standard error"
    assert found["difference"] == pytest.approx(0.5 * printed["std"] / error)


def test_a_single_run_has_the_error_of_a_share():
    # 699 test rows at 90 %: standard error 1.13 points, noise 3.4
    printed = read_reference(
        paper="J-Play", dataset="AR_60x43", method="LPP",
        metric="overall_accuracy_percent_nn",
    ).iloc[0]["value"]  # fmt: skip
    row = {
        "part": "AR", "dataset": "AR_60x43", "method": "LPP", "published": "LPP",
        "classifier": "NN", "metric": "accuracy", "std": np.nan, "n_folds": 1,
        "n_expected": 1,
    }  # fmt: skip

    def verdict(mean):
        cells = cells_of("jplay", {**row, "mean": mean / 100})
        metric = "overall_accuracy_percent_nn"
        found = one(cells, dataset="AR_60x43", method="LPP", metric=metric, main=True)
        assert (found["classifier"], found["ours"]) == ("NN", "accuracy")
        # a cell without a number says as well which classifier it waits for
        other = one(cells, dataset="AR_60x43", method="LPP", metric=metric[:-2] + "ccf")
        assert (other["classifier"], other["verdict"]) == ("CCF", "not measured yet")
        return found["verdict"]

    share = printed / 100
    error = 100 * (share * (1 - share) / 699) ** 0.5
    assert verdict(printed + 2 * error) == "same within noise"
    assert verdict(printed + 5 * error) == "better"
    assert verdict(printed - 5 * error) == "worse"


def test_only_the_honest_column_on_raw_features_counts():
    row = {"published": "MSLP", "metric": "kl_divergence", "mean": 0.04, "std": 0.001}
    cells = cells_of(
        "mslp",
        {**row, "method": "MSLP", "features": "standardised"},
        {**row, "method": "MSLP", "protocol": "best on test"},
    )
    part = cells[(cells["method"] == "MSLP") & (cells["dataset"] == "SJAFFE")]
    part = part[part["metric"] == "kl_divergence"]
    assert one(part, main=True)["verdict"] == "not measured yet"
    assert set(part["column"].dropna()) == {
        "honest, standardised", "best on test, raw",
    }  # fmt: skip
    assert coverage(cells) == (0, 390)
    counts = column_counts(cells).set_index("column")
    assert counts.loc["best on test, raw", "better"] == 1


def test_counts_know_every_cell():
    cells = cells_of("lse-ldl")
    counts = count_verdicts(cells)
    assert counts["not run here"] == 14  # Human_Gene
    assert counts.sum() == 210
    assert coverage(cells) == (0, 196)


def test_a_method_that_never_ended_did_not_run():
    row = {"method": "LALOT", "published": "LALOT", "metric": "clark", "mean": np.nan,
           "std": np.nan, "n_folds": 0, "failed": 10, "dataset": "SBU_3DFE",
           "reason": "stopped by the limit of time"}  # fmt: skip
    cells = cells_of("lse-ldl", row)
    found = one(cells, dataset="SBU_3DFE", method="LALOT", metric="clark", main=True)
    assert found["verdict"] == "did not run"
    assert found["reason"] == "stopped by the limit of time"
    assert coverage(cells) == (0, 196)
