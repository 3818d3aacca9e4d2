"""The order of AutoLDL's portfolio, learned on the open data sets.

Greedy: the next candidate is the one whose addition lowers the Kullback-Leibler
divergence of the linear pool most for the time that it takes. The divergence is a share
of the mean distribution's, averaged over data sets (geometric mean) on the inner folds
of training parts only, with 200 rows of each data set; the time is the mean CPU time of
a fit, plus half a second, so that quick candidates are equal. Done once on all data
sets, and once without each of them: these orders judge AutoLDL on the data set that was
left out.

    python bench/portfolio.py FOLDER [--write]

FOLDER has the predictions that bench/auto.py made.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from _auto_predictions import DATASETS, LARGEST, MEAN, load_fold
from scipy.special import rel_entr

RESULTS = Path(__file__).parent / "results"
STEPS = 50  # of expectation maximisation
TINY = 1e-15
ROWS = 200  # of each data set on which pools are compared


def load_inner(folder):
    """Inner predictions of the first outer fold of every data set."""
    found = {}
    for name in DATASETS:
        part = load_fold(folder, name, 0)
        if part is not None:
            rows = np.linspace(0, len(part["D"]) - 1, ROWS).astype(int)
            rows = np.unique(rows)
            inner = part["inner"][:, rows]
            found[name] = part["names"], inner, part["D"][rows], part["seconds"]
    return found


def divergence(D, P):
    """Mean Kullback-Leibler divergence."""
    return float(rel_entr(D, np.maximum(P, TINY)).sum(axis=1).mean())


def pooled(members, D):
    """The linear pool after some steps of expectation maximisation."""
    flat, degrees = members.reshape(len(members), -1), D.ravel() / len(D)
    w = np.full(len(members), 1 / len(members))
    for _ in range(STEPS):
        w *= flat @ (degrees / np.maximum(w @ flat, TINY))
        w /= w.sum()
    return (w @ flat).reshape(D.shape)


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
            members = inner[[names.index(MEAN), *map(names.index, there)]]
            alone = divergence(D, members[0])
            self.known[dataset, there] = divergence(D, pooled(members, D)) / alone
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
    every = set.intersection(*(set(names) for names, *_ in data.values()))
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
