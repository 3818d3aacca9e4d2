"""A learner of the largest label alone."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import has_fit_parameter

from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin


class LargestLabel(DistributionPredictorMixin, BaseEstimator):
    """Learns how probable each label is to be the largest one.

    The target of a sample is 1 for its largest label and 0 for the others; labels that
    share the first place share the 1. For the zero-one loss this may be better than a
    good distribution.

    Parameters
    ----------
    learner : estimator
        A distribution learner, which is cloned.
    """

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learner to the largest labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : ndarray of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, if the learner takes them.

        Returns
        -------
        self : LargestLabel
        """
        D = np.asarray(y, dtype=np.float64)
        largest = (D.max(axis=1, keepdims=True) == D).astype(np.float64)
        largest /= largest.sum(axis=1, keepdims=True)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.learner_ = clone(self.learner).fit(X, largest, **weights)
        self.classes_ = self.learner_.classes_
        return self

    def _takes_sample_weight(self) -> bool:
        return has_fit_parameter(self.learner, "sample_weight")

    def predict(self, X: Any) -> FloatArray:
        """Probability of each label to be the largest one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        return self.learner_.predict(X)
