"""``skldl check``: all problems of a table in one go, and the command to run next."""

import json
from typing import Any

import click

from skldl.cli._options import json_option, labels_option, reading_options

EXAMPLES = """
\b
Examples:
  skldl check votes.csv
  skldl check votes.csv --labels 'vote_*'
  skldl check german.csv --sep ';' --decimal ,

\b
The exit code is 0 if nothing stops a fit, 1 otherwise.
"""
_KEPT = ("sep", "decimal", "encoding", "sheet", "ignore", "arrays")


@click.command(
    epilog=EXAMPLES,
    help="Say what the columns of the table FILE are, and list all that is wrong with "
    "it, with lines of the file. Label columns are guessed if they are not named.",
)
@click.argument("file")
@labels_option("Label columns, as in skldl fit.")
@click.option("--labels-after", metavar="A", help="All columns after this are labels.")
@click.option("--ignore", metavar="A,B,...", help="Columns that are not features.")
@click.option("--normalize", is_flag=True, help="Divide labels by their sum.")
@click.option("--arrays", metavar="X,D", help="Arrays in an NPZ or MAT file.")
@reading_options
@json_option
def command(file: str, as_json: bool, **options: Any) -> None:
    """Read, look, tell."""
    from skldl.cli._data import Request
    from skldl.datasets import check_table

    given = dict(options)
    request = Request.of(options)
    reading = request.reading()
    check = check_table(
        file,
        request.labels or None,
        labels_after=request.labels_after,
        ignore=request.ignore,
        normalize=request.normalize or None,
        **reading,
    )
    following = next_command(check, file, given)
    if as_json:
        click.echo(json.dumps(_facts(check, following), indent=1, ensure_ascii=False))
    else:
        _show_check(check, following)
    if not check.ok:
        raise SystemExit(1)


def next_command(check: Any, file: str, given: dict[str, Any]) -> str | None:
    """What to run next: a fit, or the making of a table of votes."""
    import shlex

    from skldl.cli._main import COMMANDS

    if check.long and check.guessed and "votes" in COMMANDS:
        names = [f"--{key}={name}" for key, name in check.long.items()]
        return shlex.join(["skldl", "votes", file, *names, "-o", "votes.csv"])
    if not check.labels:
        return None
    words = []
    for name in _KEPT:
        words += [f"--{name}", given[name]] if given[name] else []
    if given["normalize"]:
        words.append("--normalize")
    return check.command(file, words)


def _facts(check: Any, following: str | None) -> dict[str, Any]:
    columns = check.columns.rename_axis("column").reset_index()
    return {
        "name": check.name,
        "n_rows": check.n_rows,
        "columns": json.loads(columns.to_json(orient="records")),
        "labels": check.labels,
        "guessed": check.guessed,
        "problems": check.problems,
        "notes": check.notes,
        "next": following,
    }


def _show_check(check: Any, following: str | None) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    title = f"{check.name}: {check.n_rows} rows"
    table = Table(title=title, box=box.SIMPLE_HEAD)
    for name in ("column", "use", "role"):
        table.add_column(name)
    for name in ("missing", "distinct"):
        table.add_column(name, justify="right")
    table.add_column("why")
    for name, row in check.columns.iterrows():
        cells = [name, row["use"], row["role"], row["missing"], row["distinct"]]
        table.add_row(*(escape(str(cell)) for cell in [*cells, row["why"]]))
    Console().print(table)
    _tell_findings(check, following)


def _tell_findings(check: Any, following: str | None) -> None:
    if check.labels:
        how = "Label columns, guessed" if check.guessed else "Label columns"
        click.echo(f"{how}: {', '.join(check.labels)}.")
    for title, lines in (("Problems", check.problems), ("Notes", check.notes)):
        if lines:
            click.echo(f"{title}:")
        for line in lines:
            click.echo(f"  - {line}")
    if check.long and check.guessed:
        columns = ", ".join(f"{name} ({key})" for key, name in check.long.items())
        click.echo(f"The table seems to contain one vote per row: {columns}.")
    if following is not None:
        click.echo(f"{'Next' if check.ok else 'Then'}: {following}")
