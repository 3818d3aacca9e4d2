"""Figures of LSE-LDL: ranks of all methods, selected features, the objective."""

import re

import pandas as pd
from matplotlib.figure import Figure

from skldl.benchmark import cd_diagram, stats
from skldl.metrics import get_metric
from skldl.reproduce._counted import counted_rows
from skldl.reproduce._verdicts import greater_is_better
from skldl.reproduce.figures import _lse_rows as rows_of
from skldl.reproduce.figures._drawing import Drawing, Picture
from skldl.reproduce.figures._panels import curves, draw_curves

_TITLE_HEIGHT = 26


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
        title = f"{metric}: {len(wide)} data sets, Friedman p = {outcome.p_value:.2g}"
        panels.append((title, cd_diagram(outcome.ranks, cd, title=title)))
        ranks = outcome.ranks.sort_values().items()
        said = ", ".join(f"{method} {rank:.2f}" for method, rank in ranks)
        words.append(f"{metric}: {said}; critical difference {cd:.2f}.")
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
    return [Picture("lse-ldl-ranks", alt, caption, svg=_stacked(panels))]


def _stacked(panels: list[tuple[str, str]]) -> str:
    """Diagrams below each other, each with a title, as one drawing."""
    parts, y, width = [], 0.0, 0.0
    for title, text in panels:
        across, down = (float(_attribute(text, name)) for name in ("width", "height"))
        parts.append(
            f'<text x="8" y="{y + 18:.0f}" font-weight="bold" font-family="sans-serif" '
            f'font-size="13" fill="currentColor">{title}</text>'
        )
        parts.append(
            text.replace("<svg ", f'<svg x="0" y="{y + _TITLE_HEIGHT:.0f}" ', 1)
        )
        y, width = y + _TITLE_HEIGHT + down + 12, max(width, across)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {y:.0f}" '
        f'width="{width:.0f}" height="{y:.0f}">{"".join(parts)}</svg>'
    )


def _attribute(svg: str, name: str) -> str:
    found = re.search(rf'\s{name}="([\d.]+)"', svg)
    assert found is not None
    return found[1]


def _draw_shares(rows: pd.DataFrame) -> Figure:
    order = {name: place for place, name in enumerate(rows_of.SIX)}
    rows = rows.sort_values("panel", key=lambda names: names.map(order), kind="stable")
    named = rows.assign(panel=[get_metric(name).label for name in rows["panel"]])
    return draw_curves(named, xlabel="share of features", ylabel="")


DRAWINGS = [
    Drawing(
        "lse-ldl", "selection", rows_of.feature_shares, _draw_shares,
        "Fig. 2: six metrics against the share of selected features on SJAFFE, ten "
        "folds, bars are standard errors. Raw features and the weights that the honest "
        "search of the tables chose most often (alpha 10, beta 0.001, gamma 0.001, "
        "delta 0.01). Arrows point to the better side.",
    ),
    Drawing(
        "lse-ldl", "convergence", rows_of.lse_history,
        curves("iteration", "objective above its end", logy=True),
        "LSE-LDL's objective less its last value, with the same weights.",
    ),
]  # fmt: skip
