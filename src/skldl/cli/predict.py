"""``skldl predict``: apply a saved model to a table, piece by piece."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from skldl.cli._names import file_argument
from skldl.cli._options import (
    data_argument,
    output_option,
    raw_cells_option,
    reading_options,
)
from skldl.cli._regions import coverage_option

_CELLS = 2_000_000  # numbers in one piece, but ...
_ROWS = 1000  # ... no fewer rows
EXAMPLES = """
\b
Examples:
  skldl predict model.skldl new.csv -o predictions.csv
  skldl predict model.skldl new.parquet --keep id -o predictions.parquet
  skldl predict model.skldl new.csv --digits 4 | head
  skldl predict model.skldl new.csv --coverage 0.9 -o predictions.csv

\b
Columns are matched by name; those that the model does not know are ignored. The output
has one column per label and the chosen one in the column "label". --coverage adds
for each label an interval, in "<label>_lower" and "<label>_upper", and in "labels"
those that may be the largest.
"""


@click.command(
    epilog=EXAMPLES,
    help="Predict the label distributions of DATA with the saved MODEL. Files of any "
    "size are fine: CSV and Parquet are read and written in pieces.",
)
@file_argument("model")
@data_argument
@output_option("A .csv, .tsv or .parquet file. Default: CSV on the screen.")
@raw_cells_option
@click.option(
    "--keep", metavar="A,B,...", help="Columns to copy to the output, such as an id."
)
@click.option(
    "--digits",
    type=click.IntRange(1, 17),
    help="Digits of the degrees in CSV. Default: all.",
)
@coverage_option(
    "Probability with which all intervals of a row hold, such as 0.9. For models of "
    "AutoLDL and of skldl fit --coverage."
)
@click.option(
    "--arrays", metavar="X", help="Name of the feature array in an NPZ or MAT file."
)
@reading_options
def command(
    model: Path, data: str, output: Path | None, keep: str | None,
    digits: int | None, coverage: float | None, **options: Any,
) -> None:  # fmt: skip
    """Read, predict and write one piece after the other."""
    from skldl.cli._data import Request
    from skldl.cli._options import split_commas
    from skldl.cli._regions import model_with_regions
    from skldl.cli._write import check_output, table_writer
    from skldl.models import load_model

    check_output(output, model, data)
    saved = load_model(model)
    if not hasattr(saved.estimator, "predict"):
        raise ValueError(f"{model} is a {saved.header.method}, which cannot predict.")
    if coverage is not None:
        saved.estimator = model_with_regions(saved.estimator, str(model))
    kept = split_commas(keep)
    rows = 0
    source = closing(pieces(data, saved, kept, Request.of(options)))
    with source as parts, table_writer(output, digits) as write:
        for piece in parts:
            if len(piece):
                write(predicted(saved, piece, kept, rows, coverage))
                rows += len(piece)
        if rows == 0:
            raise ValueError(f"{data} has no rows; there is nothing to predict.")
    if output is not None and str(output) != "-":
        click.echo(f"Predicted {rows} rows into {output}.")


def pieces(
    data: str, saved: Any, keep: list[str], request: Any
) -> Generator[Any, None, None]:
    """Parts of DATA that hold what the model wants and the user keeps."""
    from skldl.cli._data import read_table
    from skldl.datasets import existing_columns, readers
    from skldl.models import require_columns

    names = saved.needed_features
    text = saved.text_features
    rows = max(_ROWS, _CELLS // max(1, len(names)))
    path = Path(data).expanduser()
    suffix = path.suffix.lower()
    streams = path.is_file() and suffix in (".csv", ".tsv", ".txt", ".parquet")
    if streams and suffix == ".parquet":
        given, source = readers.parquet_columns(path), readers.parquet_pieces
    elif streams:
        told = {n: getattr(request, n) for n in ("sep", "decimal", "encoding")}
        given = readers.csv_columns(path, **told)
        ids = [name for name in keep if name not in names]  # 007 stays 007
        source = partial(readers.csv_pieces, text=text, copied=ids, **told)
    else:
        frame = read_table(data, replace(request, text=text)).frame
        given = list(frame.columns)
    require_columns(given, names)
    if keep:
        existing_columns(keep, given, "--keep")
    _tell_extra(given, saved.header, keep)
    if streams:
        yield from source(path, rows, list(dict.fromkeys([*keep, *names])))
        return
    for start in range(0, len(frame), rows):
        yield frame.iloc[start : start + rows]


def _tell_extra(given: list[str], header: Any, keep: list[str]) -> None:
    from skldl._text import listed
    from skldl.cli._data import note

    known = {*header.feature_names, *header.target_columns, *keep}
    extra = [name for name in given if name not in known]
    if extra:
        note(f"Ignored, as the model does not know them: {listed(extra)}.")


def predicted(
    saved: Any,
    piece: Any,
    keep: list[str],
    first_row: int,
    coverage: float | None = None,
) -> Any:
    """Predictions for one piece, with names, what is kept and the chosen label."""
    import numpy as np
    import pandas as pd

    from skldl.cli._data import options_in_errors
    from skldl.cli._regions import region_columns

    header = saved.header
    with options_in_errors("(Rows are counted from 0.)"):
        X = saved.columns(piece[saved.needed_features], first_row=first_row)
        answer = "predict_proba" if header.target == "indicator" else "predict"
        if coverage is not None:
            regions = saved.respond(X, "predict_region", coverage=coverage)
            found = regions.center
        else:
            found = saved.respond(X, answer)
    if header.target == "classes":
        columns = {"label": found}
    else:
        names = np.asarray(header.label_names, dtype=object)
        columns = dict(zip(header.label_names, np.asarray(found).T, strict=True))
        chosen = "label" if "label" not in columns else "chosen_label"
        columns[chosen] = (
            names[found.argmax(axis=1)]
            if header.target == "distribution"
            else _label_sets(found, names)
        )
    if coverage is not None:
        columns |= region_columns(regions, header.label_names, columns)
    before = {name: piece[name].to_numpy() for name in keep}
    clash = [name for name in keep if name in columns]
    if clash:
        raise click.UsageError(
            f"--keep names {clash[0]}, which is also a predicted column. Rename it in "
            "the table, or do not keep it."
        )
    return pd.DataFrame({**before, **columns}, copy=False)


def _label_sets(found: Any, names: Any) -> list[str]:
    """Labels more likely than not, joined by a bar."""
    return ["|".join(names[row]) for row in found >= 0.5]
