"""Figures of LSE-LDL: ranks of all methods, selected features, the objective."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from skldl.benchmark import cd_diagram, stats
from skldl.metrics import get_metric
from skldl.reproduce._counted import counted_rows
from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._verdicts import greater_is_better
from skldl.reproduce.figures import _lse_rows as rows_of
from skldl.reproduce.figures._diagrams import stacked_diagrams
from skldl.reproduce.figures._drawing import Drawing, Picture
from skldl.reproduce.figures._looks import looks_of
from skldl.reproduce.figures._panels import curves, draw_curves

_PLATEAU = 0.5


def metric_ranks(summary: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Give numbers by data set and method for each metric of LSE-LDL's tables.

    Parameters
    ----------
    summary : DataFrame
        Of the paper.

    Returns
    -------
    tables : dict of str to DataFrame
        By metric, data sets in rows: those where every method has all folds.
    """
    rows = counted_rows("lse-ldl", summary)
    rows = rows[rows["n_folds"] == rows["n_expected"]]
    tables = {}
    for metric, part in rows.groupby("metric", sort=False):
        wide = part.pivot_table(index="dataset", columns="published", values="mean")
        if not wide.dropna().empty:
            tables[str(metric)] = wide.dropna()
    return tables


def rank_pictures(summary: pd.DataFrame) -> list[Picture]:
    """Fig. 1: critical-difference diagrams of all methods, a panel per metric."""
    panels, words = [], []
    for metric, wide in metric_ranks(summary).items():
        better = greater_is_better(metric)
        if len(wide) < 3 or wide.shape[1] < 3:
            continue
        outcome = stats.friedman(wide, greater_is_better=better)
        cd = stats.critical_difference(wide.shape[1], len(wide))
        title = (
            f"{metric_words(metric)}: {len(wide)} data sets, "
            f"Friedman p = {outcome.p_value:.2g}"
        )
        panels.append((title, cd_diagram(outcome.ranks, cd, title=title)))
        ranks = outcome.ranks.sort_values().items()
        said = ", ".join(f"{method} {rank:.2f}" for method, rank in ranks)
        words.append(f"{metric_words(metric)}: {said}; critical difference {cd:.2f}.")
    if not panels:
        return []
    caption = (
        "Fig. 1: average ranks of all methods as measured, over the data sets that "
        "every method has a number for; a bar joins methods that do not differ at the "
        "level 0.05. Methods count in the form of the paper, or in the next form that "
        "has run on a data set. The paper's diagrams rank the cells that it prints, of "
        "which some are blank."
    )
    alt = " ".join(words)
    return [Picture("lse-ldl-ranks", alt, caption, svg=stacked_diagrams(panels))]


def _draw_shares(rows: pd.DataFrame) -> Figure:
    order = {name: place for place, name in enumerate(rows_of.SIX)}
    rows = rows.sort_values("panel", key=lambda names: names.map(order), kind="stable")
    named = rows.assign(panel=[_pointed(name) for name in rows["panel"]])
    drawing = draw_curves(named, xlabel="share of features", ylabel="")
    drawing.set_figheight(6.0)
    for ax, (name, part) in zip(
        drawing.axes, rows.groupby("panel", sort=False), strict=True
    ):
        _draw_plateau(ax, part, top=not get_metric(str(name)).greater_is_better)
    return drawing


def _pointed(metric: str) -> str:
    """A metric's words with the arrow to its better side."""
    return f"{metric_words(metric)} {get_metric(metric).label[-1]}"


def _draw_plateau(ax: Axes, part: pd.DataFrame, *, top: bool) -> None:
    """The curve from half of the features on, enlarged where there is room for it."""
    end = part[part["x"] >= _PLATEAU]
    inset = ax.inset_axes((0.56, 0.42 if top else 0.14, 0.43, 0.44))
    inset.errorbar(
        end["x"], end["y"], end["error"], color=looks_of(["LSE-LDL"])["LSE-LDL"].color,
        marker="o", markersize=3, linewidth=1.0,
    )  # fmt: skip
    inset.tick_params(labelsize=8)
    inset.set_xticks([0.5, 0.7, 0.9])
    inset.yaxis.set_major_locator(MaxNLocator(3))


DRAWINGS = [
    Drawing(
        "lse-ldl", "selection", rows_of.feature_shares, _draw_shares,
        "Fig. 2: six metrics against the share of selected features on SJAFFE, ten "
        "folds, bars are standard errors; the small frames enlarge the curves from "
        "half of the features on. Raw features and the weights that the honest search "
        "of the tables chose most often (alpha 10, beta 0.001, delta 0.01); gamma was "
        "not searched, it is 0.001, the default. Arrows point to the better side.",
    ),
    Drawing(
        "lse-ldl", "convergence", rows_of.lse_history,
        curves("iteration", "objective above its end", logy=True),
        "LSE-LDL's objective less its last value. Both sets have the weights of the "
        "figure above, which the search of the tables chose on SJAFFE. The solver "
        "takes a hundred joint steps, then one for each block of variables, and so on: "
        "hence the bends at 100 and, on SJAFFE, 200 iterations.",
    ),
]  # fmt: skip
