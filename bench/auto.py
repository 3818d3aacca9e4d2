"""AutoLDL on the 16 open distribution data sets, on outer folds that it never sees.

Each training part of five shared folds is searched as ``AutoLDL(preset="medium")``
does: the same candidates, inner folds, pools and estimates, on the table as it is.
Every candidate is also fitted on the whole training part, which gives each of them an
outer score, and the pool of every metric without a second search. One command does all
of it, in stages, and goes on where it was stopped:

1. the first fold of all data sets but Movie, with every candidate;
2. the order of the candidates, learned without the data set that is judged
   (bench/portfolio.py), on inner folds;
3. the other folds, with the candidates of these orders; the first twelve are those that
   the medium preset has;
4. Movie, one fold after the other. It has more than 4,000 rows; no candidate is dropped
   early here.

    python bench/auto.py FOLDER [--datasets=A,B] [--folds=5] [--report] [--again]
        [--write]

FOLDER keeps predictions and scores. Folds whose scores are in bench/results/auto.csv
are taken from there, with the orders in bench/results/portfolio.csv; ``--again``
measures them again, which a change of the learners or of the pool needs, with the
orders in FOLDER/portfolio.csv if that is there.
``--report`` only judges what is there; ``--write`` writes the tables.
"""

import hashlib
import inspect
import sys
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
from _auto_predictions import (
    DATASETS,
    LARGE,
    LARGEST,
    MEAN,
    N_FOLDS,
    folds_in,
    half_prediction,
    load_fold,
    predict_missing,
)
from _auto_tables import AUTO, PICK, estimates, overview, ranks
from portfolio import learn_orders

METRICS = [
    "kl_divergence", "chebyshev", "clark", "canberra", "cosine", "intersection",
    "zero_one_loss", "error_probability",
]  # fmt: skip
RESULTS = Path(__file__).parent / "results"
N_MEDIUM = 12


def predict(folder, names, n_folds, known):
    """All stages; what is there or known is not done again."""
    small = [name for name in names if name not in LARGE]
    ordered = bool(known) or (Path(folder) / "portfolio.csv").exists()
    for name in small:
        if (name, 0) not in known and not ordered:
            predict_missing(folder, name, 0)
    orders = read_orders(folder, known)
    jobs = [*product(range(n_folds), small)]
    jobs += [*product(range(n_folds), [n for n in names if n in LARGE])]
    for fold, name in jobs:
        if (name, fold) not in known:
            predict_missing(folder, name, fold, wanted_by(orders, name))


def wanted_by(orders, name):
    """A test of names: candidates of the order and those for the largest label."""
    known = {MEAN, *orders[name]}
    return lambda candidate: candidate in known or candidate.startswith(LARGEST)


def known_scores(again):
    """Scores of earlier runs by data set and fold; none if all is measured again."""
    path = RESULTS / "auto.csv"
    if again or not path.exists():
        return {}
    return dict(list(pd.read_csv(path).groupby(["dataset", "fold"])))


def read_orders(folder, known):
    """Orders that were learned without each data set; learned now if need be.

    Those of earlier runs go with the scores of earlier runs.
    """
    if known:
        return committed_orders()
    path = Path(folder) / "portfolio.csv"
    if not path.exists():
        learn_orders(folder).to_csv(path, index=False)
    return orders_in(path)


def committed_orders():
    """Orders of the committed table."""
    return orders_in(RESULTS / "portfolio.csv")


def orders_in(path):
    """Candidates in order, by the data set that they were learned without."""
    table = pd.read_csv(path)
    orders = {n: list(part["candidate"]) for n, part in table.groupby("left_out")}
    found = {name: orders.get(name, orders["none"]) for name in DATASETS}
    return {n: [*larger(n), *order] for n, order in found.items()}


def larger(name):
    """The candidate for larger tables; its 31 leaves are LightGBM's own default."""
    return ["boosting with large trees"] if name in LARGE else []


def members_of(names, metric, order):
    """Numbers of the candidates that the medium preset has, in the order."""
    chosen = [MEAN, *(n for n in order[:N_MEDIUM] if n in names)]
    if metric in ("zero_one_loss", "error_probability"):
        chosen += [n for n in names if n.startswith(LARGEST)]
    return [names.index(name) for name in chosen]


