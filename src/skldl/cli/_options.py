"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from skldl._text import split_outside_brackets
from skldl.cli._names import complete_data, complete_method

Decorator = Callable[[Any], Any]


def split_commas(text: str | None) -> list[str]:
    """Split at commas outside brackets."""
    return [part for part in split_outside_brackets(text or "", ",") if part]


def data_argument(function: Any) -> Any:
    """DATA: a file or the name of a data set."""
    return click.argument("data", shell_complete=complete_data)(function)


def table_options(function: Any) -> Any:
    """How to read DATA."""
    for option in reversed(
        (
            click.option(
                "-l", "--labels", metavar="A,B,...",
                help="Label columns of a table. One column means classes. Not needed "
                "for data sets by name, NPZ and MAT files.",
            ),
            click.option(
                "--features", metavar="A,B,...",
                help="Feature columns. Default: all other columns of numbers.",
            ),
            click.option(
                "--ignore", metavar="A,B,...",
                help="Columns that are no features, such as an id.",
            ),
            click.option(
                "--normalize", is_flag=True,
                help="Label columns hold counts or percentages: divide each row by its "
                "sum.",
            ),
            click.option(
                "--arrays", metavar="X,D",
                help="Names of the feature and label arrays in an NPZ or MAT file.",
            ),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def method_option(default: str | None, text: str) -> Decorator:
    """The option --method."""
    return click.option(
        "-m",
        "--method",
        metavar="NAME",
        default=default,
        required=default is None,
        show_default=default is not None,
        shell_complete=complete_method,
        help=text,
    )


def output_option(text: str, *, required: bool = False) -> Decorator:
    """The option --output."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        required=required,
        help=text,
    )


def plot_option(text: str) -> Decorator:
    """The option --plot."""
    return click.option("--plot", type=click.Path(path_type=Path), help=text)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
    help="Seed of methods that draw random numbers.",
)  # fmt: skip
