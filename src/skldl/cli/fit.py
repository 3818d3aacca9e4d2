"""``skldl fit``: learn from a table, save the model."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from skldl.cli._auto import auto_options, chosen_method, told
from skldl.cli._mixed import mixed_options, tell_columns
from skldl.cli._options import (
    annotation_options,
    data_argument,
    how_option,
    json_option,
    method_option,
    output_option,
    page_option,
    seed_option,
    table_options,
    weights_option,
)
from skldl.cli._regions import coverage_option, weights_beside_regions

EXAMPLES = """
\b
Examples:
  skldl fit votes.csv --labels joy,fear,calm -o model.skldl
  skldl fit votes.csv --labels 'vote_*' --time-limit 600 --jobs 2 -o model.skldl
  skldl fit toy --method "AAkNN(n_neighbors=15)" -o toy.skldl
  skldl fit SJAFFE --method standard+LSELDL --tune -o sjaffe.skldl
  skldl fit survey.csv --labels yes,no --categorical zip --text comment -o m.skldl
  skldl fit votes.csv --labels joy,fear,calm -o model.skldl --report page.html
  skldl fit pictures.csv --annotations answers.csv --item picture --label emotion
    -o model.skldl

\b
Without --method, AutoLDL tries many methods for a minute and pools the best ones.
Categories, dates, text and gaps are handled; the saved model does the same to new
rows. Where labels are counts, rows with more votes weigh more. skldl methods lists the
methods, skldl predict applies the model, skldl show says what is in it.
"""


@click.command(
    epilog=EXAMPLES,
    help="Learn from DATA, say how good the model is, and save it. DATA is a CSV, TSV, "
    "Excel, Parquet, Feather, ARFF, NPZ or MAT file, - for standard input, or the name "
    "of a data set.",
)
@data_argument
@table_options
@mixed_options
@annotation_options
@how_option(None)
@weights_option(
    "How the number of votes weighs a row: n / (n + mean), n, its root, or not at all. "
    "Default: precision, where labels are counts."
)
@method_option(
    "auto",
    "A method with settings in brackets and the steps before it, joined by +; auto "
    "is AutoLDL, the best pool of many.",
)
@auto_options
@click.option("--tune", is_flag=True, help="Search the method's grid first.")
@click.option("--scoring", metavar="METRIC", help="What AutoLDL or --tune makes best.")
@coverage_option(
    "Keep a quarter of the rows apart, so that skldl predict --coverage can say how "
    "sure a prediction is; 0.9 is usual. AutoLDL needs no rows for it."
)
@seed_option
@output_option("Where to save the model, as in model.skldl.", required=True)
@page_option(
    "--report",
    "Also write a page about the model: how good it is on rows that it was not fitted "
    "on, and what it does.",
)
@json_option
def command(
    data: str, output: Path, report: Path | None, as_json: bool, **options: Any
) -> None:
    """Load, fit, save, say what was done."""
    from skldl.cli._data import Request, note, options_in_errors, require_votes
    from skldl.cli._mixed import read_as_text, take_mixed, with_roles
    from skldl.cli._model_page import check_page, require_distributions
    from skldl.cli._votes import Annotations, load_any, row_weights
    from skldl.cli._write import check_output
    from skldl.methods import for_dataset, target_kind
    from skldl.models import read_header

    given = Annotations.of(options)
    inputs = (data, given.path if given else None)
    check_output(output, *inputs, suffixes=())
    check_output(options["store"], *inputs, suffixes=(), resumes=True)
    check_page(report, *inputs, output)
    method = chosen_method(options)
    mixed = take_mixed(options)
    request = replace(Request.of(options), text=read_as_text(mixed))
    dataset = load_any(data, request, given, target_kind(method.estimator))
    require_votes(dataset)
    require_kind(method, dataset)
    if report is not None:
        require_distributions(dataset.kind, "--report")
    dataset = with_roles(dataset, mixed)
    method = for_dataset(method, dataset)
    X, y = dataset.frames()
    tune = options["tune"] and bool(method.grid)
    if options["tune"] and not tune:
        note(f"{method.name} has no grid to search; it is fitted as it is.")
    wanted = weights_beside_regions(options, method)
    weights = row_weights(dataset, wanted, method.name, method.estimator)
    begin = time.perf_counter()
    with options_in_errors():
        model = fit_model(method, X, y, dataset.kind, options, tune, weights)
    seconds = time.perf_counter() - begin
    facts = {
        "method": method.name,
        "normalized": request.normalize,
        "seed": options["seed"],
        "tuned": tune,
    }
    save(model, output, dataset, y, dataset.extra.get("label_columns"), facts)
    header = read_header(output) if output.is_file() else None
    if as_json and header is not None:
        click.echo(header.to_json())
    else:
        for line in [*summary(dataset, method, model, tune, seconds), *told(model)]:
            click.echo(line)
        _tell_saved(header, output)
    if report is not None:
        facts |= {"weights": weights, "output": output}
        _report(model, X, y, dataset, report, facts, as_json)


def _tell_saved(header: Any, output: Path) -> None:
    if header is not None and header.columns:
        click.echo("What was done to the columns:")
        for line in tell_columns(header.columns):
            click.echo(line)
    click.echo(f"Saved in {output}. Next: skldl predict {output} DATA -o out.csv")


def _report(
    model: Any, X: Any, y: Any, dataset: Any, path: Path, facts: Any, as_json: bool
) -> None:
    """Write the page; the model is saved already."""
    from skldl.cli._model_page import tell_page, write_fit
    from skldl.cli._show import fit_progress

    with fit_progress():
        page = write_fit(model, X, y, dataset, path, facts)
    tell_page(page, err=as_json)


def save(
    model: Any, path: Path, dataset: Any, y: Any, labels: Any, facts: dict[str, Any]
) -> None:
    """Write the model with what is known about its training."""
    from skldl.models import save_model

    named = ("class",) if dataset.kind == "classes" else tuple(dataset.label_names)
    save_model(
        model,
        path,
        y=y,
        target=dataset.kind,
        label_names=dataset.label_names,
        feature_names=dataset.feature_names,
        target_columns=[str(column) for column in labels or named],
        data=dataset.name,
        ordered=dataset.ordered,
        **facts,
    )


def require_kind(method: Any, dataset: Any) -> None:
    """A data set by name has its own kind of target, which may be the wrong one."""
    from skldl.methods import target_kind

    wanted = target_kind(method.estimator)
    if wanted not in (None, dataset.kind):
        few = {"distribution": "AAkNN", "indicator": "MLkNN", "classes": "SVM"}
        raise ValueError(
            f"{dataset.name} has targets of the kind {dataset.kind!r}, but "
            f"{method.name} learns from {wanted!r}. Choose another method, such as "
            f"--method standard+{few[dataset.kind]}."
        )


def fit_model(
    method: Any,
    X: Any,
    y: Any,
    kind: str,
    options: dict[str, Any],
    tune: bool,
    weights: Any = None,
) -> Any:
    """Fit with seeds, after a search if wanted; what is given is not a search."""
    from sklearn.base import clone

    from skldl._threads import limited_threads
    from skldl.base import sample_weight_keys
    from skldl.cli._regions import keeping_rows, without_search
    from skldl.cli._show import fit_progress
    from skldl.methods import Tuning, search_for, with_seed

    model = with_seed(clone(method.estimator), options["seed"])
    if tune:
        tuning = Tuning(options["scoring"])
        if len(X) < tuning.n_splits:
            raise ValueError(f"--tune needs at least {tuning.n_splits} rows.")
        model = search_for(
            model, method.grid, tuning, kind, options["seed"],
            weighted=weights is not None,
        )  # fmt: skip
    model = keeping_rows(model, kind, options)
    keys = [] if weights is None else sample_weight_keys(model)
    with fit_progress(), limited_threads():
        model.fit(X, y, **dict.fromkeys(keys, weights))
    return without_search(model, found_model)


def found_model(model: Any) -> Any:
    """The best model of a search, also at the end of a pipeline."""
    from sklearn.pipeline import Pipeline

    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return Pipeline([*model.steps[:-1], (name, found_model(last))])
    return getattr(model, "best_estimator_", model)


def summary(
    dataset: Any, method: Any, model: Any, tune: bool, seconds: float
) -> list[str]:
    """What was done, in a few lines."""
    from skldl.cli._regions import learner_in

    what = {"distribution": "labels", "indicator": "labels", "classes": "classes"}
    lines = [
        f"Fitted {method.name} on {dataset.n_samples} rows of {dataset.name}: "
        f"{dataset.n_features} features, {dataset.n_labels} {what[dataset.kind]}, "
        f"{seconds:.1f} s."
    ]
    if tune:
        params = learner_in(model).get_params()
        chosen = ", ".join(
            f"{key.split('__')[-1]}={params[key]!r}"
            for key in method.grid
            if key in params
        )
        lines.append(f"Chosen by cross-validation: {chosen}.")
    return lines
