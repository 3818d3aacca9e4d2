"""New results over the summaries of earlier runs."""

from collections.abc import Hashable

import pandas as pd

from skldl.reproduce._columns import label_columns, make_summary
from skldl.reproduce._protocol import Paper
from skldl.reproduce._summary import BEST, HONEST, with_baseline

Key = tuple[Hashable, ...]


def lay_over(paper: Paper, old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Put rows of new runs into an earlier summary.

    A row of the same method, column and metric is replaced, unless it comes from more
    folds than the new one; other rows of the new runs are added. Nothing else changes.

    Parameters
    ----------
    paper : Paper
        Whose tables these are.
    old, new : DataFrame
        The earlier summary, and that of the new runs.

    Returns
    -------
    summary : DataFrame
        In the order of the paper's tables.
    """
    names = list(dict.fromkeys([*label_columns(old), *label_columns(new)]))
    rows = dict(_keyed(old, names))
    for key, row in _keyed(new, names):
        if key not in rows or row["n_folds"] >= rows[key]["n_folds"]:
            rows[key] = row
    places = _places(paper, names)
    last = len(places)
    ordered = sorted(rows, key=lambda key: places.get(key[:-1], last))
    empty = make_summary([], names)
    columns = dict.fromkeys([*empty.columns, *old.columns, *new.columns])
    return pd.DataFrame([rows[key] for key in ordered], columns=list(columns))


def _keyed(summary: pd.DataFrame, labels: list[str]) -> list[tuple[Key, dict]]:
    """Rows by what they are; the metric comes last."""
    whole = summary.assign(**{n: "" for n in labels if n not in summary})
    own = ["part", "dataset", "method", "features", "variant", *labels, "protocol"]
    keys = zip(*(whole[name] for name in [*own, "metric"]), strict=True)
    return list(zip(keys, whole.to_dict("records"), strict=True))


def _places(paper: Paper, labels: list[str]) -> dict[Key, int]:
    """Where the rows of each method belong."""
    keys = [
        (
            part.name,
            dataset,
            *(entry.columns.get(n, "") for n in ("method", "features", "variant")),
            *(entry.columns.get(name, "") for name in labels),
            protocol,
        )
        for part in paper.parts()
        for dataset in part.all_datasets
        for entry in with_baseline(part)
        for protocol in (HONEST, BEST)
    ]
    return {key: place for place, key in enumerate(keys)}
