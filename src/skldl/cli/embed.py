"""``skldl embed``: project a table on few coordinates, and draw them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from skldl.cli._options import (
    data_argument,
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
  skldl embed toy -o embedding.csv --plot toy.png
  skldl embed votes.csv -l joy,fear,calm --normalize -m standard+MSLP --plot out.svg
"""


@click.command(
    epilog=EXAMPLES,
    help="Project DATA on few coordinates that follow the labels; write them, draw "
    "the first two.",
)
@data_argument
@table_options
@method_option("standard+MSLP", "A projection, see: skldl methods list -k projection.")
@click.option(
    "-c", "--components", type=click.IntRange(1), default=2, show_default=True,
    help="Number of coordinates.",
)  # fmt: skip
@click.option("--keep", metavar="A,B,...", help="Columns to copy to the output.")
@seed_option
@output_option("A .csv, .tsv or .parquet file for the coordinates.")
@raw_cells_option
@plot_option("A .png, .svg or .pdf file for the picture.")
def command(
    data: str, output: Path | None, plot: Path | None, keep: str | None, **options: Any
) -> None:
    """Load, project, write, draw."""
    from skldl._threads import limited_threads
    from skldl.cli._data import Request, load_data, require_votes
    from skldl.cli._show import fit_progress
    from skldl.cli._write import PICTURES, check_output, write_table
    from skldl.methods import for_dataset, make_method, with_seed

    if output is None and plot is None:
        raise click.UsageError("Name an output: -o out.csv, --plot out.png or both.")
    check_output(output, data)
    check_output(plot, data, suffixes=PICTURES)
    method = make_method(options["method"], needs="transform")
    seed = options["seed"]
    made = with_components(with_seed(method.estimator, seed), options)
    request = Request.of(options)
    kept = kept_columns(data, request, keep)
    dataset = load_data(data, request, mixed=True)
    require_votes(dataset)
    model = for_dataset(replace(method, estimator=made), dataset).estimator
    X, y = dataset.frames()
    with fit_progress(), limited_threads():
        Z = with_seed(model, seed).fit(X, y).transform(X)
    if output is not None:
        write_table(output, coordinates(Z, dataset, kept))
        click.echo(f"{Z.shape[1]} coordinates of {len(Z)} rows in {output}.")
    if plot is not None:
        draw(Z, dataset, method.name, plot)
        click.echo(f"Picture in {plot}.")


def with_components(model: Any, options: dict[str, Any]) -> Any:
    """Set the number of coordinates, where the last step has one and it is open."""
    spec = options["method"].rpartition("+")[2]
    if "n_components" in spec:
        return model
    last = model.steps[-1][0] + "__" if hasattr(model, "steps") else ""
    if f"{last}n_components" in model.get_params():
        model.set_params(**{f"{last}n_components": options["components"]})
    return model


def kept_columns(data: str, request: Any, keep: str | None) -> Any:
    """Columns of the table to be copied, or nothing."""
    from skldl.cli._data import read_table
    from skldl.datasets import pick_labels

    if not keep:
        return None
    frame = read_table(data, request).frame
    return frame[pick_labels(frame.columns, keep, what="--keep")]


def coordinates(Z: Any, dataset: Any, kept: Any) -> Any:
    """A table of the coordinates, what is kept and each row's largest label."""
    import numpy as np
    import pandas as pd

    names = [f"z{i}" for i in range(1, Z.shape[1] + 1)]
    frame = pd.DataFrame(np.asarray(Z), columns=names)
    if dataset.kind == "classes":
        frame["label"] = dataset.target
    elif dataset.kind == "distribution":
        frame["label"] = dataset.label_names[dataset.target.argmax(axis=1)]
    if kept is None:
        return frame
    clash = {name: f"{name}_embedded" for name in frame if name in set(kept)}
    return pd.concat([kept.reset_index(drop=True), frame.rename(columns=clash)], axis=1)


def draw(Z: Any, dataset: Any, title: str, path: Path) -> None:
    """Draw the first two coordinates, coloured by the labels."""
    import matplotlib as mpl
    import numpy as np

    mpl.use("Agg")
    from skldl.cli._write import save_picture
    from skldl.plotting import plot_embedding
    from skldl.validation import check_target

    degrees = check_target(dataset.target).matrix
    empty = degrees.sum(axis=1) == 0
    degrees = np.where(empty[:, None], 1.0, degrees)
    degrees = degrees / degrees.sum(axis=1, keepdims=True)
    names = [str(name) for name in dataset.label_names]
    ax = plot_embedding(
        Z, degrees, label_names=names, title=f"{title} on {dataset.name}"
    )
    save_picture(path, ax)
