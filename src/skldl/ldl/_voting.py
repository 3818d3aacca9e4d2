"""Members with given weights."""

from numbers import Integral
from typing import Any, Self

from sklearn.utils.parallel import Parallel, delayed

from skldl._inner import (
    check_inner_data,
    check_weights,
    fit_inner,
    named_target,
)
from skldl._sklearn import StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.ldl._members import (
    Members,
    NamedMembers,
    check_member_weights,
    fresh,
    kept_weights,
)
from skldl.ldl._pool import POOLS


class DistributionVoting(NamedMembers):
    r"""Pool the predictions of several distribution learners with given weights.

    The linear pool is :math:`\sum_j w_j p_j`, the log-linear pool
    :math:`\mathrm{softmax}(\sum_j w_j \ln p_j)`, a geometric mean.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        Names and distribution learners. A scaler belongs inside a member, as in
        ``make_pipeline(StandardScaler(), AAkNN())``. ``"drop"`` in place of a learner
        leaves it out. None for three standard ones: softmax regression and nearest
        neighbours on standardised features, and the mean distribution.
    weights : array-like of shape (n_members,) or None, default=None
        How much each member counts; they are divided by their sum. None for equal
        weights.
    pool : {"linear", "log"}, default="linear"
        How to pool. In a log-linear pool degrees below 1e-6 count as 1e-6.
    n_jobs : int or None, default=None
        Members fitted at once.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted members.
    names_ : list of str
        Their names.
    weights_ : ndarray of shape (n_members,)
        Their weights, with sum 1.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    StackedDistribution : Weights chosen by cross-validation.

    Notes
    -----
    ``sample_weight`` reaches the members that take it; others are fitted without it.

    References
    ----------
    .. [1] C. Genest and J. V. Zidek, "Combining Probability Distributions: A Critique
       and an Annotated Bibliography", Statistical Science 1(1), 1986.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN, DistributionVoting, SABFGS
    >>> X, D = make_ldl(200, random_state=0)
    >>> members = [("linear", SABFGS(reg=0.1)), ("near", AAkNN(15))]
    >>> model = DistributionVoting(members, weights=[3, 1]).fit(X, D)
    >>> model.weights_
    array([0.75, 0.25])
    >>> model.set_params(near__n_neighbors=7).fit(X, D).predict(X).shape
    (200, 5)
    """

    _parameter_constraints: dict = {
        "estimators": [list, tuple, None],
        "weights": ["array-like", None],
        "pool": [StrOptions(set(POOLS))],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimators: Members | None = None,
        *,
        weights: Any = None,
        pool: str = "linear",
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.pool = pool
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every member.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for members that take them.

        Returns
        -------
        self : DistributionVoting
        """
        members = self._members()
        weights = kept_weights(self.weights, self.estimators)
        self.weights_ = check_member_weights(weights, members)
        X, D = check_inner_data(self, X, y, sparse=self._sparse())
        of_samples = check_weights(sample_weight, D)
        target = named_target(D, self.classes_)
        self.names_ = [name for name, _ in members]
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_inner)(model, X, target, of_samples) for model in fresh(members)
        )
        return self

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
        # before anything else: there are no weights yet in a model that is not fitted
        return self._pooled(X, getattr(self, "weights_", None))
