"""``skldl evaluate``: how good a saved model is, next to the simplest one."""

import json
from pathlib import Path
from typing import Any

import click

from skldl.cli._names import file_argument
from skldl.cli._options import data_argument, json_option

EXAMPLES = """
\b
Examples:
  skldl evaluate model.skldl test.csv
  skldl evaluate model.skldl test.csv --metrics clark,intersection --json
\b
Rows that the model was fitted on flatter it: keep some for this.
"""


@click.command(
    epilog=EXAMPLES,
    help="Judge the saved MODEL on DATA with known labels, next to the mean "
    "distribution of the training labels, which ignores the features.",
)
@file_argument("model")
@data_argument
@click.option("--metrics", metavar="A,B,...", help="Default: all that fit.")
@click.option(
    "-l", "--labels", metavar="A,B,...",
    help="Label columns, if they have other names than in training.",
)  # fmt: skip
@click.option("--normalize", is_flag=True, help="Label columns hold counts.")
@click.option("--arrays", metavar="X,D", help="Arrays in an NPZ or MAT file.")
@json_option
def command(model: Path, data: str, as_json: bool, **options: Any) -> None:
    """Load both, compare, show."""
    from skldl.cli._options import split_commas
    from skldl.models import load_model

    saved = load_model(model)
    X, dataset = test_data(data, saved, options)
    rows = scores(saved, X, dataset, split_commas(options["metrics"]))
    if as_json:
        facts = {
            "model": str(model),
            "method": saved.header.method,
            "data": dataset.name,
            "n_samples": dataset.n_samples,
            "metrics": rows,
        }
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    _show_scores(rows, saved, dataset)


def test_data(data: str, saved: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Features as the model takes them, and DATA with labels in the model's order."""
    from dataclasses import replace

    import numpy as np

    from skldl._text import listed
    from skldl.cli._data import Request, load_target, options_in_errors, read_table
    from skldl.models import require_columns

    header = saved.header
    request = Request.of(options)
    columns = request.labels or tuple(header.target_columns)
    named = replace(request, labels=columns, text=saved.text_features)
    table = read_table(data, named)
    given = list(table.frame.columns)
    require_columns(given, header.feature_names)
    lacking = [name for name in columns if name not in given]
    if lacking:
        raise ValueError(
            f"{data} lacks the label columns {listed(lacking)}, without which nothing "
            "can be judged. Name them by --labels if they are called otherwise."
        )
    if header.target != "classes" and len(columns) != len(header.label_names):
        raise click.UsageError(
            f"The model has {len(header.label_names)} labels, --labels names "
            f"{len(columns)}."
        )
    chosen = replace(named, normalize=request.normalize or header.normalized)
    with options_in_errors("(Rows are counted from 0.)"):
        X = saved.columns(table.frame[header.feature_names])
    dataset = load_target(table, chosen, header.target)
    return X, replace(dataset, label_names=np.array(header.label_names))


def scores(
    saved: Any, X: Any, dataset: Any, metrics: list[str]
) -> list[dict[str, Any]]:
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
    ours = _responses(saved, X, dataset)
    plain = _baseline(saved.header, dataset)
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


def _responses(saved: Any, X: Any, dataset: Any) -> dict[str, Any]:
    if dataset.kind != "indicator":
        return {"predict": saved.estimator.predict(X)}
    return {
        "predict": saved.estimator.predict(X),
        "predict_proba": saved.estimator.predict_proba(X),
    }


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


def _show_scores(rows: list[dict[str, Any]], saved: Any, dataset: Any) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from skldl.metrics import get_metric

    table = Table(title=f"{saved.header.method} on {dataset.name}", box=box.SIMPLE_HEAD)
    table.add_column("metric")
    table.add_column("model", justify="right")
    table.add_column("mean of training labels", justify="right")
    for row in rows:
        sign = 1 if row["greater_is_better"] else -1
        cells = [row["model"], row["mean"]]
        texts = ["-" if c is None else f"{c:.4f}" for c in cells]
        if row["mean"] is not None and cells[0] != cells[1]:
            best = 0 if sign * (cells[0] - cells[1]) > 0 else 1
            texts[best] = f"[bold]{texts[best]}[/bold]"
        table.add_row(get_metric(row["metric"]).label, *texts)
    console = Console()
    console.print(table)
    console.print(
        f"{dataset.n_samples} rows; arrows point to the better side, the better one in "
        "bold. A model that does not beat the mean has learned nothing.",
        highlight=False,
        soft_wrap=True,
    )
