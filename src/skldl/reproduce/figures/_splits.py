"""Scores of models over splits that all of them share."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, ShuffleSplit

from skldl._edges import GridEdgeWarning
from skldl.metrics import get_metric

Splits = Sequence[tuple[np.ndarray, np.ndarray]]
SCORE_COLUMNS = ["dataset", "method", "metric", "split", "value"]
CURVE_COLUMNS = ["panel", "series", "x", "y", "error"]


def random_splits(
    n_samples: int, n_splits: int, test_size: float, train_size: float | None = None
) -> Splits:
    """Random training and test parts, the same in every run."""
    splitter = ShuffleSplit(
        n_splits, test_size=test_size, train_size=train_size, random_state=0
    )
    return list(splitter.split(np.zeros(n_samples)))


def shuffled_folds(n_samples: int, n_splits: int) -> Splits:
    """Folds, the same in every run."""
    splitter = KFold(n_splits, shuffle=True, random_state=0)
    return list(splitter.split(np.zeros(n_samples)))


def split_scores(
    models: Mapping[str, Any],
    X: np.ndarray,
    D: np.ndarray,
    splits: Splits,
    metrics: Sequence[str],
) -> Iterator[tuple[str, str, int, float]]:
    """Fit every model on every training part and judge it on the test part.

    Parameters
    ----------
    models : mapping of str to estimator
        By the name for the rows.
    X, D : ndarray
        Samples and their distributions.
    splits : sequence of (ndarray, ndarray)
        Training and test rows.
    metrics : sequence of str
        Names, see :mod:`skldl.metrics`.

    Yields
    ------
    name, metric : str
    split : int
    value : float
    """
    for label, model in models.items():
        for number, (train, test) in enumerate(splits):
            with quiet():
                fitted = clone(model).fit(X[train], D[train])
            P = fitted.predict(X[test])
            for metric in metrics:
                value = float(get_metric(metric).fn(D[test], P))
                yield label, metric, number, value


def mean_and_error(values: Iterable[float]) -> tuple[float, float]:
    """Mean and standard error."""
    found = np.asarray(list(values), dtype=np.float64)
    if len(found) < 2:
        return float(found.mean()), float("nan")
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found)))


def curve_points(
    models: Mapping[str, Any],
    data: Any,
    splits: Splits,
    metric: str,
    panel: str,
    x: float,
) -> list[tuple[str, str, float, float, float]]:
    """One point of a curve per model: mean over the splits, and its error."""
    scores = pd.DataFrame(
        split_scores(models, data.X, data.D, splits, [metric]),
        columns=["method", "metric", "split", "value"],
    )
    return [
        (panel, str(method), x, *mean_and_error(part["value"]))
        for method, part in scores.groupby("method", sort=False)
    ]


class quiet(warnings.catch_warnings):
    """No word about short runs and grids: they are short on purpose."""

    def __enter__(self) -> Any:
        entered = super().__enter__()
        for category in (ConvergenceWarning, GridEdgeWarning):
            warnings.simplefilter("ignore", category)
        return entered
