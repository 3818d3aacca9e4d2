"""``skldl fit``: learn from a table, save the model."""

import time
from pathlib import Path
from typing import Any

import click

from skldl.cli._options import (
    data_argument,
    json_option,
    method_option,
    output_option,
    seed_option,
    table_options,
)

EXAMPLES = """
\b
Examples:
  skldl fit votes.csv --labels joy,fear,calm --normalize -o model.skldl
  skldl fit toy --method "AAkNN(n_neighbors=15)" -o toy.skldl
  skldl fit SJAFFE --method standard+LSELDL --tune -o sjaffe.skldl
\b
skldl methods lists the methods, skldl predict applies the model.
"""


@click.command(
    epilog=EXAMPLES,
    help="Learn from DATA and save the model. DATA is a CSV, TSV, Parquet, ARFF, NPZ "
    "or MAT file, or the name of a data set.",
)
@data_argument
@table_options
@method_option(
    "standard+AAkNN",
    "A method with settings in brackets and what stands before it, joined by +.",
)
@click.option("--tune", is_flag=True, help="Search the method's grid first.")
@click.option("--scoring", metavar="METRIC", help="What --tune optimises.")
@seed_option
@output_option("Where to save the model, as in model.skldl.", required=True)
@json_option
def command(data: str, output: Path, as_json: bool, **options: Any) -> None:
    """Load, fit, save, say what was done."""
    from skldl.cli._data import Request, load_data, note, require_votes
    from skldl.cli._write import check_output
    from skldl.methods import make_method, target_kind
    from skldl.models import read_header

    if options["scoring"] and not options["tune"]:
        raise click.UsageError("--scoring says what --tune optimises; give both.")
    check_output(output, data, suffixes=())
    method = make_method(options["method"])
    request = Request.of(options)
    dataset = load_data(data, request, target_kind(method.estimator))
    require_votes(dataset)
    require_kind(method, dataset)
    X, y = dataset.frames()
    tune = options["tune"] and bool(method.grid)
    if options["tune"] and not tune:
        note(f"{method.name} has no grid to search; it is fitted as it is.")
    begin = time.perf_counter()
    model = fit_model(method, X, y, dataset.kind, options, tune)
    seconds = time.perf_counter() - begin
    facts = {
        "method": method.name,
        "normalized": request.normalize,
        "seed": options["seed"],
        "tuned": tune,
    }
    save(model, output, dataset, y, request.labels, facts)
    header = read_header(output) if output.is_file() else None
    if as_json and header is not None:
        click.echo(header.to_json())
        return
    for line in summary(dataset, method, model, tune, seconds):
        click.echo(line)
    click.echo(f"Saved in {output}. Next: skldl predict {output} DATA -o out.csv")


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
    method: Any, X: Any, y: Any, kind: str, options: dict[str, Any], tune: bool
) -> Any:
    """Fit with seeds, after a search if wanted; what is given is no search."""
    from sklearn.base import clone

    from skldl._threads import limited_threads
    from skldl.cli._show import fit_progress
    from skldl.methods import Tuning, search_for, with_seed

    model = with_seed(clone(method.estimator), options["seed"])
    if tune:
        tuning = Tuning(options["scoring"])
        if len(X) < tuning.n_splits:
            raise ValueError(f"--tune needs at least {tuning.n_splits} rows.")
        model = search_for(model, method.grid, tuning, kind, options["seed"])
    with fit_progress(), limited_threads():
        model.fit(X, y)
    return found_model(model)


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
    what = {"distribution": "labels", "indicator": "labels", "classes": "classes"}
    lines = [
        f"Fitted {method.name} on {dataset.n_samples} rows of {dataset.name}: "
        f"{dataset.n_features} features, {dataset.n_labels} {what[dataset.kind]}, "
        f"{seconds:.1f} s."
    ]
    if tune:
        params = model.get_params()
        chosen = ", ".join(
            f"{key.split('__')[-1]}={params[key]!r}"
            for key in method.grid
            if key in params
        )
        lines.append(f"Chosen by cross-validation: {chosen}.")
    return lines
