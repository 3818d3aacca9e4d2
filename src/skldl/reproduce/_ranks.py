"""Average ranks of the published and of our numbers; wins by paired t-tests."""

from typing import Any

import pandas as pd

from skldl.benchmark import cd_diagram, stats
from skldl.reproduce._columns import fold_values
from skldl.reproduce._figures import Picture
from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._protocol import TIMES
from skldl.reproduce._verdicts import BETTER, SAME, WORSE, greater_is_better
from skldl.reproduce.figures._diagrams import stacked_diagrams

_LEAST_DATASETS = 3
_LEAST_OF_A_PAPER = 6  # fewer cannot tell as many methods apart as papers compare
_IN_FIGURES = "lse-ldl"  # whose Fig. 1 has all methods, also where the paper is blank


def rank_blocks(paper: str, cells: pd.DataFrame) -> list[Any]:
    """Draw a diagram per metric for the published numbers and for ours.

    Parameters
    ----------
    paper : str
        Key, for the names of files.
    cells : DataFrame
        What :func:`compare_paper` gave.

    Returns
    -------
    blocks : list of str or Picture
        Empty where there are too few data sets to rank over.
    """
    main = cells[cells["main"]]
    blocks: list[Any] = []
    if paper == _IN_FIGURES or main["dataset"].nunique() < _LEAST_OF_A_PAPER:
        return blocks
    for metric, part in main.groupby("metric", sort=False):
        # the same cells on both sides, or the ranks could not be compared
        both = part[part["verdict"].isin((BETTER, SAME, WORSE))]
        for kind, column in (("published", "value"), ("measured", "measured")):
            wide = both.pivot_table(index="dataset", columns="method", values=column)
            better = greater_is_better(str(both["ours"].iloc[0])) if len(both) else True
            blocks += rank_diagram(
                paper, wide, str(metric), kind, greater_is_better=better
            )
    return blocks


def rank_diagram(
    paper: str, wide: pd.DataFrame, metric: str, kind: str, *, greater_is_better: bool
) -> list[Picture]:
    """Draw average ranks, over the data sets that have a number of every method.

    Parameters
    ----------
    paper : str
        Key, for the name of the file.
    wide : DataFrame
        Data sets in rows, methods in columns; methods that miss more than one data set
        are left out.
    metric : str
        What is ranked.
    kind : str
        Which numbers, for the caption.
    greater_is_better : bool
        Direction.

    Returns
    -------
    pictures : list of Picture
        One, or none where there are too few data sets or methods.
    """
    whole = wide.dropna(axis=1, thresh=max(1, len(wide) - 1)).dropna()
    if len(whole) < _LEAST_DATASETS or whole.shape[1] < 3:
        return []
    outcome = stats.friedman(whole, greater_is_better=greater_is_better)
    cd = stats.critical_difference(whole.shape[1], len(whole))
    ranks = ", ".join(f"{m} {r:.2f}" for m, r in outcome.ranks.sort_values().items())
    title = f"{metric_words(metric)}, {kind}"
    caption = (
        f"{title}: average ranks over {len(whole)} data sets, Friedman "
        f"p = {outcome.p_value:.2g}, critical difference {cd:.2f}."
    )
    diagram = cd_diagram(outcome.ranks, cd, title=caption)
    drawing = stacked_diagrams([(title, diagram)])
    name = f"{paper}-ranks-{metric}-{kind}".translate(str.maketrans("_ ", "--"))
    return [Picture(name, f"Average ranks: {ranks}.", caption, svg=drawing)]


def win_table(
    summary: pd.DataFrame, control: str, *, alpha: float = 0.05
) -> pd.DataFrame:
    """Count data sets where a method wins, ties or loses by a paired t-test of folds.

    Parameters
    ----------
    summary : DataFrame
        What :func:`summarize_paper` gave.
    control : str
        Published name of the method to compare with each other one.
    alpha : float, default=0.05
        Level of the tests.

    Returns
    -------
    table : DataFrame
        Columns metric, against, win, tie, loss (of the control).
        Honest numbers on raw features with all folds, the first form of a method.
    """
    tables = []
    for metric, part in first_forms(summary).groupby("metric", sort=False):
        rows = _fold_rows(part)
        if control not in set(rows["method"]) or rows["method"].nunique() < 2:
            continue
        tests = stats.paired_t_tests(
            rows,
            metric=str(metric),
            control=control,
            greater_is_better=greater_is_better(str(metric)),
            alpha=alpha,
        )
        counts = stats.win_tie_loss(tests).reset_index(names="against")
        counts.insert(0, "metric", metric)
        tables.append(counts.drop(columns="missing"))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def first_forms(summary: pd.DataFrame) -> pd.DataFrame:
    """Give the rows that are compared: first forms with all folds, and no times.

    Parameters
    ----------
    summary : DataFrame
        What :func:`summarize_paper` gave.

    Returns
    -------
    rows : DataFrame
        Honest numbers on raw features.
    """
    return summary[
        (summary["protocol"] == "honest")
        & (summary["features"] == "raw")
        & (summary["variant"] == "")
        & (summary["n_folds"] == summary["n_expected"])
        & (summary["published"] != "")
        & ~summary["metric"].isin(TIMES)
    ]


def _fold_rows(part: pd.DataFrame) -> pd.DataFrame:
    """One row per fold; a method of two parts is compared where it shares folds."""
    rows = [
        (f"{row.part} {row.dataset}", 0, fold, row.published, row.metric, value)
        for row, values in zip(part.itertuples(), fold_values(part), strict=True)
        for fold, value in enumerate(values[: row.n_folds])
    ]
    columns = ["dataset", "repetition", "fold", "method", "metric", "value"]
    return pd.DataFrame(rows, columns=columns)
