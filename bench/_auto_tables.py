"""Tables of bench/auto.py, from one row per data set, fold, metric and method."""

import numpy as np
import pandas as pd
from scipy import stats

AUTO, PICK = "AutoLDL", "best on inner folds"
MEAN = "mean"
_ROUNDING = 1e-9


def by_dataset(rows):
    """Means over the outer folds; standard errors of these means."""
    count = rows.groupby(["metric", "dataset", "method"], sort=False)
    table = count[["loss", "behind", "estimate", "on folds"]].mean()
    table["folds"] = count.size()
    for name in ("behind_error", "error", "estimate_error"):
        squares = rows.assign(square=rows[name] ** 2)
        squares = squares.groupby(["metric", "dataset", "method"], sort=False)["square"]
        table[name] = np.sqrt(squares.sum(min_count=1)) / table["folds"]
    return table.reset_index()


def losses_of(part):
    """Data sets x methods, of the methods that have all folds of all data sets."""
    folds = part.pivot(index="dataset", columns="method", values="folds")
    whole = folds.eq(folds[AUTO], axis=0).all()
    wide = part.pivot(index="dataset", columns="method", values="loss")
    return wide.loc[:, whole]


def overview(rows):
    """How AutoLDL stands beside the mean, the pick and all single candidates."""
    lines = []
    for metric, part in by_dataset(rows).groupby("metric", sort=False):
        wide = losses_of(part)
        singles = wide.drop(columns=[AUTO, PICK])
        places = singles.assign(**{AUTO: wide[AUTO]}).rank(axis=1).mean().sort_values()
        behind = part[part["method"] == PICK].set_index("dataset")
        base = part[part["method"] == MEAN].set_index("dataset")
        p = {n: _wilcoxon(wide[AUTO], wide[n]) for n in singles if n != MEAN}
        next_best = places.index[places.index != AUTO][0]
        lines.append(
            {
                "metric": metric,
                "data sets": len(wide),
                "outer folds": int(part[part["method"] == AUTO]["folds"].sum()),
                "not worse than the pick": int((behind["behind"] >= -_ROUNDING).sum()),
                "worse beyond noise": int(
                    (behind["behind"] < -behind["behind_error"] - _ROUNDING).sum()
                ),
                "average rank": round(places[AUTO], 2),
                "next": next_best,
                "its rank": round(places[next_best], 2),
                "largest p (Holm)": round(max(_holm(p).values()), 4),
                "worse than the mean beyond noise": int(
                    (base["behind"] < -base["behind_error"]).sum()
                ),
            }
        )
    return pd.DataFrame(lines)


def ranks(rows):
    """Average rank of AutoLDL and of every single candidate, for each metric."""
    columns = {}
    for metric, part in by_dataset(rows).groupby("metric", sort=False):
        wide = losses_of(part).drop(columns=PICK)
        columns[metric] = wide.rank(axis=1).mean().round(2)
    table = pd.DataFrame(columns)
    order = table.mean(axis=1).sort_values().index
    return table.loc[order].rename_axis("method").reset_index()


def estimates(rows):
    """Mean over data sets of estimate less outer loss, as a share of the estimate.

    The last two columns are of the estimate that does not know the learning curve.
    """
    own = by_dataset(rows[rows["method"] == AUTO])
    lines = []
    for metric, part in own.groupby("metric", sort=False):
        mean, error = _mean_gap(part, "estimate")
        before, its_error = _mean_gap(part, "on folds")
        lines.append(
            {
                "metric": metric,
                "data sets": len(part),
                "mean of (estimate - outer) / estimate": round(mean, 4),
                "standard error": round(error, 4),
                "in standard errors": round(mean / error, 2),
                "without the learning curve": round(before, 4),
                "that in standard errors": round(before / its_error, 2),
            }
        )
    return pd.DataFrame(lines)


def _mean_gap(part, name):
    """Mean and standard error over data sets."""
    gaps = (part[name] - part["loss"]) / part[name].abs()
    return gaps.mean(), gaps.std() / np.sqrt(len(gaps))


def _wilcoxon(one, other):
    if np.allclose(one, other):
        return 1.0
    return float(stats.wilcoxon(one, other, alternative="less").pvalue)


def _holm(p):
    """Holm's correction of p values by name."""
    order = sorted(p, key=p.get)
    found, largest = {}, 0.0
    for place, name in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p[name]))
        found[name] = largest
    return found
