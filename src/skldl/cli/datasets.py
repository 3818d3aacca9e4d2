"""``skldl datasets``: what there is, what is in it, where it is."""

import json
from typing import Any

import click

from skldl.cli._names import complete_dataset
from skldl.cli._options import json_option

EXAMPLES = """
\b
Examples:
  skldl datasets list --kind distribution
  skldl datasets describe SJAFFE
  skldl datasets fetch SJAFFE Yeast_alpha
  skldl datasets where
"""
_name = click.argument("name", shell_complete=complete_dataset)
_WIDE = 120  # characters of a terminal that has room for titles
_NAME = 21  # so that the tables of all kinds have their columns below each other
_KINDS = {
    "distribution": "Distributions: the degrees of a row sum to 1",
    "indicator": "Indicators: every label of a row is 0 or 1",
    "classes": "Classes: one label for each row",
}


@click.group(
    "datasets",
    invoke_without_command=True,
    epilog=EXAMPLES,
    help="List, describe and fetch data sets, and say where they are.",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, unless another command is named."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_datasets_command)


@command.command("list", help="List the data sets.")
@click.option(
    "-k", "--kind", type=click.Choice(["distribution", "indicator", "classes"]),
    help="Only those with this kind of target.",
)  # fmt: skip
@json_option
def list_datasets_command(kind: str | None = None, as_json: bool = False) -> None:
    """A table of names."""
    from skldl.datasets import is_at_hand, list_datasets

    table = list_datasets(kind).reset_index()
    table["here"] = [is_at_hand(name) for name in table["name"]]
    if as_json:
        click.echo(json.dumps(json.loads(table.to_json(orient="records")), indent=1))
        return
    for each, part in table.groupby("kind", sort=False):
        _print_kind(str(each), part)
    click.echo(
        "skldl datasets describe NAME says what is in a data set, skldl cite NAME "
        "prints its references.",
        err=True,
    )


def _print_kind(kind: str, part: Any) -> None:
    """The data sets of one kind; titles only where the terminal has room."""
    import pandas as pd
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    wide = console.width >= _WIDE
    picture = Table(
        title=_KINDS[kind], title_justify="left", box=box.SIMPLE_HEAD,
        show_edge=False, padding=(0, 1, 0, 0),
    )  # fmt: skip
    picture.add_column("name", no_wrap=True, min_width=_NAME)
    for number in ("rows", "features", "labels"):
        picture.add_column(number, no_wrap=True, justify="right", min_width=6)
    picture.add_column("files", no_wrap=True, min_width=8)
    picture.add_column("reference", no_wrap=True, min_width=19)
    if wide:
        picture.add_column("title")
    for row in part.itertuples():
        files = ("here" if row.here else "to fetch") if row.download else "built in"
        numbers = (row.n_samples, row.n_features, row.n_labels)
        sizes = ["" if pd.isna(number) else str(number) for number in numbers]
        title = [row.title] if wide else []
        picture.add_row(row.name, *sizes, files, row.reference, *title)
    console.print(picture)
    console.print()


@command.command("describe", help="Say what is in a data set; fetch it if need be.")
@_name
@json_option
def describe_dataset_command(name: str, as_json: bool) -> None:
    """Facts, one per line."""
    from skldl.datasets import list_datasets, load, numbered

    name = spelled_name(name)
    dataset = load(name)
    facts = dataset.describe()
    names = [str(label) for label in dataset.label_names]
    facts["labels"] = names
    facts["labels_named"] = names != numbered("label", len(names)).tolist()
    if as_json:
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False, default=float))
        return
    if not facts.pop("labels_named") and list_datasets().loc[name, "download"]:
        facts["note on labels"] = (
            "they are numbered, because no public source was found that says which "
            "label is in which column"
        )
    for key, value in facts.items():
        if value not in ("", None):
            click.echo(f"{key.replace('_', ' ')}: {_text(value)}")


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def spelled_name(name: str) -> str:
    """A data set's name as it is written, whatever the case it was typed in."""
    from skldl.datasets import list_datasets

    return {n.lower(): n for n in list_datasets().index}.get(name.lower(), name)


@command.command("fetch", help="Download the files of data sets and verify them.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_dataset)
def fetch_command(names: tuple[str, ...]) -> None:
    """One line per file."""
    from skldl.datasets import fetch

    for name in names:
        paths = fetch(spelled_name(name))
        for path in paths.values():
            click.echo(str(path))
        if not paths:
            click.echo(f"{spelled_name(name)} needs no files.", err=True)


@command.command("where", help="Print the folder in which data files are kept.")
def where_command() -> None:
    """The data home."""
    from skldl.datasets import get_data_home

    home = get_data_home()
    click.echo(str(home))
    if not home.is_dir():
        click.echo("It does not exist yet; fetching makes it.", err=True)
    click.echo("Set SKLDL_DATA to use another folder.", err=True)
