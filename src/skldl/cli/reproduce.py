"""``skldl reproduce``: published tables again, beside our own numbers."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

PAPERS = ("mslp", "lse-ldl", "lwknn", "jplay", "generalized-hamming", "field", "all")

EXAMPLES = """
\b
Examples:
  skldl reproduce mslp --quick --store quick.sqlite
  skldl reproduce mslp --store results.sqlite --jobs 2
  skldl reproduce lwknn --data-sets SJAFFE,M2B --standardize --store results.sqlite
"""


@click.command(
    epilog=EXAMPLES,
    help="Run the tables of PAPERS in their own protocols; 'field' runs every "
    "distribution learner with its defaults. What the store has is skipped.",
)
@click.argument("papers", nargs=-1, required=True, type=click.Choice(PAPERS))
@click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("skldl-reproduce.sqlite"),
    show_default=True,
    help="Where results are kept.",
)
@click.option("--quick", is_flag=True, help="Smallest data, few folds, short grids.")
@click.option("--data-sets", metavar="A,B,...", help="Only these data sets.")
@click.option("--methods", metavar="A,B,...", help="Only these methods.")
@click.option("--standardize", is_flag=True, help="Also on standardised features.")
@click.option(
    "--best-on-test",
    is_flag=True,
    help="Also every setting by itself, to show the best over the test folds, as "
    "published numbers were often made.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1), help="Folds at the same time.  [cores]"
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Stop a fold after so many seconds.",
)
@click.option("--retry-failed", is_flag=True, help="Run failed folds again.")
def command(papers: tuple[str, ...], store: Path, **options: Any) -> None:
    """Run."""
    from skldl.cli._show import progress_bar
    from skldl.cli.compare import split_commas
    from skldl.reproduce import Selection, run_papers

    selection = Selection(
        quick=options["quick"],
        datasets=split_commas(options["data_sets"]),
        methods=split_commas(options["methods"]),
        standardize=options["standardize"],
        best_on_test=options["best_on_test"],
    )
    with progress_bar(Console(stderr=True)) as follow:
        run_papers(
            papers,
            store,
            selection=selection,
            progress=lambda name, now: follow(now, name),
            n_jobs=options["jobs"],
            time_limit=options["time_limit"],
            retry_failed=options["retry_failed"],
        )
