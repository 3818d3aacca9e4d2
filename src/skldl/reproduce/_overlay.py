"""New results over the summaries of earlier runs."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from skldl.reproduce._columns import is_fold, label_columns, make_summary
from skldl.reproduce._protocol import Paper
from skldl.reproduce._summary import BEST, HONEST, with_baseline

Key = tuple[Hashable, ...]
Row = dict[str, Any]


def lay_over(paper: Paper, old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Put rows of new runs into an earlier summary.

    A row of the same method, column and metric gets the folds that it lacks if it ran
    with the same settings, versions and search. Otherwise it is replaced, unless it
    comes from more folds than the new one. Other rows of the new runs are added.
    Nothing else changes.

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
        rows[key] = _with_lacking_folds(rows[key], row) if key in rows else row
    places = _places(paper, names)
    last = len(places)
    ordered = sorted(rows, key=lambda key: places.get(key[:-1], last))
    empty = make_summary([], names)
    columns = dict.fromkeys([*empty.columns, *old.columns, *new.columns])
    return pd.DataFrame([rows[key] for key in ordered], columns=list(columns))


def _keyed(summary: pd.DataFrame, labels: list[str]) -> list[tuple[Key, Row]]:
    """Rows by what they are; the metric comes last."""
    whole = summary.assign(**{n: "" for n in labels if n not in summary})
    own = ["part", "dataset", "method", "features", "variant", *labels, "protocol"]
    keys = zip(*(whole[name] for name in [*own, "metric"]), strict=True)
    return list(zip(keys, whole.to_dict("records"), strict=True))


def _with_lacking_folds(old: Row, new: Row) -> Row:
    """The row with more folds, with those that only the other has if they are alike."""
    first, other = (new, old) if new["n_folds"] >= old["n_folds"] else (old, new)
    lacking = {
        name: value
        for name, value in other.items()
        if is_fold(name) and not np.isnan(value) and np.isnan(first.get(name, np.nan))
    }
    if not lacking or not _alike(first, other):
        return first
    joined = {**first, **lacking}
    values = [v for name, v in joined.items() if is_fold(name) and not np.isnan(v)]
    counts = [first["n_folds"], len(lacking)]
    for cost in ("fit_s", "predict_s"):
        joined[cost] = _mean_cost([first[cost], other[cost]], counts)
    joined["peak_mb"] = float(np.fmax(first["peak_mb"], other["peak_mb"]))
    joined["mean"], joined["std"] = np.mean(values), np.std(values, ddof=1)
    joined["n_folds"] = len(values)
    left = first["n_expected"] - len(values)  # a fold that failed may have run since
    joined["failed"] = min(first["failed"] + other["failed"], left)
    reason = first["reason"] or other["reason"]
    joined["reason"] = reason if joined["failed"] else ""
    return joined


def _alike(first: Row, other: Row) -> bool:
    """Whether two rows are of one experiment, as far as summaries tell."""
    same = ("settings", "search", "versions", "n_expected")
    return all(first[name] == other[name] for name in same)


def _mean_cost(costs: list[float], counts: list[int]) -> float:
    known = [(c, n) for c, n in zip(costs, counts, strict=True) if not np.isnan(c)]
    if not known:
        return np.nan
    return float(np.average([c for c, _ in known], weights=[n for _, n in known]))


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
