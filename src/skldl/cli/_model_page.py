"""Pages about one model, on the command line."""

import shlex
from pathlib import Path
from typing import Any

import click

_SUFFIXES = (".html", ".htm")


def check_page(path: Path | None, *inputs: Any) -> None:
    """Refuse, before any work, a place that no page can be written to."""
    from skldl.cli._write import check_output

    check_output(path, *inputs, suffixes=_SUFFIXES)


def tell_page(path: Path, *, err: bool = False) -> None:
    """Say where the page is."""
    click.echo(f"The page is {path.resolve()}", err=err)


def require_distributions(kind: str, option: str) -> None:
    """Refuse other kinds of targets."""
    if kind != "distribution":
        raise click.UsageError(
            f"{option} is about predicted distributions, but the target is of the kind "
            f"{kind!r}."
        )


def write_evaluation(saved: Any, X: Any, dataset: Any, path: Path) -> Path:
    """The page of a saved model; rows that AutoLDL was fitted on are recognised.

    Parameters
    ----------
    saved : SavedModel
        What was loaded.
    X : DataFrame or array
        Features as the model takes them.
    dataset : Dataset
        The target, with names of rows and numbers of votes where they are known.
    path : Path
        Where to.

    Returns
    -------
    path : Path
    """
    from skldl.report import write_model_report

    header = saved.header
    require_distributions(dataset.kind, "--html")
    return write_model_report(
        saved.estimator, X, dataset.frames()[1], path, rows="auto",
        mean=header.label_means or None, method=header.method, data=dataset.name,
        **page_facts(dataset),
    )  # fmt: skip


def write_fit(
    model: Any, X: Any, y: Any, dataset: Any, path: Path, facts: dict[str, Any]
) -> Path:
    """The page of a model that was just fitted.

    Parameters
    ----------
    model : estimator
        Fitted.
    X, y : DataFrame
        The rows of the fit.
    dataset : Dataset
        Where they come from.
    path : Path
        Where to.
    facts : dict
        ``method``, ``weights``, ``seed``, ``tuned``, and ``output``, the file of the
        model.

    Returns
    -------
    path : Path
    """
    from skldl.report import write_model_report

    notes = [
        "The settings were chosen on all rows, so the scores are a little too good."
    ]
    file = shlex.quote(str(facts["output"]))
    return write_model_report(
        model, X, y, path, rows="training", sample_weight=facts["weights"],
        method=facts["method"], data=dataset.name,
        notes=notes if facts["tuned"] else [],
        command=f"skldl predict {file} NEW.csv -o predicted.csv",
        random_state=facts["seed"], **page_facts(dataset),
    )  # fmt: skip


def page_facts(dataset: Any) -> dict[str, Any]:
    """What a data set says about its rows."""
    counted = dataset.counts is not None
    return {
        "row_names": dataset.extra.get("row_names"),
        "n_votes": dataset.extra["n_votes"] if counted else None,
        "ordered": dataset.ordered,
    }
