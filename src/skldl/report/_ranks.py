"""Who is best: ranks over data sets, marks of significance, cells of score tables."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from skldl.benchmark import best_methods, score_table, stats, summarize
from skldl.metrics import get_metric
from skldl.report._fragments import Cell
from skldl.report._results import Results

BASELINE = "MeanDistribution"
FLOOR = "perfect model (noise floor)"
WORSE, BETTER = "•", "◦"
_KINDS = {
    "distribution": "distributions",
    "classification": "distributions",
    "multilabel": "label sets",
    "classes": "classes",
}
_SPACE, _NO_MARK = "\N{NO-BREAK SPACE}", "\N{FIGURE SPACE}"


@dataclass(frozen=True)
class Ranking:
    """Average ranks of the methods by one metric.

    Attributes
    ----------
    metric : str
        Which.
    ranks : Series
        Average rank by method, best first.
    n_datasets : int
        Data sets that they are taken over.
    p_value, cd : float
        Friedman's test, and Nemenyi's critical difference; missing with fewer than
        two data sets or three methods (for the test).
    without_datasets, without_methods : list of str
        Left out because a score is missing.
    """

    metric: str
    ranks: pd.Series
    n_datasets: int
    p_value: float = float("nan")
    cd: float = float("nan")
    without_datasets: list[str] = field(default_factory=list)
    without_methods: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Group:
    """Metrics of one kind of target, and who is best by all of them.

    Attributes
    ----------
    kind : str
        What the data sets have: distributions, label sets or classes.
    metrics : list of str
        The first one is drawn.
    rankings : list of Ranking
        Of those metrics that rank at least two methods.
    places : Series
        Mean of the average ranks, best first, of methods that have them all.
    """

    kind: str
    metrics: list[str]
    rankings: list[Ranking]
    places: pd.Series


def groups_of(results: Results) -> list[Group]:
    """The metrics by kind of target, in their order."""
    by_kind: dict[str, list[str]] = {}
    for metric in results.metrics:
        by_kind.setdefault(_KINDS[get_metric(metric).kind], []).append(metric)
    groups = []
    for kind, metrics in by_kind.items():
        rankings = [r for r in (ranking(results, m) for m in metrics) if r]
        groups.append(Group(kind, metrics, rankings, overall(rankings)))
    return groups


def of_metric(results: Results, metric: str) -> pd.DataFrame:
    """Rows of a metric, and the failures on the data sets that it fits."""
    rows = results.rows
    wanted = rows["metric"] == metric
    fitting = rows.loc[wanted, "dataset"].unique()
    return rows[(wanted | rows["metric"].isna()) & rows["dataset"].isin(fitting)]


def ranking(results: Results, metric: str) -> Ranking | None:
    """Rank the methods by a metric; None if fewer than two can be compared."""
    rows = of_metric(results, metric)
    table = score_table(rows, metric).dropna(how="all").dropna(axis=1, how="all")
    methods, datasets = list(table.columns), list(table.index)
    if 2 * len(table.dropna()) >= len(table):
        table = table.dropna()
    else:  # a method with gaps must not cost the others most of the data sets
        table = table.dropna(axis=1)
    if table.shape[1] < 2 or table.empty:
        return None
    better = get_metric(metric).greater_is_better
    ranks = stats.average_ranks(table, greater_is_better=better).sort_values()
    p_value = cd = float("nan")
    if len(table) > 1:
        cd = stats.critical_difference(table.shape[1], len(table))
        if table.shape[1] > 2:
            p_value = stats.friedman(table, greater_is_better=better).p_value
    return Ranking(
        metric,
        ranks,
        len(table),
        p_value,
        cd,
        [name for name in datasets if name not in table.index],
        [name for name in methods if name not in table.columns],
    )


def overall(rankings: list[Ranking]) -> pd.Series:
    """Mean of the average ranks over metrics, of methods that have them all."""
    if not rankings:
        return pd.Series(dtype=float)
    table = pd.DataFrame({r.metric: r.ranks for r in rankings})
    return table.dropna().mean(axis=1).sort_values(kind="stable")


def is_baseline(method: str) -> bool:
    """Whether a method is the mean distribution, also behind preprocessing."""
    return str(method).split("+")[-1].split("(")[0] == BASELINE


def score_cells(
    results: Results, metric: str, order: list[str], control: str | None
) -> pd.DataFrame:
    """Cells of the table of a metric: methods as rows, data sets as columns."""
    rows = of_metric(results, metric)
    summary = summarize(rows, metrics=[metric])
    columns = {}
    for dataset, part in summary.groupby("dataset", sort=False):
        best = best_methods(part, metric)
        part = part.set_index("method")
        marks = _marks(rows[rows["dataset"] == dataset], metric, best, control)
        columns[dataset] = {
            method: _score_cell(part.loc[method], method in best, marks.get(method, ""))
            for method in part.index
        }
    table = pd.DataFrame(columns, dtype=object)
    missing = Cell("–", float("nan"), title="not run")  # noqa: RUF001
    table = table.reindex([m for m in order if m in table.index])
    return table.map(lambda cell: cell if isinstance(cell, Cell) else missing)


def with_floor(cells: pd.DataFrame, results: Results, metric: str) -> pd.DataFrame:
    """The cells with a row for a perfect model, where labels are counts of votes."""
    missing = Cell("–", float("nan"), title="labels are not counts")  # noqa: RUF001
    row = {}
    for dataset in cells.columns:
        floors = results.facts.get(dataset, {}).get("noise_floor") or {}
        value = floors.get(metric)
        row[dataset] = missing if value is None else Cell(
            f"{value:.4f}", value, False, "what so few votes allow", _SPACE + _NO_MARK
        )  # fmt: skip
    if all(cell is missing for cell in row.values()):
        return cells
    return pd.concat([cells, pd.DataFrame({FLOOR: row}, dtype=object).T])


def _marks(
    rows: pd.DataFrame, metric: str, best: list[str], control: str | None
) -> dict[str, str]:
    """Methods that the reference beats, or that beat it, by paired t-tests.

    Without a control the reference is the best: then nothing shown as best is marked
    as worse, nor anything as better (a method with failed folds might be).
    """
    against = control or next(iter(best), None)
    if against is None or against not in set(rows["method"]):
        return {}
    tests = stats.paired_t_tests(
        rows,
        metric=metric,
        control=against,
        greater_is_better=get_metric(metric).greater_is_better,
    )
    signs = {"win": WORSE, "loss": BETTER} if control else {"win": WORSE}
    equal = set() if control else set(best)
    return {
        method: signs[outcome]
        for method, outcome in zip(tests["method"], tests["outcome"], strict=True)
        if outcome in signs and method not in equal
    }


def _score_cell(row: Any, best: bool, mark: str) -> Cell:
    if np.isnan(row["mean"]):
        return Cell("failed", float("nan"), title=f"{row['failed']} folds failed")
    text = f"{row['mean']:.4f}"
    below = "" if np.isnan(row["std"]) else f"± {row['std']:.4f}"
    title = ""
    if row["failed"]:
        text += " (!)"
        title = f"{row['failed']} folds failed; the mean is over the {row['n']} others"
    # room for the mark in every cell keeps the numbers below each other
    mark = _SPACE + (mark or _NO_MARK)
    return Cell(text, float(row["mean"]), best, title, mark, below)
