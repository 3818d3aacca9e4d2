"""Search of a method's grid."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline

from skldl._edges import warn_of_edges
from skldl.metrics import SCORERS
from skldl.model_selection import PathSearchCV


@dataclass(frozen=True)
class Tuning:
    """Search of a method's grid by cross-validation on the training part only.

    Parameters
    ----------
    scoring : str or tuple of str, default=None
        Metric by name; None takes intersection, ranking_loss or accuracy by the
        kind of target. Of several metrics each is measured with the setting that is
        best for it; one search serves them all.
    n_splits : int, default=5
        Inner folds.
    """

    scoring: str | tuple[str, ...] | None = None
    n_splits: int = 5

    def __post_init__(self) -> None:
        given = self.scoring
        for name in given if isinstance(given, tuple) else (given,):
            if name is not None and name not in SCORERS:
                raise ValueError(
                    f"Unknown scoring {name!r}; choose from {', '.join(SCORERS)}."
                )
        if not isinstance(self.n_splits, Integral) or self.n_splits < 2:
            raise ValueError(
                f"n_splits of tuning must be an integer of at least 2, got "
                f"{self.n_splits!r}."
            )


def search_for(
    model: Any,
    grid: Mapping[str, list[Any]],
    tuning: Tuning,
    kind: str,
    seed: int,
    *,
    weighted: bool = False,
) -> Any:
    """A search with shared work if the method offers it, else a plain one.

    Parameters
    ----------
    model : estimator
        What is tuned.
    grid : mapping of str to list
        Parameter to values.
    tuning : Tuning
        Scoring and number of inner folds.
    kind : {"distribution", "indicator", "classes"}
        Kind of target, which decides on the scoring if ``tuning`` leaves it open.
    seed : int
        Seed of the inner folds.
    weighted : bool, default=False
        Whether ``fit`` will be given weights of samples; these need a plain search.

    Returns
    -------
    search : estimator
        Not fitted.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skldl.methods import Tuning, search_for
    >>> search = search_for(Ridge(), {"alpha": [1.0, 2.0]}, Tuning(), "distribution", 0)
    >>> search.cv.get_n_splits()
    5
    """
    usual = {
        "distribution": "intersection",
        "indicator": "ranking_loss",
        "classes": "accuracy",
    }
    folds = KFold(tuning.n_splits, shuffle=True, random_state=seed)
    grid = dict(grid)
    if isinstance(tuning.scoring, tuple):
        return PerMetricSearch(model, grid, tuning.scoring, folds)
    scoring = SCORERS[tuning.scoring or usual[kind]]
    last = model[-1] if isinstance(model, Pipeline) else model
    if weighted or not getattr(last, "_path_axes", ()):
        return _GridSearch(model, grid, scoring=scoring, cv=folds, error_score=np.nan)
    if last is model:
        return PathSearchCV(model, grid, scoring=scoring, cv=folds)
    # what stands before the learner is fitted on the whole training part
    name = model.steps[-1][0]
    if all(key.startswith(f"{name}__") for key in grid):
        inner = {key.removeprefix(f"{name}__"): v for key, v in grid.items()}
        search = PathSearchCV(last, inner, scoring=scoring, cv=folds)
        return Pipeline([*model.steps[:-1], (name, search)])
    return _GridSearch(model, grid, scoring=scoring, cv=folds, error_score=np.nan)


class _GridSearch(GridSearchCV):
    """A grid search that says when it ends at the edge of its grid."""

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Search, then look where the best setting is."""
        super().fit(X, y, **params)
        results = self.cv_results_
        warn_of_edges(
            self.estimator,
            self.param_grid,
            results["params"],
            results["mean_test_score"],
        )
        return self


class PerMetricSearch(BaseEstimator):
    """A search that gives each of several metrics the setting that is best for it.

    Parameters
    ----------
    estimator : estimator
        What is tuned.
    param_grid : dict of str to list
        Parameter to values.
    scoring : tuple of str
        Metrics by name.
    cv : splitter
        Inner folds, the same for all metrics.

    Attributes
    ----------
    best_params_ : dict of str to dict
        The best setting of each metric; the first one on ties.
    estimators_ : dict of str to estimator
        By metric, fitted on all samples; metrics with equal settings share one.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN
    >>> from skldl.methods import PerMetricSearch
    >>> X, D = make_ldl(100, random_state=0)
    >>> metrics = ("zero_one_loss", "kl_divergence")
    >>> search = PerMetricSearch(AAkNN(), {"n_neighbors": [1, 9]}, metrics, KFold(3))
    >>> sorted(search.fit(X, D).best_params_)
    ['kl_divergence', 'zero_one_loss']
    """

    def __init__(
        self, estimator: Any, param_grid: dict, scoring: tuple[str, ...], cv: Any
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv

    def fit(self, X: Any, y: Any) -> Self:
        """Score every setting by every metric, then fit the best ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions.

        Returns
        -------
        self : PerMetricSearch
        """
        scorers = {name: SCORERS[name] for name in self.scoring}
        search = PathSearchCV(
            self.estimator, self.param_grid, scoring=scorers, cv=self.cv, refit=False
        )
        table = search.fit(X, y).cv_results_
        made: dict[int, Any] = {}
        self.best_params_, self.estimators_ = {}, {}
        for name in self.scoring:
            place = int(np.nanargmax(table[f"mean_test_{name}"]))
            params = table["params"][place]
            if place not in made:
                made[place] = clone(self.estimator).set_params(**params).fit(X, y)
            self.best_params_[name], self.estimators_[name] = params, made[place]
        return self

    def predict(self, X: Any) -> Any:
        """Predict with the setting of the first metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        return self.estimators_[self.scoring[0]].predict(X)
