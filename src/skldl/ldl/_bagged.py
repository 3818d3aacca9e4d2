"""Bagging for distribution learners."""

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from skldl._inner import (
    check_inner_data,
    check_inner_samples,
    check_weights,
    fit_inner,
    inner_tags,
    named_target,
    require_instance,
    require_weights,
)
from skldl._sklearn import HasMethods, Interval, fit_context, safe_indexing
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin, sample_weight_keys
from skldl.ldl._knn import AAkNN
from skldl.ldl._members import member_prediction
from skldl.metrics import intersection

_SHARE = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
]


class BaggedDistribution(DistributionPredictorMixin, BaseEstimator):
    r"""Average a distribution learner over random parts of the data.

    :math:`p(x) = \frac1m \sum_j p_j(x)`, where :math:`p_j` was fitted on samples and
    features drawn by chance.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The distribution learner, or a regressor whose predictions are distributions,
        such as a tree. Bagging helps learners that change much with their data. None
        for ``AAkNN()``, which it helps with ``max_features`` below 1.
    n_estimators : int, default=10
        How many to fit.
    max_samples : int or float, default=1.0
        Samples drawn for each, as a number or a share.
    max_features : int or float, default=1.0
        Features drawn for each, as a number or a share, without replacement.
    bootstrap : bool, default=True
        Whether samples are drawn with replacement.
    oob_score : bool, default=False
        Whether to predict each sample by the members that did not see it.
    n_jobs : int or None, default=None
        Members fitted at once.
    random_state : int, RandomState instance or None, default=None
        For the draws and the members.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted members.
    estimators_features_ : list of ndarray
        The features that each member sees.
    oob_prediction_ : ndarray of shape (n_samples, n_labels)
        Means over members that did not see the sample; NaN if all did. Only with
        ``oob_score=True``.
    oob_score_ : float
        Their mean intersection with the true distributions. Only with
        ``oob_score=True``.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    DistributionVoting : Different learners on the same data.

    Notes
    -----
    scikit-learn's ``BaggingRegressor`` does the same, but its out-of-bag score wants a
    single output, it takes away the column of a single label, and it passes weights to
    every learner whose ``fit`` names them. Here ``sample_weight`` gives the chances by
    which samples are drawn, so that it does for every learner; without ``bootstrap`` it
    is passed on.

    References
    ----------
    .. [1] L. Breiman, "Bagging Predictors", Machine Learning 24(2), 1996.
    .. [2] T. K. Ho, "Nearest Neighbors in Random Subspaces", Advances in Pattern
       Recognition, 1998.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN, BaggedDistribution
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = BaggedDistribution(
    ...     AAkNN(), n_estimators=20, max_features=0.5, oob_score=True, random_state=0
    ... )
    >>> model.fit(X, D).oob_prediction_.shape
    (200, 5)
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": _SHARE,
        "max_features": _SHARE,
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every member on its part of the data.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : BaggedDistribution
        """
        inner = self._inner()
        require_instance(inner, "estimator")
        self._check(inner, sample_weight)
        X, D = check_inner_data(self, X, y, sparse=self._sparse())
        weights = check_weights(sample_weight, D)
        draws = self._draws(len(D), weights)
        target = named_target(D, self.classes_)
        passed = None if self.bootstrap else weights
        self.estimators_features_ = [columns for _, columns, _ in draws]
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_part)(
                _seeded(clone(inner), seed), X, target, passed, rows, columns
            )
            for rows, columns, seed in draws
        )
        if self.oob_score:
            self._score_out_of_bag(X, D, [rows for rows, _, _ in draws])
        return self

    def predict(self, X: Any) -> FloatArray:
        """Average the members' predictions.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        X = check_inner_samples(self, X, sparse=self._sparse())
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._of_member)(i, X) for i in range(len(self.estimators_))
        )
        return sum(found) / len(found)

    def _of_member(self, i: int, X: Any) -> FloatArray:
        part = _take_columns(X, self.estimators_features_[i])
        return member_prediction(
            f"number {i}", self.estimators_[i], part, len(self.classes_)
        )

    def _check(self, inner: Any, sample_weight: Any) -> None:
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score=True needs bootstrap=True.")
        if sample_weight is not None and not self.bootstrap:
            advice = "Use bootstrap=True, which draws samples by their weights."
            require_weights(inner, "BaggedDistribution(bootstrap=False)", advice)

    def _draws(
        self, n_samples: int, weights: FloatArray | None
    ) -> list[tuple[Any, Any, int]]:
        """Samples, features and a seed for each member."""
        rng = check_random_state(self.random_state)
        size = _size(self.max_samples, n_samples)
        width = _size(self.max_features, self.n_features_in_)
        if size > n_samples and not self.bootstrap:
            raise ValueError(
                f"max_samples={size} is more than n_samples={n_samples}, which needs "
                "bootstrap=True."
            )
        if width > self.n_features_in_:
            raise ValueError(
                f"max_features={width} is more than the {self.n_features_in_} features."
            )
        shares = None
        if weights is not None and self.bootstrap:
            shares = weights / weights.sum()
        return [
            (
                rng.choice(n_samples, size, replace=self.bootstrap, p=shares),
                np.sort(rng.permutation(self.n_features_in_)[:width]),
                int(rng.randint(np.iinfo(np.int32).max)),
            )
            for _ in range(self.n_estimators)
        ]

    def _score_out_of_bag(self, X: Any, D: FloatArray, drawn: list[Any]) -> None:
        total, counts = np.zeros(D.shape), np.zeros(len(D))
        for i, rows in enumerate(drawn):
            unseen = np.setdiff1d(np.arange(len(D)), rows)
            if len(unseen):
                total[unseen] += self._of_member(i, safe_indexing(X, unseen))
                counts[unseen] += 1
        known = counts > 0
        if not known.all():
            warnings.warn(
                f"{int((~known).sum())} samples were seen by every member and have no "
                "out-of-bag prediction. Raise n_estimators.",
                UserWarning,
                stacklevel=caller_level(),
            )
        total[~known] = np.nan
        self.oob_prediction_ = total / np.maximum(counts, 1)[:, None]
        self.oob_score_ = float("nan")
        if known.any():
            self.oob_score_ = intersection(D[known], self.oob_prediction_[known])

    def _inner(self) -> Any:
        return AAkNN() if self.estimator is None else self.estimator

    def _sparse(self) -> bool:
        return inner_tags([self._inner()]).sparse

    def _takes_sample_weight(self) -> bool:
        return self.bootstrap or bool(sample_weight_keys(self._inner()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = inner_tags([self._inner()])
        return tags


def _fit_part(model: Any, X: Any, y: Any, weights: Any, rows: Any, columns: Any) -> Any:
    part = _take_columns(safe_indexing(X, rows), columns)
    weights = None if weights is None else weights[rows]
    return fit_inner(model, part, safe_indexing(y, rows), weights)


def _take_columns(X: Any, columns: Any) -> Any:
    """Some features; all of them need no copy."""
    if len(columns) == X.shape[1]:
        return X
    return safe_indexing(X, columns, axis=1)


def _size(wanted: float, available: int) -> int:
    if isinstance(wanted, Integral):
        return int(wanted)
    return max(1, int(wanted * available))


def _seeded(model: Any, seed: int) -> Any:
    """Give every random_state inside a model a number of its own."""
    rng = np.random.RandomState(seed)
    names = sorted(
        name for name in model.get_params() if name.split("__")[-1] == "random_state"
    )
    numbers = rng.randint(np.iinfo(np.int32).max, size=len(names))
    return model.set_params(**dict(zip(names, numbers.tolist(), strict=True)))