def judge(found, metric, order, half_of):
    """Scores of AutoLDL, of the pick of the best one and of every candidate.

    ``half_of`` gives a candidate's inner predictions from half of the rows.
    """
    from skldl.auto._choice import (
        WAYS,
        choose,
        estimate,
        mean_and_error,
        sample_losses,
    )
    from skldl.auto._curve import gains_of_all_rows
    from skldl.ldl import combine

    members = members_of(found["names"], metric, order)
    inner, outer = found["inner"][members], found["outer"][members]
    names = [found["names"][i] for i in members]
    D, weight = found["D"], np.ones(len(found["D"]))
    folds = [np.arange(a, b) for a, b in pairwise(found["ends"])]
    guess = estimate(inner, D, weight, metric, folds, list(WAYS))
    choice = choose(guess.way, inner, D, weight, metric, names)
    pooled = combine(
        outer[[names.index(n) for n in choice.weights]],
        list(choice.weights.values()),
        pool=choice.kind,
        bias=choice.bias,
    )
    means = [sample_losses(metric, D, P).mean() for P in inner]
    rows = {AUTO: pooled, PICK: outer[int(np.argmin(means))]}
    rows |= dict(zip(found["names"], found["outer"], strict=True))
    own = sample_losses(metric, found["D_test"], pooled)
    lines = []
    for method, P in rows.items():
        losses = sample_losses(metric, found["D_test"], P)
        line = {"method": method, "loss": losses.mean()}
        line["behind"], line["behind_error"] = mean_and_error(
            losses - own, np.ones(len(own))
        )
        lines.append(line)
    P = guess.predict(inner)
    again = np.zeros_like(inner)
    for i in guess.members:
        again[i] = half_of(names[i])
    m = len(D) - np.mean(np.diff(found["ends"]))
    gains = gains_of_all_rows(
        D, guess.predict(again), P, weight, metric, (m / 2, m, len(D))
    )
    judged = sample_losses(metric, D, P)
    lines[0]["estimate"], lines[0]["estimate_error"] = mean_and_error(
        judged - gains, weight
    )
    lines[0]["on folds"] = judged.mean()
    lines[0]["error"] = mean_and_error(own, np.ones(len(own)))[1]
    lines[0]["way"] = guess.way
    return pd.DataFrame(lines)


def judged(folder, name, fold, metrics, order):
    """Scores of a fold, from the folder where nothing has changed since."""
    found = load_fold(folder, name, fold)
    if found is None:
        return
    for metric in metrics:
        text = f"{order[:N_MEDIUM]} {found['names']} {_method()}"
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        path = Path(folder) / "scores" / f"{name}-{fold}-{metric}-{key}.csv"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            half_of = partial(half_prediction, folder, name, fold)
            judge(found, metric, order, half_of).to_csv(path, index=False)
        table = pd.read_csv(path)
        yield table.assign(dataset=name, fold=fold, metric=metric)


def _method():
    """The code that pools and judges."""
    import skldl

    home = Path(skldl.__file__).parent
    files = [home / "auto" / n for n in ("_choice.py", "_curve.py")]
    files += [*sorted(home.glob("ldl/_pool*.py"))]
    own = inspect.getsource(judge) + inspect.getsource(members_of)
    return own + "".join(path.read_text() for path in files)


def main(arguments):
    """Predict what is not there, judge and print."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    folder = Path(next(a for a in arguments if not a.startswith("--")))
    names = given["datasets"].split(",") if "datasets" in given else DATASETS
    metrics = given["metrics"].split(",") if "metrics" in given else METRICS
    n_folds = int(given.get("folds", N_FOLDS))
    known = known_scores("again" in given)
    if "report" not in given:
        predict(folder, names, n_folds, known)
    orders = read_orders(folder, known)
    parts = [
        table
        for name in names
        for fold in folds_in(folder, name)[:n_folds]
        if (name, fold) not in known
        for table in judged(folder, name, fold, metrics, orders[name])
    ]
    rows = pd.concat([*parts, *(t for (n, _), t in known.items() if n in names)])
    rows = rows[rows["metric"].isin(metrics)]
    tables = {
        "auto_overview": overview(rows),
        "auto_ranks": ranks(rows),
        "auto_estimates": estimates(rows),
    }
    for table in tables.values():
        print(table.to_string(index=False), end="\n\n")
    if "write" in given:
        tables["auto"] = rows.round(6)[
            ["dataset", "fold", "metric", "method", "loss", "behind", "behind_error",
             "error", "estimate", "estimate_error", "on folds", "way"]
        ]  # fmt: skip
        for name, table in tables.items():
            table.to_csv(RESULTS / f"{name}.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
