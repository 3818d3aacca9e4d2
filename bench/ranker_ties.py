"""Rankers of label sets at four dimensions, ties ordered as MULAN does it.

The comparison engine counts ties as errors, and so do the tables of ``skldl reproduce
generalized-hamming``; this table shows the other rule, which matters for BR-kNN.

    python bench/ranker_ties.py [--write]
"""

import sys

from _tables import rst, write_include
from sklearn.decomposition import PCA

from skldl.datasets import load
from skldl.metrics import ranking_loss
from skldl.multilabel import IBLR, BRkNN, DMLkNN, MLkNN
from skldl.projection import GraphEmbedding

EMBEDDINGS = {
    "PCA": PCA(4),
    "Hamming": GraphEmbedding(4, label_distance="hamming"),
    "GH": GraphEmbedding(4),
}
RANKERS = {"ML-kNN": MLkNN, "IBLR-ML": IBLR, "BR-kNN": BRkNN, "DML-kNN": DMLkNN}


def ranker_table():
    """One row per data set and embedding."""
    rows = []
    for name in ("mulan_yeast", "mulan_scene", "mulan_emotions"):
        data = load(name)
        X, Y = data.X[data.train], data.Y[data.train]
        for label, embedding in EMBEDDINGS.items():
            Z = embedding.fit(X, Y).transform(X)
            new = embedding.transform(data.X[data.test])
            cells = []
            for ranker in RANKERS.values():
                scores = ranker(10).fit(Z, Y).predict_proba(new)
                cells.append(
                    f"{ranking_loss(data.Y[data.test], scores, ties='stable'):.4f}"
                )
            rows.append([name, label, *cells])
    return rst(["data", "embedding", *RANKERS], rows)


if __name__ == "__main__":
    result = ranker_table()
    print(result)
    if "--write" in sys.argv:
        write_include("gh_rankers", result)
