"""Forests and boosting of distributions against the libraries that they stand on.

    python bench/trees.py [--repeats=3] [--samples=4000]

Fits on the same features, one thread, in turns, and ratios of median CPU times: forests
against scikit-learn's own on distributions (at most 1.3), boosting against the
library's own multiclass fit on the largest label, with the same parameters (at most
1.5). Ends with an error when a bound is broken. LightGBM's line is left out where it is
not installed.
"""

import sys
from importlib.util import find_spec

import numpy as np
from _measure import times
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    RandomForestRegressor,
)

from skldl.datasets import make_ldl
from skldl.ldl import BoostingLDL, ExtraTreesLDL, LightGBMLDL, RandomForestLDL

FEATURES, LABELS, ITERATIONS = 40, 6, 40
FOREST = {"n_estimators": 30, "max_features": 1 / 3, "min_samples_leaf": 5}
TREES = {"learning_rate": 0.1, "max_leaf_nodes": 15, "min_samples_leaf": 20}
WHOLE = {"max_iter": ITERATIONS, "validation_fraction": None, "max_features": 1.0}


def forests(X, D):
    """Name, bound, ours, theirs."""
    pairs = [(ExtraTreesLDL, ExtraTreesRegressor)]
    pairs += [(RandomForestLDL, RandomForestRegressor)]
    for mine, theirs in pairs:
        ours = mine(**FOREST, random_state=0)
        other = theirs(**FOREST, random_state=0)
        yield (
            f"{mine.__name__} / {theirs.__name__}",
            1.3,
            lambda ours=ours: ours.fit(X, D),
            lambda other=other: other.fit(X, D),
        )


def boosting(X, D):
    """The core, and LightGBM if it is there."""
    top = D.argmax(axis=1)
    mine = BoostingLDL(**TREES, **WHOLE, reg=1.0, n_jobs=1)
    other = HistGradientBoostingClassifier(
        **TREES, max_iter=ITERATIONS, l2_regularization=1.0, early_stopping=False
    )
    name = "BoostingLDL / HistGradientBoostingClassifier"
    yield name, 1.5, lambda: mine.fit(X, D), lambda: other.fit(X, top)
    if find_spec("lightgbm") is None:
        print("lightgbm is not here; its line is left out.")
        return
    import lightgbm

    light = LightGBMLDL(**TREES, **WHOLE, reg=1.0, n_jobs=1)
    settings = {
        "objective": "multiclass", "num_class": LABELS, "num_threads": 1,
        "learning_rate": 0.1, "num_leaves": 15, "min_data_in_leaf": 20,
        "lambda_l2": 1.0, "verbosity": -1, "force_col_wise": True,
        "deterministic": True,
    }  # fmt: skip

    def theirs():
        lightgbm.train(settings, lightgbm.Dataset(X, top), ITERATIONS)

    yield "LightGBMLDL / LightGBM multiclass", 1.5, lambda: light.fit(X, D), theirs


def main(arguments):
    """All pairs; the number of broken bounds."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    n_samples, repeats = int(given.get("samples", 4000)), int(given.get("repeats", 3))
    X, D = make_ldl(n_samples, FEATURES, LABELS, random_state=0)
    broken = 0
    for name, bound, ours, theirs in [*forests(X, D), *boosting(X, D)]:
        found = times({"ours": ours, "theirs": theirs}, repeats)
        ratio = found["ours"].cpu_s / found["theirs"].cpu_s
        broken += not ratio <= bound or np.isnan(ratio)
        print(
            f"{name}: ours {found['ours'].cpu_s:.2f} s, theirs "
            f"{found['theirs'].cpu_s:.2f} s, ratio {ratio:.2f} (at most {bound})",
            flush=True,
        )
    return broken


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
