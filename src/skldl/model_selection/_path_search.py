"""Grid search in which the settings of a fold share their work."""

from itertools import product
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skldl._edges import warn_of_edges
from skldl._grids import Grid, check_grid, resolve_grid
from skldl._sklearn import HasMethods, Interval, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl import AAkNN
from skldl.metrics import get_scorer
from skldl.model_selection._scores import (
    Settings,
    has_path,
    path_scores,
    plain_scores,
    results_table,
)
from skldl.validation import check_fit_data, check_folds, check_target


def _best_has(name: str) -> Any:
    """Whether what is searched can do something."""

    def check(search: Any) -> bool:
        getattr(getattr(search, "best_estimator_", search._base()), name)
        return True

    return check


def _scorer(given: Any) -> Any:
    """A scorer by the name of its metric, or a function as it is."""
    if isinstance(given, type):
        raise ValueError(
            f"scoring must be the name of a metric or a function of a model, X and D, "
            f"not the class {given.__name__}."
        )
    return get_scorer(given) if isinstance(given, str) else given


class PathSearchCV(DistributionPredictorMixin, BaseEstimator):
    """Settings of a distribution learner by cross-validation, with shared work.

    Like ``GridSearchCV``, but learners that offer a path do not fit every setting from
    scratch: ``AAkNN``, ``LWkNN`` and ``LDkNN`` search neighbours once per fold,
    ``MSLP`` also shares graphs and eigenproblems, and each solution of ``LSELDL``
    starts the next. Other learners are fitted for each setting.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner, or a Pipeline that ends in one; None for ``AAkNN``.
    param_grid : {"default", "published"} or dict of str to sequence, default="default"
        Values of its parameters, a single value is allowed. ``"default"`` is the grid
        that comparisons tune, ``"published"`` that of the method's paper, for the
        learners that have one.
    scoring : str, callable or dict, default="kl_divergence"
        Metric by name, or a scorer. A dict of names to these scores all of them on the
        same predictions, and goes with ``refit=False``.
    cv : int, splitter or iterable, default=5
        Folds; an integer gives plain folds without shuffling.
    refit : bool, default=True
        Whether to fit the best setting on all samples, so that the search predicts.
    n_candidates : int or None, default=None
        How many settings of the grid to try, chosen at random; None tries all.
    random_state : int, RandomState or None, default=None
        Seed of that choice.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted on all samples with the best setting; only with ``refit``.
    best_params_ : dict
        The best setting; the first one on ties.
    best_score_ : float
        Its mean score over folds. A metric whose ideal is 0 counts negatively.
    best_index_ : int
        Its place in ``cv_results_``.
    cv_results_ : dict
        One entry per setting that every fold could try: ``params``, ``param_...``,
        ``split0_test_score`` and so on, ``mean_test_score``, ``std_test_score``,
        ``rank_test_score``. With several scorings their names are in the place of
        ``score``, and there are no attributes of a best setting.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    skldl.ldl.neighbor_path : Predictions of a grid on one split.
    skldl.ldl.lse_path : The same for LSELDL.
    skldl.projection.mslp_path : The same for MSLP.

    Notes
    -----
    The score of the best setting is optimistic, as always; put the search itself into
    ``cross_validate`` for an honest number. If the best setting is at the edge of its
    grid, a :class:`GridEdgeWarning` says so.

    A learner offers its path by two private names: ``_path_axes``, the parameters that
    it varies, and ``_path(X, D, X_test, settings)``, which yields each setting with its
    predictions. Parameters beside these axes may be in the grid as well; there is one
    path for each combination of their values.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDkNN
    >>> from skldl.model_selection import PathSearchCV
    >>> X, D = make_ldl(150, random_state=0)
    >>> grid = {"n_neighbors": [3, 7], "reg": [0.1, 10.0]}
    >>> search = PathSearchCV(LDkNN(), grid).fit(X, D)
    >>> len(search.cv_results_["params"]), search.predict(X).shape
    (4, (150, 5))
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "param_grid": [dict, str],
        "scoring": [str, callable, dict],
        "cv": ["cv_object"],
        "refit": ["boolean"],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        param_grid: str | Grid = "default",
        *,
        scoring: Any = "kl_divergence",
        cv: Any = 5,
        refit: bool = True,
        n_candidates: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.n_candidates = n_candidates
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Score every setting on every fold, then fit the best one on all.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D; a vector of classes counts as one-hot rows.

        Returns
        -------
        self : PathSearchCV
        """
        base = self._base()
        grid = resolve_grid(base, self.param_grid)
        check_grid(base, grid)
        rows, D = self._check_data(base, X, y)
        if len(D) < 2:
            raise ValueError("A search needs at least two samples, got n_samples=1.")
        target = pd.DataFrame(D, columns=list(self.classes_))
        settings = self._settings(grid)
        folds = check_folds(self.cv, rows, D)
        evaluate = path_scores if has_path(base) else plain_scores
        scores = evaluate(base, rows, target, settings, self._scorers(), folds)
        self.cv_results_ = results_table(list(grid), settings, scores)
        self.n_splits_ = len(folds)
        if isinstance(self.scoring, dict):
            return self
        means = self.cv_results_["mean_test_score"]
        self.best_index_ = int(np.nanargmax(means))
        self.best_score_ = float(means[self.best_index_])
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        warn_of_edges(base, grid, self.cv_results_["params"], means)
        if self.refit:
            self._fit_best(base, X, target)
        return self

    def _scorers(self) -> dict[str, Any]:
        if not isinstance(self.scoring, dict):
            return {"score": _scorer(self.scoring)}
        if not self.scoring:
            raise ValueError("scoring is empty; name at least one metric.")
        if self.refit:
            raise ValueError("Several scorings have no common best; use refit=False.")
        return {name: _scorer(each) for name, each in self.scoring.items()}

    def _base(self) -> Any:
        return AAkNN() if self.estimator is None else self.estimator

    def _check_data(self, base: Any, X: Any, y: Any) -> tuple[Any, FloatArray]:
        """Samples as folds take them, and distributions."""
        if not isinstance(base, Pipeline):
            sparse = get_tags(base).input_tags.sparse
            return check_fit_data(
                self, X, y, accept_sparse=sparse, accept_classes=True, keep_float32=True
            )
        # what a pipeline takes, its first step knows
        target = check_target(y, kinds=("distribution", "classes"))
        check_consistent_length(X, target.matrix)
        self.classes_ = target.classes
        return X, target.matrix

    def _settings(self, grid: Grid) -> Settings:
        """The settings to try, the same in every fold; ties go to the first."""
        values = product(*grid.values())
        every = [dict(zip(grid, chosen, strict=True)) for chosen in values]
        if self.n_candidates is not None and self.n_candidates < len(every):
            rng = check_random_state(self.random_state)
            chosen = rng.choice(len(every), self.n_candidates, replace=False)
            every = [every[i] for i in sorted(chosen)]
        return every

    def _fit_best(self, base: Any, X: Any, target: pd.DataFrame) -> None:
        model = clone(base).set_params(**clone(self.best_params_, safe=False))
        self.best_estimator_ = model.fit(X, target)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def _best(self) -> Any:
        check_is_fitted(self)
        if not self.refit:
            raise AttributeError(
                "With refit=False nothing is fitted on all samples; use refit=True, or "
                "best_params_."
            )
        return self.best_estimator_

    def predict(self, X: Any) -> FloatArray:
        """Predict with the best estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        return self._best().predict(X)

    @available_if(_best_has("transform"))
    def transform(self, X: Any) -> Any:
        """Transform with the best estimator, if it does that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        return self._best().transform(X)

    @available_if(_best_has("get_support"))
    def get_support(self, indices: bool = False) -> Any:
        """Features that the best estimator selects, if it does that.

        Parameters
        ----------
        indices : bool, default=False
            Whether to give their numbers instead of a mask.

        Returns
        -------
        support : ndarray
        """
        return self._best().get_support(indices)

    @available_if(_best_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features that ``transform`` gives.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the features of X.

        Returns
        -------
        names : ndarray of str
        """
        return self._best().get_feature_names_out(input_features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags
