"""``skldl demo``: compare the estimators that exist on data that need no download."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pandas as pd
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

DATASETS = ("toy", "toy_noisy", "synthetic")
METRICS = (
    "chebyshev",
    "clark",
    "canberra",
    "kl_divergence",
    "cosine",
    "intersection",
    "zero_one_loss",
)
# what fits on a narrow screen; the files hold all metrics
FEW_METRICS = ["clark", "kl_divergence", "intersection"]
WIDE_SCREEN = 130
# settings of an estimator that count as methods of their own
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "AAkNN": [{"weights": w} for w in ("uniform", "dudani", "distance")]
}


@click.command(help="Compare the methods on built-in data and write the table.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("skldl-demo"),
    show_default=True,
    help="Folder for the tables.",
)
@click.option(
    "--folds",
    type=click.IntRange(2, 50),
    default=10,
    show_default=True,
    help="Folds of the cross-validation.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the folds."
)
def command(output: Path, folds: int, seed: int) -> None:
    """Run the comparison, print it and say where it lies."""
    from skldl._files import write_text

    console = Console()
    jobs = [(name, *method) for name in DATASETS for method in methods()]
    rows = [
        row
        for job in track(jobs, "Comparing", console=console, transient=True)
        for row in compare(*job, folds=folds, seed=seed)
    ]
    results = pd.DataFrame(rows)
    table = summary(results)
    for name in DATASETS:
        part = table.loc[name]
        shown = part if console.width >= WIDE_SCREEN else part[FEW_METRICS]
        console.print(render(name, shown))
    write_text(output / "folds.csv", results.to_csv(index=False))
    report = write_text(output / "comparison.md", markdown(table, folds, seed))
    console.print(
        f"Means of {folds}-fold cross-validation, best in bold; arrows point to the "
        "better side. MeanDistribution ignores the features: a method that does not "
        "beat it has learned nothing."
    )
    console.print(f"The report lies in {report.resolve()}", soft_wrap=True)


def methods() -> Iterator[tuple[str, Any]]:
    """Every distribution learner, raw and behind a standard scaler."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from skldl.discovery import all_estimators

    for name, estimator in all_estimators("ldl"):
        for settings in VARIANTS.get(name, [{}]):
            suffix = ", ".join(map(str, settings.values()))
            label = f"{name} ({suffix})" if suffix else name
            model = estimator(**settings)
            if name == "MeanDistribution":  # the features play no part in it
                yield label, model
                continue
            yield f"{label}, raw", model
            yield f"{label}, standardised", make_pipeline(StandardScaler(), model)


def compare(
    dataset: str, method: str, estimator: Any, *, folds: int, seed: int
) -> Iterator[dict[str, Any]]:
    """One row per fold and metric; the folds depend on the seed only."""
    from sklearn.base import clone
    from sklearn.model_selection import KFold

    from skldl.datasets import load
    from skldl.metrics import evaluate

    data = load(dataset)
    splits = KFold(folds, shuffle=True, random_state=seed).split(data.X)
    for fold, (train, test) in enumerate(splits):
        model = clone(estimator).fit(data.X[train], data.D[train])
        scores = evaluate(data.D[test], model.predict(data.X[test]), metrics=METRICS)
        for metric, value in scores.items():
            yield {
                "dataset": dataset,
                "method": method,
                "fold": fold,
                "metric": metric,
                "value": value,
            }


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Mean over folds: one row per data set and method, one column per metric."""
    table = results.pivot_table(
        index=["dataset", "method"], columns="metric", values="value", sort=False
    )
    return table[list(METRICS)]


def best(table: pd.DataFrame) -> pd.DataFrame:
    """Mark the best method of each metric."""
    from skldl.metrics import get_metric

    marks = pd.DataFrame(False, index=table.index, columns=table.columns)
    for metric in table.columns:
        column = table[metric].round(4)
        top = column.max() if get_metric(metric).greater_is_better else column.min()
        marks[metric] = column == top
    return marks


def render(title: str, table: pd.DataFrame) -> Table:
    """Terminal table with the best numbers in bold."""
    from skldl.metrics import get_metric

    marks = best(table)
    picture = Table(title=title, box=box.SIMPLE_HEAD)
    picture.add_column("method", no_wrap=True)
    for metric in table.columns:
        picture.add_column(get_metric(metric).label, justify="right")
    for method, row in table.iterrows():
        cells = [
            f"[bold]{value:.4f}[/bold]" if marks.loc[method, metric] else f"{value:.4f}"
            for metric, value in row.items()
        ]
        picture.add_row(str(method), *cells)
    return picture


def markdown(table: pd.DataFrame, folds: int, seed: int) -> str:
    """Write the same tables as a Markdown page."""
    from skldl.metrics import get_metric

    lines = ["# scikit-ldl: comparison on built-in data", ""]
    lines += [
        f"Mean over {folds} folds (seed {seed}); best in bold; zero guard: clip.",
        "",
    ]
    head = ["method", *(get_metric(metric).label for metric in table.columns)]
    for name in DATASETS:
        part = table.loc[name]
        marks = best(part)
        lines += [f"## {name}", "", f"| {' | '.join(head)} |"]
        lines += [f"| {' | '.join(['---'] * len(head))} |"]
        for method, row in part.iterrows():
            cells = [
                f"**{value:.4f}**" if marks.loc[method, metric] else f"{value:.4f}"
                for metric, value in row.items()
            ]
            lines.append(f"| {' | '.join([str(method), *cells])} |")
        lines.append("")
    return "\n".join(lines)
