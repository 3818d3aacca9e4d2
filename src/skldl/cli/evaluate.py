"""``skldl evaluate``: how good a saved model is, next to the simplest one."""

import json
from pathlib import Path
from typing import Any

import click

from skldl.cli._names import file_argument
from skldl.cli._options import (
    annotation_options,
    data_argument,
    empty_option,
    force_option,
    json_option,
    labels_option,
    page_option,
    reading_options,
)

EXAMPLES = """
\b
Examples:
  skldl evaluate model.skldl test.csv
  skldl evaluate model.skldl test.csv --metrics clark,intersection --json
  skldl evaluate model.skldl test.csv --html page.html
  skldl evaluate model.skldl pictures.csv --annotations answers.csv --item picture

\b
Where labels are counts, the noise floor is the score of a perfect model against these
votes. Judge a model on rows that it was not fitted on: its scores on training rows are
too good. AutoLDL knows its training rows and has out-of-fold predictions of them.
"""


@click.command(
    epilog=EXAMPLES,
    help="Judge the saved MODEL on DATA with known labels, next to the mean "
    "distribution of the training labels, which ignores the features.",
)
@file_argument("model")
@data_argument
@click.option("--metrics", metavar="A,B,...", help="Default: all that fit.")
@labels_option("Label columns, if they have other names than in training.")
@click.option("--normalize", is_flag=True, help="Divide labels by their sum.")
@empty_option
@click.option("--arrays", metavar="X,D", help="Arrays in an NPZ or MAT file.")
@reading_options
@annotation_options
@page_option("--html", "Also write a page about the model on these rows.")
@force_option
@json_option
def command(
    model: Path, data: str, html: Path | None, as_json: bool, **options: Any
) -> None:
    """Load both, compare, show."""
    from skldl.cli._model_page import check_page, tell_page, write_evaluation
    from skldl.cli._options import split_commas
    from skldl.models import load_model

    check_page(html, model, data, options["annotations"])
    saved = load_model(model)
    X, dataset = test_data(data, saved, options)
    judged, answers, how = _judged(saved, X, dataset)
    responses = answers, _baseline(saved.header, judged)
    rows = scores(responses, judged, split_commas(options["metrics"]))
    crowd = crowd_of(rows, responses, judged)
    if as_json:
        facts = {
            "model": str(model),
            "method": saved.header.method,
            "data": dataset.name,
            "n_samples": judged.n_samples,
            **({"how": how} if how else {}),
            "metrics": rows,
            **({"crowd": crowd} if crowd else {}),
        }
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False))
    else:
        _show_scores(rows, saved, judged, crowd, how)
    if html is not None:
        tell_page(write_evaluation(saved, X, dataset, html), err=as_json)


