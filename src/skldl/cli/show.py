"""``skldl show``: what a saved model says about itself."""

from pathlib import Path
from typing import Any

import click

from skldl.cli._mixed import tell_columns
from skldl.cli._names import file_argument
from skldl.cli._options import json_option

EXAMPLES = """
\b
Examples:
  skldl show model.skldl
  skldl show model.skldl --json

\b
The model itself is not loaded, so this is quick and safe for any file.
"""


@click.command(
    epilog=EXAMPLES,
    help="Say what the saved MODEL is: learner and settings, labels, features, what is "
    "done to each column, versions and training.",
)
@file_argument("model")
@json_option
def command(model: Path, as_json: bool) -> None:
    """Read the header and print it."""
    from skldl.models import read_header

    header = read_header(model)
    if as_json:
        click.echo(header.to_json())
        return
    for line in described(header):
        click.echo(line)


def described(header: Any) -> list[str]:
    """The header in lines for people."""
    from skldl._text import listed

    what = {
        "distribution": "distributions of the labels",
        "indicator": "sets of the labels",
        "classes": "one of the classes",
    }[header.target]
    rows = str(header.n_samples) if header.n_samples else "an unknown number of"
    data = f" of {header.data}" if header.data else ""
    seed = "" if header.seed is None else f", seed {header.seed}"
    versions = ", ".join(f"{name} {v}" for name, v in header.versions.items())
    lines = [
        f"Method: {header.method}{' (tuned)' if header.tuned else ''}",
        f"Predicts: {what} {listed(header.label_names, 50)}",
        f"Trained: on {rows} rows{data}, {header.created}{seed}",
        f"Features: {len(header.feature_names)}: {listed(header.feature_names, 20)}",
    ]
    if header.verdict:
        lines.append(f"How good: {header.verdict}")
    if header.columns:
        lines += ["Columns:", *tell_columns(header.columns)]
    settings = [
        f"  {name} = {value!r}"
        for name, value in header.params.items()
        if not _is_part(name, value)
    ]
    lines += ["Settings:", *settings] if settings else []
    return [*lines, f"Versions: {versions}"]


def _is_part(name: str, value: Any) -> bool:
    """Whether this is a step, whose own settings stand in lines of their own."""
    housekeeping = {"steps", "memory", "transform_input", "verbose"}
    return name in housekeeping or (
        "__" not in name and isinstance(value, str) and value.endswith(")")
    )
