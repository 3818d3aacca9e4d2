"""What the figures of J-Play are drawn from."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import FunctionTransformer

from skldl.datasets import load
from skldl.projection import LFDA, LPP, LSDR, LSQMID, JPlay
from skldl.reproduce._tuned import TunedAs
from skldl.reproduce.figures._splits import quiet
from skldl.reproduce.papers.jplay import (
    EIGENFACES,
    SIZES,
    classifier,
    load_data,
    projections,
)

N_TREES = 100
DEPTH = 4
N_FACES = 20
N_ROUNDS = 10


def map_projections() -> dict[str, Any]:
    """The paper's projections with its sizes; folds of the training part tune J-Play.

    Four layers take the setting of one: to tune them takes long.
    """
    pca, lpp, lsdr, lsqmid, jplay = SIZES["pines"]
    one = projections("pines", N_ROUNDS)["J-Play1"]
    return {
        "Baseline": FunctionTransformer(),
        "PCA": PCA(pca, svd_solver="full"),
        "LPP": LPP(lpp),
        "LDA": LinearDiscriminantAnalysis(solver="eigen"),
        "LFDA": LFDA(reg=1e-3),
        "LSDR": LSDR(lsdr, n_init=1, random_state=0),
        "LSQMID": LSQMID(lsqmid, n_init=1, random_state=0),
        "J-Play1": one,
        f"J-Play{DEPTH}": TunedAs(JPlay(jplay, n_layers=DEPTH, max_iter=N_ROUNDS), one),
    }


def nearest_maps() -> pd.DataFrame:
    """Fig. 3 with 1-NN: classes of the pixels of the repaired cube."""
    return _maps("NN")


def forest_maps() -> pd.DataFrame:
    """Fig. 3: classes of the pixels by canonical correlation forests."""
    return _maps("CCF")


def _maps(kind: str) -> pd.DataFrame:
    data, whole = load_data("repaired"), load("Indian_Pines_repaired")
    X, y, train = data.X, data.y, data.train
    tested = np.zeros(len(y), dtype=int)
    tested[data.test] = 1
    pixels = np.asarray(whole.extra["pixels"])
    table = pd.DataFrame(
        {"row": pixels[:, 0], "column": pixels[:, 1], "test": tested, "truth": y}
    )
    last = classifier(kind, N_TREES)
    for name, model in map_projections().items():
        with quiet():
            Z = model.fit(X[train], y[train]).transform(X)
        table[name] = last.fit(Z[train], y[train]).predict(Z)
    return table


def jplay_history() -> pd.DataFrame:
    """The objective at the start and after each round, by the number of layers."""
    data = load_data("repaired")
    rows = []
    for depth in (1, 2, 3):
        with quiet():
            model = JPlay(20, n_layers=depth, max_iter=15, tol=1e-12)
            model.fit(data.X[data.train], data.y[data.train])
        series = f"{depth} layers" if depth > 1 else "1 layer"
        for step, value in enumerate(model.objective_history_):
            rows.append(("Indian Pines, repaired cube", series, step, value))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y"])


def face_directions() -> pd.DataFrame:
    """Fig. 5: directions of J-Play on Extended Yale-B, a pixel per column."""
    data, whole = load_data("yale0"), load("YaleB_32x32")
    X, y = data.X[data.train], data.y[data.train]
    faces = PCA(EIGENFACES, svd_solver="full").fit(X).components_
    rows = []
    for depth in (1, DEPTH):
        with quiet():
            model = JPlay(SIZES["yale"][-1], n_layers=depth, max_iter=N_ROUNDS)
            model.fit(X @ faces.T, y)
        for image in (model.components_ @ faces)[:N_FACES]:
            order = whole.extra["image_order"]
            upright = image.reshape(whole.extra["image_shape"], order=order)
            rows.append((f"J-Play{depth}", *upright.ravel()))
    names = [f"pixel_{i}" for i in range(len(rows[0]) - 1)]
    return pd.DataFrame(rows, columns=["panel", *names])
