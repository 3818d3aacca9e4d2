"""Members with weights chosen by cross-validation."""

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import KFold
from sklearn.utils.parallel import Parallel, delayed

from skldl._inner import (
    check_inner_data,
    check_weights,
    fit_inner,
    named_target,
)
from skldl._sklearn import Interval, StrOptions, fit_context, safe_indexing
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.ldl._members import Members, NamedMembers, member_prediction
from skldl.ldl._pool import POOLS, check_pool_metric, fit_pool
from skldl.metrics import get_metric
from skldl.validation import check_folds

Fold = tuple[Any, Any]


class StackedDistribution(NamedMembers):
    r"""Pool distribution learners with weights that are best on unseen samples.

    Every member predicts each fold after being fitted on the others. The weights of

    .. math:: \sum_j w_j p_j \quad\text{(linear)}, \qquad
       \mathrm{softmax}\Bigl(\sum_j w_j \ln p_j + b\Bigr) \quad\text{(log)}

    optimise the metric of these predictions. Then every member is fitted on all
    samples.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        Names and distribution learners. A scaler belongs inside a member, as in
        ``make_pipeline(StandardScaler(), AAkNN())``. ``"drop"`` in place of a learner
        leaves it out. None for three standard ones: softmax regression and nearest
        neighbours on standardised features, and the mean distribution.
    metric : str, default="kl_divergence"
        What to make best: any metric of :mod:`skldl.metrics` that judges distributions
        or their largest label.
    pool : {"linear", "log"}, default="linear"
        How to pool. In a log-linear pool degrees below 1e-6 count as 1e-6.
    cv : int, splitter or iterable, default=5
        Folds, the same for all members; an integer gives shuffled folds.
    shrinkage : float or "auto", default="auto"
        Share of equal weights in the weights, from 0 to 1. ``"auto"`` takes
        :math:`1 / (1 + t^2)`, where t is the mean improvement over equal weights
        divided by its standard error, so few samples give nearly equal weights.
    fit_temperature : bool, default=True
        Whether the weights of a log-linear pool may have any sum, which makes
        distributions sharper or flatter; else their sum is 1.
    fit_bias : bool, default=False
        Whether a log-linear pool adds a bias per label, see :func:`fit_pool`.
    n_jobs : int or None, default=None
        Fits at once.
    random_state : int, RandomState instance or None, default=None
        For the folds. The members have their own.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Weights of the members.
    bias_ : ndarray of shape (n_labels,) or None
        b; None without biases.
    shrinkage_ : float
        Share of equal weights in ``weights_``.
    estimators_ : list of estimators
        The members, fitted on all samples.
    names_ : list of str
        Their names.
    oof_scores_ : dict of str to float
        The metric of each member's predictions of unseen samples.
    oof_score_ : float
        The metric of the pool on the same predictions; a little too good, because the
        weights were chosen on them.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    DistributionVoting : Weights given by hand.
    fit_pool : The choice of weights alone.

    Notes
    -----
    A member whose fit or prediction fails leaves the pool with a warning; it is an
    error only if all fail. ``sample_weight`` counts in the choice of weights, and
    reaches the members that take it.

    References
    ----------
    .. [1] D. H. Wolpert, "Stacked Generalization", Neural Networks 5(2), 1992.
    .. [2] L. Breiman, "Stacked Regressions", Machine Learning 24(1), 1996.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN, MeanDistribution, SABFGS, StackedDistribution
    >>> X, D = make_ldl(200, random_state=0)
    >>> members = [
    ...     ("linear", SABFGS(reg=0.1)),
    ...     ("near", AAkNN(15)),
    ...     ("mean", MeanDistribution()),
    ... ]
    >>> model = StackedDistribution(members, random_state=0).fit(X, D)
    >>> max(model.oof_scores_, key=model.oof_scores_.get)  # the largest divergence
    'mean'
    >>> model.oof_score_ <= min(model.oof_scores_.values()) + 1e-3
    True
    """

    _parameter_constraints: dict = {
        "estimators": [list, tuple, None],
        "metric": [str],
        "pool": [StrOptions(set(POOLS))],
        "cv": ["cv_object"],
        "shrinkage": [Interval(Real, 0, 1, closed="both"), StrOptions({"auto"})],
        "fit_temperature": ["boolean"],
        "fit_bias": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimators: Members | None = None,
        *,
        metric: str = "kl_divergence",
        pool: str = "linear",
        cv: Any = 5,
        shrinkage: float | str = "auto",
        fit_temperature: bool = True,
        fit_bias: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.metric = metric
        self.pool = pool
        self.cv = cv
        self.shrinkage = shrinkage
        self.fit_temperature = fit_temperature
        self.fit_bias = fit_bias
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Predict every fold with every member, choose weights, fit on all samples.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples. Those of weight 0 are left out.

        Returns
        -------
        self : StackedDistribution
        """
        members = self._members()
        check_pool_metric(self.metric)
        X, D = check_inner_data(self, X, y, sparse=self._sparse())
        weights = check_weights(sample_weight, D)
        if weights is not None:
            rows = np.flatnonzero(weights)
            X, D, weights = safe_indexing(X, rows), D[rows], weights[rows]
        folds = self._folds(X, D)
        jobs = self._run(members, X, D, weights, folds)
        members, jobs = _without_failures(members, jobs, type(self).__name__)
        self.names_ = [name for name, _ in members]
        self.estimators_ = [job[-1] for job in jobs]
        tests = np.concatenate([test for _, test in folds])
        predictions = np.stack([np.concatenate(job[:-1]) for job in jobs])
        weights = None if weights is None else weights[tests]
        self._pool(predictions, D[tests], weights)
        return self

    def _folds(self, X: Any, D: FloatArray) -> list[Fold]:
        cv = self.cv
        if isinstance(cv, Integral) and cv <= len(D):
            cv = KFold(cv, shuffle=True, random_state=self.random_state)
        return check_folds(cv, X, D)

    def _run(
        self,
        members: Members,
        X: Any,
        D: FloatArray,
        weights: FloatArray | None,
        folds: list[Fold],
    ) -> list[list[Any]]:
        """For each member its predictions of the folds, then the member itself."""
        everything = (np.arange(len(D)), None)
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_attempt)(name, clone(member), X, D, self.classes_, weights, fold)
            for name, member in members
            for fold in [*folds, everything]
        )
        size = len(folds) + 1
        return [found[i : i + size] for i in range(0, len(found), size)]

    def _pool(self, predictions: FloatArray, D: FloatArray, weights: Any) -> None:
        metric = get_metric(self.metric)
        self.oof_scores_ = {
            name: metric.fn(D, P, sample_weight=weights)
            for name, P in zip(self.names_, predictions, strict=True)
        }
        found = fit_pool(
            predictions,
            D,
            metric=self.metric,
            pool=self.pool,
            sample_weight=weights,
            shrinkage=self.shrinkage,
            fit_temperature=self.fit_temperature,
            fit_bias=self.fit_bias,
        )
        self.weights_, self.bias_ = found.weights, found.bias
        self.shrinkage_, self.oof_score_ = found.shrinkage, found.value

    def predict(self, X: Any) -> FloatArray:
        """Pool the members' predictions.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        weights, bias = (getattr(self, name, None) for name in ("weights_", "bias_"))
        return self._pooled(X, weights, bias)


def _attempt(
    name: str,
    model: Any,
    X: Any,
    D: FloatArray,
    classes: Any,
    weights: FloatArray | None,
    fold: Fold,
) -> Any:
    """Predictions of a fold, a model fitted on all samples, or what went wrong."""
    train, test = fold
    try:
        fit_inner(
            model,
            safe_indexing(X, train),
            named_target(D[train], classes),
            None if weights is None else weights[train],
        )
        if test is None:
            return model
        return member_prediction(name, model, safe_indexing(X, test), D.shape[1])
    except Exception as error:
        return error


def _without_failures(
    members: Members, jobs: Sequence[list[Any]], owner: str
) -> tuple[Members, list[list[Any]]]:
    """Members all of whose fits went well; a warning for each of the others."""
    errors = [next((r for r in job if isinstance(r, Exception)), None) for job in jobs]
    first = next((error for error in errors if error is not None), None)
    if first is not None and None not in errors:
        raise ValueError(
            f"All members of {owner} failed. The first, {members[0][0]!r}, says: "
            f"{type(first).__name__}: {first}"
        ) from first
    for (name, _), error in zip(members, errors, strict=True):
        if error is not None:
            warnings.warn(
                f"Member {name!r} of {owner} failed and is left out of the pool. "
                f"{type(error).__name__}: {error}",
                FitFailedWarning,
                stacklevel=caller_level(),
            )
    good = [i for i, error in enumerate(errors) if error is None]
    return [members[i] for i in good], [jobs[i] for i in good]
