"""AA-kNN on raw and standardised features of real data sets, beside the baseline.

    python bench/aaknn_scaling.py [DATASET ...] [--write]

Writes the table of the guide, ``docs/guide/aaknn_scaling.inc``, when called with
``--write``.
"""

import sys

import numpy as np
from _tables import rst, write_include
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import load
from skldl.ldl import AAkNN, MeanDistribution
from skldl.metrics import evaluate

DATASETS = ("SJAFFE", "SBU_3DFE", "M2B", "SCUT_FBP", "Natural_Scene", "Yeast_alpha")
METRICS = ("clark", "kl_divergence", "intersection", "zero_one_loss")
METHODS = {
    "mean distribution": MeanDistribution(),
    "uniform, raw": AAkNN(5),
    "uniform, standardised": make_pipeline(StandardScaler(), AAkNN(5)),
    "dudani, raw": AAkNN(5, weights="dudani"),
    "dudani, standardised": make_pipeline(StandardScaler(), AAkNN(5, weights="dudani")),
}


def score(method, data):
    """Means over ten shuffled folds."""
    values = []
    for train, test in KFold(10, shuffle=True, random_state=0).split(data.X):
        P = method.fit(data.X[train], data.D[train]).predict(data.X[test])
        values.append(list(evaluate(data.D[test], P, metrics=METRICS).values()))
    return np.mean(values, axis=0)


if __name__ == "__main__":
    rows = []
    for name in [a for a in sys.argv[1:] if not a.startswith("--")] or DATASETS:
        data = load(name)
        for label, method in METHODS.items():
            rows.append((name, label, *(f"{v:.4f}" for v in score(method, data))))
    text = rst(["data set", "method", *METRICS], rows)
    print(text)
    if "--write" in sys.argv:
        write_include("aaknn_scaling", text)
