"""What the figures of LWkNN-LDL and LDkNN-LDL are drawn from."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from skldl.datasets import load, make_ldl
from skldl.graphs import neighbor_graph
from skldl.ldl import LDLM, RWLM, AAkNN, LDkNN, LWkNN
from skldl.methods import Tuning, search_for
from skldl.objectives import NeighborMargin
from skldl.reproduce._presets import PUBLISHED
from skldl.reproduce.figures._splits import (
    CURVE_COLUMNS,
    SCORE_COLUMNS,
    curve_points,
    quiet,
    random_splits,
    split_scores,
)
from skldl.reproduce.papers import lwknn as protocol
from skldl.solvers import barrier_newton

YEAST = ["alpha", "cdc", "cold", "diau", "dtt", "elu", "heat", "spo", "spo5"]
# those that the paper's figures show, but for two that are not run here
LARGE_MARGIN = ["SJAFFE", "SBU_3DFE", "Natural_Scene", "Movie", "M2B", "SCUT_FBP"]
DATASETS = [*(f"Yeast_{name}" for name in YEAST), *LARGE_MARGIN]
CLASS_METRICS = ["zero_one_loss", "error_probability"]
PLAIN, MAPPED = "LWkNN-LDL", "LDkNN-LDL"
N_NEIGHBORS = 11


def own_models(n_neighbors: int = N_NEIGHBORS, **options: Any) -> dict[str, Any]:
    """Both methods as they are printed, raw distances in the second."""
    return {
        PLAIN: LWkNN(n_neighbors, tol=1e-4, **options),
        MAPPED: LDkNN(n_neighbors, distance_norm="none", tol=1e-3, **options),
    }


def without_margin(n_neighbors: int = N_NEIGHBORS) -> dict[str, Any]:
    """The same without the large margin."""
    models = own_models(n_neighbors, margin_weight=0.0)
    return dict(zip(("WkNN-LDL", "DkNN-LDL"), models.values(), strict=True))


def margin_gain(names: tuple[str, ...] = tuple(DATASETS)) -> pd.DataFrame:
    """Table VII and Fig. 9: ten 90/10 splits, with the margin and without."""
    rows = []
    for name in names:
        data = load(name)
        splits = random_splits(len(data.X), 10, 0.1)
        models = {**without_margin(), **own_models()}
        found = split_scores(models, data.X, data.D, splits, CLASS_METRICS)
        rows += [(name, *score) for score in found]
    return pd.DataFrame(rows, columns=SCORE_COLUMNS)


def fewer_samples(names: tuple[str, ...] = tuple(LARGE_MARGIN)) -> pd.DataFrame:
    """Fig. 5: learners for classification as in Table III, ten 70/30 splits."""
    rows = []
    for name in names:
        data = load(name)
        splits = random_splits(len(data.X), 10, 0.3)
        models = _as_in_tables(large=name == protocol.LARGEST)
        found = split_scores(models, data.X, data.D, splits, CLASS_METRICS[:1])
        rows += [(name, *score) for score in found]
    return pd.DataFrame(rows, columns=SCORE_COLUMNS)


def _as_in_tables(*, large: bool) -> dict[str, Any]:
    """Published presets, with the grids that the tables search, for the 0/1 loss."""

    def tuned(model: Any, grid: dict[str, list[Any]], n_splits: int) -> Any:
        tuning = Tuning(CLASS_METRICS[0], n_splits)
        return search_for(model, grid, tuning, "distribution", 0)

    own = own_models()
    return {
        "RWLM-LDL": RWLM(**PUBLISHED["RWLM"]),
        "LDLM": tuned(
            LDLM(**PUBLISHED["LDLM"]), protocol.grid_of("LDLM", large=large), 3
        ),
        PLAIN: tuned(own[PLAIN], protocol.COMMON, 5),
        MAPPED: tuned(own[MAPPED], protocol.MAPPED, 5),
    }


def training_size(
    names: tuple[str, ...] = ("SBU_3DFE", "Natural_Scene", "SCUT_FBP"),
) -> pd.DataFrame:
    """Fig. 6: KL divergence by the number of training rows, five 70/30 splits."""
    models = {
        "AA-kNN": AAkNN(N_NEIGHBORS),
        "DAA-kNN": AAkNN(N_NEIGHBORS, weights="dudani"),
        **without_margin(),
    }
    rows = []
    for name in names:
        data = load(name)
        whole = random_splits(len(data.X), 5, 0.3)
        for share in (0.1, 0.2, 0.4, 0.7, 1.0):
            size = round(share * len(whole[0][0]))
            splits = [(train[:size], test) for train, test in whole]
            rows += curve_points(models, data, splits, "kl_divergence", name, size)
    return pd.DataFrame(rows, columns=CURVE_COLUMNS)


def margin_sizes(
    names: tuple[str, ...] = ("SBU_3DFE", "Movie", "SCUT_FBP", "M2B"),
) -> pd.DataFrame:
    """Fig. 12: 0/1 loss by the margin, five 90/10 splits."""
    values = [0.05 * step for step in range(1, 12)]
    settings = [(round(v, 2), own_models(margin=round(v, 2))) for v in values]
    return _zero_one_curves(names, settings)


def margin_weights(
    names: tuple[str, ...] = ("Yeast_cold", "Yeast_dtt", "Yeast_spo"),
) -> pd.DataFrame:
    """Fig. 13: 0/1 loss by the weight of the margin, five 90/10 splits."""
    values = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    settings = [(value, own_models(margin_weight=value)) for value in values]
    return _zero_one_curves(names, settings)


def neighbor_numbers(
    names: tuple[str, ...] = ("SBU_3DFE", "SCUT_FBP", "M2B"),
) -> pd.DataFrame:
    """Fig. 14: 0/1 loss by the number of neighbours, five 90/10 splits."""
    settings = [(float(k), own_models(k)) for k in range(1, 22, 2)]
    return _zero_one_curves(names, settings)


def _zero_one_curves(
    names: tuple[str, ...], settings: list[tuple[float, dict[str, Any]]]
) -> pd.DataFrame:
    rows = []
    for name in names:
        data = load(name)
        splits = random_splits(len(data.X), 5, 0.1)
        for x, models in settings:
            rows += curve_points(models, data, splits, "zero_one_loss", name, x)
    return pd.DataFrame(rows, columns=CURVE_COLUMNS)


def search_time(sizes: tuple[int, ...] = (1000, 2000, 4000, 8000)) -> pd.DataFrame:
    """Fig. 11: CPU seconds of a fit with exact and with approximate search."""
    models = {}
    for engine, word in (("exact", ""), ("pynndescent", ", approximate search")):
        for label, model in own_models(engine=engine).items():
            models[label + word] = model
    X, D = make_ldl(max(sizes), n_features=200, n_labels=8, random_state=0)
    for model in models.values():  # the first search compiles its code
        with quiet():
            model.fit(X[:300], D[:300])
    rows = []
    for size in sizes:
        for label, model in models.items():
            seconds = []
            for _ in range(2):
                start = time.process_time()
                with quiet():
                    model.fit(X[:size], D[:size])
                seconds.append(time.process_time() - start)
            rows.append(("200 features, 8 labels", label, size, min(seconds)))
    return pd.DataFrame(rows, columns=CURVE_COLUMNS[:4])


def margin_history(names: tuple[str, ...] = ("M2B", "SCUT_FBP")) -> pd.DataFrame:
    """Fig. 10: the best objective after each step, above its certified minimum."""
    rows = []
    for name in names:
        data = load(name)
        graph = neighbor_graph(data.X, N_NEIGHBORS)
        for label, inputs in ((PLAIN, None), (MAPPED, graph.distances)):
            slope = 1.0 / 0.1  # the paper's weight over its margin
            objective = NeighborMargin(
                data.D, graph.indices, inputs, margin=0.1, slope=slope, reg=1e-3
            )
            values: list[float] = []
            solution = barrier_newton(
                objective,
                _uniform_start(inputs),
                tol=1e-6,
                callback=_keep_values(values),
            )
            bound = solution.value * (1 - solution.residual)
            rows += [
                (name, label, step, value / bound - 1)
                for step, value in enumerate(values, start=1)
            ]
    return pd.DataFrame(rows, columns=CURVE_COLUMNS[:4])


def _keep_values(values: list[float]) -> Callable[[int, float, float], None]:
    """A callback of the solver that keeps the objective of each step."""
    return lambda step, value, gap: values.append(value)


def _uniform_start(inputs: np.ndarray | None) -> np.ndarray:
    k = N_NEIGHBORS
    if inputs is None:
        return np.full(k, 1.0 / k)
    return np.full((k, k), 1.0 / (k * k * inputs.mean()))


EXAMPLES = {
    "WkNN-LDL": ("SBU_3DFE", "SJAFFE", "Yeast_spo", "M2B"),
    "DkNN-LDL": ("Yeast_diau", "SCUT_FBP", "Movie", "Natural_Scene"),
}
_PARTNER = {"WkNN-LDL": PLAIN, "DkNN-LDL": MAPPED}
AS_SHOWN = "as in Figs 7 and 8"


def example_counts() -> pd.DataFrame:
    """How many test samples are as in Figs 7 and 8, or right by one method alone."""
    rows = []
    for plain, names in EXAMPLES.items():
        for name in names:
            _, right, losses = _predictions(plain, name)
            partner = _PARTNER[plain]
            found = {
                plain: right[plain] & ~right[partner],
                partner: right[partner] & ~right[plain],
                AS_SHOWN: _typical(plain, right, losses),
            }
            pair = f"{plain} and {partner}"
            rows += [(pair, name, who, int(n.sum())) for who, n in found.items()]
    return pd.DataFrame(rows, columns=["pair", "dataset", "right alone", "samples"])


def plain_examples() -> pd.DataFrame:
    """Fig. 7: test samples that only LWkNN-LDL classifies well."""
    return _examples("WkNN-LDL")


def mapped_examples() -> pd.DataFrame:
    """Fig. 8: test samples that only LDkNN-LDL classifies well."""
    return _examples("DkNN-LDL")


def _examples(plain: str) -> pd.DataFrame:
    tables = []
    for name in EXAMPLES[plain]:
        P, right, losses = _predictions(plain, name)
        typical = _typical(plain, right, losses)
        if not typical.any():
            continue
        # the clearest case: where the largest given degree leads by most
        top = np.partition(P["given"], -2, axis=1)[:, -2:]
        chosen = int(np.argmax(np.where(typical, top[:, 1] - top[:, 0], -1.0)))
        for label, degrees in P.items():
            loss = losses[label][chosen] if label in losses else np.nan
            tables.append(
                pd.DataFrame(
                    {
                        "panel": name,
                        "series": label,
                        "x": range(1, degrees.shape[1] + 1),
                        "y": degrees[chosen],
                        "loss": loss,
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def _typical(
    plain: str, right: dict[str, np.ndarray], losses: dict[str, np.ndarray]
) -> np.ndarray:
    """Which samples the margin alone gets right, with the larger absolute error."""
    partner = _PARTNER[plain]
    return right[partner] & ~right[plain] & (losses[plain] < losses[partner])


def _predictions(
    plain: str, name: str
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Given and predicted degrees of test rows, right labels, absolute errors."""
    data = load(name)
    ((train, test),) = random_splits(len(data.X), 1, 0.1)
    models = {**without_margin(), **own_models()}
    D = data.D[test]
    P, right, losses = {"given": D}, {}, {}
    for label in (plain, _PARTNER[plain]):
        with quiet():
            model = models[label].fit(data.X[train], data.D[train])
        P[label] = model.predict(data.X[test])
        right[label] = P[label].argmax(axis=1) == D.argmax(axis=1)
        losses[label] = np.abs(P[label] - D).sum(axis=1)
    return P, right, losses
