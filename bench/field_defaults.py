"""How the default regularisation of the field's learners was chosen.

Nine tenths of a data set are the training part; the first of five folds inside of it
validates, or all five in turn if there are few samples. Features are standardised in
the pipeline. The table has the divergence on the validation folds as a share of that of
the mean distribution, below 1 if a learner is better; the last column is the geometric
mean over the data sets, a star the default. The last tenth is never looked at.

    python bench/field_defaults.py [DATASET ...] [--methods=A,B] [--write]
"""

import sys
import warnings

import numpy as np
from _tables import rst, write_include
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skldl.ldl
from skldl.datasets import load
from skldl.metrics import kl_divergence

DATASETS = ["SJAFFE", "SBU_3DFE", "Natural_Scene"]
FEW = 1000
GRIDS = {
    "AABP": {"reg": [0.1, 1.0, 10.0]},
    "CPNN": {"reg": [1.0, 3.0, 10.0]},
    "LALOT": {"reg": [1.0, 10.0, 100.0]},
    "LDLLC": {"reg": [0.1, 1.0, 10.0]},
    "LDLLDM": {"reg": [0.1, 1.0, 10.0]},
    "LDLSCL": {"reg": [0.1, 1.0, 10.0]},
    "LDSVR": {"C": [1.0, 10.0, 100.0]},
}


def validation(name):
    """Features and distributions to fit and to validate with, for each fold."""
    data = load(name)
    X, _, D, _ = train_test_split(data.X, data.D, test_size=0.1, random_state=0)
    folds = list(KFold(5, shuffle=True, random_state=1).split(X))
    used = folds if len(X) < FEW else folds[:1]
    return [(X[fit], D[fit], X[check], D[check]) for fit, check in used]


def divergence(model, folds):
    """Mean over the folds."""
    return np.mean(
        [
            kl_divergence(
                D_check,
                make_pipeline(StandardScaler(), model).fit(X, D).predict(X_check),
            )
            for X, D, X_check, D_check in folds
        ]
    )


def main(arguments):
    """Fit, print, and write if asked to."""
    names = [a for a in arguments if not a.startswith("--")] or DATASETS
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    wanted = given["methods"].split(",") if "methods" in given else list(GRIDS)
    parts = [validation(name) for name in names]
    means = [divergence(skldl.ldl.MeanDistribution(), folds) for folds in parts]
    rows = []
    for name in wanted:
        [(parameter, values)] = GRIDS[name].items()
        learner = getattr(skldl.ldl, name)
        for value in values:
            model = learner(**{parameter: value})
            shares = np.divide([divergence(model, folds) for folds in parts], means)
            mean = float(np.exp(np.mean(np.log(shares))))
            mark = " *" if getattr(learner(), parameter) == value else ""
            setting = f"{parameter}={value:g}{mark}"
            rows.append([name, setting, *(f"{s:.2f}" for s in [*shares, mean])])
            print(*rows[-1], flush=True)
    text = rst(["learner", "setting", *names, "mean"], rows)
    print(text)
    if "write" in given:
        write_include("field_defaults", text)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
