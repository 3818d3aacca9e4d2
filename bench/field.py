"""Every distribution learner on the data sets at hand: ten folds, six metrics.

Defaults, features standardised in the pipeline; CPU time to fit (mean over folds) and
the memory that a fit to all samples takes beyond the data, in a fresh process.
Published numbers (tables of MSLP and LSE-LDL) stand below where a table of
them is given; their methods were tuned and their features were raw.

    python bench/field.py [DATASET ...] [--published=CSV] [--methods=A,B] [--write]
"""

import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import cost
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skldl
from skldl.benchmark import read_reference
from skldl.datasets import load
from skldl.metrics import get_metric

METRICS = ["chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection"]
SHORT = {"kl_divergence": "kl"}
DATASETS = ["SJAFFE", "SBU_3DFE", "Natural_Scene", "Yeast_alpha"]


def methods(wanted=None):
    """Name to pipeline; searches are left out."""
    return {
        name: make_pipeline(StandardScaler(), estimator())
        for name, estimator in skldl.all_estimators("ldl")
        if not name.endswith("CV") and (wanted is None or name in wanted)
    }


def fit_all(name, data):
    """Fit to all samples, for the memory."""
    warnings.simplefilter("ignore")
    methods([name])[name].fit(data.X, data.D)


def folds_of(model, data):
    """Mean of each metric over the folds, and CPU seconds of a fit."""
    scores, seconds = [], []
    for train, test in KFold(10, shuffle=True, random_state=0).split(data.X):
        start = time.process_time()
        model.fit(data.X[train], data.D[train])
        seconds.append(time.process_time() - start)
        P = model.predict(data.X[test])
        scores.append([get_metric(m).fn(data.D[test], P) for m in METRICS])
    return [*np.mean(scores, axis=0), np.mean(seconds)]


def measured(dataset, wanted=None):
    """Methods in rows; metrics, time and memory in columns."""
    data = load(dataset)
    columns = [*(SHORT.get(m, m) for m in METRICS), "fit s", "MB"]
    rows = {}
    for name, model in methods(wanted).items():
        try:
            values = folds_of(model, data)
        except ValueError as error:  # a kernel method that refuses the size
            print(f"{dataset} {name}: {error}", flush=True)
            continue
        memory = cost(partial(load, dataset), partial(fit_all, name))
        rows[name] = [*values, memory.extra_mb]
        print(dataset, name, *(f"{v:.4f}" for v in rows[name]), flush=True)
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def published(csv, dataset, columns):
    """The papers' numbers of a data set."""
    table = read_reference(csv)
    chosen = table["paper"].isin(["MSLP", "LSE-LDL"]) & (table["dataset"] == dataset)
    table = table[chosen].assign(row=lambda t: t["method"] + " (" + t["paper"] + ")")
    wide = table.pivot_table(index="row", columns="metric", values="value")
    return wide.rename(columns=SHORT).reindex(columns=columns)


def rst(dataset, table):
    """A simple table."""
    cells = [["method", *table.columns]]
    for name, row in table.iterrows():
        digits = [2 if c == "fit s" else 0 if c == "MB" else 4 for c in table.columns]
        values = zip(row, digits, strict=True)
        shown = ["-" if np.isnan(v) else f"{v:.{d}f}" for v, d in values]
        cells.append([name, *shown])
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    rule = " ".join("=" * width for width in widths)
    lines = [
        " ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([f"{dataset}:", "", rule, lines[0], rule, *lines[1:], rule, ""])


def main(arguments):
    """Measure, print, and write if asked to."""
    names = [a for a in arguments if not a.startswith("--")] or DATASETS
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    wanted = given["methods"].split(",") if "methods" in given else None
    text = []
    for name in names:
        table = measured(name, wanted)
        if "published" in given:
            others = published(given["published"], name, table.columns)
            table = pd.concat([table, others])
        text.append(rst(name, table))
    print("\n".join(text))
    if "write" in given:
        target = Path(__file__).parents[1] / "docs" / "guide" / "field_results.inc"
        target.write_text("\n".join(text))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
