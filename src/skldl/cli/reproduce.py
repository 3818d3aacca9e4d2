"""``skldl reproduce``: published tables again, beside our own numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from skldl.cli._options import force_option

PAPERS = ("mslp", "lse-ldl", "lwknn", "jplay", "generalized-hamming", "field", "all")

DEFAULT_STORE = Path("skldl-reproduce.sqlite")

EXAMPLES = """
\b
Examples:
  skldl reproduce mslp --quick
  skldl reproduce lwknn --data-sets SJAFFE,M2B --store results.sqlite --jobs 2
  skldl reproduce all --report --store results.sqlite --output results
  skldl reproduce all --report --results results --output pages
  skldl reproduce mslp --store new.sqlite --results results --output results --force
"""


@click.command(
    epilog=EXAMPLES,
    help="Run the tables of PAPERS in their own protocols and write a page for each; "
    "'field' runs the learners of the tables with their former defaults. What the "
    "store has is skipped.",
)
@click.argument("papers", nargs=-1, required=True, type=click.Choice(PAPERS))
@click.option(
    "--store",
    "stores",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="Where results are kept; --report reads several.  [skldl-reproduce.sqlite]",
)
@click.option("--quick", is_flag=True, help="Smallest data, few folds, short grids.")
@click.option("--data-sets", metavar="A,B,...", help="Only these data sets.")
@click.option(
    "--methods",
    metavar="A,B,...",
    help="Only these methods; standard+A is A on standardised features alone, A|SVM is "
    "A before the classifier SVM.",
)
@click.option("--standardize", is_flag=True, help="Also on standardised features.")
@click.option(
    "--best-on-test",
    is_flag=True,
    help="Also every setting by itself, to show the best over the test folds, as "
    "published numbers were often made.",
)
@click.option(
    "--max-folds",
    type=click.IntRange(1),
    metavar="N",
    help="Only the first N folds, splits or draws; a later run adds the others.",
)
@click.option(
    "--skip-folds",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Leave out the first N folds, splits or draws, which --results has.",
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
@click.option("--report", is_flag=True, help="Run nothing, write the pages only.")
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of earlier summaries, which the results of --store are laid over. "
    "With --report and without --store: pages of the summaries alone.",
)
@click.option(
    "--figures", is_flag=True, help="Measure the rows of figures that are missing."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("skldl-reproduce"),
    show_default=True,
    help="Folder for summaries, pages and figures.",
)
@force_option
def command(papers: tuple[str, ...], **options: Any) -> None:
    """Run, summarise and write; say where the pages are."""
    from skldl.reproduce import reproduce

    _check(options)
    alone = options["report"] and options["results"] is not None
    stores = options["stores"] or ([] if alone else [DEFAULT_STORE])
    _check_outputs(papers, stores, options)
    with _followed(options["report"]) as follow:
        made = reproduce(
            papers,
            stores,
            options["output"],
            selection=_selection(options),
            run=not options["report"],
            results=options["results"],
            figures=options["figures"],
            progress=follow,
            n_jobs=options["jobs"],
            time_limit=options["time_limit"],
            retry_failed=options["retry_failed"],
        )
    for paper in made:
        click.echo(f"{paper}; the page is {paper.pages[1].resolve()}")


@contextmanager
def _followed(report: bool) -> Iterator[Any]:
    """A bar while papers run; pages alone need none."""
    from skldl.cli._show import progress_bar

    if report:
        yield None
        return
    with progress_bar(Console(stderr=True)) as follow:
        yield lambda name, now: follow(now, name)


def _selection(options: dict[str, Any]) -> Any:
    from skldl.cli._options import split_commas
    from skldl.reproduce import Selection

    return Selection(
        quick=options["quick"],
        datasets=split_commas(options["data_sets"]),
        methods=split_commas(options["methods"]),
        standardize=options["standardize"],
        best_on_test=options["best_on_test"],
        max_folds=options["max_folds"],
        skip_folds=options["skip_folds"],
    )


def _check(options: dict[str, Any]) -> None:
    if options["results"] is not None and options["quick"]:
        raise click.UsageError("--results has full runs; leave out --quick.")
    chosen = ("data_sets", "methods", "standardize", "best_on_test")
    for name in (*chosen, "max_folds", "skip_folds"):
        if options["report"] and options[name]:
            option = "--" + name.replace("_", "-")
            raise click.UsageError(
                f"{option} has no effect on --report; leave one of them out."
            )
    if options["best_on_test"] and options["skip_folds"]:
        raise click.UsageError(
            "--best-on-test compares settings over all folds of one store; leave out "
            "--skip-folds."
        )
    if len(options["stores"]) > 1 and not options["report"]:
        raise click.UsageError("Give one --store to run; --report reads several.")


def _check_outputs(
    papers: tuple[str, ...], stores: Any, options: dict[str, Any]
) -> None:
    """Pages of an earlier run are overwritten only with --force; a store goes on."""
    from skldl.cli._write import check_folder, check_output

    for store in () if options["report"] else stores:
        check_output(store, suffixes=(), resumes=True)
    keys = PAPERS[:-1] if "all" in papers else papers
    kinds = (".md", ".html") if options["results"] else (".csv", ".md", ".html")
    quick = "-quick" if options["quick"] else ""
    names = [f"{key}{quick}{kind}" for key in dict.fromkeys(keys) for kind in kinds]
    index = [] if quick or len(keys) == 1 else ["README.md"]
    check_folder(options["output"], [*names, *index], *stores)
