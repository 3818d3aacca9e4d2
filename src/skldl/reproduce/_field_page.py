"""Tables of the field: every learner on a data set, and on all of them at a glance."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from skldl.benchmark import read_reference
from skldl.report import BASELINE
from skldl.reproduce._baseline import is_like_mean
from skldl.reproduce._columns import fold_values
from skldl.reproduce._page_tables import ALIKE, printed
from skldl.reproduce._protocol import PREFIX
from skldl.reproduce._ranks import rank_diagram
from skldl.reproduce._render import Chapter, Table

_PAPERS = ["MSLP", "LSE-LDL"]
_JUDGE = "kl_divergence"
_DIGITS = {"fit s": 2, "MB": 0, "average rank": 1}
_COSTS = (
    "After the metrics: seconds of a fit, the most memory that a fold took beyond what "
    "was held before, MB, and folds. Rows with a paper's name are published. The MSLP "
    "paper tuned projections and neighbours; LSE-LDL's paper tuned LSE-LDL only, and "
    f"ran the others with recommended values. {ALIKE} marks a learner within 1.5 % of "
    "the mean distribution on every metric."
)


def field_table(summary: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Give all learners on a data set, and what papers print for it.

    Parameters
    ----------
    summary : DataFrame
        Of the paper "field".
    dataset : str
        Which data set.

    Returns
    -------
    table : DataFrame
        One row per method, published rows with their paper below: metrics, seconds of a
        fit, memory, folds. Missing where no fold ended well; published values are texts
        with the digits of the paper. A sign marks learners that are hardly different
        from the mean distribution.
    """
    part = _marked(summary[summary["dataset"] == dataset])
    wide = part.pivot_table(
        index="method", columns="metric", values="mean", sort=False, dropna=False
    )
    facts = part.drop_duplicates("method").set_index("method")
    wide["fit s"], wide["MB"] = facts["fit_s"], facts["peak_mb"]
    wide["folds"] = [
        f"{done:.0f}" if done == wanted else f"{done:.0f} of {wanted:.0f}"
        for done, wanted in zip(facts["n_folds"], facts["n_expected"], strict=True)
    ]
    theirs = _published(dataset).reindex(columns=wide.columns)
    theirs["folds"] = ""
    return pd.concat([wide, theirs]).rename_axis("method").rename_axis(columns=None)


def _with_features(summary: pd.DataFrame) -> pd.DataFrame:
    """Methods by the names that commands take, features included."""
    return summary.assign(method=summary["features"].map(PREFIX) + summary["method"])


def _marked(summary: pd.DataFrame) -> pd.DataFrame:
    """The same, with a sign behind what is like the mean distribution."""
    named = _with_features(summary)
    signs = [f" {ALIKE}" if alike else "" for alike in is_like_mean(summary)]
    return named.assign(method=named["method"] + signs)


def _published(dataset: str) -> pd.DataFrame:
    rows = read_reference(paper=_PAPERS)
    rows = rows[rows["dataset"] == dataset]
    named = rows.assign(
        row=rows["method"] + " (" + rows["paper"] + ")",
        text=[_printed(row) for row in rows.to_dict("records")],
    )
    return named.pivot_table(
        index="row", columns="metric", values="text", aggfunc="first", sort=False
    )


def _printed(row: Mapping[str, Any]) -> str | None:
    """A published value with the digits of the paper, without its deviation."""
    return printed({**row, "std": np.nan}) or None


def as_text(table: pd.DataFrame, digits: int = 4) -> pd.DataFrame:
    """Write numbers as text, missing ones empty; the methods become a column.

    Parameters
    ----------
    table : DataFrame
        What :func:`field_table` or :func:`field_overview` gave.
    digits : int, default=4
        After the point, of metrics.

    Returns
    -------
    text : DataFrame
    """
    text = {
        column: [
            _digits_text(v, _DIGITS.get(str(column), digits)) for v in table[column]
        ]
        for column in table
    }
    return pd.DataFrame(text, index=table.index).reset_index(names="method")


def _digits_text(value: float | str, digits: int) -> str:
    if isinstance(value, str):
        return value
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def field_overview(summary: pd.DataFrame, features: str) -> pd.DataFrame:
    """Give divergences as shares of the mean distribution's, and average ranks.

    Parameters
    ----------
    summary : DataFrame
        Of the paper "field".
    features : {"raw", "standardised"}
        Which of the two.

    Returns
    -------
    table : DataFrame
        Methods in rows, the best average rank first; data sets in columns. Ranks are
        over data sets that every method has a number for.
    """
    rows = summary[summary["metric"] == _JUDGE]
    is_mean = rows["method"] == BASELINE
    rows = rows[(rows["features"] == features) | is_mean]
    is_mean, folds = rows["method"] == BASELINE, fold_values(rows)
    baseline = dict(zip(rows["dataset"][is_mean], folds[is_mean], strict=True))
    nothing = np.full(folds.shape[1], np.nan)
    pairs = zip(rows["dataset"], folds, strict=True)
    rows = rows.assign(share=[_share(f, baseline.get(d, nothing)) for d, f in pairs])
    shares = rows.pivot_table(
        index="method", columns="dataset", values="share", sort=False
    ).reindex(dict.fromkeys(rows["method"]))
    ranks = shares.dropna(axis=1).rank()
    shares.insert(0, "average rank", ranks.mean(axis=1))
    return shares.sort_values("average rank", kind="stable").rename_axis(columns=None)


def _share(ours: np.ndarray, baseline: np.ndarray) -> float:
    """Over folds that both have."""
    pairs = np.column_stack([ours, baseline])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if not len(pairs):
        return np.nan
    mine, theirs = pairs.sum(axis=0)
    return float(mine / theirs)


def field_chapters(summary: pd.DataFrame) -> Iterator[Chapter]:
    """Give the overviews and a table for each data set.

    Parameters
    ----------
    summary : DataFrame
        Of the paper "field".

    Yields
    ------
    chapter : Chapter
    """
    if summary.empty:
        return
    said = (
        "KL divergence as a share of the mean distribution's on the same folds: below "
        "1 is better than not to look at the features. Ranks are over the data sets "
        "that every method has a number for."
    )
    measured = [f for f in PREFIX if f in set(summary["features"])]
    blocks: list[Any] = [said]
    for features in measured:
        table = field_overview(summary, features)
        table.index = [
            name if name == BASELINE else PREFIX[features] + name
            for name in table.index
        ]
        blocks.append(Table(as_text(table, 3), f"{features} features"))
        wide = table.drop(columns="average rank").T
        kind = f"{features} features"
        blocks += rank_diagram("field", wide, _JUDGE, kind, greater_is_better=False)
    yield Chapter("Overview", blocks)
    tables = [
        Table(as_text(field_table(summary, str(dataset))), str(dataset))
        for dataset in dict.fromkeys(summary["dataset"])
    ]
    yield Chapter("Data sets", [_COSTS, *tables, *_without(summary)])


def _without(summary: pd.DataFrame) -> list[str]:
    """Why a method has no number on a data set."""
    rows = _with_features(summary[summary["n_folds"] == 0])
    rows = rows.drop_duplicates(["dataset", "method"])
    names = zip(rows["method"], rows["dataset"], rows["reason"], strict=True)
    return [f"{m} has no number on {d}: {why.rstrip('.')}." for m, d, why in names]
