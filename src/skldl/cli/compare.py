"""``skldl compare``: methods on data sets, into a store, onto the screen."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from skldl.cli._mixed import mixed_options
from skldl.cli._names import complete_data
from skldl.cli._options import (
    annotation_options,
    force_option,
    how_option,
    raw_cells_option,
    split_commas,
    table_options,
    weights_option,
)

_PLAN_OPTIONS = (
    "methods", "labels", "labels_after", "features", "ignore", "normalize", "empty",
    "arrays", "sep", "decimal", "encoding", "sheet", "categorical", "text", "dates",
    "missing", "cv", "repeats", "test_size", "fixed", "tune", "scoring", "metrics",
    "reference", "seed", "annotations", "item", "label", "annotator", "how", "weights",
)  # fmt: skip

EXAMPLES = """
\b
Examples:
  skldl compare toy synthetic --cv 5
  skldl compare votes.csv --labels joy,fear,calm --normalize --tune
  skldl compare SJAFFE -m AAkNN -m "standard+AAkNN(weights='dudani')"
  skldl compare all --methods all --cv 5 --store everything.sqlite
  skldl compare votes.csv -l joy,fear,calm -m AAkNN -m own.py:MyLearner
  skldl compare --plan plan.toml --store results.sqlite --jobs 4
