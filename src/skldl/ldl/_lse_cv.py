"""Search over LSE-LDL's weights, each solution starting the next."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from skldl._progress import report
from skldl._search import axes_of, fit_best, grid_values, search_path
from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.ldl._lse import LSELDL
from skldl.ldl._lse_start import label_laplacian, spectral_start, with_ones
from skldl.objectives import LatentPoint
from skldl.solvers import Products, alternate
from skldl.validation import check_fit_data

_WEIGHTS = ("alpha", "beta", "gamma", "delta")
_AXES = (*_WEIGHTS, "n_selected_features")
_DECADES = (0.001, 0.01, 0.1, 1.0, 10.0)
Setting = tuple[float, ...]


def lse_path(
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    settings: Sequence[Mapping[str, Any]],
    base: LSELDL,
    *,
    n_selected_features: Sequence[int | float | None] = (None,),
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Predictions of many settings, for one training and one test part.

    The label graph, the products of the features and the first start are made once. A
    setting starts from the solution of the setting nearest to it among those that
    came before, unless the first start has a lower objective. Numbers of selected
    features cost a product each.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray of shape (n_test, n_features)
        Samples to predict.
    settings : sequence of dict
        Values of alpha, beta, gamma and delta; what is missing is taken from ``base``.
    base : LSELDL
        All other settings; its ``solver`` is not looked at.
    n_selected_features : sequence of int, float or None, default=(None,)
        Numbers or shares of features to predict from.

    Yields
    ------
    params : dict
        One setting.
    P : ndarray of shape (n_test, n_labels)
        Its predictions.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDL, lse_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> path = lse_path(X, D, X[:5], [{"beta": 0.1}, {"beta": 1.0}], LSELDL())
    >>> [params["beta"] for params, _ in path]
    [0.1, 1.0]
    """
    wide = with_ones(X, base.fit_intercept)
    graph = label_laplacian(D, base.n_neighbors, base.sigma)
    first = spectral_start(wide, D, base._size(D))
    products: Products | None = None
    solved: dict[Setting, LatentPoint] = {}
    for setting in settings:
        model = clone(base).set_params(**setting)
        weights = tuple(float(getattr(model, name)) for name in _WEIGHTS)
        objective = model._objective(wide, D, graph)
        products = products or Products(objective)
        starts = [first, *_nearest(solved, weights)]
        start = min(starts, key=objective.value)
        solution = alternate(
            objective, start, max_iter=base.max_iter, tol=base.tol, products=products
        )
        report("LSELDL: path", len(solved) + 1, len(settings), objective=solution.value)
        if not solution.converged:
            warnings.warn(
                f"LSELDL stopped after {solution.n_iter} iterations with a gradient of "
                f"{solution.residual:.2g} (tol={base.tol:g}) on the path.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        solved[weights] = solution.x
        model.n_features_in_ = X.shape[1]
        model._keep(objective, solution)
        predictions = model.predict_path(X_test, n_selected_features)
        for count, P in zip(n_selected_features, predictions, strict=True):
            yield {**dict(zip(_AXES, (*weights, count), strict=True))}, P


def _nearest(solved: dict[Setting, LatentPoint], weights: Setting) -> list[LatentPoint]:
    """The solution whose weights differ by the fewest decades, if there is any."""

    def decades(other: Setting) -> float:
        return float(
            np.abs(
                np.log10(np.add(other, 1e-6)) - np.log10(np.add(weights, 1e-6))
            ).sum()
        )

    return [solved[min(solved, key=decades)]] if solved else []


class LSELDLCV(SelectorMixin, DistributionPredictorMixin, BaseEstimator):
    """LSE-LDL with its weights chosen by cross-validation, each fit starting the next.

    Parameters
    ----------
    alpha : sequence of float, default=(0.001, 0.01, 0.1, 1, 10)
        Weights to try, see :class:`LSELDL`. Here and below a single value will do.
    beta : sequence of float, default=(0.001, 0.01, 0.1, 1, 10)
        Likewise.
    gamma : sequence of float, default=(0.001, 0.01, 0.1, 1, 10)
        Likewise.
    delta : sequence of float, default=(0.001, 0.01, 0.1, 1, 10)
        Likewise.
    n_selected_features : sequence of int, float or None, default=None
        Numbers or shares of features to try, at nearly no cost; None takes all
        features only.
    n_settings : int or None, default=40
        How many of the combinations of weights to try, chosen at random; None tries
        all, 625 of them by default.
    estimator : LSELDL or None, default=None
        Its other settings; None takes the defaults.
    scoring : str or callable, default="intersection"
        Metric by name, or a scorer.
    cv : int, splitter or iterable, default=5
        Folds; an integer gives plain folds without shuffling.
    random_state : int, RandomState or None, default=0
        Seed of the choice of settings.

    Attributes
    ----------
    best_estimator_ : LSELDL
        Fitted on all samples with the best setting, from its usual start.
    best_params_ : dict
        The best setting.
    best_score_ : float
        Its mean score over folds.
    cv_results_ : dict of ndarray
        One entry per setting: ``param_...``, ``mean_test_score``, ``std_test_score``.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    lse_path : Predictions of many settings on one split.

    Notes
    -----
    Each fold is solved from its own training part only, so the search may stand inside
    another cross-validation; the score of the best setting itself is optimistic.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDLCV
    >>> X, D = make_ldl(100, n_features=8, random_state=0)
    >>> search = LSELDLCV(gamma=0.001, delta=0.1, n_settings=5, cv=3).fit(X, D)
    >>> len(search.cv_results_["mean_test_score"])
    5
    """

    _parameter_constraints: dict = {
        **{name: ["array-like", Real] for name in _WEIGHTS},
        "n_selected_features": ["array-like", Real, None],
        "n_settings": [Interval(Integral, 1, None, closed="left"), None],
        "estimator": [LSELDL, None],
        "scoring": [str, callable],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        alpha: Sequence[float] = _DECADES,
        *,
        beta: Sequence[float] = _DECADES,
        gamma: Sequence[float] = _DECADES,
        delta: Sequence[float] = _DECADES,
        n_selected_features: Sequence[int | float | None] | None = None,
        n_settings: int | None = 40,
        estimator: LSELDL | None = None,
        scoring: Any = "intersection",
        cv: Any = 5,
        random_state: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.delta = delta
        self.n_selected_features = n_selected_features
        self.n_settings = n_settings
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Score every setting on every fold, then fit the best one on all.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.

        Returns
        -------
        self : LSELDLCV
        """
        X, D = check_fit_data(self, X, y, accept_classes=True)
        if len(X) < 2:
            raise ValueError("LSELDLCV needs at least two samples, got n_samples=1.")
        base = LSELDL() if self.estimator is None else self.estimator
        if base.solver != "alternate":
            raise ValueError("The search needs an estimator with solver='alternate'.")
        grid = {name: grid_values(getattr(self, name)) for name in _AXES}
        if self.n_selected_features is None:
            grid["n_selected_features"] = [base.n_selected_features]
        settings = self._settings(grid)  # drawn once, the same in every fold

        def path(X: Any, D: Any, X_test: Any, grid: Any, base: Any) -> Any:
            counts = grid["n_selected_features"]
            return lse_path(X, D, X_test, settings, base, n_selected_features=counts)

        found = search_path(path, X, D, grid, base, scoring=self.scoring, cv=self.cv)
        self.cv_results_ = found.results
        self.best_params_ = found.params
        self.best_score_ = found.score
        self.best_estimator_ = fit_best(base, found.params, X, D, self.classes_)
        return self

    def _settings(self, grid: Mapping[str, Sequence[Any]]) -> list[dict[str, float]]:
        """Combinations of weights, neighbours near each other in the list."""
        every = list(product(*(grid[name] for name in _WEIGHTS)))
        if self.n_settings is not None and self.n_settings < len(every):
            rng = check_random_state(self.random_state)
            chosen = rng.choice(len(every), self.n_settings, replace=False)
            every = [every[i] for i in sorted(chosen)]
        return [dict(zip(_WEIGHTS, values, strict=True)) for values in every]

    def predict(self, X: Any) -> FloatArray:
        """Predict with the best estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.best_estimator_.predict(X)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.best_estimator_.get_support()


def search_from_grid(base: LSELDL, grid: dict[str, Any], scoring: Any, cv: Any) -> Any:
    """A search for a comparison, over all of a grid."""
    axes = axes_of(base, grid, _AXES)
    return LSELDLCV(**axes, n_settings=None, estimator=base, scoring=scoring, cv=cv)
