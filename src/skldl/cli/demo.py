"""``skldl demo``: compare the learners on data that need no download."""

from pathlib import Path

import click
from rich.console import Console

DATASETS = ("toy", "toy_noisy", "synthetic")
SLOW = ("CPNN", "LDSVR", "PTSVM")  # they would take most of the time
# settings of an estimator that count as methods of their own
VARIANTS = {"AAkNN": ["(weights='dudani')", "(weights='distance')"]}


@click.command(help="Compare the methods on built-in data and write the table.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("skldl-demo"),
    show_default=True,
    help="Folder for the tables and the store.",
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
    from skldl.benchmark import Plan, Split, Store, run, summarize
    from skldl.benchmark._tables import shown_metrics
    from skldl.cli._show import markdown, print_tables, progress_bar

    console = Console()
    plan = Plan(DATASETS, methods(), Split(n_splits=folds), seed=seed)
    with Store(output / "results.sqlite") as store:
        with progress_bar(console) as follow:
            rows = run(plan, store, progress=follow)
        store.export(output / "folds.csv")
    metrics = shown_metrics(rows)
    table = summarize(rows, metrics=metrics)
    print_tables(console, table, metrics)
    heading = f"Comparison on built-in data, {folds} folds, seed {seed}"
    report = write_text(output / "comparison.md", markdown(table, metrics, heading))
    console.print(
        "Means ± deviations over folds, best in bold; arrows point to the better side. "
        "MeanDistribution ignores the features: a method that does not beat it has "
        "learned nothing."
    )
    console.print(f"The report lies in {report.resolve()}", soft_wrap=True)


def methods() -> list[str]:
    """Every distribution learner but slow ones, raw and behind a standard scaler."""
    from skldl.benchmark._methods import learner_names

    names = [
        f"{name}{variant}"
        for name in learner_names()  # the plan adds the mean distribution
        if name not in SLOW
        for variant in ["", *VARIANTS.get(name, [])]
    ]
    return [method for name in names for method in (name, f"standard+{name}")]
