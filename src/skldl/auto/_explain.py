"""Permutation importance of columns, for a metric and for each label."""

from typing import Any

import numpy as np
import pandas as pd

from skldl._typing import FloatArray
from skldl.auto._choice import sample_losses


def importances(
    model: Any,
    X: Any,
    D: FloatArray,
    names: list[str],
    metric: str,
    n_repeats: int,
    rng: np.random.RandomState,
) -> pd.DataFrame:
    """How much worse predictions become when a column is shuffled.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : ndarray or DataFrame of shape (n_samples, n_columns)
        Samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    names : list of str
        Names of the columns.
    metric : str
        What becomes worse.
    n_repeats : int
        Shuffles of each column.
    rng : RandomState
        For the shuffles.

    Returns
    -------
    importances : DataFrame
        One row per column, the most important first.
    """
    P = model.predict(X)
    loss, errors = sample_losses(metric, D, P).mean(), np.abs(D - P).mean(axis=0)
    found = []
    for j in range(X.shape[1]):
        repeats = []
        for _ in range(n_repeats):
            Q = model.predict(_shuffled(X, j, rng))
            more = sample_losses(metric, D, Q).mean() - loss
            repeats.append([more, *(np.abs(D - Q).mean(axis=0) - errors)])
        grown = np.array(repeats)
        found.append(
            [grown[:, 0].mean(), grown[:, 0].std(), *grown[:, 1:].mean(axis=0)]
        )
    columns = ["importance", "std", *(str(label) for label in model.classes_)]
    table = pd.DataFrame(found, index=pd.Index(names, name="column"), columns=columns)
    return table.sort_values("importance", ascending=False, kind="stable")


def _shuffled(X: Any, j: int, rng: np.random.RandomState) -> Any:
    """A copy of X in which one column has another order."""
    order = rng.permutation(len(X))
    if isinstance(X, np.ndarray):
        copy = X.copy()
        copy[:, j] = X[order, j]
        return copy
    if isinstance(X, pd.DataFrame):
        copy = X.copy()
        copy[X.columns[j]] = X.iloc[order, j].to_numpy()
        return copy
    column = X.columns[j]
    return X.with_columns(X[column].gather(order.tolist()).alias(column))  # polars
