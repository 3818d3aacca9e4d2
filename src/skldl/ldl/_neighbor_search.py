"""Parameters of the nearest-neighbour learners by cross-validation."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from skldl._search import check_grid, fit_best, grid_values, search_path
from skldl._sklearn import fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.graphs import NeighborIndex
from skldl.ldl._knn import AAkNN
from skldl.ldl._margin_knn import LDkNN, LWkNN
from skldl.validation import check_distribution, check_fit_data

NeighborLearner = AAkNN | LWkNN | LDkNN

# what changes the neighbours themselves
_FIXED = ("engine", "metric", "n_jobs")


def neighbor_path(
    X: Any,
    D: FloatArray,
    X_test: Any,
    grid: Mapping[str, Sequence[Any]],
    base: NeighborLearner,
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Predictions of every setting of a grid, for one training and one test part.

    One neighbour search among the training samples and one from the test samples serve
    all settings. Numbers of neighbours that the training part cannot give are left out
    with a warning, unless it can give none.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray or CSR matrix of shape (n_test, n_features)
        Samples to predict.
    grid : dict of str to sequence
        Values of any parameters that leave the neighbours as they are.
    base : AAkNN, LWkNN or LDkNN
        All other settings.

    Yields
    ------
    params : dict
        One setting.
    P : ndarray of shape (n_test, n_labels)
        Its predictions.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LWkNN, neighbor_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> path = neighbor_path(X, D, X[:5], {"n_neighbors": [1, 2]}, LWkNN())
    >>> [params["n_neighbors"] for params, _ in path]
    [1, 2]
    """
    X, X_test = (
        check_array(rows, accept_sparse="csr", dtype=(np.float64, np.float32))
        for rows in (X, X_test)
    )
    D = check_distribution(D)
    check_consistent_length(X, D)
    _check_axes(base, grid)
    check_grid(base, grid)
    wanted = grid.get("n_neighbors", [base.n_neighbors])
    base._check_enough(min(wanted), len(D))
    most = len(D) - int(base._learns_from_neighbors)
    largest = max(k for k in wanted if k <= most)
    if max(wanted) > most:
        warnings.warn(
            f"n_neighbors={max(wanted)} is left out: {len(D)} training samples can "
            f"give {most} neighbours.",
            UserWarning,
            stacklevel=caller_level(),
        )
    settings = base.get_params()
    index = NeighborIndex(
        base.engine, metric=settings.get("metric", "euclidean"), n_jobs=base.n_jobs
    ).fit(X)
    graph = index.graph(largest) if base._learns_from_neighbors else None
    queries = index.query(X_test, largest)
    for values in product(*grid.values()):
        params = dict(zip(grid, values, strict=True))
        model = clone(base).set_params(**params)
        k = model.n_neighbors
        if k > largest:
            continue
        if graph is not None:
            model._learn(graph.truncate(k), D, X.dtype)
        yield params, model._combine(queries.truncate(k), D)


class NeighborSearchCV(DistributionPredictorMixin, BaseEstimator):
    """A nearest-neighbour learner with its parameters chosen by cross-validation.

    Like ``GridSearchCV``, but each fold searches its neighbours once, for the largest
    number wanted; smaller numbers are slices.

    Parameters
    ----------
    estimator : AAkNN, LWkNN, LDkNN or None, default=None
        The method; None for LWkNN.
    param_grid : dict of str to sequence, or None, default=None
        Values of its parameters, a single value will do; None for 1 to 21 neighbours.
    scoring : str or callable, default="zero_one_loss"
        Metric by name, or a scorer.
    cv : int, splitter or iterable, default=5
        Folds; an integer gives plain folds without shuffling.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted on all samples with the best setting.
    best_params_ : dict
        The best setting; the first one on ties.
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
    neighbor_path : Predictions of a grid on one split.

    Notes
    -----
    The score of the best setting is optimistic, as always; put the search itself into
    ``cross_validate`` for an honest number.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDkNN, NeighborSearchCV
    >>> X, D = make_ldl(150, random_state=0)
    >>> grid = {"n_neighbors": [3, 7], "reg": [0.1, 10.0]}
    >>> search = NeighborSearchCV(LDkNN(), grid).fit(X, D)
    >>> len(search.cv_results_["mean_test_score"]), search.predict(X).shape
    (4, (150, 5))
    """

    def __init__(
        self,
        estimator: NeighborLearner | None = None,
        param_grid: Mapping[str, Sequence[Any]] | None = None,
        *,
        scoring: Any = "zero_one_loss",
        cv: Any = 5,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv

    _parameter_constraints: dict = {
        "estimator": [AAkNN, LWkNN, LDkNN, None],
        "param_grid": [dict, None],
        "scoring": [str, callable],
        "cv": ["cv_object"],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Score every setting on every fold, then fit the best one on all.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.

        Returns
        -------
        self : NeighborSearchCV
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True, keep_float32=True)
        base = LWkNN() if self.estimator is None else self.estimator
        wanted = self.param_grid
        if wanted is None:
            wanted = {"n_neighbors": range(1, 22)}
        grid = {name: grid_values(values) for name, values in wanted.items()}
        _check_axes(base, grid)
        found = search_path(
            neighbor_path, X, D, grid, base, scoring=self.scoring, cv=self.cv
        )
        self.cv_results_ = found.results
        self.best_params_ = found.params
        self.best_score_ = found.score
        self.best_estimator_ = fit_best(base, found.params, X, D, self.classes_)
        return self

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
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32)
        )
        return self.best_estimator_.predict(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _check_axes(base: NeighborLearner, grid: Mapping[str, Any]) -> None:
    known = [name for name in base.get_params() if name not in _FIXED]
    unknown = [name for name in grid if name not in known]
    if unknown:
        raise ValueError(
            f"The search over neighbours does not vary {unknown[0]!r} of "
            f"{type(base).__name__}; it varies {', '.join(known)}."
        )
