"""When is a pool taken in place of the single best candidate? Rules on inner folds.

AutoLDL takes the best way of pooling only if it is better than the single candidate by
one standard error of the difference. This script compares that rule with others on the
inner folds of training parts: ways, members and weights are chosen on four of the five
inner folds, and judged on the fifth. The test part of the outer fold takes no part.

    python bench/auto_ways.py FOLDER [--metrics=kl_divergence] [--folds=1] [--write]

FOLDER has the predictions that bench/auto.py made; ``--folds=1,2`` names the outer
folds whose training parts are used.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from _auto_predictions import DATASETS, LARGE, load_fold
from auto import committed_orders, members_of

RESULTS = Path(__file__).parent / "results"
#: Standard errors that the best way must be better by, by the name of the rule.
RULES = {
    "single candidate": np.inf,
    "least loss": 0.0,
    "half a standard error": 0.5,
    "one standard error": 1.0,
    "two standard errors": 2.0,
}


def judge_rules(found, metric, order):
    """Losses of the rules: one row per inner fold that judges."""
    from skldl.auto._choice import WAYS, choose, estimate, sample_losses
    from skldl.ldl import combine

    members = members_of(found["names"], metric, order)
    inner, D = found["inner"][members], found["D"]
    number = np.arange(len(members))
    folds = [np.arange(a, b) for a, b in pairwise(found["ends"])]
    lines = []
    for test in folds:
        rest = np.setdiff1d(np.arange(len(D)), test)
        left = [np.searchsorted(rest, f) for f in folds if f[0] != test[0]]
        known = inner[:, rest], D[rest], np.ones(len(rest)), metric
        guess = estimate(*known, left, list(WAYS))
        losses = {}
        for way in WAYS:
            choice = choose(way, *known, [str(i) for i in number])
            chosen = inner[[int(name) for name in choice.weights]][:, test]
            weights = list(choice.weights.values())
            P = combine(chosen, weights, pool=choice.kind, bias=choice.bias)
            losses[way] = sample_losses(metric, D[test], P).mean()
        lines.append({r: losses[taken(guess, t)] for r, t in RULES.items()})
    return pd.DataFrame(lines)


def taken(guess, errors):
    """The best way if it is better than the single one by some standard errors."""
    best = min(guess.losses, key=lambda way: guess.losses[way].mean())
    gains = guess.losses["single"] - guess.losses[best]
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    if best == "single" or np.isinf(errors) or gains.mean() <= errors * error:
        return "single"
    return best


def summary(losses, metric):
    """Each rule beside the single candidate, over the data sets."""
    alone = losses["single candidate"]
    gains = losses.rsub(alone, axis=0).div(alone.abs(), axis=0)
    return pd.DataFrame(
        {
            "metric": metric,
            "rule": gains.columns,
            "data sets": len(gains),
            "mean gain over the single candidate": gains.mean().round(5).to_numpy(),
            "not worse on": (gains >= -1e-12).sum().to_numpy(),
        }
    )


def main(arguments):
    """Judge and print."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    folder = next(a for a in arguments if not a.startswith("--"))
    orders, tables = committed_orders(), []
    for metric in given.get("metrics", "kl_divergence").split(","):
        rows = {}
        for name in [n for n in DATASETS if n not in LARGE]:
            parts = [
                judge_rules(load_fold(folder, name, int(fold)), metric, orders[name])
                for fold in given.get("folds", "1").split(",")
            ]
            rows[name] = pd.concat(parts).mean()
        tables.append(summary(pd.DataFrame(rows).T, metric))
        print(tables[-1].to_string(index=False), flush=True)
    if "write" in given:
        pd.concat(tables).to_csv(RESULTS / "auto_ways.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
