"""The poster's table: ranking loss against dimension, beside its published numbers.

ML-kNN (k = 10, s = 1) on MULAN yeast, scene and emotions with their own splits, and on
ten shuffled folds of yeast (seed 0); features as they come; ties count as errors. The
rankers stand beside each other at four dimensions, with ties as MULAN orders them.

    python bench/gh_paper.py PUBLISHED.csv [--write]
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.model_selection import KFold

from skldl.datasets import load
from skldl.metrics import evaluate, ranking_loss
from skldl.multilabel import IBLR, BRkNN, DMLkNN, MLkNN
from skldl.projection import GraphEmbedding

DIMENSIONS = (1, 2, 4, 8, 16)
EMBEDDINGS = {
    "PCA": PCA,
    "Hamming": lambda p: GraphEmbedding(p, label_distance="hamming"),
    "Euclid-Y": lambda p: GraphEmbedding(p, label_distance="euclidean_y"),
    "Euclid-X": lambda p: GraphEmbedding(p, label_distance="euclidean_x"),
    "Euclid-X squared": lambda p: GraphEmbedding(p, label_distance="sqeuclidean_x"),
    "GH": GraphEmbedding,
}
RANKERS = {"ML-kNN": MLkNN, "IBLR-ML": IBLR, "BR-kNN": BRkNN, "DML-kNN": DMLkNN}
WHOLE = ["ranking_loss", "one_error", "coverage", "average_precision", "hamming_loss"]


def embed(name, size, X, Y, new):
    """Project both parts by what the training part taught."""
    model = EMBEDDINGS[name](size).fit(X, Y)
    return model.transform(X), model.transform(new)


def loss(name, size, X, Y, parts):
    """Mean ranking loss of ML-kNN over splits."""
    values = []
    for train, test in parts:
        Z, new = embed(name, size, X[train], Y[train], X[test])
        scores = MLkNN(10).fit(Z, Y[train]).predict_proba(new)
        values.append(ranking_loss(Y[test], scores))
    return sum(values) / len(values)


def dimension_table(published):
    """One row per data, split and embedding."""
    rows = []
    for name in ("mulan_yeast", "mulan_scene", "mulan_emotions"):
        data = load(name)
        splits = {"own split": [(data.train, data.test)]}
        if name == "mulan_yeast":
            folds = KFold(10, shuffle=True, random_state=0)
            splits["ten folds"] = list(folds.split(data.X))
        for split, parts in splits.items():
            for method in EMBEDDINGS:
                found = [loss(method, p, data.X, data.Y, parts) for p in DIMENSIONS]
                rows.append([name, split, method, *(f"{v:.4f}" for v in found)])
    for method, part in published.groupby("method", sort=False):
        part = part.set_index("metric")["value"]
        found = [part[f"ranking_loss_mlknn_dim{p}"] for p in DIMENSIONS]
        rows.append(["mulan_yeast", "published", method, *(f"{v:.3f}" for v in found)])
    return pd.DataFrame(
        rows, columns=["data", "split", "embedding", *map(str, DIMENSIONS)]
    )


def paired_table():
    """Yeast, ten folds: how much the generalised distance differs from PCA."""
    data = load("mulan_yeast")
    folds = list(KFold(10, shuffle=True, random_state=0).split(data.X))
    rows = []
    for size in DIMENSIONS:
        found = {
            name: np.array([loss(name, size, data.X, data.Y, [f]) for f in folds])
            for name in ("PCA", "GH")
        }
        gap = found["GH"] - found["PCA"]
        error = gap.std(ddof=1) / len(gap) ** 0.5
        better = int((gap < 0).sum())
        rows.append(
            [str(size), f"{gap.mean():+.4f}", f"{error:.4f}", f"{better} of 10"]
        )
    return pd.DataFrame(
        rows, columns=["dimensions", "GH less PCA", "standard error", "folds better"]
    )


def ranker_table():
    """Every ranker at four dimensions, ties as MULAN orders them."""
    rows = []
    for name in ("mulan_yeast", "mulan_scene", "mulan_emotions"):
        data = load(name)
        train, test = data.train, data.test
        for method in ("PCA", "Hamming", "GH"):
            Z, new = embed(method, 4, data.X[train], data.Y[train], data.X[test])
            cells = []
            for ranker in RANKERS.values():
                scores = ranker(10).fit(Z, data.Y[train]).predict_proba(new)
                cells.append(f"{ranking_loss(data.Y[test], scores, ties='stable'):.4f}")
            rows.append([name, method, *cells])
    return pd.DataFrame(rows, columns=["data", "embedding", *RANKERS])


def whole_table():
    """ML-kNN on all features."""
    rows = []
    for name in ("mulan_yeast", "mulan_scene", "mulan_emotions"):
        data = load(name)
        model = MLkNN(10).fit(data.X[data.train], data.Y[data.train])
        new, Y = data.X[data.test], data.Y[data.test]
        found = evaluate(Y, model.predict_proba(new), metrics=WHOLE[:-1])
        found |= evaluate(Y, model.predict(new), metrics=WHOLE[-1:])
        rows.append([name, *(f"{found[metric]:.4f}" for metric in WHOLE)])
    return pd.DataFrame(rows, columns=["data", *WHOLE])


def rst(table):
    """A simple table for the guide."""
    cells = [list(table.columns), *table.to_numpy().tolist()]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    rule = " ".join("=" * width for width in widths)
    text = [" ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in cells]
    return "\n".join([rule, text[0], rule, *text[1:], rule, ""])


if __name__ == "__main__":
    numbers = pd.read_csv(sys.argv[1])
    numbers = numbers[
        (numbers["paper"] == "GH") & (numbers["dataset"] == "mulan_yeast")
    ]
    tables = {
        "gh_dimensions": dimension_table(numbers),
        "gh_paired": paired_table(),
        "gh_rankers": ranker_table(),
        "mlknn_whole": whole_table(),
    }
    for name, table in tables.items():
        print(rst(table))
        if "--write" in sys.argv:
            folder = Path(__file__).parents[1] / "docs" / "guide"
            (folder / f"{name}.inc").write_text(rst(table))
