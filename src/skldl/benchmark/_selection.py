"""One comparison out of a store that may have several."""

import os
from collections.abc import Mapping
from typing import Any

import pandas as pd

from skldl.benchmark._store import Store
from skldl.benchmark._versions import version_note

_NEEDED = ("job", "dataset", "method", "repetition", "fold", "status", "metric",
           "value")  # fmt: skip
_CHOICES = ("split", "seed", "tuned")  # what tells comparisons in a store apart
_ONE = ["dataset", "method", "repetition", "fold"]


def check_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Refuse a table that is not one of results.

    Parameters
    ----------
    rows : DataFrame
        As :func:`skldl.benchmark.run` or ``Store.rows`` gives it.

    Returns
    -------
    rows : DataFrame
        The same.
    """
    missing = [name for name in _NEEDED if name not in rows.columns]
    if missing:
        raise ValueError(
            f"The table of rows has no column {missing[0]!r}; pass the rows that "
            "run() or Store.rows() returned."
        )
    if rows.empty:
        raise ValueError("The table of rows is empty; pass at least one result.")
    return rows


def read_rows(source: Any) -> pd.DataFrame:
    """Rows of a store, of the path of one, or given.

    Parameters
    ----------
    source : Store, str, Path or DataFrame
        Where results are.

    Returns
    -------
    rows : DataFrame
    """
    if isinstance(source, pd.DataFrame):
        return check_rows(source)
    if isinstance(source, str | os.PathLike):
        with Store(source, read_only=True) as store:
            return read_rows(store)
    if not isinstance(source, Store):
        raise TypeError(
            "Results are a store, the path of one, or a table of rows, not "
            f"{type(source).__name__}."
        )
    rows = source.rows()
    if rows.empty:
        raise ValueError(
            f"The store {source.path} has no results; run a comparison into it first."
        )
    return rows


def select_comparison(
    rows: pd.DataFrame, where: Mapping[str, Any]
) -> tuple[pd.DataFrame, list[str]]:
    """Rows of one comparison; of a fold that was run again the last result.

    Parameters
    ----------
    rows : DataFrame
        Tidy results.
    where : mapping
        Values of split, seed and tuned to select by.

    Returns
    -------
    rows : DataFrame
    notes : list of str
        What a reader must know about the selection.

    Examples
    --------
    >>> from skldl.benchmark import Plan, Split, run, select_comparison
    >>> rows = run(Plan(["toy"], ["AAkNN"], Split(n_splits=2)), engine="serial")
    >>> len(select_comparison(rows, {"seed": 0})[0]) == len(rows)
    True
    """
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
        return rows, _notes(jobs)
    _refuse_several(twice, [name for name in _CHOICES if name in jobs.columns])
    if "finished" in jobs.columns:
        jobs = jobs.sort_values("finished", kind="stable")
    last = jobs.drop_duplicates(_ONE, keep="last")
    note = (
        "Some folds were run more than once, on changed data or with changed settings "
        "under the same name; the last result of each is shown."
    )
    return rows[rows["job"].isin(last["job"])], [note, *_notes(last)]


def _notes(jobs: pd.DataFrame) -> list[str]:
    """On versions, if there is anything to say."""
    note = version_note(jobs)
    return [note] if note else []


def _refuse_several(twice: pd.DataFrame, choices: list[str]) -> None:
    sets = twice[choices].drop_duplicates()
    if len(sets) < 2:
        return
    listed = "; ".join(
        ", ".join(f"{name} {row[name]}" for name in choices)
        for row in sets.to_dict("records")
    )
    raise ValueError(
        "The store has several comparisons of the same folds; select one by "
        f"split, seed or tuned. There are: {listed}."
    )
