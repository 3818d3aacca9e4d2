"""Tables that are made of the rows of figures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

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


def test_without_rows_there_are_no_tables(tmp_path):
    assert figure_tables("lwknn", tmp_path) == []
    assert figure_tables("lwknn", None) == []
    assert figure_tables("mslp", FIGURES) == []


@pytest.mark.skipif(
    not (FIGURES / "lwknn-margin-gain.csv").exists(), reason="needs the stored rows"
)
def test_the_stored_rows_fill_the_tables():
    (margin,) = figure_tables("lwknn", FIGURES)
    _, counts, *pairs = margin.blocks
    n_datasets = pairs[0].frame["data set"].nunique()
    assert (counts.frame[["win", "tie", "loss"]].sum(axis=1) == n_datasets).all()
    assert len(counts.frame) == 4
    (rankers,) = figure_tables("generalized-hamming", FIGURES)
    frame = rankers.blocks[1].frame
    assert frame.shape[1] == 2 + 5
    assert not frame.isna().any(axis=None)
