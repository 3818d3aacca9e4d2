"""``skldl methods``: what there is to learn with, and its settings."""

import inspect
import json
import re
from typing import Any

import click

from skldl.cli._names import FAMILIES, complete_method
from skldl.cli._options import json_option

EXAMPLES = """
\b
Examples:
  skldl methods list --kind ldl
  skldl methods describe LSELDL

\b
Settings are in brackets and steps are joined by +, as in
  skldl fit toy -m "standard+AAkNN(n_neighbors=15)" -o model.skldl
Settings may be models, also those of scikit-learn, and lists of models, as in
  skldl compare toy -m "DistributionRegressor(RandomForestRegressor())"
  skldl compare toy -m "StackedDistribution([SABFGS(reg=1.0), standard+AAkNN])"
"""

_FAMILIES = {
    "ldl": "learners of distributions",
    "auto": "the automatic choice of a learner",
    "multilabel": "rankers of label sets",
    "projection": "projections that follow the labels",
    "classifiers": "classifiers",
}


@click.group(
    "methods",
    invoke_without_command=True,
    epilog=EXAMPLES,
    help="List the methods and describe their parameters.",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, unless another command is named."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_methods_command)


@command.command("list", help="List the methods.")
@click.option("-k", "--kind", type=click.Choice(FAMILIES), help="Only this family.")
@json_option
def list_methods_command(kind: str | None = None, as_json: bool = False) -> None:
    """A table of names with the first line of their documentation."""
    from skldl.discovery import all_estimators

    rows = [
        {"name": name, "kind": family, "summary": _first_line(cls)}
        for family in ([kind] if kind else FAMILIES)
        for name, cls in all_estimators(family)
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for family in dict.fromkeys(row["kind"] for row in rows):
        picture = Table(
            title=f"{family}: {_FAMILIES[family]}", title_justify="left",
            box=box.SIMPLE_HEAD, show_edge=False,
        )  # fmt: skip
        picture.add_column("name", no_wrap=True)
        picture.add_column("what it does")
        for row in rows:
            if row["kind"] == family:
                picture.add_row(row["name"], row["summary"])
        console.print(picture)
        console.print()
    if kind is None:
        click.echo(
            "Before them, joined by +: standard, minmax, unit, PCA. Also known: LDA, "
            "1NN, SVM of scikit-learn."
        )


@command.command("describe", help="Describe a method's parameters and defaults.")
@click.argument("name", shell_complete=complete_method)
@json_option
def describe_method_command(name: str, as_json: bool) -> None:
    """What it does, then one entry per parameter."""
    from skldl.methods import make_step

    estimator, grid = make_step(name, {})
    if estimator is None:
        click.echo("raw leaves the features as they are.")
        return
    facts: dict[str, Any] = {
        "name": type(estimator).__name__,
        "kind": _family(estimator),
        "summary": _first_line(type(estimator)),
        "parameters": parameters(estimator, grid),
    }
    if as_json:
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False, default=repr))
        return
    click.echo(f"{facts['name']} ({facts['kind']}): {facts['summary']}\n")
    for entry in facts["parameters"]:
        click.echo(f"  {entry['name']} = {entry['default']!r}")
        click.echo(f"      {entry['type']}")
        for line in _wrapped(entry["text"]):
            click.echo(f"      {line}")
        if entry["grid"]:
            click.echo(f"      --tune tries {entry['grid']}")


def _family(estimator: Any) -> str:
    from skldl.discovery import all_estimators

    for family in FAMILIES:
        if type(estimator) in dict(all_estimators(family)).values():
            return family
    theirs = type(estimator).__module__.startswith("sklearn.")
    return "scikit-learn" if theirs else "own"


def _first_line(cls: type) -> str:
    text = (inspect.getdoc(cls) or "").strip()
    return _plain_text(text.split("\n\n")[0].replace("\n", " "))


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 76)


def parameters(estimator: Any, grid: Any) -> list[dict[str, Any]]:
    """Name, default, type and text of every parameter, in the order of the call."""
    documented = _documented(inspect.getdoc(type(estimator)) or "")
    values = estimator.get_params(deep=False)
    names = [n for n in inspect.signature(type(estimator)).parameters if n in values]
    return [
        {
            "name": name,
            "default": values[name],
            "type": documented.get(name, ("", ""))[0],
            "text": documented.get(name, ("", ""))[1],
            "grid": list(grid.get(name, [])),
        }
        for name in names
    ]


def _documented(doc: str) -> dict[str, tuple[str, str]]:
    """Types and texts of the section Parameters of a docstring."""
    after = re.split(r"^Parameters\n-+\n", doc, maxsplit=1, flags=re.MULTILINE)
    if len(after) < 2:
        return {}
    section = re.split(r"^\S.*\n-{3,}\n", after[1], maxsplit=1, flags=re.MULTILINE)[0]
    found = {}
    for block in re.split(r"^(?=\S)", section, flags=re.MULTILINE):
        head, _, body = block.partition("\n")
        names, colon, kind = head.partition(" : ")
        if colon:
            text = _plain_text(" ".join(body.split()))
            for name in names.split(","):
                found[name.strip()] = (kind.strip(), text)
    return found


def _plain_text(text: str) -> str:
    """Documentation without its markup."""
    text = re.split(r"\.\. version", text)[0].strip()
    text = re.sub(r":[a-z:]+:`~?([^`]*)`", r"\1", text)
    return text.replace("``", "").replace("\\", "")
