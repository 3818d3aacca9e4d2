"""Figures of the poster: dimensions, rankers behind embeddings, label correlation."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from skldl.plotting import plot_label_correlation
from skldl.reproduce._columns import fold_columns
from skldl.reproduce.figures import _hamming_rows as rows_of
from skldl.reproduce.figures._drawing import Drawing, Picture
from skldl.reproduce.figures._panels import draw_bars, draw_curves
from skldl.reproduce.figures._splits import mean_and_error


def dimension_pictures(summary: pd.DataFrame) -> list[Picture]:
    """Table 1 as curves: ranking loss by dimension, from the summary alone."""
    part = summary[
        (summary["metric"] == "ranking_loss") & summary["published"].astype(bool)
    ]
    if part.empty:
        return []
    folds = fold_columns(part)
    n_folds = part[folds].notna().sum(axis=1)
    several = n_folds > 1
    rows = pd.DataFrame(
        {
            "panel": part["dataset"].str.removeprefix("mulan_") + ", " + part["part"],
            "series": part["published"],
            "x": part["size"].astype(int),
            "y": part["mean"],
            "error": (part["std"] / np.sqrt(n_folds)).where(several),
        }
    )
    caption = (
        "Table 1 as curves: ranking loss of ML-kNN against the number of dimensions. "
        "Bars are standard errors over folds; a data set's own split has one run. "
        "Embeddings are drawn a little beside each other."
    )

    def draw() -> Figure:
        return draw_curves(
            rows, xlabel="dimensions", ylabel="ranking loss", logx=True, dodge=True
        )

    return [Picture("generalized-hamming-dimensions", caption, caption, draw)]


def mean_losses(rows: pd.DataFrame) -> pd.DataFrame:
    """Give mean ranking losses and errors of embeddings by data set and ranker.

    Parameters
    ----------
    rows : DataFrame
        Columns dataset, embedding, ranker, split and value.

    Returns
    -------
    table : DataFrame
        Columns dataset, ranker, embedding, mean and error.
    """
    lines = [
        (*key, *mean_and_error(part["value"]))
        for key, part in rows.groupby(["dataset", "ranker", "embedding"], sort=False)
    ]
    return pd.DataFrame(
        lines, columns=["dataset", "ranker", "embedding", "mean", "error"]
    )


def differences_from_pca(rows: pd.DataFrame) -> pd.DataFrame:
    """Give ranking losses less those of PCA on the same folds.

    Parameters
    ----------
    rows : DataFrame
        Columns dataset, embedding, ranker, split and value.

    Returns
    -------
    table : DataFrame
        Columns dataset, ranker, embedding, mean and error.
    """
    lines = []
    for (dataset, ranker), part in rows.groupby(["dataset", "ranker"], sort=False):
        wide = part.pivot(index="split", columns="embedding", values="value")
        for embedding in dict.fromkeys(part["embedding"]):
            if embedding != "PCA":
                change = wide[embedding] - wide["PCA"]
                lines.append((dataset, ranker, embedding, *mean_and_error(change)))
    return pd.DataFrame(
        lines, columns=["dataset", "ranker", "embedding", "mean", "error"]
    )


def _draw_rankers(rows: pd.DataFrame) -> Figure:
    table = differences_from_pca(rows)
    shown = pd.DataFrame(
        {
            "panel": table["dataset"].str.removeprefix("mulan_"),
            "group": table["ranker"],
            "series": table["embedding"],
            "y": table["mean"],
            "error": table["error"],
        }
    )
    ylabel = "ranking loss less that of PCA"
    drawing = draw_bars(shown, ylabel=ylabel, columns=3, points=True)
    for ax in drawing.axes:
        ax.axhline(0, color="0.5", linewidth=0.8)
    return drawing


def _draw_matrices(rows: pd.DataFrame) -> Figure:
    names = list(dict.fromkeys(rows["dataset"]))
    sizes = [rows[rows["dataset"] == name]["first"].nunique() for name in names]
    drawing = Figure(figsize=(13.5, 6.2), layout="constrained")
    axes = drawing.subplots(1, len(names), squeeze=False, width_ratios=[1.25, 1.0])[0]
    for ax, name, size in zip(axes, names, sizes, strict=True):
        part = rows[rows["dataset"] == name]
        labels = list(dict.fromkeys(part["first"]))
        F = part["value"].to_numpy().reshape(size, size)
        plot_label_correlation(F, method="mutual_information", labels=labels, ax=ax)
        ax.set_title(name.removeprefix("mulan_"))
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
    return drawing


DRAWINGS = [
    Drawing(
        "generalized-hamming", "rankers", rows_of.ranker_scores, _draw_rankers,
        "Table 2 on other data, for NUS-WIDE is not at hand: four rankers (k = 10) "
        "behind the five embeddings in four dimensions. Ranking loss less that behind "
        "PCA on the same ten folds, with standard errors; below 0 is better than PCA. "
        "RL-kNN has no public source.",
    ),
    Drawing(
        "generalized-hamming", "labels", rows_of.label_matrices, _draw_matrices,
        "The label correlation F of two real sets: normalised mutual information. The "
        "diagonal, which is 1, is blank.",
    ),
]  # fmt: skip
