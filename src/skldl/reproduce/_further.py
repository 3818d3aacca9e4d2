"""Metrics that a paper evaluates and does not print in its tables."""

import pandas as pd

from skldl.reproduce._counted import counted_rows
from skldl.reproduce._protocol import Paper
from skldl.reproduce._render import Chapter, Table

_HEADING = "Metrics without a published table"


def further_chapters(
    paper: Paper, summary: pd.DataFrame, cells: pd.DataFrame
) -> list[Chapter]:
    """Give our numbers for metrics that no published cell has, by data set and method.

    Parameters
    ----------
    paper : Paper
        Which one.
    summary : DataFrame
        What :func:`summarize_paper` gave.
    cells : DataFrame
        What :func:`compare_paper` gave.

    Returns
    -------
    chapters : list of Chapter
        Empty if there are no such metrics.
    """
    rows = counted_rows(paper.key, summary)
    rows = rows[~rows["metric"].isin(set(cells["ours"].dropna()))]
    tables = [
        Table(_wide_texts(part), f"{metric}: mean ± deviation over folds")
        for metric, part in rows.groupby("metric", sort=False)
    ]
    return [Chapter(_HEADING, tables, folded=True)] if tables else []


def _wide_texts(part: pd.DataFrame) -> pd.DataFrame:
    """Data sets in rows and methods in columns, each in the order of its tables."""
    pairs = zip(part["mean"], part["std"], strict=True)
    named = part.assign(text=[f"{mean:.4f} ± {std:.4f}" for mean, std in pairs])
    wide = named.pivot(index="dataset", columns="published", values="text")
    order = list(dict.fromkeys(part["published"]))
    shown = wide.reindex(index=dict.fromkeys(part["dataset"]), columns=order)
    return shown.fillna("").reset_index().rename_axis(columns=None)
