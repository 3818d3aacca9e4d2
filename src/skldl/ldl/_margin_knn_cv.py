"""Neighbours and penalties of LWkNN and LDkNN by cross-validation."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from skldl._search import axes_of, fit_best, grid_values, search_path
from skldl._sklearn import fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.graphs import NeighborIndex
from skldl.ldl._margin_knn import LDkNN, LWkNN, _MarginKNN, check_enough_neighbors
from skldl.validation import check_fit_data

_AXES = ("n_neighbors", "margin", "margin_weight", "reg")


def margin_knn_path(
    X: Any,
    D: FloatArray,
    X_test: Any,
    grid: Mapping[str, Sequence[Any]],
    base: LWkNN | LDkNN,
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Predictions of every setting of a grid, for one training and one test part.

    One neighbour search among the training samples and one from the test samples serve
    all settings.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray or CSR matrix of shape (n_test, n_features)
        Samples to predict.
    grid : dict of str to sequence
        Values of n_neighbors, margin, margin_weight, reg; what is missing is taken
        from ``base``.
    base : LWkNN or LDkNN
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
    >>> from skldl.ldl import LWkNN, margin_knn_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> path = margin_knn_path(X, D, X[:5], {"n_neighbors": [1, 2]}, LWkNN())
    >>> [params["n_neighbors"] for params, _ in path]
    [1, 2]
    """
    axes = axes_of(base, grid, _AXES)
    largest = max(axes["n_neighbors"])
    check_enough_neighbors(largest, len(D))
    index = NeighborIndex(base.engine, n_jobs=base.n_jobs).fit(X)
    graph = index.graph(largest)
    queries = index.query(X_test, largest)
    for values in product(*axes.values()):
        params = dict(zip(_AXES, values, strict=True))
        k = params["n_neighbors"]
        model = clone(base).set_params(**params)._learn(graph.truncate(k), D, X.dtype)
        yield params, model._combine(queries.truncate(k), D)


class MarginKNNCV(DistributionPredictorMixin, BaseEstimator):
    """LWkNN or LDkNN with its parameters chosen by cross-validation.

    Each fold searches its neighbours once, for the largest number wanted; smaller
    numbers are slices.

    Parameters
    ----------
    estimator : LWkNN, LDkNN or None, default=None
        The method, with its other settings; None for LWkNN.
    n_neighbors : sequence of int, default=(1, 2, ..., 21)
        Numbers of neighbours. Here and below a single value will do.
    margin : sequence of float, "mean" or "sample", default=(0.1,)
        Margins.
    margin_weight : sequence of float, default=(1.0,)
        Weights of the margin.
    reg : sequence of float, default=(1e-3,)
        Ridges.
    scoring : str or callable, default="zero_one_loss"
        Metric by name, or a scorer.
    cv : int, splitter or iterable, default=5
        Folds; an integer gives plain folds without shuffling.

    Attributes
    ----------
    best_estimator_ : LWkNN or LDkNN
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
    margin_knn_path : Predictions of a grid on one split.

    Notes
    -----
    The score of the best setting is optimistic, as always; put the search itself into
    ``cross_validate`` for an honest number.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDkNN, MarginKNNCV
    >>> X, D = make_ldl(150, random_state=0)
    >>> search = MarginKNNCV(LDkNN(), n_neighbors=(3, 7), reg=(0.1, 10.0)).fit(X, D)
    >>> len(search.cv_results_["mean_test_score"]), search.predict(X).shape
    (4, (150, 5))
    """

    def __init__(
        self,
        estimator: _MarginKNN | None = None,
        *,
        n_neighbors: Sequence[int] = tuple(range(1, 22)),
        margin: Sequence[float | str] = (0.1,),
        margin_weight: Sequence[float] = (1.0,),
        reg: Sequence[float] = (1e-3,),
        scoring: Any = "zero_one_loss",
        cv: Any = 5,
    ) -> None:
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.margin = margin
        self.margin_weight = margin_weight
        self.reg = reg
        self.scoring = scoring
        self.cv = cv

    _parameter_constraints: dict = {
        **{name: ["array-like", Real, str] for name in _AXES},
        "estimator": [_MarginKNN, None],
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
        self : estimator
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True, keep_float32=True)
        base = LWkNN() if self.estimator is None else self.estimator
        grid = {name: grid_values(getattr(self, name)) for name in _AXES}
        found = search_path(
            margin_knn_path, X, D, grid, base, scoring=self.scoring, cv=self.cv
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


def search_from_grid(
    base: LWkNN | LDkNN, grid: dict[str, Any], scoring: Any, cv: Any
) -> Any:
    """A search for a comparison; parameters off the path stay as they are."""
    axes = axes_of(base, grid, _AXES)
    return MarginKNNCV(base, **axes, scoring=scoring, cv=cv)
