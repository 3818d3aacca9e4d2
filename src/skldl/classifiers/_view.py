"""Learners of distributions as classifiers, for tools that want ``predict_proba``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from skldl._typing import FloatArray
from skldl.base import sample_weight_keys


class DistributionAsClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A learner of distributions that scikit-learn takes for a classifier.

    :func:`skldl.as_classifier` makes it.

    Parameters
    ----------
    estimator : estimator
        The learner, or a Pipeline or search with one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Names of the labels, sorted, as classifiers of scikit-learn have them.
    estimator_ : estimator
        The fitted learner.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the learner.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, which the learner gets as distributions with a single label, or
            distributions.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for a learner that takes them.

        Returns
        -------
        self : object
        """
        weights = self._weights(sample_weight)
        if len(np.shape(y)) > 1 and np.shape(y)[1] > 1:
            model = clone(self.estimator).fit(X, y, **weights)
            return self._take(model, np.asarray(model.classes_))
        names, codes = np.unique(column_or_1d(y), return_inverse=True)
        if len(names) < 2:
            raise ValueError(f"y has one class only, {names[0]!r}; give at least two.")
        model = clone(self.estimator).fit(X, np.eye(len(names))[codes], **weights)
        return self._take(model, names)

    def _weights(self, sample_weight: Any) -> dict[str, Any]:
        if sample_weight is None:
            return {}
        keys = sample_weight_keys(self.estimator)
        if not keys:
            name = type(self.estimator).__name__
            raise ValueError(f"{name} does not take sample_weight; leave it out.")
        return dict.fromkeys(keys, sample_weight)

    def _take(self, model: Any, names: NDArray[Any]) -> Any:
        """Keep a fitted model and the order of its labels."""
        self.estimator_ = model
        self._order = np.argsort(names, kind="stable")
        self.classes_ = names[self._order]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Predict distributions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))[:, self._order]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label with the largest degree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        largest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[largest]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags


def as_classifier(model: Any) -> Any:
    """Make a classifier with ``predict_proba`` from a learner of distributions.

    For tools of scikit-learn that want a classifier: calibration, ROC curves,
    ``DecisionBoundaryDisplay``, soft voting.

    Parameters
    ----------
    model : estimator
        A learner of this library, or a Pipeline or search with one. A fitted model is
        only viewed: it stays as it is, also where a tool would fit it again. A model
        that is not fitted can be fitted to classes or to distributions.

    Returns
    -------
    classifier : estimator
        ``predict_proba`` gives the distributions and ``predict`` the largest labels.
        Columns are in the order of its ``classes_``, which are sorted.

    See Also
    --------
    skldl.classify : The largest labels alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import VotingClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skldl import as_classifier
    >>> from skldl.ldl import AAkNN
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("near", as_classifier(AAkNN())), ("bayes", GaussianNB())]
    >>> VotingClassifier(members, voting="soft").fit(X, y).predict_proba(X).shape
    (150, 3)
    """
    if not hasattr(model, "predict") or not hasattr(model, "fit"):
        raise ValueError(
            "model must be a learner of distributions, or a Pipeline or search with "
            f"one, got {type(model).__name__}."
        )
    view = DistributionAsClassifier(model)
    try:
        check_is_fitted(model)
    except NotFittedError:
        return view
    if not hasattr(model, "classes_"):
        raise ValueError(
            f"{type(model).__name__} has no classes_, so it does not predict "
            "distributions over labels."
        )
    return FrozenEstimator(view._take(model, np.asarray(model.classes_)))
