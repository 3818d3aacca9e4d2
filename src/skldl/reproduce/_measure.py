"""Rows of the papers' pictures: small runs of their own, minutes in all."""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import load, make_toy_ldl
from skldl.ldl import LDLM, LSELDL, RWLM, AAkNN, LDkNN, LWkNN, selection_curve
from skldl.metrics import kl_divergence, zero_one_loss
from skldl.projection import LPP, MSLP, NPE, JPlay, mslp_path
from skldl.reproduce._protocol import STORED
from skldl.reproduce.papers.jplay import load_data

N_REPEATS = 5


def embedding(n_samples: int = 3000, variance: float = 0.1) -> pd.DataFrame:
    """The paper's toy set, clean and noisy, in two dimensions by each method."""
    tables = []
    for noise, word in ((0.0, "clean"), (variance, "noisy")):
        X, D = make_toy_ldl(n_samples, noise=noise, random_state=0)
        models = {
            "PCA": PCA(2),
            "LPP": LPP(2),
            "MSLP": MSLP(
                2,
                n_neighbors=10,
                neighborhood_factor=10,
                attraction_weight=0.5,
                reg=0.01,
                reg_mode="absolute",
            ),
        }
        for name, model in models.items():
            Z = model.fit(X, D).transform(X)
            table = pd.DataFrame(Z, columns=["x", "y"])
            table.insert(0, "panel", f"{name}, {word}")
            degrees = pd.DataFrame(D, columns=["d1", "d2", "d3"])
            tables.append(pd.concat([table, degrees], axis=1))
    # more decimals than a picture can show would only make a larger file
    return pd.concat(tables, ignore_index=True).round(4)


def mslp_parameters(name: str = "SJAFFE") -> pd.DataFrame:
    """Best KL divergence with one parameter held, over the paper's grid."""
    data, grid = load(name), dict(MSLP._grids["published"])
    base = MSLP(reg_mode=grid.pop("reg_mode")[0])
    scores: dict[tuple, list[float]] = {}
    for train, test in KFold(10, shuffle=True, random_state=0).split(data.X):
        X, D, new = data.X[train], data.D[train], data.X[test]
        for params, P in mslp_path(X, D, new, grid, base):
            key = tuple(params.items())
            scores.setdefault(key, []).append(kl_divergence(data.D[test], P))
    rows = []
    for parameter, values in grid.items():
        if len(values) < 2:
            continue
        for value in values:
            held = [np.mean(s) for k, s in scores.items() if (parameter, value) in k]
            rows.append((parameter, "MSLP", float(value), float(min(held))))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y"])


def selection(names: tuple[str, ...] = ("SJAFFE", "Yeast_cold")) -> pd.DataFrame:
    """Clark distance against the share of features that LSE-LDL selects."""
    rows = []
    for name in names:
        data = load(name)
        model = make_pipeline(
            StandardScaler(),
            LSELDL(tol=1e-3, max_iter=500, random_state=0, **STORED["LSELDL"]),
        )
        with _quiet():
            table = selection_curve(
                model, data.X, data.D, metrics=["clark"], cv=KFold(5, shuffle=True,
                random_state=0),
            )  # fmt: skip
        for row in table.itertuples():
            rows.append((name, "LSE-LDL", row.share, row.mean, row.std / 5**0.5))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y", "error"])


def lse_convergence(names: tuple[str, ...] = ("SJAFFE", "Yeast_cold")) -> pd.DataFrame:
    """LSE-LDL's objective after each iteration, above its end."""
    rows = []
    for name in names:
        data = load(name)
        X = StandardScaler().fit_transform(data.X)
        with _quiet():
            model = LSELDL(random_state=0, max_iter=500, **STORED["LSELDL"])
            model.fit(X, data.D)
        history = np.asarray(model.objective_history_)
        for step, value in enumerate(history[:-1] - history[-1], start=1):
            if value > 0:
                rows.append((name, "LSE-LDL", step, value))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y"])


def training_size(names: tuple[str, ...] = ("SJAFFE", "M2B")) -> pd.DataFrame:
    """KL divergence of neighbours with and without learned weights."""
    models = {
        "AA-kNN": AAkNN(15),
        "DAA-kNN": AAkNN(15, weights="dudani"),
        "WkNN-LDL": LWkNN(15, margin_weight=0.0, tol=1e-4),
        "DkNN-LDL": LDkNN(15, margin_weight=0.0, distance_norm="none", tol=1e-3),
    }
    rows = []
    for name in names:
        data = load(name)
        for share in (0.2, 0.4, 0.6, 0.8):
            for label, mean, error in _means(models, data, share, kl_divergence):
                rows.append((name, label, share, mean, error))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y", "error"])


