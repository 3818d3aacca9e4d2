"""AutoLDL beside what a user would take instead, with the same time and folds.

Every method gets the same training part of an outer fold (those of bench/auto.py) and
the same seconds of wall time, on one thread, one after the other:

* ``AutoLDL``: ``preset="medium"``, with the order of candidates that was learned
  without the data set; beside it, if it is in the pool, the candidate that is best on
  inner folds, alone;
* ``tuned LightGBM``: boosting of a softmax on distributions (``LightGBMLDL``), random
  settings judged by divergence in three inner folds until the time is over, then the
  best one on the whole training part;
* ``FLAML``: its search over LightGBM, random forests and extra trees by log loss. It
  does not take distributions, so each row is given once per label, weighted by the
  degree, and copies of a row stay in one fold. Left out where it is not installed
  (``pip install 'flaml[automl]'``, in an environment of its own).

    python bench/auto_peers.py [--datasets=A,B] [--folds=1] [--seconds=60] [--write]

The orders are those of bench/results/portfolio.csv. Results are printed as they come.
``--write`` adds them to bench/results/auto_peers.csv.
"""

import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from _auto_predictions import SEED, parts
from auto import N_MEDIUM, committed_orders
from sklearn.model_selection import KFold

DATASETS = ["SJAFFE", "M2B", "Yeast_cold", "SCUT_FBP"]
RESULTS = Path(__file__).parent / "results"
#: Settings of LightGBM: what is drawn.
GRID = {
    "learning_rate": [0.02, 0.05, 0.1, 0.2],
    "max_leaf_nodes": [4, 8, 16, 31],
    "min_samples_leaf": [5, 10, 20, 50],
    "max_features": [0.1, 0.3, 0.6, 1.0],
    "reg": [0.1, 1.0, 10.0],
}


def auto(X, D, seconds, order):
    """AutoLDL as it is."""
    from skldl.auto import AutoLDL, read_portfolio

    entries = {entry["name"]: entry for entry in read_portfolio()}
    portfolio = [entries[name] for name in order[:N_MEDIUM]]
    model = AutoLDL(seconds, portfolio=portfolio, random_state=SEED).fit(X, D)
    tried = int((model.leaderboard_["status"] == "ok").sum()) - 1
    return model.predict, f"{tried} candidates"


def best_alone(model, X):
    """The best candidate of a search, if the pool has it: as a row of the table."""
    if model.best_ not in model.weights_:
        return []
    member = model.estimators_[list(model.weights_).index(model.best_)]
    return [("its best candidate", member.predict(X), np.nan, model.best_)]


def lightgbm(X, D, seconds, order):
    """Random search; the last fits are kept within the time."""
    from sklearn.model_selection import ParameterSampler

    from skldl.ldl import LightGBMLDL
    from skldl.metrics import kl_divergence

    begin = time.monotonic()
    folds = list(KFold(3, shuffle=True, random_state=SEED).split(X))
    best, least, tried, longest = {}, np.inf, 0, 0.0
    for settings in ParameterSampler(GRID, 10_000, random_state=SEED):
        start = time.monotonic()
        if start - begin + 1.5 * longest > seconds:
            break
        losses = []
        for train, test in folds:
            model = LightGBMLDL(**settings, n_jobs=1, random_state=SEED)
            P = model.fit(X[train], D[train]).predict(X[test])
            losses.append(kl_divergence(D[test], P))
        tried, longest = tried + 1, max(longest, time.monotonic() - start)
        if np.mean(losses) < least:
            best, least = settings, np.mean(losses)
    model = LightGBMLDL(**best, n_jobs=1, random_state=SEED).fit(X, D)
    return model.predict, f"{tried} settings"


def flaml(X, D, seconds, order):
    """Copies of rows, one per label, weighted by the degrees."""
    from flaml import AutoML

    n_labels = D.shape[1]
    rows = np.repeat(np.arange(len(D)), n_labels)
    model = AutoML()
    model.fit(
        X[rows],
        np.tile(np.arange(n_labels), len(D)),
        task="classification",
        metric="log_loss",
        time_budget=seconds,
        estimator_list=["lgbm", "rf", "extra_tree"],
        sample_weight=D.ravel(),
        eval_method="cv",
        n_splits=3,
        split_type="group",
        groups=rows,
        n_jobs=1,
        seed=SEED,
        verbose=0,
    )
    return model.predict_proba, str(model.best_estimator)


METHODS = {"AutoLDL": auto, "tuned LightGBM": lightgbm, "FLAML": flaml}


def measure(name, fold, seconds, order):
    """One row per method."""
    from skldl.metrics import kl_divergence, zero_one_loss

    X, D, X_test, D_test = parts(name, fold)
    mean = np.broadcast_to(D.mean(axis=0), D_test.shape)
    rows = [("mean distribution", mean, 0.0, "")]
    for method, fit in METHODS.items():
        if method == "FLAML" and find_spec("flaml") is None:
            continue
        begin = time.monotonic()
        predict, words = fit(X, D, seconds, order)
        rows.append((method, predict(X_test), time.monotonic() - begin, words))
        if method == "AutoLDL":
            rows += best_alone(predict.__self__, X_test)
    return pd.DataFrame(
        [
            {
                "dataset": name,
                "fold": fold,
                "method": method,
                "kl_divergence": round(kl_divergence(D_test, P), 5),
                "zero_one_loss": round(zero_one_loss(D_test, P), 4),
                "seconds": round(spent, 1),
                "tried": words,
            }
            for method, P, spent, words in rows
        ]
    )


def main(arguments):
    """Measure and print."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    names = given["datasets"].split(",") if "datasets" in given else DATASETS
    orders, tables = committed_orders(), []
    warnings.simplefilter("ignore")
    for fold in range(int(given.get("folds", 1))):
        for name in names:
            seconds = float(given.get("seconds", 60))
            tables.append(measure(name, fold, seconds, orders[name]))
            print(tables[-1].to_string(index=False, header=False), flush=True)
    if "write" in given:
        path, keys = RESULTS / "auto_peers.csv", ["dataset", "fold", "method"]
        table = pd.concat([pd.read_csv(path), *tables] if path.exists() else tables)
        table.drop_duplicates(keys, keep="last").to_csv(path, index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
