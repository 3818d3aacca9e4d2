"""Search of a method's grid."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
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
    scoring : str, default=None
        Metric by name; None takes intersection, ranking_loss or accuracy by the
        kind of target.
    n_splits : int, default=5
        Inner folds.
    """

    scoring: str | None = None
    n_splits: int = 5

    def __post_init__(self) -> None:
        if self.scoring is not None and self.scoring not in SCORERS:
            raise ValueError(
                f"Unknown scoring {self.scoring!r}; choose from {', '.join(SCORERS)}."
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
    scoring = SCORERS[tuning.scoring or usual[kind]]
    folds = KFold(tuning.n_splits, shuffle=True, random_state=seed)
    grid = dict(grid)
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
