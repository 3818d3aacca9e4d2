"""Results as tables for the terminal and for Markdown files."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from skldl._progress import progress

_CELL = 18  # characters of one metric's column
_NAME = 36


@contextmanager
def progress_bar(console: Console) -> Iterator[Any]:
    """A bar that follows a run: done, failed, running, time left."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Comparing", total=None, state="")

        def follow(now: Any, name: str = "Comparing") -> None:
            state = f"{now.running} running"
            if now.failed:
                state += f", [red]{now.failed} failed[/red]"
            bar.update(
                task,
                description=name,
                total=now.total,
                completed=now.done,
                state=state,
            )

        yield follow


@contextmanager
def fit_progress() -> Iterator[None]:
    """Bars on standard error while something is fitted, if anybody looks."""
    if not sys.stderr.isatty():
        yield
        return
    with progress():
        yield


def cell_text(row: Any, mark: tuple[str, str], bold: bool) -> str:
    """Mean and deviation, the reference in brackets, failures said."""
    if pd.isna(row["mean"]):
        return "-"
    text = f"{row['mean']:.4f}"
    if pd.notna(row["std"]):
        text += f"±{row['std']:.4f}"
    text = f"{mark[0]}{text}{mark[1]}" if bold else text
    if pd.notna(row.get("reference")):
        text += f" ({row['reference']:.4f})"
    return text


def grid(
    part: pd.DataFrame, metrics: Sequence[str], mark: tuple[str, str]
) -> list[list[str]]:
    """One line per method: its name, a cell per metric, and its failed folds."""
    from skldl.benchmark import best_methods

    best = {metric: best_methods(part, metric) for metric in metrics}
    lines = []
    for method, cells in _best_first(part, metrics).groupby("method", sort=False):
        by_metric = cells.set_index("metric")
        line = [str(method)]
        for metric in metrics:
            line.append(cell_text(by_metric.loc[metric], mark, method in best[metric]))
        failed = int(cells["failed"].iloc[0])
        lines.append([*line, str(failed) if failed else ""])
    return lines


def _best_first(part: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Methods in the order of their means by the first metric.

    Those that failed in a fold come last: the mean of the other folds may flatter them.
    """
    from skldl.metrics import get_metric

    if not metrics:
        return part
    first = part[part["metric"] == metrics[0]].set_index("method")
    worse = -1 if get_metric(metrics[0]).greater_is_better else 1
    keys = pd.DataFrame({"failed": first["failed"] > 0, "loss": worse * first["mean"]})
    order = keys.sort_values(["failed", "loss"], kind="stable").index
    places = {method: place for place, method in enumerate(order)}
    return part.sort_values(
        "method", key=lambda names: names.map(places), kind="stable"
    )


def print_tables(
    console: Console, table: pd.DataFrame, metrics: Sequence[str]
) -> Sequence[str]:
    """Print a table per data set; give the metrics that there was no room for."""
    from skldl.metrics import get_metric

    room = max(1, (console.width - _NAME) // _CELL)
    shown = list(metrics)[:room]
    for dataset, part in table.groupby("dataset", sort=False):
        picture = Table(title=str(dataset), box=box.SIMPLE_HEAD)
        picture.add_column("method", overflow="fold")
        for metric in shown:
            picture.add_column(get_metric(metric).label, justify="right", no_wrap=True)
        lines = grid(part, shown, ("[bold]", "[/bold]"))
        with_failures = any(line[-1] for line in lines)
        if with_failures:
            picture.add_column("failed folds", justify="right", style="red")
        for line in lines:
            name = line[0].replace("[", r"\[")
            picture.add_row(name, *(line[1:] if with_failures else line[1:-1]))
        console.print(picture)
    return list(metrics)[room:]


def markdown(table: pd.DataFrame, metrics: Sequence[str], heading: str) -> str:
    """Write the same tables as a Markdown page."""
    from skldl.metrics import get_metric

    lines = [f"# {heading}", ""]
    head = ["method", *(get_metric(m).label for m in metrics), "failed folds"]
    for dataset, part in table.groupby("dataset", sort=False):
        lines += [f"## {dataset}", "", f"| {' | '.join(head)} |"]
        lines += [f"| {' | '.join(['---'] * len(head))} |"]
        lines += [f"| {' | '.join(row)} |" for row in grid(part, metrics, ("**", "**"))]
        lines.append("")
    return "\n".join(lines)
