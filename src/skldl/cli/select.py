"""``skldl select``: which features matter, by LSE-LDL."""

import json
from pathlib import Path
from typing import Any

import click

from skldl.cli._options import (
    data_argument,
    json_option,
    method_option,
    output_option,
    plot_option,
    raw_cells_option,
    seed_option,
    table_options,
)

EXAMPLES = """
\b
Examples:
  skldl select votes.csv --labels joy,fear,calm --normalize --top 10
  skldl select SJAFFE --method "standard+LSELDL(reg=0.1)" -o ranking.csv
  skldl select synthetic --plot curve.png
"""


@click.command(
    epilog=EXAMPLES,
    help="Rank the features of DATA by how much LSE-LDL leans on them. Features are "
    "standardised first, so that their units do not matter.",
)
@data_argument
@table_options
@method_option("standard+LSELDL", "LSELDL with settings.")
@click.option("--tune", is_flag=True, help="Search the method's grid first.")
@click.option(
    "--top", type=click.IntRange(1), default=20, show_default=True,
    help="How many to show; files and JSON hold all.",
)  # fmt: skip
@seed_option
@output_option("A .csv, .tsv or .parquet file for the whole ranking.")
@raw_cells_option
@plot_option("Draw performance against the share of features (five folds).")
@click.option(
    "--metric", default="clark", show_default=True, help="What --plot measures."
)
@json_option
def command(
    data: str, output: Path | None, plot: Path | None, as_json: bool, **options: Any
) -> None:
    """Load, fit, rank, show."""
    from skldl._threads import limited_threads
    from skldl.cli._data import Request, load_data, require_votes
    from skldl.cli._show import fit_progress
    from skldl.cli._write import PICTURES, check_output, write_table
    from skldl.ldl import ranked_features
    from skldl.methods import (
        Tuning,
        for_dataset,
        make_method,
        search_for,
        with_seed,
    )
    from skldl.metrics import get_metric

    check_output(output, data)
    check_output(plot, data, suffixes=PICTURES)
    get_metric(options["metric"])
    method = make_method(options["method"])
    _require_selector(method)
    dataset = load_data(data, Request.of(options), "distribution", mixed=True)
    require_votes(dataset)
    if dataset.kind != "distribution":
        raise ValueError(
            f"{dataset.name} has targets of the kind {dataset.kind!r}; LSE-LDL ranks "
            "by distributions."
        )
    method = for_dataset(method, dataset)
    X, D = dataset.frames()
    model = with_seed(method.estimator, options["seed"])
    if options["tune"]:
        kind, seed = dataset.kind, options["seed"]
        model = search_for(model, method.grid, Tuning(), kind, seed)
    with fit_progress(), limited_threads():
        table = ranked_features(model.fit(X, D)).reset_index()
    if output is not None:
        write_table(output, table)
    if plot is not None:
        _draw(model, X, D, plot, options["metric"])
    if as_json:
        records = json.loads(table.to_json(orient="records"))
        click.echo(json.dumps(records, indent=1, ensure_ascii=False))
        return
    _show_ranking(table, options["top"], dataset.name)
    for path, what in ((output, "The whole ranking is"), (plot, "The picture is")):
        if path is not None:
            click.echo(f"{what} in {path}.")


def _require_selector(method: Any) -> None:
    from sklearn.pipeline import Pipeline

    from skldl.ldl import LSELDL

    model = method.estimator
    last = model[-1] if isinstance(model, Pipeline) else model
    if not isinstance(last, LSELDL):
        raise click.UsageError(f"{method.name} does not rank features; use LSELDL.")


def _show_ranking(table: Any, top: int, name: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    picture = Table(title=f"Features of {name}", box=box.SIMPLE_HEAD)
    for column, side in (("rank", "right"), ("feature", "left"), ("score", "right")):
        picture.add_column(column, justify=side)  # type: ignore[arg-type]
    picture.add_column("share", justify="right")
    for row in table.head(top).itertuples():
        feature = str(row.feature).replace("[", r"\[")
        picture.add_row(str(row.rank), feature, f"{row.score:.4f}", f"{row.share:.1%}")
    console = Console()
    console.print(picture)
    if len(table) > top:
        console.print(f"{len(table) - top} more; --top shows them.", highlight=False)


def _draw(model: Any, X: Any, D: Any, path: Path, metric: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from skldl.cli._write import save_picture
    from skldl.ldl import selection_curve
    from skldl.plotting import plot_selection_curve

    curve = selection_curve(model, X, D, metrics=[metric])
    save_picture(path, plot_selection_curve(curve, metric))
