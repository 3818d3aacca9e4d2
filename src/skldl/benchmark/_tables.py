"""Tidy results into tables for people."""

from collections.abc import Sequence

import pandas as pd

from skldl.metrics import get_metric

#: Metrics shown when a plan names none, by kind of target.
USUAL_METRICS = (
    "chebyshev",
    "clark",
    "canberra",
    "kl_divergence",
    "cosine",
    "intersection",
    "zero_one_loss",
    "ranking_loss",
    "average_precision",
    "accuracy",
)


def shown_metrics(rows: pd.DataFrame, wanted: Sequence[str] = ()) -> list[str]:
    """Metrics to show: those wanted, else the usual ones, as far as stored.

    Parameters
    ----------
    rows : DataFrame
        Tidy results.
    wanted : sequence of str, default=()
        Names of metrics; empty takes the usual ones.

    Returns
    -------
    metrics : list of str
    """
    stored = set(rows["metric"].dropna().unique())
    names = [get_metric(name).name for name in wanted] or USUAL_METRICS
    return [name for name in names if name in stored]


def score_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean score of each method on each data set.

    Parameters
    ----------
    rows : DataFrame
        Tidy results, as :func:`skldl.benchmark.run` gives them.
    metric : str
        Which metric.

    Returns
    -------
    table : DataFrame of shape (n_datasets, n_methods)
        For :mod:`skldl.benchmark.stats`. A method with a fold that did not end well
        has no score on that data set: the mean of the others would flatter it.
    """
    metric = get_metric(metric).name
    cells = summarize(rows, metrics=[metric])
    cells.loc[cells["failed"] > 0, "mean"] = float("nan")
    table = cells.pivot(index="dataset", columns="method", values="mean")
    names = rows["dataset"].unique(), rows["method"].unique()
    return table.reindex(index=names[0], columns=names[1])


def summarize(rows: pd.DataFrame, *, metrics: Sequence[str] = ()) -> pd.DataFrame:
    """Mean and deviation over folds of each metric.

    Parameters
    ----------
    rows : DataFrame
        Tidy results.
    metrics : sequence of str, default=()
        Which ones; empty takes those of the published tables.

    Returns
    -------
    table : DataFrame
        Columns dataset, method, metric, mean, std (over folds, n - 1), n (folds that
        ended well), failed (folds that did not).
    """
    keys = ["dataset", "method"]
    jobs = rows.drop_duplicates("job")
    twice = jobs.duplicated([*keys, "repetition", "fold"])
    if twice.any():
        first = jobs[twice].iloc[0]
        raise ValueError(
            f"There are several results of {first['method']} on {first['dataset']}, "
            f"fold {first['fold']}: the rows mix comparisons. Select one by split, "
            "seed or tuned, or take the rows that run() gave."
        )
    failed = (jobs["status"] != "ok").groupby([jobs[k] for k in keys], sort=False).sum()
    names = shown_metrics(rows, metrics)
    good = rows[(rows["status"] == "ok") & rows["metric"].isin(names)]
    cells = good.groupby([*keys, "metric"])["value"].agg(["mean", "std", "count"])
    everything = pd.MultiIndex.from_tuples(
        [(d, m, name) for d, m in failed.index for name in names],
        names=[*keys, "metric"],
    )
    table = cells.reindex(everything).rename(columns={"count": "n"}).reset_index()
    table["n"] = table["n"].fillna(0).astype(int)
    lookup = pd.MultiIndex.from_frame(table[keys])
    table["failed"] = failed.reindex(lookup).to_numpy()
    return table


def best_methods(summary: pd.DataFrame, metric: str) -> list[str]:
    """Methods with the best mean to four digits, of those that did every fold.

    Parameters
    ----------
    summary : DataFrame
        What :func:`summarize` gave, of one data set.
    metric : str
        Which metric.

    Returns
    -------
    names : list of str
        The very best comes first.
    """
    whole = summary[(summary["metric"] == metric) & (summary["failed"] == 0)]
    means = whole.set_index("method")["mean"].dropna()
    means = means.sort_values(
        ascending=not get_metric(metric).greater_is_better, kind="stable"
    ).round(4)
    return list(means.index[means == means.iloc[0]]) if len(means) else []


def compare_with_reference(
    summary: pd.DataFrame, reference: pd.DataFrame
) -> pd.DataFrame:
    """Put published numbers beside ours.

    Parameters
    ----------
    summary : DataFrame
        What :func:`summarize` gave.
    reference : DataFrame
        Columns dataset, method, metric, value; a method is matched by its label.

    Returns
    -------
    table : DataFrame
        The summary with columns reference and difference (ours less theirs), missing
        where nothing was published.
    """
    keys = ["dataset", "method", "metric"]
    published = reference.drop_duplicates(keys).set_index(keys)["value"]
    values = published.reindex(pd.MultiIndex.from_frame(summary[keys])).to_numpy()
    return summary.assign(reference=values, difference=summary["mean"] - values)
