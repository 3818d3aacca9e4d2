"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from skldl._text import split_names
from skldl.cli._names import complete_data, complete_method

Decorator = Callable[[Any], Any]

#: What can become of the answers of a crowd.
HOW = ("counts", "smoothed", "dawid_skene", "glad", "mace")
#: How numbers of votes become weights of rows.
WEIGHTS = ("precision", "count", "sqrt", "none")


def split_commas(text: str | None) -> list[str]:
    """Split at commas outside brackets and quotes."""
    return split_names(text or "")


def data_argument(function: Any) -> Any:
    """DATA: a file or the name of a data set."""
    return click.argument("data", shell_complete=complete_data)(function)


def reading_options(function: Any) -> Any:
    """How the file of a table is written, where that cannot be seen."""
    for option in reversed(
        (
            click.option(
                "--sep", metavar="CHAR",
                help="Separator of a CSV file. Default: found in the file.",
            ),
            click.option(
                "--decimal", type=click.Choice([".", ","]),
                help="Decimal sign of a CSV file. Default: found in the file.",
            ),
            click.option(
                "--encoding", metavar="NAME",
                help="Encoding of a CSV file, as in cp1252. Default: found in the "
                "file.",
            ),
            click.option(
                "--sheet", metavar="NAME",
                help="Sheet of an Excel file, by name or number. Default: the first.",
            ),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def labels_option(text: str) -> Decorator:
    """The option --labels, which may be repeated."""
    return click.option("-l", "--labels", metavar="A,B,...", multiple=True, help=text)


def empty_option(function: Any) -> Any:
    """The option --empty."""
    return click.option(
        "--empty", type=click.Choice(["drop", "error"]), default="drop",
        show_default=True, help="What to do with rows without votes.",
    )(function)  # fmt: skip


def table_options(function: Any) -> Any:
    """How to read DATA, and which columns are what."""
    for option in reversed(
        (
            labels_option(
                "Label columns of a table: names, patterns such as 'vote_*', ranges "
                "such as 3-5 or first..last. One column means classes. Not needed for "
                "data sets by name, NPZ and MAT files.",
            ),
            click.option(
                "--labels-after", metavar="A",
                help="All columns after this one are labels.",
            ),
            click.option(
                "--features", metavar="A,B,...",
                help="Feature columns. Default: all other columns but ids.",
            ),
            click.option(
                "--ignore", metavar="A,B,...",
                help="Columns that are not features, such as an id.",
            ),
            click.option(
                "--normalize", is_flag=True,
                help="Divide each row of the labels by its sum, whatever it is. Counts "
                "and percentages are recognised without it.",
            ),
            empty_option,
            click.option(
                "--arrays", metavar="X,D",
                help="Names of the feature and label arrays in an NPZ or MAT file.",
            ),
            reading_options,
        )
    ):  # fmt: skip
        function = option(function)
    return function


def annotation_options(function: Any) -> Any:
    """Raw answers of a crowd, in place of label columns."""
    for option in reversed(
        (
            click.option(
                "--annotations", metavar="FILE",
                help="Raw answers of a crowd, one in each row. DATA is then the table "
                "of the items, without label columns.",
            ),
            click.option(
                "--item", metavar="COLUMN",
                help="What was judged: a column of both tables. Default: item.",
            ),
            click.option(
                "--label", metavar="COLUMN",
                help="The answer, in --annotations. Default: label.",
            ),
            click.option(
                "--annotator", metavar="COLUMN", help="Who answered.",
            ),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def how_option(default: str | None) -> Decorator:
    """The option --how."""
    return click.option(
        "--how", type=click.Choice(HOW), default=default, show_default=bool(default),
        help="Counts of votes, smoothed shares, or probabilities by a model of the "
        "annotators." + ("" if default else " Default: counts."),
    )  # fmt: skip


def weights_option(text: str) -> Decorator:
    """The option --weights."""
    return click.option("--weights", type=click.Choice(WEIGHTS), help=text)


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
    """The options --output and --force."""
    option = click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        required=required,
        help=text,
    )
    return lambda function: option(force_option(function))


def page_option(name: str, text: str) -> Decorator:
    """An option that names an HTML page."""
    path = click.Path(dir_okay=False, path_type=Path)
    return click.option(name, type=path, metavar="FILE", help=text)


def plot_option(text: str) -> Decorator:
    """The option --plot."""
    return click.option("--plot", type=click.Path(path_type=Path), help=text)


def _remembered(name: str) -> Any:
    """Keep a flag where the writers of files look for it, see ``cli/_write.py``."""

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[name] = value

    return keep


force_option = click.option(
    "--force", is_flag=True, expose_value=False, callback=_remembered("skldl.force"),
    help="Overwrite files that are there already.",
)  # fmt: skip
raw_cells_option = click.option(
    "--raw-cells", is_flag=True, expose_value=False,
    callback=_remembered("skldl.raw_cells"),
    help="Write text such as =1+1 into CSV files as it is. Default: with an apostrophe "
    "in front, so that a spreadsheet does not run it.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
    help="Seed of methods that draw random numbers.",
)  # fmt: skip
