"""What a report is made from: one comparison out of a store or a table of rows."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from skldl.benchmark import Store, shown_metrics
from skldl.metrics import METRICS, get_metric

_NEEDED = ("job", "dataset", "method", "repetition", "fold", "status", "metric",
           "value")  # fmt: skip
_CHOICES = ("split", "seed", "tuned")  # what tells comparisons in a store apart
_ONE = ["dataset", "method", "repetition", "fold"]
_PREDICTIONS = ["dataset", "method", "sample", "label", "true", "predicted", "name"]


@dataclass(frozen=True)
class Results:
    """One comparison and what is known about it.

    Attributes
    ----------
    rows : DataFrame
        Tidy results.
    metrics : list of str
        What to show; the first one is drawn.
    runs : DataFrame
        Commands that added results.
    facts : dict of str to dict
        Facts of data sets by name.
    predictions : DataFrame
        True and predicted degrees of chosen samples.
    notes : list of str
        What a reader must know about the selection.
    """

    rows: pd.DataFrame
    metrics: list[str]
    runs: pd.DataFrame = field(default_factory=pd.DataFrame)
    facts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    predictions: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=_PREDICTIONS)
    )
    notes: list[str] = field(default_factory=list)

    @property
    def jobs(self) -> pd.DataFrame:
        """One row per fold of a method on a data set."""
        return self.rows.drop_duplicates("job")

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets."""
        return list(self.rows["dataset"].unique())

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(self.rows["method"].unique())


def read_results(source: Any, metrics: Any, where: Mapping[str, Any]) -> Results:
    """Select one comparison.

    Parameters
    ----------
    source : Store, str, Path or DataFrame
        Where results lie.
    metrics : sequence of str
        What to show; empty takes the usual ones.
    where : mapping
        Values of split, seed and tuned to select by.

    Returns
    -------
    results : Results
    """
    if isinstance(source, pd.DataFrame):
        rows, notes = _one_comparison(_checked(source), where)
        return Results(rows, _metrics(rows, metrics), notes=notes)
    if isinstance(source, str | os.PathLike):
        with Store(source, read_only=True) as store:
            return read_results(store, metrics, where)
    if not isinstance(source, Store):
        raise TypeError(
            "A report is made from a store, the path of one, or a table of rows, not "
            f"from {type(source).__name__}."
        )
    rows = source.rows()
    if rows.empty:
        raise ValueError(
            f"The store {source.path} holds no results; run a comparison into it first."
        )
    rows, notes = _one_comparison(rows, where)
    known = source.datasets()
    marks = rows.drop_duplicates("dataset").set_index("dataset")["fingerprint"]
    facts = {
        name: {"fingerprint": mark, **known.get(mark, {})}
        for name, mark in marks.items()
    }
    owner = rows.drop_duplicates("job")[["job", "dataset", "method"]]
    predictions = owner.merge(source.predictions(), on="job")[_PREDICTIONS]
    return Results(
        rows, _metrics(rows, metrics), source.runs(), facts, predictions, notes
    )


def _checked(rows: pd.DataFrame) -> pd.DataFrame:
    missing = [name for name in _NEEDED if name not in rows.columns]
    if missing:
        raise ValueError(
            f"The table of rows has no column {missing[0]!r}; give what run() or "
            "Store.rows() gave."
        )
    if rows.empty:
        raise ValueError("The table of rows is empty.")
    return rows


def _metrics(rows: pd.DataFrame, wanted: Any) -> list[str]:
    for name in wanted:
        get_metric(name)
    found = shown_metrics(rows, wanted)
    stored = set(rows["metric"].dropna().unique())
    absent = [name for name in wanted if name not in stored]
    if stored and absent:
        raise ValueError(
            f"There are no results of {', '.join(absent)}; stored are "
            f"{', '.join(name for name in METRICS if name in stored)}."
        )
    return found or sorted(stored & set(METRICS))


def _one_comparison(
    rows: pd.DataFrame, where: Mapping[str, Any]
) -> tuple[pd.DataFrame, list[str]]:
    """Rows of one comparison; of a fold done anew the last result."""
    for name, value in where.items():
        if name not in rows.columns:
            raise ValueError(f"The rows cannot be selected by {name}.")
        chosen = rows[name] == value
        if name == "tuned" and value:  # what has nothing to tune belongs to both
            chosen |= ~rows["method"].isin(rows.loc[chosen, "method"].unique())
        rows = rows[chosen] if (rows[name] == value).any() else rows.iloc[:0]
    if rows.empty:
        said = ", ".join(f"{name}={value}" for name, value in where.items())
        raise ValueError(f"There are no results with {said}.")
    jobs = rows.drop_duplicates("job")
    twice = jobs[jobs.duplicated(_ONE, keep=False)]
    if twice.empty:
        return rows, []
    choices = [name for name in _CHOICES if name in jobs.columns]
    sets = twice[choices].drop_duplicates()
    if len(sets) > 1:
        listed = "; ".join(
            ", ".join(f"{name} {row[name]}" for name in choices)
            for row in sets.to_dict("records")
        )
        raise ValueError(
            "The store holds several comparisons of the same folds; select one by "
            f"split, seed or tuned. There are: {listed}."
        )
    if "finished" in jobs.columns:
        jobs = jobs.sort_values("finished", kind="stable")
    last = jobs.drop_duplicates(_ONE, keep="last")["job"]
    note = (
        "Some folds were run more than once, on changed data or with changed settings "
        "under the same name; the last result of each is shown."
    )
    return rows[rows["job"].isin(last)], [note]