"""


@click.command(
    epilog=EXAMPLES,
    help="Compare methods on DATA: names of data sets, or table files. 'all' stands "
    "for every data set with distributions that needs no download.",
)
@click.argument("data", nargs=-1, shell_complete=complete_data)
@click.option(
    "--plan",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A plan in TOML, in place of DATA and the options up to --seed.",
)
@click.option(
    "-m",
    "--methods",
    multiple=True,
    metavar="NAME",
    help="A method, as in standard+AAkNN, or your own class, as in own.py:MyLearner; "
    "repeat for more, or join by commas. 'all' stands for every learner of "
    "distributions. Default: all, raw and standardised.",
)
@table_options
@mixed_options
@annotation_options
@how_option(None)
@weights_option(
    "How the number of votes weighs a row in the fit of methods that take weights. "
    "Default: not at all."
)
@click.option(
    "--cv", type=click.IntRange(2, 1000), default=10, show_default=True, help="Folds."
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Repetitions of the folds or random splits.",
)
@click.option(
    "--test-size",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Random splits with this share of test rows, in place of folds.",
)
@click.option("--fixed", is_flag=True, help="Use the data sets' own splits.")
@click.option(
    "--tune", is_flag=True, help="Search each method's grid on the training part."
)
@click.option("--scoring", metavar="METRIC", help="What tuning optimises.")
@click.option("--metrics", metavar="A,B,...", help="What to show.")
@click.option(
    "--reference",
    type=click.Path(dir_okay=False, path_type=Path),
    help="CSV of published numbers to show beside ours.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Base seed.")
@click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("skldl-results.sqlite"),
    show_default=True,
    help="Where results are kept; run again to go on.",
)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Jobs at the same time.")
@click.option("--serial", is_flag=True, help="Run in this process, without workers.")
@click.option(
    "--dask", metavar="ADDRESS", help="Run on a Dask cluster; 'local' starts one here."
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Stop a fold after this many seconds.",
)
@click.option(
    "--memory-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="MB",
    help="Stop a fold that needs more memory.",
)
@click.option("--retry-failed", is_flag=True, help="Run failed folds again.")
@click.option(
    "--keep-predictions",
    type=click.IntRange(0, 100),
    default=6,
    show_default=True,
    metavar="N",
    help="Samples of each data set whose predictions a report can show, with a "
    "picture of the data; 0 keeps none.",
)
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write all rows of the store to a .csv or .parquet file.",
)
@force_option
@raw_cells_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(store: Path, export: Path | None, as_json: bool, **options: Any) -> None:
    """Make the plan, run it, show the tables."""
    from skldl.benchmark import (
        Store,
        compare_with_reference,
        run,
        shown_metrics,
        summarize,
    )
    from skldl.cli._compared import print_edges, print_failures, print_notes
    from skldl.cli._show import print_tables, progress_bar
    from skldl.cli._write import check_output, wants_raw_cells

    inputs = _inputs(options)
    check_output(store, *inputs, suffixes=(), resumes=True)
    check_output(export, *inputs, store, suffixes=(".csv", ".parquet"))
    plan = _plan(options)
    _require_metrics(plan)
    console = Console(stderr=as_json)
    with Store(store) as opened:
        try:
            with progress_bar(console) as follow:
                rows = run(plan, opened, progress=follow, **_run_options(options))
        except KeyboardInterrupt:
            click.echo(f"Finished folds are in {store}; run again to go on.", err=True)
            raise
        _note_kept(opened, rows, options["keep_predictions"])
        if export is not None:
            opened.export(export, raw_cells=wants_raw_cells())
    metrics = shown_metrics(rows, plan.metrics)
    table = summarize(rows, metrics=metrics)
    if plan.reference is not None:
        table = compare_with_reference(table, plan.reference)
    print_failures(rows)
    print_edges(rows)
    if as_json:
        click.echo(json.dumps(json.loads(table.to_json(orient="records")), indent=1))
    else:
        hidden = print_tables(console, table, metrics)
        print_notes(console, rows, plan, hidden, store)
    if len(rows) and (rows["status"] != "ok").all():
        raise ValueError("Every fold failed; the messages are above.")


def _require_metrics(plan: Any) -> None:
    """Refuse metrics of which none fits any data set, before any work."""
    from skldl.datasets import load
    from skldl.methods import metrics_for

    def fits(entry: Any) -> bool:
        dataset = load(entry) if isinstance(entry, str) else entry
        return bool({m.name for m in metrics_for(dataset)} & set(plan.metrics))

    if plan.metrics and not any(map(fits, plan.datasets)):
        raise ValueError(
            f"None of the metrics {', '.join(plan.metrics)} fits the targets of these "
            "data. Leave out --metrics to use those that do."
        )


def _note_kept(store: Any, rows: Any, wanted: int) -> None:
    """Say when folds that were done before keep no predictions for a report."""
    from skldl.cli._data import note
    from skldl.metrics import get_metric

    judged = rows.dropna(subset=["metric"])
    kinds = {name: get_metric(name).kind for name in judged["metric"].unique()}
    jobs = judged[judged["metric"].map(kinds) == "distribution"]["job"].unique()
    if wanted and len(jobs) and not set(jobs) & set(store.predictions()["job"]):
        note(
            "The store has these folds from an earlier run that kept no predictions, "
            "so a report cannot show any. Use another --store to keep some."
        )


def _plan(options: dict[str, Any]) -> Any:
    from skldl.benchmark import Plan, Split, read_plan, read_reference
    from skldl.methods import Tuning

    if options["scoring"] and not options["tune"]:
        raise click.UsageError("--scoring names what --tune optimises; give both.")
    if options["fixed"] and options["test_size"] is not None:
        raise click.UsageError("Give --fixed or --test-size, not both.")
    if options["serial"] and options["dask"] is not None:
        raise click.UsageError("Give --serial or --dask, not both.")
    if options["plan"] is not None:
        if options["data"]:
            raise click.UsageError("Give DATA or --plan, not both.")
        _refuse_plan_options()
        return read_plan(options["plan"])
    if not options["data"]:
        raise click.UsageError("Name data sets or a table file, or give --plan.")
    split = Split("kfold", n_splits=options["cv"], n_repeats=options["repeats"])
    if options["fixed"]:
        split = Split("fixed")
    elif options["test_size"] is not None:
        split = Split(
            "shuffle", test_size=options["test_size"], n_repeats=options["repeats"]
        )
    reference = options["reference"]
    weights = options["weights"]
    return Plan(
        datasets=_datasets(options),
        methods=[m for text in options["methods"] for m in split_commas(text)]
        or _default_methods(),
        split=split,
        tuning=Tuning(options["scoring"]) if options["tune"] else None,
        metrics=split_commas(options["metrics"]),
        seed=options["seed"],
        reference=None if reference is None else read_reference(reference),
        weights=None if weights == "none" else weights,
    )


def _inputs(options: dict[str, Any]) -> list[Any]:
    """Files and names that are read, also those that a plan names."""
    from skldl.benchmark import plan_files

    named = [options[name] for name in ("plan", "reference", "annotations")]
    plan = options["plan"]
    planned = plan_files(plan) if plan is not None and plan.is_file() else []
    return [*options["data"], *named, *planned]


def _refuse_plan_options() -> None:
    """What a plan says itself must not be said again on the command line."""
    context = click.get_current_context()
    for name in _PLAN_OPTIONS:
        source = context.get_parameter_source(name)
        if source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{name.replace('_', '-')} cannot be used with --plan; change the "
                "plan."
            )


def _datasets(options: dict[str, Any]) -> list[Any]:
    """Names of data sets as they are, and what files hold."""
    from skldl.cli._data import Request, known_name
    from skldl.cli._mixed import read_as_text, take_mixed, with_roles
    from skldl.cli._votes import Annotations, load_any

    given = Annotations.of(options)
    if given is not None and len(options["data"]) > 1:
        raise click.UsageError("--annotations belong to one table; name one DATA.")
    mixed = take_mixed(options)
    request = replace(Request.of(options), text=read_as_text(mixed))
    found: list[Any] = []
    for entry in options["data"]:
        if _stands_for_many(entry):
            found += _at_hand(entry)
            continue
        name = known_name(entry)
        file = entry == "-" or Path(entry).suffix or Path(entry).exists()
        if name is None and not file:
            name = entry  # loading will say what is known
        if name is None or given is not None:
            whole = load_any(entry, request, given)
            found.append(with_roles(whole, mixed))
        else:
            found.append(name)
    return found


def _stands_for_many(entry: str) -> bool:
    """Whether it is a word such as all, and not a file of that name."""
    words = ("all", "distribution", "indicator", "classes")
    return entry in words and not Path(entry).exists()


def _at_hand(entry: str) -> list[str]:
    """The data sets that a word stands for, with a note on those left out."""
    from skldl.cli._data import note
    from skldl.datasets import expand_datasets, list_datasets

    found = expand_datasets(entry)
    kind = "distribution" if entry == "all" else entry
    others = [name for name in list_datasets(kind).index if name not in found]
    if others:
        note(
            f"Left out, as they are not at hand: {', '.join(others)}. "
            f"skldl datasets fetch {' '.join(others)} downloads them."
        )
    return found


def _default_methods() -> list[str]:
    from skldl.methods import learner_names

    return [method for name in learner_names() for method in (name, f"standard+{name}")]


def _run_options(options: dict[str, Any]) -> dict[str, Any]:
    engine, address = "process", None
    if options["serial"]:
        engine = "serial"
    elif options["dask"] is not None:
        engine = "dask"
        address = None if options["dask"] == "local" else options["dask"]
    return {
        "engine": engine,
        "dask_address": address,
        "n_jobs": options["jobs"],
        "time_limit": options["time_limit"],
        "memory_limit": options["memory_limit"],
        "retry_failed": options["retry_failed"],
        "keep_predictions": options["keep_predictions"],
    }
