"""``skldl report``: a store as one HTML page."""

from pathlib import Path

import click

from skldl.cli._options import force_option

EXAMPLES = """
\b
Examples:
  skldl report results.sqlite
  skldl report results.sqlite -o faces.html --metrics clark,cosine --title Faces
  skldl report results.sqlite --split kfold-10 --seed 0 --control MSLP --open
"""


@click.command(
    epilog=EXAMPLES,
    help="Make one HTML page from the results in STORE, which compare wrote.",
)
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page, a name that ends in .html or .htm.",
)
@force_option
@click.option(
    "--metrics", metavar="A,B,...", help="What to show; the first one is drawn."
)
@click.option("--title", default="", help="Heading of the page.")
@click.option(
    "--control",
    metavar="METHOD",
    help="Test all others against this method. Default: the best of each data set.",
)
@click.option("--split", metavar="NAME", help="Only this split, as in kfold-10.")
@click.option("--seed", type=int, help="Only this seed.")
@click.option("--tuned/--untuned", default=None, help="Only tuned methods, or others.")
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def command(
    store: Path,
    output: Path,
    metrics: str | None,
    title: str,
    control: str | None,
    split: str | None,
    seed: int | None,
    tuned: bool | None,
    show: bool,
) -> None:
    """Write the page and say where it is."""
    from skldl.cli._write import check_output
    from skldl.report import write_report

    check_output(output, store, suffixes=())
    page = write_report(
        store,
        output,
        metrics=[name.strip() for name in (metrics or "").split(",") if name.strip()],
        title=title,
        control=control,
        split=split,
        seed=seed,
        tuned=tuned,
    )
    click.echo(f"The report is in {page.resolve()}")
    if show:
        click.launch(page.resolve().as_uri())
