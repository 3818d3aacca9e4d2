"""What the figures of J-Play are drawn from."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from skldl.datasets import load
from skldl.projection import JPlay
from skldl.reproduce._tuned import Eigenfaces
from skldl.reproduce.figures._splits import quiet
from skldl.reproduce.papers.jplay import (
    EIGENFACES,
    classifier,
    judge_of,
    load_data,
    projections,
)

DEPTH = 4
N_FACES = 20


def map_projections(kind: str) -> dict[str, Any]:
    """The projections of the tables, tuned as there for a classifier, of two depths."""
    known = projections("pines", judge=judge_of(kind))
    deep = {"J-Play1", f"J-Play{DEPTH}"}
    return {
        name: model
        for name, model in known.items()
        if name in deep or not name.startswith("J-Play")
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
    for name, projection in map_projections(kind).items():
        model = make_pipeline(projection, classifier(kind))
        with quiet():
            model.fit(X[train], y[train])
        # apart, as in the tables: rounding depends on the rows that come together, and
        # a forest may depend on rounding
        found = np.empty_like(y)
        for rows in (train, data.test):
            found[rows] = model.predict(X[rows])
        table[name] = found
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
    faces, known = Eigenfaces(EIGENFACES).fit(X), projections("yale")
    rows = []
    for depth in (1, DEPTH):
        with quiet():
            model = known[f"J-Play{depth}"].fit(faces.transform(X), y).estimator_
        for image in (model.components_ @ faces.components_)[:N_FACES]:
            order = whole.extra["image_order"]
            upright = image.reshape(whole.extra["image_shape"], order=order)
            rows.append((f"J-Play{depth}", *upright.ravel()))
    names = [f"pixel_{i}" for i in range(len(rows[0]) - 1)]
    return pd.DataFrame(rows, columns=["panel", *names])
