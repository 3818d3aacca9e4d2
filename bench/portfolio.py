"""The order of AutoLDL's portfolio, learned on the open data sets.

Greedy: the next candidate is the one whose addition lowers the Kullback-Leibler
divergence of the linear pool most for the time that it takes. The divergence is a share
of the mean distribution's, averaged over data sets (geometric mean) on the inner folds
of training parts only; the time is the mean CPU time of a fit, plus half a second, so
that quick candidates are equal. Done once on all data sets, and once without each of
them: these orders judge AutoLDL on the data set that was left out.

    python bench/portfolio.py FOLDER [--write]

FOLDER has the predictions that bench/auto.py made.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from _auto_predictions import DATASETS, LARGEST, MEAN, load_fold

RESULTS = Path(__file__).parent / "results"


def load_inner(folder):
    """Inner predictions of the first outer fold of every data set."""
    found = {}
    for name in DATASETS:
        part = load_fold(folder, name, 0)
        if part is not None:
            found[name] = part["names"], part["inner"], part["D"], part["seconds"]
    return found


class Shares:
    """Pool losses of sets of candidates as shares of the mean distribution's."""

    def __init__(self, data):
        self.data = data
        self.known = {}

    def __call__(self, dataset, candidates):
        """The share of one data set."""
        names, inner, D, _ = self.data[dataset]
        there = tuple(sorted(n for n in candidates if n in names))
        if (dataset, there) not in self.known:
            from skldl.ldl import fit_pool

            members = inner[[names.index("mean"), *map(names.index, there)]]
            pool = fit_pool(members, D, shrinkage=0)
            mean = fit_pool(members[:1], D, shrinkage=0)
            self.known[dataset, there] = pool.value / mean.value
        return self.known[dataset, there]


def learn_order(shares, datasets, candidates):
    """Candidates, the most useful first, with the mean share that they reach."""
    order, rest, reached = [], list(candidates), 0.0
    seconds = {
        name: np.mean([shares.data[d][3].get(name, 0.0) for d in datasets])
        for name in rest
    }
    while rest:
        chosen = [name for name, _ in order]
        values = {
            name: np.mean([np.log(shares(d, [*chosen, name])) for d in datasets])
            for name in rest
        }
        best = max(rest, key=lambda n: (reached - values[n]) / (seconds[n] / 6 + 0.5))
        reached = values[best]
        order.append((best, np.exp(reached)))
        rest.remove(best)
    return order


def learn_orders(folder):
    """The order on all data sets ("none" is left out), and without each of them."""
    data = load_inner(folder)
    shares = Shares(data)
    every = {name for names, *_ in data.values() for name in names}
    plain = sorted(n for n in every if n != MEAN and not n.startswith(LARGEST))
    rows = []
    for left_out in ["", *data]:
        datasets = [name for name in data if name != left_out]
        for place, (name, share) in enumerate(learn_order(shares, datasets, plain)):
            rows.append(
                {"left_out": left_out or "none", "place": place + 1,
                 "candidate": name, "share": round(share, 4)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def main(arguments):
    """Learn, print and keep the orders."""
    table = learn_orders(next(a for a in arguments if not a.startswith("--")))
    print(table[table["left_out"] == "none"].to_string(index=False))
    if "--write" in arguments:
        table.to_csv(RESULTS / "portfolio.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
