"""``skldl cite``: references of methods and data sets as BibTeX."""

from pathlib import Path
from typing import Any

import click

from skldl.cli._options import output_option

EXAMPLES = """
\b
Examples:
  skldl cite
  skldl cite MSLP SJAFFE
  skldl cite LDLLC AAkNN Movie -o references.bib
"""


def _complete(ctx: Any, param: Any, incomplete: str) -> list[str]:
    from skldl.citations import cited_names

    return [n for n in cited_names() if n.lower().startswith(incomplete.lower())]


@click.command(
    epilog=EXAMPLES,
    help="Print what to cite for methods and data sets as BibTeX; without a name, for "
    "the library itself.",
)
@click.argument("names", nargs=-1, shell_complete=_complete)
@click.option("--list", "listed", is_flag=True, help="List the names that are known.")
@output_option("A .bib file to write. Default: the screen.")
def command(names: tuple[str, ...], listed: bool, output: Path | None) -> None:
    """BibTeX of all names, each reference once."""
    from skldl._files import write_text
    from skldl.citations import cite, cited_names
    from skldl.cli._write import check_output

    if listed:
        click.echo("\n".join(cited_names()))
        return
    check_output(output, suffixes=(".bib",))
    text = cite(names or ("scikit-ldl",))
    if output is None or str(output) == "-":
        click.echo(text, nl=False)
        return
    write_text(output, text)
    click.echo(f"The references are in {output}.")
