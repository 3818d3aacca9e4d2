"""Figures of the poster: dimensions, rankers behind embeddings, label correlation."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from skldl.benchmark import read_reference
from skldl.plotting import plot_label_correlation
from skldl.reproduce._columns import fold_columns
from skldl.reproduce.figures import _hamming_rows as rows_of
from skldl.reproduce.figures._drawing import Drawing, Picture
from skldl.reproduce.figures._panels import draw_bars, draw_curves
from skldl.reproduce.figures._splits import mean_and_error

_BRIGHT = 0.6  # share of the scale above which the colours need black letters


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
    rows = pd.concat([published_losses(), rows], ignore_index=True)
    caption = (
        "Table 1 as curves: ranking loss of ML-kNN against the number of dimensions, "
        "as published and as measured; the poster has yeast alone, and which of its "
        "columns is which embedding is inferred. Bars are standard errors over folds; "
        "a data set's own split has one run. Embeddings are drawn a little beside "
        "each other."
    )

    def draw() -> Figure:
        drawing = draw_curves(
            rows, xlabel="dimensions", ylabel="ranking loss", logx=True, dodge=True
        )
        share_limits([ax for ax in drawing.axes if ax.get_title().startswith("yeast")])
        return drawing

    return [Picture("generalized-hamming-dimensions", caption, caption, draw)]


def published_losses() -> pd.DataFrame:
    """Table 1 as printed: columns panel, series, x (dimensions) and y."""
    table = read_reference(paper="GH", table="Table 1")
    size = table["metric"].str.extract(r"ranking_loss_mlknn_dim(\d+)")[0]
    return pd.DataFrame(
        {
            "panel": table["dataset"].str.removeprefix("mulan_") + ", published",
            "series": table["method"],
            "x": size.astype(int),
            "y": table["value"].astype(float),
        }
    )


def share_limits(axes: Sequence[Axes]) -> None:
    """Give panels of one data set the same y, so that they can be compared."""
    limits = np.array([ax.get_ylim() for ax in axes])
    for ax in axes:
        ax.set_ylim(limits[:, 0].min(), limits[:, 1].max())


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
    top = rows.loc[rows["first"] != rows["second"], "value"].max()
    drawing = Figure(figsize=(10.0, 6.4), layout="constrained")
    axes = drawing.subplots(1, len(names), squeeze=False, width_ratios=[1.3, 1.0])[0]
    for ax, name in zip(axes, names, strict=True):
        _draw_matrix(ax, rows[rows["dataset"] == name], top)
        ax.set_title(name.removeprefix("mulan_"))
    drawing.colorbar(
        axes[0].images[0], ax=list(axes), orientation="horizontal", fraction=0.05,
        aspect=40, panchor=False, label="normalised mutual information",
    )  # fmt: skip
    return drawing


def _draw_matrix(ax: Axes, part: pd.DataFrame, top: float) -> None:
    """One matrix in the colours of all, from 0 to the largest entry of any."""
    wide = part.pivot(index="first", columns="second", values="value")
    labels = by_number(dict.fromkeys(part["first"]))
    F = wide.loc[labels, labels].to_numpy()
    plot_label_correlation(F, method="mutual_information", labels=labels, ax=ax)
    (image,) = ax.images
    assert image.colorbar is not None
    image.colorbar.remove()
    image.set_clim(0.0, top)
    for text in ax.texts:
        column, row = (int(place) for place in text.get_position())
        bright = F[row, column] > _BRIGHT * top
        text.set(fontsize=8, color="black" if bright else "white")
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def by_number(labels: Iterable[str]) -> list[str]:
    """Labels by the numbers in their names, or as they come if there are none."""
    labels = list(labels)
    numbers = [re.search(r"\d+$", label) for label in labels]
    found = [int(number[0]) for number in numbers if number]
    if len(found) < len(labels):
        return labels
    return [label for _, label in sorted(zip(found, labels, strict=True))]


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
        "The label correlation F of two real sets: normalised mutual information, in "
        "the same colours. The diagonal, which is 1, is blank. The labels of yeast are "
        "in the order of their numbers, those of emotions in the order of the file.",
    ),
]  # fmt: skip
