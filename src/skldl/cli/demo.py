"""``skldl demo``: a comparison, its report and a picture, without any download."""

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from skldl.cli._options import force_option

# data sets and methods by kind of target; the mean distribution joins by itself
DATASETS = ("toy", "toy_noisy", "synthetic")
METHODS = (
    "MSLP",
    "LSELDL",
    "LWkNN",
    "LDkNN",
    "GraphEmbedding+AAkNN",
    "PCA(n_components=2)+AAkNN",
    "AAkNN",
    "AAkNN(weights='dudani')",
    "SABFGS",
)
CLASS_DATASETS = ("iris", "wine", "breast_cancer")
# two coordinates each, then the nearest neighbour
CLASS_METHODS = (
    "minmax+JPlay(n_components=2)+1NN",
    "minmax+GraphEmbedding(n_components=2)+1NN",
    "minmax+LFDA(n_components=2)+1NN",
    "minmax+PCA(n_components=2)+1NN",
    "minmax+1NN",
)
_KEPT = 6  # samples whose predictions the report can show


@click.command(help="Compare methods on built-in data; write a report and a picture.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("skldl-demo"),
    show_default=True,
    help="Folder for the report, the picture, the tables and the store.",
)
@force_option
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
    """Run the comparison, draw it and say where it lies."""
    from skldl._files import write_text
    from skldl.benchmark import Store, shown_metrics, summarize
    from skldl.cli._show import markdown, print_tables
    from skldl.cli._write import check_folder, check_output
    from skldl.report import write_report

    check_output(output / "results.sqlite", suffixes=(), resumes=True)
    check_folder(output, ("folds.csv", "report.html", "comparison.md", "embedding.png"))
    start = time.monotonic()
    console = Console()
    heading = f"Comparison on built-in data, {folds} folds, seed {seed}"
    with Store(output / "results.sqlite") as store:
        pages, n_jobs = [], 0
        for rows in _compare(store, console, folds, seed):
            metrics = shown_metrics(rows)
            table = summarize(rows, metrics=metrics)
            print_tables(console, table, metrics)
            pages.append(markdown(table, metrics, heading))
            n_jobs += rows["job"].nunique()
        store.export(output / "folds.csv")
        report = write_report(
            store,
            output / "report.html",
            title=heading,
            split=f"kfold-{folds}",
            seed=seed,
        )
    write_text(output / "comparison.md", "\n".join(pages))
    _draw_embedding(output / "embedding.png")
    _print_places(console, output, report, n_jobs, time.monotonic() - start)


def _compare(store: Any, console: Console, folds: int, seed: int) -> Any:
    """Rows of the comparison on distributions, then of that on classes."""
    from skldl.benchmark import Plan, Split, run
    from skldl.cli._show import progress_bar

    for datasets, methods in ((DATASETS, METHODS), (CLASS_DATASETS, CLASS_METHODS)):
        plan = Plan(datasets, methods, Split(n_splits=folds), seed=seed)
        with progress_bar(console) as follow:
            yield run(plan, store, keep_predictions=_KEPT, progress=follow)


def _draw_embedding(path: Path) -> None:
    """The toy set's features and their label embedding beside each other."""
    from matplotlib.figure import Figure

    from skldl._files import replacing
    from skldl.datasets import load
    from skldl.plotting import plot_embedding
    from skldl.projection import MSLP

    data = load("toy_noisy")
    names = [str(name) for name in data.label_names]
    drawing = Figure(figsize=(9, 4), layout="constrained", dpi=130)
    left, right = drawing.subplots(1, 2)
    Z = MSLP(2).fit_transform(data.X, data.D)
    for ax, places, title in (
        (left, data.X, "two features of toy_noisy"),
        (right, Z, "two MSLP coordinates"),
    ):
        plot_embedding(places, data.D, ax=ax, title=title, s=6, label_names=names)
    with replacing(path, binary=True) as file:
        drawing.savefig(file, format="png")


def _print_places(
    console: Console, output: Path, report: Path, n_jobs: int, seconds: float
) -> None:
    lines = (
        f"Done in {seconds:.0f} s: {n_jobs} folds. {len(METHODS)} learners of "
        f"distributions and the mean distribution on {', '.join(DATASETS)}; "
        f"{len(CLASS_METHODS)} methods for classes on {', '.join(CLASS_DATASETS)}.",
        "Means ± deviations over folds, best in bold; arrows point to the better side. "
        "MeanDistribution ignores the features: a method that does not beat it has "
        "learned nothing.",
        "Nothing was tuned: skldl compare --tune tunes every method.",
        "",
        f"The report is in {report.resolve()}",
        f"The picture is in {(output / 'embedding.png').resolve()}",
        f"Tables and the store are in {output.resolve()}: comparison.md, folds.csv, "
        "results.sqlite",
    )
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
