"""What a report is made from: one comparison out of a store or a table of rows."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from skldl.benchmark import Store, check_rows, select_comparison, shown_metrics
from skldl.metrics import METRICS, get_metric

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
        rows, notes = select_comparison(check_rows(source), where)
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
            f"The store {source.path} has no results; run a comparison into it first."
        )
    rows, notes = select_comparison(rows, where)
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


def _metrics(rows: pd.DataFrame, wanted: Any) -> list[str]:
    wanted = [get_metric(name).name for name in wanted]
    found = shown_metrics(rows, wanted)
    stored = set(rows["metric"].dropna().unique())
    absent = [name for name in wanted if name not in stored]
    if stored and absent:
        raise ValueError(
            f"There are no results of {', '.join(absent)}; stored are "
            f"{', '.join(name for name in METRICS if name in stored)}."
        )
    return found or sorted(stored & set(METRICS))
