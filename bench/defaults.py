"""How the defaults of the learners were chosen.

The training part is the first of five folds' (``KFold(5, shuffle=True,
random_state=0)``); three folds inside of it validate. The test part is never looked at.
Features are standardised in the pipeline. A number is the divergence on the validation
folds as a share of that of the mean distribution, below 1 if the learner is better. The
table has one row per learner and setting: the number of data sets on which it beats the
mean distribution, and the geometric mean of its shares.

    python bench/defaults.py [DATASET ...] [--methods=A,B] [--write]
"""

import sys
import warnings

import numpy as np
from _tables import append, read, rst, write_include
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import load
from skldl.methods import make_method
from skldl.metrics import kl_divergence

YEAST = ["alpha", "cdc", "cold", "diau", "dtt", "elu", "heat", "spo", "spo5", "spoem"]
SMALL = ["SJAFFE", "SBU_3DFE", "Natural_Scene", "M2B", "SCUT_FBP"]
DATASETS = [*SMALL, *(f"Yeast_{name}" for name in YEAST)]
# settings to choose from; the first is the former default
SETTINGS = {
    "AAkNN": [
        "n_neighbors=5",
        "n_neighbors=30",
        "n_neighbors=100",
        "n_neighbors='auto'",
    ],
    "MSLP": [
        "reg=0.01, reg_mode='absolute', n_decoder_neighbors=5",
        *(f"reg={reg}" for reg in (0.1, 1.0, 10.0)),
    ],
    "SABFGS": [
        "reg=0.0, fit_intercept=False",
        *(f"reg={reg}" for reg in (0.0, 10.0, 30.0, 100.0, 300.0)),
    ],
    "LDLLC": [f"reg={reg}" for reg in (1.0, 10.0, 30.0, 100.0, 300.0)],
    "LDLLDM": [
        "reg=10.0, global_weight=1.0, local_weight=1.0",
        *(
            f"reg={reg}, global_weight={weight}, local_weight={weight}"
            for weight in (1.0, 0.01)
            for reg in (30.0, 100.0)
        ),
    ],
    "LALOT": [f"reg={reg}" for reg in (10.0, 30.0, 100.0)],
    "LDSVR": [
        "C=100.0, gamma='mean'",
        *(
            f"C={C}, gamma='{g}'"
            for g in ("mean", "variance")
            for C in (1.0, 3.0, 10.0)
        ),
    ],
    "LSELDL": [
        "sparsity_weight=0.1, refit_coef=False",
        "sparsity_weight=1.0, refit_coef=False",
        *(f"sparsity_weight={w}, refit_coef=True" for w in (1.0, 3.0, 10.0)),
        "sparsity_weight=1.0, refit_coef=True, reg=1.0",
    ],
    "LDLSCL": [
        "reg=1.0, code_reg=10.0, code_coef_reg=1.0",
        "reg=100.0, code_reg=100.0, code_coef_reg=10.0",
    ],
}


def inner_folds(name):
    """Parts to fit and to validate with; the test part is left out."""
    data = load(name)
    outer = KFold(5, shuffle=True, random_state=0)
    train, _ = next(outer.split(data.X))
    X, D = data.X[train], data.D[train]
    inner = KFold(3, shuffle=True, random_state=0)
    return [(X[fit], D[fit], X[check], D[check]) for fit, check in inner.split(X)]


def divergence(spec, folds):
    """Mean over the folds."""
    scores = []
    for X, D, X_check, D_check in folds:
        model = make_method(spec).estimator
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model = make_pipeline(StandardScaler(), model).fit(X, D)
        scores.append(kl_divergence(D_check, model.predict(X_check)))
    return float(np.mean(scores))


def measure(names, methods):
    """One row per learner, setting and data set."""
    rows = []
    for name in names:
        folds = inner_folds(name)
        mean = divergence("MeanDistribution", folds)
        for method in methods:
            for setting in SETTINGS[method]:
                share = divergence(f"{method}({setting})", folds) / mean
                row = {"method": method, "setting": setting, "dataset": name}
                rows.append({**row, "share": share})
                print(*rows[-1].values(), flush=True)
    return rows


def summary(rows):
    """Sets on which each setting beats the mean distribution, and its mean share."""
    lines = []
    for method, setting in dict.fromkeys((r["method"], r["setting"]) for r in rows):
        own = [
            r["share"] for r in rows if (r["method"], r["setting"]) == (method, setting)
        ]
        made, default = (make_method(f"{method}({s})").estimator for s in (setting, ""))
        mark = " *" if made.get_params() == default.get_params() else ""
        beaten = f"{sum(share < 1 for share in own)} of {len(own)}"
        mean = float(np.exp(np.mean(np.log(own))))
        lines.append([method, f"{setting}{mark}", beaten, f"{mean:.3f}"])
    return rst(["learner", "setting", "beats the mean", "mean share"], lines)


def main(arguments):
    """Fit, print, and write if asked to."""
    names = [a for a in arguments if not a.startswith("--")] or DATASETS
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    methods = given["methods"].split(",") if "methods" in given else list(SETTINGS)
    rows = measure(names, methods)
    if "write" in given:
        append("defaults", rows, ["method", "setting", "dataset"])
        write_include("field_defaults", summary(read("defaults")))
    print(summary(rows))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
