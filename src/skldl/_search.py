"""Cross-validation over paths: grids whose settings share work inside a fold."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import check_cv

from skldl._edges import warn_of_edges
from skldl._matrix import caller_level
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.metrics import get_scorer

Path = Callable[
    [Any, FloatArray, Any, Mapping[str, Sequence[Any]], Any],
    Iterator[tuple[dict[str, Any], FloatArray]],
]


@dataclass(frozen=True)
class PathScores:
    """What a search over a path found.

    Attributes
    ----------
    results : dict of ndarray
        One entry per setting: ``param_...``, ``mean_test_score``, ``std_test_score``.
    params : dict
        The best setting, the first one on ties.
    score : float
        Its mean score.
    """

    results: dict[str, Any]
    params: dict[str, Any]
    score: float


def search_path(
    path: Path,
    X: Any,
    D: FloatArray,
    grid: Mapping[str, Sequence[Any]],
    base: BaseEstimator,
    *,
    scoring: Any,
    cv: Any,
) -> PathScores:
    """Score every setting of a path on every fold.

    Parameters
    ----------
    path : callable
        ``path(X, D, X_test, grid, base)`` yields settings and predictions.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    grid : dict of str to sequence
        Values of each parameter.
    base : estimator
        All other settings.
    scoring : str or callable
        Metric by name, or a scorer.
    cv : int, splitter or iterable
        Folds.

    Returns
    -------
    scores : PathScores
        Of the settings that every fold could offer.
    """
    check_grid(base, grid)
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    scores: dict[tuple, list[float]] = {}
    folds = list(check_cv(cv).split(X, D))
    names: tuple[str, ...] = ()
    with _one_warning_each():
        for train, test in folds:
            for params, P in path(X[train], D[train], X[test], grid, base):
                names = tuple(params)
                score = scorer(_Fixed(P), X[test], D[test])
                scores.setdefault(tuple(params.values()), []).append(score)
    scores = {key: v for key, v in scores.items() if len(v) == len(folds)}
    if not scores:
        raise ValueError("No setting of the grid could be tried on every fold.")
    means = np.array([np.mean(values) for values in scores.values()])
    if np.isnan(means).all():
        raise ValueError("Every setting has a score of NaN; use another scoring.")
    best = int(np.nanargmax(means))
    columns = dict(zip(names, zip(*scores, strict=True), strict=True))
    results = {
        **{f"param_{name}": _column(values) for name, values in columns.items()},
        "mean_test_score": means,
        "std_test_score": np.array([np.std(values) for values in scores.values()]),
    }
    settings = [dict(zip(names, key, strict=True)) for key in scores]
    warn_of_edges(base, grid, settings, means)
    params = settings[best]
    return PathScores(results, params, float(means[best]))


def fit_best(
    base: BaseEstimator, params: dict[str, Any], X: Any, D: FloatArray, labels: Any
) -> Any:
    """Fit a clone with the best setting, with the labels' names."""
    model = clone(base).set_params(**params)
    return model.fit(X, pd.DataFrame(D, columns=list(labels)))


def grid_values(setting: Any) -> list[Any]:
    """A sequence of values, or one value."""
    return [setting] if np.ndim(setting) == 0 else list(setting)


def check_grid(base: BaseEstimator, grid: Mapping[str, Sequence[Any]]) -> None:
    """Refuse empty axes and values that the estimator would refuse."""
    for name, values in grid.items():
        if len(values) == 0:
            raise ValueError(f"{name} is empty; give at least one value.")
        twice = [value for i, value in enumerate(values) if value in values[:i]]
        if twice:
            raise ValueError(f"{name} lists {twice[0]!r} twice.")
        for value in values:
            clone(base).set_params(**{name: value})._validate_params()


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
    kinds = {isinstance(value, str) for value in values}
    return np.array(values, dtype=object if len(kinds) > 1 else None)


def axes_of(
    base: BaseEstimator, grid: Mapping[str, Any], names: Sequence[str]
) -> dict[str, Any]:
    """Values of every axis of a path; what the grid lacks stays as it is."""
    unknown = set(grid) - set(names)
    if unknown:
        raise ValueError(
            f"{type(base).__name__}'s search does not vary {sorted(unknown)[0]!r}; it "
            f"varies {', '.join(names)}."
        )
    return {name: grid.get(name, [getattr(base, name)]) for name in names}


class _Fixed(DistributionPredictorMixin, BaseEstimator):
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
