"""Tables that are made of the rows of figures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from skldl.datasets import load
from skldl.reproduce._data_facts import FACTS, data_facts
from skldl.reproduce._figure_tables import figure_tables

FIGURES = Path(__file__).resolve().parents[2] / "results" / "figures"


def margin_rows(rng):
    """The margin helps LWkNN on "a" and harms it on "b"; LDkNN does not care."""
    shift = {("LWkNN-LDL", "a"): -0.1, ("LWkNN-LDL", "b"): 0.1}
    return pd.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "metric": "zero_one_loss",
            "split": split,
            "value": 0.5 + shift.get((method, dataset), 0) + rng.normal(0, 0.01),
        }
        for method in ("WkNN-LDL", "LWkNN-LDL", "DkNN-LDL", "LDkNN-LDL")
        for dataset in ("a", "b")
        for split in range(10)
    )


def test_the_margin_is_tested_on_the_same_splits(tmp_path):
    rows = margin_rows(np.random.default_rng(0))
    rows.to_csv(tmp_path / "lwknn-margin-gain.csv", index=False)
    (chapter,) = figure_tables("lwknn", tmp_path)
    _, counts, own, mapped = chapter.blocks
    assert list(own.frame["outcome"]) == ["win", "loss"]
    assert list(mapped.frame["outcome"]) == ["tie", "tie"]
    line = counts.frame.set_index("method").loc["LWkNN-LDL"]
    assert (line["win"], line["tie"], line["loss"]) == (1, 0, 1)
    assert set(own.frame["metric"]) == {"0/1 loss"}
    by_split = rows[rows["dataset"] == "a"].pivot(
        index="split", columns="method", values="value"
    )
    first = own.frame.iloc[0]
    assert float(first["p"]) == pytest.approx(
        ttest_rel(by_split["LWkNN-LDL"], by_split["WkNN-LDL"]).pvalue, rel=0.05
    )
    for column, method in (
        ("without margin", "WkNN-LDL"),
        ("with margin", "LWkNN-LDL"),
    ):
        mean, std = by_split[method].mean(), by_split[method].std()
        assert first[column] == f"{mean:.4f} ± {std:.4f}"


def test_rankers_stand_beside_embeddings(tmp_path):
    rows = pd.DataFrame(
        {
            "dataset": "emotions",
            "embedding": embedding,
            "ranker": ranker,
            "split": split,
            "value": base + step + split / 10,
        }
        for embedding, base in (("PCA", 0.1), ("GH", 0.2))
        for ranker, step in (("ML-kNN", 0.0), ("BR-kNN", 0.05))
        for split in range(3)
    )
    rows.to_csv(tmp_path / "generalized-hamming-rankers.csv", index=False)
    (chapter,) = figure_tables("generalized-hamming", tmp_path)
    frame = chapter.blocks[1].frame
    assert list(frame.columns) == ["data set", "ranker", "PCA", "GH"]
    assert list(frame["ranker"]) == ["ML-kNN", "BR-kNN"]
    assert list(frame["PCA"]) == ["0.2000 ± 0.1000", "0.2500 ± 0.1000"]
    assert list(frame["GH"]) == ["0.3000 ± 0.1000", "0.3500 ± 0.1000"]


def data_lines(paper, folder):
    (chapter,) = figure_tables(paper, folder)
    return chapter.blocks[1].frame.set_index("data set")


def test_printed_facts_of_data_sets_stand_beside_ours(tmp_path):
    facts = pd.DataFrame(
        [("Yeast_alpha", 2465, 24, 18, 0.0043), ("Yeast_cold", 2465, 24, 4, 0.0349),
         ("SJAFFE", 213, 243, 6, 0.0905), ("M2B", 1240, 251, 5, 0.5129)],
        columns=["dataset", *FACTS],
    )  # fmt: skip
    facts.to_csv(tmp_path / "lwknn-data-sets.csv", index=False)
    lines = data_lines("lwknn", tmp_path)
    assert len(lines) == 17
    assert lines.loc["Yeast_alpha", "agree"] == "yes"
    assert lines.loc["Yeast_cold", "agree"] == "yes"  # printed 0.034, a digit is cut
    assert lines.loc["SJAFFE", "agree"] == "no: mean margin"
    assert lines.loc["M2B", "agree"] == "no: 251 features here"
    assert lines.loc["Flickr_LDL", "agree"] == "not run here"
    assert list(lines.loc["SJAFFE", ["mean margin, printed", "mean margin, here"]]) == [
        "0.257",
        "0.090",
    ]


@pytest.mark.skipif(not FIGURES.exists(), reason="needs the results of the repository")
def test_three_printed_margins_are_out_of_order():
    """What the page says of the column of margins follows from the stored facts."""
    chapters = figure_tables("lwknn", FIGURES)
    lines = chapters[0].blocks[1].frame.set_index("data set")
    wrong = lines.index[lines["agree"].str.startswith("no:")]
    assert list(wrong) == ["SJAFFE", "SBU_3DFE", "Natural_Scene"]
    printed = [float(x) for x in lines.loc[wrong, "mean margin, printed"]]
    swapped = ["Natural_Scene", "SJAFFE", "SBU_3DFE"]
    here = [float(x) for x in lines.loc[swapped, "mean margin, here"]]
    assert printed == pytest.approx(here, abs=1e-3)
    sizes = figure_tables("lse-ldl", FIGURES)[0].blocks[1].frame
    assert set(sizes["agree"]) == {"yes", "not run here"}


def test_facts_are_those_of_the_data():
    (line,) = data_facts(["toy"]).to_dict("records")
    X, D = load("toy").X, np.sort(load("toy").D, axis=1)
    assert (line["samples"], line["features"]) == X.shape
    assert line["mean margin"] == pytest.approx((D[:, -1] - D[:, -2]).mean())


def test_without_rows_there_are_no_tables(tmp_path):
    assert figure_tables("lwknn", tmp_path) == []
    assert figure_tables("lwknn", None) == []
    assert figure_tables("mslp", FIGURES) == []


@pytest.mark.skipif(
    not (FIGURES / "lwknn-margin-gain.csv").exists(), reason="needs the stored rows"
)
def test_the_stored_rows_fill_the_tables():
    _, margin = figure_tables("lwknn", FIGURES)
    _, counts, *pairs = margin.blocks
    n_datasets = pairs[0].frame["data set"].nunique()
    assert (counts.frame[["win", "tie", "loss"]].sum(axis=1) == n_datasets).all()
    assert len(counts.frame) == 4
    (rankers,) = figure_tables("generalized-hamming", FIGURES)
    frame = rankers.blocks[1].frame
    assert frame.shape[1] == 2 + 5
    assert not frame.isna().any(axis=None)