def margin(names: tuple[str, ...] = ("SJAFFE", "M2B")) -> pd.DataFrame:
    """0/1 loss of the large-margin neighbours against the margin."""
    rows = []
    for name in names:
        data = load(name)
        for value in (0.01, 0.03, 0.1, 0.3, 1.0):
            models = {
                "LWkNN-LDL": LWkNN(15, margin=value, tol=1e-4),
                "LDkNN-LDL": LDkNN(15, margin=value, distance_norm="none", tol=1e-3),
            }
            for label, mean, error in _means(models, data, 0.9, zero_one_loss):
                rows.append((name, label, value, mean, error))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y", "error"])


def _means(
    models: dict[str, Any], data: Any, share: float, metric: Any
) -> Iterator[tuple[str, float, float]]:
    """Mean and standard error over random splits, the same for every model."""
    splits = ShuffleSplit(
        N_REPEATS, train_size=share, test_size=min(0.4, 1 - share), random_state=0
    )
    parts = list(splits.split(data.X))
    for label, model in models.items():
        values = []
        for train, test in parts:
            with _quiet():
                model.fit(data.X[train], data.D[train])
            values.append(metric(data.D[test], model.predict(data.X[test])))
        yield label, float(np.mean(values)), float(np.std(values) / N_REPEATS**0.5)


def fit_time(name: str = "SBU_3DFE") -> pd.DataFrame:
    """CPU seconds of a fit against the number of training rows."""
    data = load(name)
    order = np.random.default_rng(0).permutation(len(data.X))
    models = {
        "RWLM-LDL": RWLM(),
        "LDLM": LDLM(),
        "LWkNN-LDL": LWkNN(),
        "LDkNN-LDL": LDkNN(),
    }
    rows = []
    for size in (300, 600, 1200, 2400):
        chosen = order[:size]
        for label, model in models.items():
            start = time.process_time()
            with _quiet():
                model.fit(data.X[chosen], data.D[chosen])
            rows.append((name, label, size, time.process_time() - start))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y"])


def jplay_convergence() -> pd.DataFrame:
    """J-Play's objective after each round, by the number of layers."""
    data = load_data("pines")
    assert data.train is not None
    rows = []
    for depth in (1, 2, 3):
        with _quiet():
            model = JPlay(20, n_layers=depth, max_iter=15, tol=1e-12)
            model.fit(data.X[data.train], data.y[data.train])
        for step, value in enumerate(model.objective_history_, start=1):
            series = f"{depth} layers" if depth > 1 else "1 layer"
            rows.append(("Indian Pines", series, step, value))
    return pd.DataFrame(rows, columns=["panel", "series", "x", "y"])


def class_maps() -> pd.DataFrame:
    """Classes of the pixels of Indian Pines by 1-NN after each projection."""
    data = load_data("pines")
    whole = load("Indian_Pines")
    assert data.train is not None
    assert data.test is not None
    X, train = data.X, data.train
    y = np.unique(data.y, return_inverse=True)[1]  # numbers make a small file
    tested = np.zeros(len(y), dtype=int)
    tested[data.test] = 1
    pixels = np.asarray(whole.extra["pixels"])
    table = pd.DataFrame(
        {"row": pixels[:, 0], "column": pixels[:, 1], "test": tested, "truth": y}
    )
    models = {
        "1-NN": None,
        "PCA": PCA(20, svd_solver="full"),
        "NPE": NPE(20),
        "J-Play1": JPlay(20, n_layers=1, max_iter=10, penalty_growth=1.2),
        "J-Play4": JPlay(20, n_layers=4, max_iter=10, penalty_growth=1.2),
    }
    for name, model in models.items():
        Z = X
        if model is not None:
            with _quiet():
                Z = model.fit(X[train], y[train]).transform(X)
        nearest = KNeighborsClassifier(1).fit(Z[train], y[train])
        table[name] = nearest.predict(Z)
    return table


class _quiet(warnings.catch_warnings):
    """No word about short runs: they are short on purpose."""

    def __enter__(self) -> Any:
        entered = super().__enter__()
        warnings.simplefilter("ignore", ConvergenceWarning)
        return entered
