"""What the figures of the poster on the generalised Hamming distance show."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from skldl.datasets import load
from skldl.graphs import label_correlation
from skldl.metrics import ranking_loss
from skldl.multilabel import IBLR, BRkNN, DMLkNN, MLkNN
from skldl.projection import GraphEmbedding
from skldl.reproduce.figures._splits import shuffled_folds

SETS = ("mulan_yeast", "mulan_scene", "mulan_emotions")
N_FOLDS, N_DIMENSIONS, N_NEIGHBORS = 10, 4, 10


def embeddings() -> dict[str, Any]:
    """The five embeddings of the poster, in four dimensions."""
    size = N_DIMENSIONS
    return {
        "PCA": PCA(size),
        "Hamming": GraphEmbedding(size, label_distance="hamming"),
        "Euclid-Y": GraphEmbedding(size, label_distance="euclidean_y"),
        "Euclid-X": GraphEmbedding(size, label_distance="euclidean_x"),
        "GH": GraphEmbedding(size),
    }


def rankers() -> dict[str, Any]:
    """The poster's rankers that can be had; RL-kNN has no source."""
    k = N_NEIGHBORS
    return {"ML-kNN": MLkNN(k), "IBLR-ML": IBLR(k), "BR-kNN": BRkNN(k),
            "DML-kNN": DMLkNN(k)}  # fmt: skip


def ranker_scores(names: tuple[str, ...] = SETS) -> pd.DataFrame:
    """Table 2 on other sets: ranking loss of every ranker behind every embedding."""
    rows = []
    for name in names:
        data = load(name)
        X, Y = data.X, np.asarray(data.Y)
        for split, (train, test) in enumerate(shuffled_folds(len(X), N_FOLDS)):
            for embedding, projection in embeddings().items():
                Z = projection.fit(X[train], Y[train])
                train_Z, test_Z = Z.transform(X[train]), Z.transform(X[test])
                for ranker, model in rankers().items():
                    model.fit(train_Z, Y[train])
                    loss = ranking_loss(Y[test], model.predict_proba(test_Z))
                    rows.append((name, embedding, ranker, split, float(loss)))
    columns = ["dataset", "embedding", "ranker", "split", "value"]
    return pd.DataFrame(rows, columns=columns)


def label_matrices(names: tuple[str, ...] = ("mulan_yeast", "mulan_emotions")) -> Any:
    """The matrix F of normalised mutual information between labels."""
    rows = []
    for name in names:
        data = load(name)
        F = label_correlation(np.asarray(data.Y))
        labels = [str(label) for label in data.label_names]
        for i, first in enumerate(labels):
            rows += [(name, first, second, F[i, j]) for j, second in enumerate(labels)]
    return pd.DataFrame(rows, columns=["dataset", "first", "second", "value"])
