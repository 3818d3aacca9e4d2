"""Any classifier as a distribution learner."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from skldl._inner import (
    check_inner_data,
    check_inner_samples,
    check_weights,
    fit_inner,
    inner_tags,
    require_instance,
    require_weights,
)
from skldl._sklearn import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    safe_indexing,
)
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin


class SoftLabelClassifier(DistributionPredictorMixin, BaseEstimator):
    r"""Make any classifier with ``predict_proba`` a distribution learner.

    With ``how="weights"`` a sample is in the training data once for each label of
    positive degree, with that degree as its weight. A classifier that minimises the log
    loss then minimises

    .. math:: -\sum_{il} d_{il} \ln p_l(x_i),

    the Kullback-Leibler divergence up to a constant.

    Parameters
    ----------
    classifier : estimator or None, default=None
        Any classifier with ``predict_proba``, also a Pipeline or a search. None for
        ``LogisticRegression(tol=1e-6, max_iter=1000)``.
    how : {"weights", "sample"}, default="weights"
        Whether copies of a sample are weighted, or labels are drawn from its
        distribution, which also does for classifiers that take no ``sample_weight``.
    n_draws : int, default=10
        Labels drawn per sample with ``how="sample"``.
    random_state : int, RandomState instance or None, default=None
        For the draws. The classifier has its own.

    Attributes
    ----------
    classifier_ : estimator or None
        The fitted classifier of the labels' positions among ``labels_``; None if there
        was only one of them.
    labels_ : ndarray
        Positions in ``classes_`` of the labels that the classifier saw. Others are
        predicted with degree 0.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    DistributionRegressor : Any regressor as a distribution learner.

    Notes
    -----
    The training data grow by the number of positive degrees per sample, or by
    ``n_draws``. Draws are systematic: a sample gets label l either
    :math:`\lfloor n d_l \rfloor` or one more times, and :math:`n d_l` times on average.
    With ``sample_weight`` all draws together follow the weights times the degrees.

    A classifier that splits its training data by itself (early stopping, calibration,
    a search) has copies of one sample on both sides of the split, so its own scores are
    too good; tune this learner as a whole instead.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import SoftLabelClassifier
    >>> X, D = make_ldl(300, 3, 3, random_state=0)
    >>> boosting = HistGradientBoostingClassifier(max_iter=20)
    >>> model = SoftLabelClassifier(boosting).fit(X[:200], D[:200])
    >>> model.score(X[200:], D[200:]) > 0.8
    True
    """

    _parameter_constraints: dict = {
        "classifier": [HasMethods(["fit", "predict"]), None],
        "how": [StrOptions({"weights", "sample"})],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        classifier: Any = None,
        *,
        how: str = "weights",
        n_draws: int = 10,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.how = how
        self.n_draws = n_draws
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to copies of the samples with single labels.

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
        self : SoftLabelClassifier
        """
        inner = self._inner()
        require_instance(inner, "classifier")
        self._check_classifier(inner)
        X, D = check_inner_data(self, X, y, sparse=self._sparse())
        weights = check_weights(sample_weight, D)
        if self.how == "weights":
            rows, labels, copies = weighted_copies(D, weights)
        else:
            rng = check_random_state(self.random_state)
            rows, labels = drawn_labels(D, weights, self.n_draws, rng)
            copies = None
        self.labels_, codes = np.unique(labels, return_inverse=True)
        self.classifier_ = None
        if len(self.labels_) > 1:
            data = safe_indexing(X, rows)
            self.classifier_ = fit_inner(clone(inner), data, codes, copies)
        else:
            self._check_unused(X)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predict the probabilities of the labels.

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
        P = np.zeros((X.shape[0], len(self.classes_)))
        if self.classifier_ is None:
            self._check_unused(X)
            P[:, self.labels_] = 1.0
            return P
        found = np.asarray(self.classifier_.predict_proba(X), dtype=np.float64)
        sums = found.sum(axis=1, keepdims=True)
        bad = ~(np.isfinite(sums) & (sums > 0))[:, 0]
        if bad.any():
            raise ValueError(
                f"{type(self._inner()).__name__} predicted probabilities that are not "
                f"a distribution for row {int(np.argmax(bad))} of X."
            )
        P[:, self.labels_[self.classifier_.classes_]] = found / sums
        return P

    def _check_classifier(self, inner: Any) -> None:
        name = type(inner).__name__
        if not hasattr(inner, "predict_proba"):
            raise ValueError(
                f"SoftLabelClassifier needs a classifier with predict_proba, which "
                f"{name} does not have with these settings. Change them, or put it "
                "into CalibratedClassifierCV."
            )
        if self.how == "weights":
            advice = "Use how='sample', or choose a classifier that takes it."
            require_weights(inner, "SoftLabelClassifier(how='weights')", advice)

    def _check_unused(self, X: Any) -> None:
        """Judge features that no classifier looks at."""
        if isinstance(X, np.ndarray) and not inner_tags([self._inner()]).allow_nan:
            check_array(X, estimator=self, input_name="X")

    def _inner(self) -> Any:
        if self.classifier is None:
            return LogisticRegression(tol=1e-6, max_iter=1000)
        return self.classifier

    def _sparse(self) -> bool:
        return inner_tags([self._inner()]).sparse

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = inner_tags([self._inner()])
        return tags


def weighted_copies(
    D: FloatArray, weights: FloatArray | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """Row, label and weight of each positive degree.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples.

    Returns
    -------
    rows, labels : ndarray of shape (n_copies,)
    copies : ndarray of shape (n_copies,)
        Weights.
    """
    mass = D if weights is None else weights[:, None] * D
    rows, labels = np.nonzero(mass)
    return rows, labels, mass[rows, labels]


def drawn_labels(
    D: FloatArray, weights: FloatArray | None, n_draws: int, rng: Any
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and labels drawn, ``n_draws`` per sample on average.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples; None draws exactly ``n_draws`` for each.
    n_draws : int
        Labels per sample.
    rng : RandomState
        Chance.

    Returns
    -------
    rows, labels : ndarray of shape (n_copies,)
    """
    mass, offsets = D, rng.uniform(size=(len(D), 1))
    if weights is not None:  # all samples as one long row
        mass = (weights[:, None] * D / weights.mean()).reshape(1, -1)
        offsets = offsets[:1]
    ends = np.cumsum(n_draws * mass, axis=1)
    # sums that miss a whole number by rounding must not lose or win a draw
    total = np.round(ends[:, -1:])
    ends = np.minimum(ends, total)
    ends[:, -1:] = total
    counts = np.diff(np.floor(ends + offsets), axis=1, prepend=0.0).astype(int)
    rows, labels = np.indices(D.shape)
    return np.repeat(rows, counts.ravel()), np.repeat(labels, counts.ravel())