def test_data(data: str, saved: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Features as the model takes them, and DATA with labels in the model's order."""
    from dataclasses import replace

    import numpy as np

    from skldl._text import listed
    from skldl.cli._data import Request, load_target, options_in_errors, read_table
    from skldl.cli._votes import Annotations
    from skldl.datasets import pick_labels, row_names
    from skldl.models import require_columns

    header = saved.header
    answers = Annotations.of(options)
    request = Request.of(options)
    columns = tuple(header.target_columns)
    names = request.labels or columns
    named = replace(request, labels=names, text=saved.text_features)
    n_votes = None
    if answers is None:
        table = read_table(data, named)
    else:
        table, n_votes = _with_answers(data, named, answers, header)
        columns, request = table.labels, replace(request, normalize=True, labels=())
    given = list(table.frame.columns)
    require_columns(given, saved.needed_features)
    if request.labels:
        columns = tuple(pick_labels(given, request.labels, what="--labels"))
    lacking = [name for name in columns if name not in given]
    if lacking:
        raise ValueError(
            f"{data} lacks the label columns {listed(lacking)}, which are needed to "
            "judge the model. If they have other names there, give these by --labels."
        )
    if header.target != "classes" and len(columns) != len(header.label_names):
        raise click.UsageError(
            f"The model has {len(header.label_names)} labels, but --labels names "
            f"{len(columns)}. Name one column for each label."
        )
    normalize = bool(request.normalize or header.normalized)
    chosen = replace(named, labels=columns, normalize=normalize)
    dataset = load_target(table, chosen, header.target)
    rows = dataset.X[:, 0].astype(int)  # rows without votes cannot be judged
    with options_in_errors("(Rows are counted from 0.)", table.frame):
        X = saved.columns(table.frame[saved.needed_features])
    X = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    known = {} if n_votes is None else {"n_votes": n_votes[rows]}
    ids = row_names(table.frame, columns) if table.names is None else table.names
    if ids is not None:
        known["row_names"] = ids[rows]
    extra = {**dataset.extra, **known}
    return X, replace(dataset, label_names=np.array(header.label_names), extra=extra)


def _with_answers(data: str, request: Any, answers: Any, header: Any) -> Any:
    from skldl.cli._votes import annotated_table

    if header.target != "distribution":
        raise click.UsageError(
            f"--annotations give distributions, but the model predicts {header.target}."
        )
    return annotated_table(data, request, answers, header.label_names)


def crowd_of(
    rows: list[dict[str, Any]], responses: Any, dataset: Any
) -> dict[str, Any]:
    """Add noise floors to the scores, and give facts about the votes.

    Nothing if the labels are not counts of votes.
    """
    counts = dataset.counts
    if counts is None:
        return {}
    from skldl.cli._crowd_facts import crowd_facts, floors_of

    floors = floors_of(
        counts, dict.fromkeys([*(r["metric"] for r in rows), "sorensen"])
    )
    for row in rows:
        row["noise_floor"] = floors.get(row["metric"])
    ours, plain = responses
    mean = plain.get("predict") if plain else None
    return crowd_facts(counts, ours["predict"], mean, floors["sorensen"])


def scores(responses: Any, dataset: Any, metrics: list[str]) -> list[dict[str, Any]]:
    """Every metric of the model and of the mean of the training labels."""
    from skldl.methods import metrics_for
    from skldl.metrics import get_metric

    fitting = metrics_for(dataset)
    chosen = [get_metric(name) for name in metrics] or fitting
    for metric in chosen:
        if metric.name not in {m.name for m in fitting} and not (
            metric.ordered and dataset.kind == "distribution"
        ):
            raise ValueError(
                f"{metric.name} does not fit targets of the kind {dataset.kind!r}; "
                f"these do: {', '.join(m.name for m in fitting)}."
            )
    ours, plain = responses
    return [
        {
            "metric": metric.name,
            "model": float(metric.fn(dataset.target, ours[metric.response])),
            "mean": float(metric.fn(dataset.target, plain[metric.response]))
            if plain
            else None,
            "greater_is_better": metric.greater_is_better,
        }
        for metric in chosen
    ]


def _judged(saved: Any, X: Any, dataset: Any) -> tuple[Any, dict[str, Any], str]:
    """Rows to judge the model by, its answers, and how these were made.

    The rows that AutoLDL was fitted on have their out-of-fold predictions, as on the
    page about the model.
    """
    if dataset.kind == "distribution" and hasattr(saved.estimator, "oof_rows_"):
        from skldl.report import predictions_of_training_rows

        found = predictions_of_training_rows(saved.estimator, dataset.D)
        if found is not None:
            rows, P, words = found
            return dataset.subset(rows), {"predict": P}, words
    return dataset, _responses(saved, X, dataset), ""


def _responses(saved: Any, X: Any, dataset: Any) -> dict[str, Any]:
    asked = ["predict", "predict_proba"][: 1 + (dataset.kind == "indicator")]
    return {method: saved.respond(X, method) for method in asked}


def _baseline(header: Any, dataset: Any) -> dict[str, Any]:
    """What the means of the training labels would answer to every row."""
    import numpy as np

    if not header.label_means:
        return {}
    means = np.tile(np.asarray(header.label_means, float), (dataset.n_samples, 1))
    if header.target == "classes":
        return {"predict": np.array(header.label_names)[means.argmax(axis=1)]}
    if header.target == "indicator":
        return {"predict": (means >= 0.5).astype(float), "predict_proba": means}
    return {"predict": means}


def _show_scores(
    rows: list[dict[str, Any]],
    saved: Any,
    dataset: Any,
    crowd: dict[str, Any],
    how: str = "",
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from skldl.cli._crowd_facts import tell_crowd
    from skldl.metrics import get_metric

    console = Console()
    for line in tell_crowd(crowd) if crowd else []:
        console.print(line, highlight=False, soft_wrap=True)
    table = Table(title=f"{saved.header.method} on {dataset.name}", box=box.SIMPLE_HEAD)
    table.add_column("metric")
    for name in ("model", "mean of training labels", *["noise floor"][: bool(crowd)]):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(get_metric(row["metric"]).label, *_cells(row, bool(crowd)))
    console.print(table)
    console.print(
        f"{dataset.n_samples} rows; arrows point to the better side, the better one in "
        "bold. A model that does not beat the mean has learned nothing."
        + (" A perfect model would be at the noise floor." if crowd else "")
        + (f"\n{how}" if how else ""),
        highlight=False,
        soft_wrap=True,
    )


def _cells(row: dict[str, Any], floor: bool) -> list[str]:
    """Numbers of a row, the better of the first two in bold."""
    sign = 1 if row["greater_is_better"] else -1
    cells = [row["model"], row["mean"], *([row["noise_floor"]] if floor else [])]
    texts = ["-" if c is None else f"{c:.4f}" for c in cells]
    if row["mean"] is not None and cells[0] != cells[1]:
        best = 0 if sign * (cells[0] - cells[1]) > 0 else 1
        texts[best] = f"[bold]{texts[best]}[/bold]"
    return texts
