"""Scores of many settings on the same folds, along a path or one by one."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from skldl._sklearn import safe_indexing
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin

Settings = list[dict[str, Any]]
Folds = Sequence[tuple[Any, Any]]


def has_path(estimator: Any) -> bool:
    """Whether an estimator, or the last step of a pipeline, offers a path."""
    return bool(getattr(_last(estimator)[1], "_path_axes", ()))


def path_scores(
    base: Any,
    X: Any,
    target: pd.DataFrame,
    settings: Settings,
    scorers: Mapping[str, Any],
    folds: Folds,
) -> dict[str, FloatArray]:
    """Score settings by the estimator's path.

    Parameters
    ----------
    base : estimator
        With a path.
    X : array, sparse matrix, or what a pipeline takes
        Samples.
    target : DataFrame of shape (n_samples, n_labels)
        Their distributions.
    settings : list of dict
        What to try.
    scorers : mapping of str to callable
        Larger is better; all see the same predictions.
    folds : sequence of (train, test)
        Rows.

    Returns
    -------
    scores : dict of str to ndarray of shape (n_settings, n_splits)
        By name of the scorer; infinite where a fold could not try a setting.
    """
    D = target.to_numpy()
    shape = len(settings), len(folds)
    scores = {name: np.full(shape, np.inf) for name in scorers}
    groups = _groups(base, settings)
    with _one_warning_each():
        for fold, (train, test) in enumerate(folds):
            parts = safe_indexing(X, train), D[train], safe_indexing(X, test)
            for outside, inside, numbers in groups:
                model = clone(base).set_params(**clone(outside, safe=False))
                for params, P in _follow(model, *parts, inside):
                    place = numbers[inside.index(params)]
                    for name, scorer in scorers.items():
                        value = scorer(Fixed(P), parts[2], D[test])
                        scores[name][place, fold] = value
    return scores


def plain_scores(
    base: Any,
    X: Any,
    target: pd.DataFrame,
    settings: Settings,
    scorers: Mapping[str, Any],
    folds: Folds,
) -> dict[str, FloatArray]:
    """Score settings by a fit of each on each fold, as ``GridSearchCV`` does.

    Parameters
    ----------
    base, X, target, settings, scorers, folds : see path_scores
        The same.

    Returns
    -------
    scores : dict of str to ndarray of shape (n_settings, n_splits)
        NaN where a fit failed.
    """
    grid = [{name: [value] for name, value in s.items()} for s in settings]
    search = GridSearchCV(base, grid, scoring=dict(scorers), cv=folds, refit=False)
    with _one_warning_each():
        results = search.fit(X, target).cv_results_
    return {
        name: np.column_stack(
            [results[f"split{i}_test_{name}"] for i in range(len(folds))]
        )
        for name in scorers
    }


def results_table(
    names: list[str], settings: Settings, scores: Mapping[str, FloatArray]
) -> dict[str, Any]:
    """The table of a search, without settings that some fold could not try.

    Parameters
    ----------
    names : list of str
        Parameters of the grid.
    settings : list of dict
        What was tried.
    scores : mapping of str to ndarray of shape (n_settings, n_splits)
        By name of the scorer; infinite where a fold could not try a setting.

    Returns
    -------
    table : dict
        Like ``GridSearchCV.cv_results_``.
    """
    unknown = np.any([np.isposinf(each).any(axis=1) for each in scores.values()], 0)
    tried = np.flatnonzero(~unknown)
    if not len(tried):
        raise ValueError("No setting of the grid could be tried on every fold.")
    kept = [settings[i] for i in tried]
    table = {
        **{f"param_{name}": _column([s[name] for s in kept]) for name in names},
        "params": kept,
    }
    for name, each in scores.items():
        table |= _score_columns(name, each[tried])
    return table


def _score_columns(name: str, scores: FloatArray) -> dict[str, Any]:
    means = scores.mean(axis=1)
    if np.isnan(means).all():
        raise ValueError("Every setting has a score of NaN; use another scoring.")
    ranks = rankdata(np.where(np.isnan(means), np.inf, -means), method="min")
    return {
        **{f"split{i}_test_{name}": column for i, column in enumerate(scores.T)},
        f"mean_test_{name}": means,
        f"std_test_{name}": scores.std(axis=1),
        f"rank_test_{name}": ranks.astype(np.int32),
    }


def _last(estimator: Any) -> tuple[str, Any]:
    """The learner, and what its parameters begin with."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return f"{name}__", last
    return "", estimator


def _groups(
    base: Any, settings: Settings
) -> list[tuple[dict[str, Any], Settings, list[int]]]:
    """Settings by the values off the path: these, the rest of each, its number."""
    prefix, last = _last(base)
    axes = {prefix + name for name in last._path_axes}
    groups: list[tuple[dict[str, Any], Settings, list[int]]] = []
    for number, setting in enumerate(settings):
        outside = {key: value for key, value in setting.items() if key not in axes}
        inside = {k.removeprefix(prefix): v for k, v in setting.items() if k in axes}
        known = next((group for group in groups if group[0] == outside), None)
        if known is None:
            groups.append((outside, [inside], [number]))
        else:
            known[1].append(inside)
            known[2].append(number)
    return groups


def _follow(model: Any, X: Any, D: FloatArray, X_test: Any, settings: Settings) -> Any:
    """The path, behind the steps of a pipeline fitted on the training part."""
    if isinstance(model, Pipeline):
        if len(model) > 1:
            before = model[:-1]
            X, X_test = before.fit_transform(X, D), before.transform(X_test)
        model = model[-1]
    X, X_test = (_array(rows) for rows in (X, X_test))
    return model._path(X, D, X_test, settings)


def _array(X: Any) -> Any:
    """Numbers of a table; arrays and sparse matrices as they are."""
    return X.to_numpy() if isinstance(X, pd.DataFrame) else X


@contextmanager
def _one_warning_each() -> Iterator[None]:
    """Collect warnings of many fits; give each kind once, with how often it came."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for category in dict.fromkeys(warning.category for warning in caught):
        same = [str(w.message) for w in caught if w.category is category]
        times = f" ({len(same)} such warnings in the search.)" if len(same) > 1 else ""
        warnings.warn(same[0] + times, category, stacklevel=caller_level())


def _column(values: Sequence[Any]) -> Any:
    """An array that keeps numbers and words as they are."""
    plain = all(isinstance(value, int | float | np.number) for value in values)
    words = all(isinstance(value, str) for value in values)
    if plain or words:
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        column[i] = value
    return column


class Fixed(DistributionPredictorMixin, BaseEstimator):
    """Predictions already made, for scorers that want an estimator."""

    def __init__(self, P: FloatArray) -> None:
        self.P = P
        self.classes_ = np.arange(P.shape[1])

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing to do."""
        return self

    def predict(self, X: Any) -> FloatArray:
        """Give the predictions."""
        return self.P
