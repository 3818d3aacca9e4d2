"""The best published number of every data set and metric beside AutoLDL's outer folds.

Published numbers are those of the five papers that come with the library. For each open
distribution data set and each metric the best one counts, whichever method and paper it
is from. AutoLDL was fitted for that metric (bench/auto.py); its mean is over the outer
folds that were measured, and the column ``folds`` says how many. A difference of up to
two standard errors is called a tie: of our mean over test rows, and of the published
one, whose standard deviation is over ten folds, or as large as ours where none was
printed.

    python bench/auto_published.py [--write]
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from _auto_tables import AUTO, by_dataset

RESULTS = Path(__file__).parent / "results"
PERCENT = {
    "zero_one_percent": "zero_one_loss",
    "error_probability_percent": "error_probability",
}
BEATEN, TIED, MISSED = "beaten", "tied within noise", "not reached"


def published_bests(datasets, metrics):
    """One row per data set and metric; similarities with a minus, as losses."""
    from skldl.benchmark import read_reference
    from skldl.metrics import get_metric

    table = read_reference()
    percent = table["metric"].isin(PERCENT)
    table["metric"] = table["metric"].replace(PERCENT)
    table = table[table["dataset"].isin(datasets) & table["metric"].isin(metrics)]
    scale = np.where(percent.loc[table.index], 0.01, 1.0)
    sign = [-1.0 if get_metric(m).greater_is_better else 1.0 for m in table["metric"]]
    table = table.assign(loss=sign * scale * table["value"], std=scale * table["std"])
    table = table.dropna(subset="loss").sort_values("loss", kind="stable")
    best = table.groupby(["dataset", "metric"], sort=False).head(1)
    columns = ["dataset", "metric", "paper", "method", "loss", "std"]
    return best[columns].rename(columns={"loss": "published"})


def compare(rows):
    """Published bests, AutoLDL's losses and what to say of them."""
    own = by_dataset(rows[rows["method"] == AUTO])
    best = published_bests(list(own["dataset"].unique()), list(own["metric"].unique()))
    own = own[["dataset", "metric", "loss", "error", "folds"]]
    table = best.merge(own.rename(columns={"loss": "auto"}), on=["dataset", "metric"])
    theirs = (table["std"] / np.sqrt(10)).fillna(table["error"])
    noise = 2 * np.hypot(table["error"], theirs)
    gap = table["auto"] - table["published"]
    table["verdict"] = np.select([gap < -noise, gap > noise], [BEATEN, MISSED], TIED)
    table["below"] = gap < 0
    return table.sort_values(["metric", "dataset"], ignore_index=True)


def counts(table):
    """Verdicts by metric, with a last row for all of them."""
    found = table.pivot_table(
        index="metric", columns="verdict", values="auto", aggfunc="size", fill_value=0
    ).reindex(columns=[BEATEN, TIED, MISSED], fill_value=0)
    found.insert(0, "cells", found.sum(axis=1))
    found["better, noise aside"] = table.groupby("metric")["below"].sum()
    found.loc["all"] = found.sum()
    return found.reset_index()


def main(arguments):
    """Print the counts and the cells."""
    table = compare(pd.read_csv(RESULTS / "auto.csv"))
    print(table.round(4).to_string(index=False), end="\n\n")
    print(counts(table).to_string(index=False))
    if "--write" in arguments:
        table.drop(columns="below").round(4).to_csv(
            RESULTS / "auto_published.csv", index=False
        )
        counts(table).to_csv(RESULTS / "auto_published_counts.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
