"""What ``skldl compare`` says below its tables: failures, the best, what is next."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd
from rich.console import Console

#: How a fold ended, as the end of a sentence that begins with its number.
_ENDS = {
    "failed": "failed",
    "invalid": "gave invalid predictions",
    "timeout": "took too long",
    "memory": "needed too much memory",
}


def print_failures(rows: pd.DataFrame) -> None:
    """One line for each way to fail, whatever the numbers in its message."""
    jobs = rows.drop_duplicates("job")
    bad = jobs[jobs["status"] != "ok"]
    reasons = bad["message"].fillna("").str.replace(r"\d[\d.,]*", "#", regex=True)
    for (status, _), part in bad.groupby(["status", reasons], sort=False):
        folds = "1 fold" if len(part) == 1 else f"{len(part)} folds"
        names = ", ".join(dict.fromkeys(part["method"]))
        click.echo(
            f"{names}: {folds} {_ENDS[status]}: {part['message'].iloc[0]}", err=True
        )


def print_edges(rows: pd.DataFrame) -> None:
    """One line for each method whose search ended at an edge of its grid."""
    from skldl.model_selection import GridEdgeWarning

    jobs = rows.drop_duplicates("job")
    jobs = jobs[jobs["status"] == "ok"]
    kind = f"{GridEdgeWarning.__name__}:"  # how the store names a warning's type
    at_edge = jobs["message"].fillna("").str.startswith(kind)
    for method, part in jobs[at_edge].groupby("method", sort=False):
        found = part["message"].str.extractall(r"(\w+)=\S+ is the (largest|smallest)")
        places = (found[1] + " " + found[0].str.split("__").str[-1]).value_counts()
        text = ", ".join(f"{place} ({count})" for place, count in places.items())
        click.echo(
            f"{method}: in {len(part)} of {(jobs['method'] == method).sum()} folds the "
            f"search chose the edge of its grid: {text}. A wider grid may do better.",
            err=True,
        )


def print_notes(
    console: Console, rows: Any, plan: Any, hidden: Sequence[str], store: Path
) -> None:
    """What the tables show, who is best, and the command to run next."""
    published = ", published numbers in brackets" if plan.reference is not None else ""
    lines = [f"Mean ± deviation over folds{published}. The best is bold."]
    if hidden:
        lines.append(f"Not shown for lack of space: {', '.join(hidden)}.")
    lines += [*best_lines(rows, plan.metrics), *rank_lines(rows, plan.metrics)]
    lines.append(f"Stored in {store}. Next: {_next_command(store)}")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _next_command(store: Path) -> str:
    return f"skldl report {shlex.quote(str(store))} -o report.html"


def best_lines(rows: pd.DataFrame, metrics: Sequence[str]) -> list[str]:
    """Who is best on which data sets, by the first metric that is shown."""
    from skldl.benchmark import best_methods, shown_metrics, summarize

    for metric in shown_metrics(rows, metrics)[:1]:
        table = summarize(rows, metrics=[metric])
        places: dict[str, list[str]] = {}
        for dataset, part in table.groupby("dataset", sort=False):
            for method in part["method"]:
                if method in best_methods(part, metric):
                    places.setdefault(str(method), []).append(str(dataset))
        text = "; ".join(f"{name} on {', '.join(on)}" for name, on in places.items())
        return [f"Best by {metric}: {text}."] if text else []
    return []


def rank_lines(rows: pd.DataFrame, metrics: Sequence[str]) -> list[str]:
    """Average ranks, where there are data sets enough to rank over."""
    from skldl.benchmark import score_table, shown_metrics, stats
    from skldl.metrics import get_metric

    lines = []
    for metric in shown_metrics(rows, metrics)[:1]:
        table = score_table(rows, metric).dropna(axis=1, how="all")
        if min(table.shape) < 3 or table.dropna().shape[0] < 3:
            return []
        better = get_metric(metric).greater_is_better
        outcome = stats.friedman(table, greater_is_better=better)
        cd = stats.critical_difference(table.shape[1], outcome.n_blocks)
        ranks = ", ".join(
            f"{m} {r:.2f}" for m, r in outcome.ranks.sort_values().items()
        )
        lines.append(
            f"Average ranks by {metric} over {outcome.n_blocks} data sets: {ranks}. "
            f"Friedman p = {outcome.p_value:.2g}; critical difference {cd:.2f}."
        )
        if outcome.dropped:
            lines.append(
                "Not ranked, because a method has no score there: "
                f"{', '.join(outcome.dropped)}."
            )
    return lines
