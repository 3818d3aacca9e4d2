"""``skldl table``: a store as the table of a paper."""

from pathlib import Path
from typing import Any

import click

from skldl.cli._options import output_option, raw_cells_option, split_commas

EXAMPLES = """
\b
Examples:
  skldl table results.sqlite
  skldl table results.sqlite --latex --metrics chebyshev,clark,KL -o table.tex
  skldl table results.sqlite --latex --methods MSLP,AAkNN --control MSLP --test t
  skldl table results.sqlite --csv -o numbers.csv
"""
#: Format to ends of file names.
_SUFFIXES = {"latex": (".tex",), "markdown": (".md", ".markdown"), "csv": (".csv",)}


@click.command(
    epilog=EXAMPLES,
    help="Write the results in STORE, which compare wrote, as the table of a paper: "
    "mean and deviation, the best in bold, marks of significance, wins, ties and "
    "losses, average ranks.",
)
@click.argument("store", type=click.Path(path_type=Path))
@click.option("--latex", "form", flag_value="latex", help="LaTeX with booktabs.")
@click.option("--markdown", "form", flag_value="markdown", help="Markdown (default).")
@click.option(
    "--csv", "form", flag_value="csv", help="CSV: one row for each number, unrounded."
)
@output_option("File to write; its name may say the format. Default: the screen.")
@raw_cells_option
@click.option("--metrics", metavar="A,B,...", help="What to show.")
@click.option("--methods", metavar="A,B,...", help="Only these, in this order.")
@click.option("--datasets", metavar="A,B,...", help="Only these, in this order.")
@click.option(
    "--control",
    metavar="METHOD",
    help="Test all others against this method. Default: the best by average rank.",
)
@click.option(
    "--test",
    type=click.Choice(["corrected_t", "t", "none"]),
    default="corrected_t",
    show_default=True,
    help="Test over the folds of each data set: corrected for training rows that folds "
    "share, the paired t-test of most published tables, or none.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of the test.",
)
@click.option(
    "--digits", type=click.IntRange(0, 10), default=4, show_default=True,
    help="Decimals.",
)  # fmt: skip
@click.option(
    "--methods-as",
    type=click.Choice(["rows", "columns"]),
    help="Default: columns for up to eight methods, rows for more.",
)
@click.option("--caption", help="Caption of the LaTeX table, in LaTeX.")
@click.option("--split", metavar="NAME", help="Only this split, as in kfold-10.")
@click.option("--seed", type=int, help="Only this seed.")
@click.option("--tuned/--untuned", default=None, help="Only tuned methods, or others.")
def command(store: Path, form: str | None, output: Path | None, **options: Any) -> None:
    """Make the table and write or print it."""
    from skldl._files import write_text
    from skldl.cli._write import check_output

    form = _format(form, output)
    if options["caption"] is not None and form != "latex":
        raise click.UsageError("--caption is for --latex.")
    check_output(output, store, suffixes=_SUFFIXES[form])
    text = _text_of(store, form, options)
    if output is None or str(output) == "-":
        click.echo(text, nl=False)
        return
    write_text(output, text)
    click.echo(f"The table is in {output}.")


def _format(form: str | None, output: Path | None) -> str:
    """What was asked for, or what the name of the file says."""
    if form is not None:
        return form
    suffix = "" if output is None else output.suffix.lower()
    found = [name for name, ends in _SUFFIXES.items() if suffix in ends]
    return found[0] if found else "markdown"


def _text_of(store: Path, form: str, options: dict[str, Any]) -> str:
    from skldl.benchmark import paper_table
    from skldl.cli._write import wants_raw_cells

    test = options["test"]
    table = paper_table(
        store,
        metrics=split_commas(options["metrics"]),
        methods=split_commas(options["methods"]),
        datasets=split_commas(options["datasets"]),
        control=options["control"],
        test=None if test == "none" else test,
        alpha=options["alpha"],
        split=options["split"],
        seed=options["seed"],
        tuned=options["tuned"],
    )
    if form == "csv":
        return table.to_csv(raw_cells=wants_raw_cells())
    turned = {"rows": True, "columns": False, None: None}[options["methods_as"]]
    shape = {"digits": options["digits"], "transpose": turned}
    if form == "latex":
        return table.to_latex(caption=options["caption"], **shape)
    return table.to_markdown(**shape)
