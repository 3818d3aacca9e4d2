"""The sections of a report with scores: a leaderboard per data set, and heat maps."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from skldl.metrics import get_metric
from skldl.report._axes import near
from skldl.report._fragments import Cell, paragraph, table
from skldl.report._model_scores import metric_names, metrics_meaning
from skldl.report._page import Section
from skldl.report._ranks import (
    BETTER,
    FLOOR,
    WORSE,
    Group,
    score_cells,
    with_floor,
)
from skldl.report._results import Results
from skldl.report._strips import named_rows

_TIMES = {"fit_s": "fit, s", "predict_s": "predict, s", "peak_mb": "memory, MB"}
_TITLES = {
    "mean rank": "Mean of the ranks by all metrics on this data set; 1 is best.",
    "fit, s": "Seconds to fit on one fold, tuning included: mean over folds.",
    "predict, s": "Seconds to predict the test part of a fold: mean over folds.",
    "memory, MB": "Additional peak memory of a fold: mean over folds.",
}
_PLACE = "mean rank"
_LEAST = 0.001  # seconds or MB; less is not told apart

Cells = Mapping[str, pd.DataFrame]


def all_cells(results: Results, order: list[str], control: str | None) -> Cells:
    """Cells of every metric: methods as rows, data sets as columns, shaded."""
    return {
        metric: with_floor(
            _shaded(score_cells(results, metric, order, control), metric),
            results,
            metric,
        )
        for metric in results.metrics
    }


def _shaded(cells: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Cells of a heat map: the darker the better, within each data set."""
    better = get_metric(metric).greater_is_better
    found = cells.copy()
    for name in cells.columns:
        column = cells[name]
        keys = np.array([float(cell.key) for cell in column])
        known = ~np.isnan(keys)
        if known.sum() < 2:
            continue
        loss = keys * (-1 if better else 1)
        kept = near(keys[known], greater_is_better=better)
        low, high = loss[known].min(), loss[known][kept].max()
        share = np.clip((high - loss) / ((high - low) or 1.0), 0.0, 1.0)
        found[name] = pd.Series(
            [
                replace(cell, shade=float(s)) if ok else cell
                for cell, s, ok in zip(column, share, known, strict=True)
            ],
            index=column.index,
            dtype=object,
        )
    return found


def leaderboards_section(
    results: Results, cells: Cells, control: str | None
) -> Section | None:
    """One table per data set: methods, all metrics, times and memory."""
    if not cells:
        return None
    boards = {
        name: board
        for name in results.datasets
        if (board := _board(results, cells, name)) is not None
    }
    titles = {**metric_names(list(cells)), **_TITLES}
    parts: list[Any] = list(_words(results, control))
    for place, (name, board) in enumerate(boards.items()):
        shown = table(board, f"Methods on {name}", titles=titles, dense=True)
        one = len(boards) == 1
        parts.append(shown if one else Section(str(name), [shown], place > 0))
    parts.append(metrics_meaning(list(cells)))
    return Section("Leaderboard" if len(boards) == 1 else "Leaderboards", parts)


def _words(results: Results, control: str | None) -> list[Any]:
    against = f"than {control}" if control else "than the best of its column"
    marks = f"{WORSE} is worse {against} by a paired t-test over folds (p < 0.05)"
    if control:
        marks += f", {BETTER} is better"
    found: list[Any] = [
        paragraph(
            f"Mean ± deviation over folds; the best of each column is bold, and a "
            f"stronger colour is better; {marks}. Click a heading to sort."
        ),
        paragraph(
            "Folds share training data, so these p-values are too small: take the "
            "marks as hints. A method with failed folds, marked (!), is not called "
            "best.",
            note=True,
        ),
    ]
    if any(fact.get("noise_floor") for fact in results.facts.values()):
        found.append(
            paragraph(
                f"Where labels are counts of votes, the row “{FLOOR}” is what a model "
                "that knows the true distributions would score against so few votes. "
                "Methods near it cannot be distinguished from a perfect one."
            )
        )
    return found


def _board(results: Results, cells: Cells, dataset: str) -> pd.DataFrame | None:
    columns = {
        get_metric(metric).label: frame[dataset]
        for metric, frame in cells.items()
        if dataset in frame.columns
    }
    if not columns:
        return None
    board = pd.DataFrame(columns)
    ranks = _mean_ranks(board)
    if len(columns) > 1:
        board.insert(0, _PLACE, ranks.map(_rank_cell))
    order = ranks.drop(index=FLOOR, errors="ignore").sort_values(kind="stable").index
    has_floor = FLOOR in board.index and board.loc[FLOOR].map(_number).notna().any()
    board = board.reindex([*order, FLOOR] if has_floor else order)
    board = board.join(_times_of(results, dataset))
    board.index = named_rows(board.index, "method")
    return board


def _mean_ranks(board: pd.DataFrame) -> pd.Series:
    """Mean over the metrics of the rank on one data set."""
    ranks = {}
    for label in board.columns:
        keys = board[label].drop(index=FLOOR, errors="ignore").map(_number)
        ranks[label] = keys.rank(ascending=not label.endswith("↑"), na_option="bottom")
    return pd.DataFrame(ranks).mean(axis=1).reindex(board.index)


def _number(cell: Any) -> float:
    known = isinstance(cell, Cell) and isinstance(cell.key, float)
    return cell.key if known else float("nan")


def _rank_cell(rank: float) -> Any:
    return Cell(f"{rank:.2f}", rank) if rank == rank else rank


def _times_of(results: Results, dataset: str) -> pd.DataFrame:
    jobs = results.jobs
    jobs = jobs[(jobs["dataset"] == dataset) & (jobs["status"] == "ok")]
    known = [name for name in _TIMES if name in jobs.columns]
    means = jobs.groupby("method")[known].mean().rename(columns=_TIMES)
    return means.map(_short_number).astype(object)


def _short_number(value: float) -> Any:
    """Three digits, none of them beyond thousandths: times are not that exact."""
    if value != value:
        return value
    if 0 < value < _LEAST:
        return Cell(f"< {_LEAST}", value)
    return Cell(f"{value:.0f}" if value >= 100 else f"{round(value, 3):.3g}", value)


def heat_section(results: Results, groups: list[Group], cells: Cells) -> Section | None:
    """Methods by data sets, a heat map per metric."""
    ranks = {r.metric: r.ranks for group in groups for r in group.rankings}
    parts: list[Any] = []
    for metric, frame in cells.items():
        if frame.shape[1] < 2:
            continue
        shown = frame.copy()
        if metric in ranks:
            shown["average rank"] = ranks[metric].reindex(frame.index).round(2)
        shown.index = named_rows(shown.index, "method")
        label = get_metric(metric).label
        caption = f"{label}, by method"
        meaning = paragraph(get_metric(metric).meaning, note=True)
        parts.append(
            Section(
                label,
                [meaning, table(shown, caption, digits=2, dense=True)],
                bool(parts),
            )
        )
    if not parts:
        return None
    words = (
        "Methods against data sets; within each data set, a stronger colour is better."
    )
    return Section("Methods by data sets", [words, *parts])
