"""The baseline that every comparison must show."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.validation import check_features, check_fit_data


class MeanDistribution(DistributionPredictorMixin, BaseEstimator):
    r"""Predict the mean training distribution for every sample.

    :math:`p = \sum_i w_i d_i / \sum_i w_i`. It ignores the features, and on some
    published data sets hardly any method beats it, so it belongs in every table.

    Attributes
    ----------
    distribution_ : ndarray of shape (n_labels,)
        The mean distribution.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    AAkNN : The mean distribution of the nearest neighbours only.

    Examples
    --------
    >>> from skldl.ldl import MeanDistribution
    >>> model = MeanDistribution().fit([[0.0], [1.0]], [[1.0, 0.0], [0.5, 0.5]])
    >>> model.predict([[7.0]])
    array([[0.75, 0.25]])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take the mean of the training distributions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples; only their number matters.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : MeanDistribution
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        weights = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if weights.sum() <= 0:
            raise ValueError(
                "sample_weight must have a positive sum: all weights are zero."
            )
        self.distribution_ = np.average(D, axis=0, weights=weights)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Repeat the mean distribution for each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse="csr")
        return np.tile(self.distribution_, (X.shape[0], 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = True
        return tags
