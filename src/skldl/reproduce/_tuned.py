"""Projections that choose their parameters, kept for the next classifier."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import Memory
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.decomposition import PCA
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier


class Tuned(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A projection with the parameters of a grid that suit a classifier on folds.

    Equal projections of equal data are fitted once: they are kept in the user's folder
    for caches and shared by all processes.

    Parameters
    ----------
    estimator : transformer
        The projection.
    grid : dict or list of dict
        What to choose from.
    n_splits : int, default=3
        Folds of the training part.
    classifier : classifier or None, default=None
        What the projection shall suit; None is 1-NN.
    """

    def __init__(
        self, estimator: Any, grid: Any, n_splits: int = 3, classifier: Any = None
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.n_splits = n_splits
        self.classifier = classifier

    def fit(self, X: Any, y: Any) -> Self:
        """Choose, then fit on everything."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.best_params_ = self._choose(X, y)
            model = clone(self.estimator).set_params(**self.best_params_)
            self.estimator_ = _kept(fit_projection)(model, X, y)
        return self

    def _choose(self, X: Any, y: Any) -> dict[str, Any]:
        choices = list(ParameterGrid(self.grid))
        if len(choices) == 1:
            return choices[0]
        judge = self.classifier or KNeighborsClassifier(1)
        return _kept(choose_setting)(
            self.estimator, choices, self.n_splits, X, y, judge
        )

    def transform(self, X: Any) -> Any:
        """Project."""
        return self.estimator_.transform(X)


class TunedInTurn(Tuned):
    """A projection whose parameters are chosen one after the other.

    From the parameters of the estimator the first one of the grid is changed to the
    value that is best on the folds, then the second, and so on, once. A grid of many
    parameters costs the sum of their values in place of the product.

    Parameters
    ----------
    estimator : transformer
        The projection, with the parameters to begin from.
    grid : dict of str to list
        Values of each parameter, in the order in which they are chosen.
    n_splits : int, default=3
        Folds of the training part.
    classifier : classifier or None, default=None
        What the projection shall suit; None is 1-NN.
    """

    def _choose(self, X: Any, y: Any) -> dict[str, Any]:
        judge = self.classifier or KNeighborsClassifier(1)
        return _kept(choose_in_turn)(
            self.estimator, self.grid, self.n_splits, X, y, judge
        )


class TunedAs(Tuned):
    """A projection with the parameters that a cheaper one of its kind would choose.

    Parameters
    ----------
    estimator : transformer
        The projection.
    model : Tuned
        What chooses; it is not fitted itself.
    names : sequence of str or None, default=None
        Which of the chosen parameters to take; None takes all.
    """

    def __init__(
        self, estimator: Any, model: Tuned, names: Sequence[str] | None = None
    ) -> None:
        self.estimator = estimator
        self.model = model
        self.names = names

    def _choose(self, X: Any, y: Any) -> dict[str, Any]:
        chosen = self.model._choose(X, y)
        taken = chosen if self.names is None else self.names
        return {name: chosen[name] for name in taken}


class TunedNear(TunedAs):
    """A projection that takes parameters of a cheaper one if its own folds agree.

    What suits few layers may be ruin for many. So the parameters that the cheaper
    projection chose, as far as they are named, are compared with those of the
    estimator on the same folds and by the same classifier.

    Parameters
    ----------
    estimator : transformer
        The projection.
    model : Tuned
        What proposes; it is not fitted itself.
    names : sequence of str or None, default=None
        Which of the chosen parameters are proposed; None proposes all.
    """

    def _choose(self, X: Any, y: Any) -> dict[str, Any]:
        proposed = super()._choose(X, y)
        own = {name: getattr(self.estimator, name) for name in proposed}
        if own == proposed:
            return own
        judge = self.model.classifier or KNeighborsClassifier(1)
        return _kept(choose_setting)(
            self.estimator, [own, proposed], self.model.n_splits, X, y, judge
        )


def _kept(function: Any) -> Any:
    return Memory(str(_cache_folder()), verbose=0).cache(function)


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "skldl" / "projections"


def fit_projection(estimator: Any, X: Any, y: Any) -> Any:
    """Fit, as a function whose results can be kept."""
    return estimator.fit(X, y)


def choose_setting(
    estimator: Any,
    choices: list[dict[str, Any]],
    n_splits: int,
    X: Any,
    y: Any,
    classifier: Any,
) -> dict[str, Any]:
    """Give the setting with the best accuracy over folds; ties to the first."""
    scores = [_score(estimator, c, n_splits, X, y, classifier) for c in choices]
    return choices[int(np.argmax(scores))]


def choose_in_turn(
    estimator: Any,
    grid: dict[str, list[Any]],
    n_splits: int,
    X: Any,
    y: Any,
    classifier: Any,
) -> dict[str, Any]:
    """Give the setting that choices of single parameters lead to; ties stay."""
    best = {name: getattr(estimator, name) for name in grid}
    top = _score(estimator, best, n_splits, X, y, classifier)
    for name, values in grid.items():
        others = [value for value in values if value != best[name]]
        for setting in [{**best, name: value} for value in others]:
            score = _score(estimator, setting, n_splits, X, y, classifier)
            if score > top:
                top, best = score, setting
    return best


def _score(
    estimator: Any, choice: dict[str, Any], n_splits: int, X: Any, y: Any, judge: Any
) -> float:
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=0)
    scores = []
    for train, test in folds.split(X, y):
        model = clone(estimator).set_params(**choice)
        try:  # kept, because every classifier judges the same folds
            model = _kept(fit_projection)(model, X[train], y[train])
        except np.linalg.LinAlgError:  # as without any shrinkage, with few samples
            return -np.inf
        judge = clone(judge).fit(model.transform(X[train]), y[train])
        scores.append(judge.score(model.transform(X[test]), y[test]))
    return float(np.mean(scores))


class Eigenfaces(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Coordinates along principal directions, the mean not subtracted.

    Parameters
    ----------
    n_components : int
        Number of directions.
    """

    def __init__(self, n_components: int) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions."""
        size = min(self.n_components, *X.shape)
        self.components_ = PCA(size, svd_solver="full").fit(X).components_
        return self

    def transform(self, X: Any) -> Any:
        """Project."""
        return X @ self.components_.T
