"""Votes of a crowd on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from skldl._text import split_names
from skldl.base import sample_weight_keys
from skldl.cli._data import Request, Table, load_data, note
from skldl.crowd import GLAD, MACE, DawidSkene, Votes, vote_weights
from skldl.datasets import Dataset, existing_columns, read_frame

_MODELS = {"dawid_skene": DawidSkene, "glad": GLAD, "mace": MACE}


def read_votes(
    path: str,
    columns: dict[str, Any],
    reading: dict[str, Any] | None = None,
    **details: Any,
) -> Votes:
    """Votes of a long table or a JSON file, with notes on the screen.

    ``columns`` names the columns: item, label, and perhaps annotator, weight and time.
    """
    named = {role: name for role, name in columns.items() if name is not None}
    if str(path).lower().endswith(".json"):
        votes = Votes.from_lewidi(path, labels=details.get("labels"))
    else:
        for role in ("item", "label"):
            if role not in named:
                raise click.UsageError(f"--{role} must name a column of {path}.")
        # ids such as 007 stay what they are, in the votes and in the features
        ids = [named[role] for role in ("item", "annotator") if role in named]
        frame, notes = read_frame(path, text=ids, **(reading or {}))
        for role, name in named.items():
            existing_columns(name, frame.columns, f"--{role}")
        for text in notes:
            note(text)
        votes = Votes.from_frame(frame, **named, **details)
    for text in votes.notes:
        note(text)
    return votes


def aggregate(votes: Votes, how: str) -> tuple[pd.DataFrame, Any]:
    """Counts or distributions of the items, with names; and the model, if any."""
    model = None
    if how == "counts":
        values = votes.counts().toarray()
        if (values == values.round()).all():
            values = values.astype(int)
    elif how == "smoothed":
        values = votes.distributions("auto")
    else:
        model = _MODELS[how]().fit(votes)
        values = model.distributions_
    frame = pd.DataFrame(values, votes.item_names, votes.label_names.tolist())
    return frame, model


def join_features(
    votes: Votes, table: pd.DataFrame, features: str, on: str, reading: Any = None
) -> pd.DataFrame:
    """The features with the columns of ``table``; items without votes are left out."""
    reading = dict(reading or {})
    text = (on, *reading.pop("text", ()))
    frame, notes = read_frame(features, text=text, **reading)
    existing_columns(on, frame.columns, "--item")
    joined, more = votes.join_frame(frame, on, distributions=table.to_numpy())
    for line in (*notes, *more):
        note(line)
    return joined


@dataclass(frozen=True)
class Annotations:
    """What the options say about raw answers."""

    path: str
    columns: dict[str, Any]
    how: str = "counts"

    @classmethod
    def of(cls, options: dict[str, Any]) -> "Annotations | None":
        """Read the options, and take them out."""
        path = options.pop("annotations", None)
        columns = {n: options.pop(n, None) for n in ("item", "label", "annotator")}
        how = options.pop("how", None)
        if path is None:
            for name, value in {**columns, "how": how}.items():
                if value is not None:
                    raise click.UsageError(
                        f"--{name} needs a file of answers; name it by --annotations."
                    )
            return None
        defaults = {"item": "item", "label": "label"}
        columns = {n: value or defaults.get(n) for n, value in columns.items()}
        return cls(path, columns, how or "counts")


def annotated_table(
    data: str,
    request: Request,
    given: Annotations,
    labels: Sequence[str] | None = None,
) -> tuple[Table, Any]:
    """A table whose labels come from answers, and the number of votes of each row.

    Parameters
    ----------
    data : str
        The table of the items.
    request : Request
        How to read both files.
    given : Annotations
        The answers.
    labels : sequence of str or None, default=None
        All labels in their order; None takes those that occur.

    Returns
    -------
    table : Table
        Without the column of the items.
    n_votes : ndarray of shape (n_rows,)
    """
    item = given.columns["item"]
    reading = {n: getattr(request, n) for n in ("sep", "decimal", "encoding", "sheet")}
    votes = read_votes(given.path, given.columns, reading, labels=labels)
    aggregated, _ = aggregate(votes, given.how)
    known = {**reading, "text": request.text}
    joined = join_features(votes, aggregated, data, item, known)
    frame = joined.drop(columns=[item, "n_votes"])
    names = tuple(votes.label_names.tolist())
    table = Table(Path(data).stem, frame, names, names=joined[item].to_numpy(object))
    return table, joined["n_votes"].to_numpy(float)


def load_any(
    data: str, request: Request, given: Annotations | None, kind: str | None = None
) -> Dataset:
    """Load DATA with the labels in it, or with labels from raw answers.

    Parameters
    ----------
    data : str
        A table, or the name of a data set.
    request : Request
        Which columns.
    given : Annotations or None
        Raw answers, if there are any; ``request.labels`` are then all labels in their
        order.
    kind : str or None, default=None
        What the target shall be.

    Returns
    -------
    dataset : Dataset
        ``extra["n_votes"]`` is the number of votes of each row, where it is known.
    """
    if given is None:
        return load_data(data, request, kind, mixed=True)
    if kind not in (None, "distribution"):
        raise click.UsageError(
            "--annotations give distributions; choose a method that learns them."
        )
    item = given.columns["item"]
    ignore = [n for text in request.ignore for n in split_names(text) if n != item]
    labels = [name for text in request.labels for name in split_names(text)]
    table, n_votes = annotated_table(data, request, given, labels or None)
    # the numbers of votes are known, so that no sum is odd
    named = replace(request, labels=(), ignore=tuple(ignore), normalize=True)
    loaded = load_data(data, named, "distribution", mixed=True, table=table)
    known = {"n_votes": n_votes, "row_names": table.names}
    return replace(loaded, extra={**loaded.extra, **known})


def row_weights(dataset: Dataset, how: str | None, name: str, model: Any) -> Any:
    """Weights of rows by their number of votes, with a note; None for equal ones.

    Parameters
    ----------
    dataset : Dataset
        The data.
    how : {"precision", "count", "sqrt", "none"} or None
        What the user says; None takes precision where the number of votes is known.
    name : str
        Name of the method.
    model : estimator
        What is fitted.

    Returns
    -------
    weights : ndarray of shape (n_samples,) or None
    """
    n_votes = dataset.extra.get("n_votes")
    if how == "none":
        return None
    if n_votes is None:
        if how is not None:
            raise click.UsageError(
                f"--weights {how} needs counts of votes; the labels of {dataset.name} "
                "do not say how many there were."
            )
        return None
    least, most = n_votes.min(), n_votes.max()
    if least == most:
        return None
    if not sample_weight_keys(model):
        note(
            f"{name} does not take weights, so rows of {least:g} and of {most:g} votes "
            "count the same."
        )
        return None
    how = how or "precision"
    note(
        f"Rows have {least:g} to {most:g} votes and weigh accordingly (--weights "
        f"{how}; none switches it off)."
    )
    return np.asarray(vote_weights(n_votes, how))
