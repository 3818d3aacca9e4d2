"""PT-Bayes: a Gaussian for every label, and the rule of Bayes."""

from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.linalg
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._memory import require_memory
from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.validation import (
    check_features,
    check_fit_data,
    require_spread,
    weighted_rows,
)

_JITTER = 1e-14  # on the diagonal of a covariance, as published


class PTBayes(DistributionPredictorMixin, BaseEstimator):
    r"""Problem transformation with a Gaussian for every label, PT-Bayes.

    .. math:: p_{il} \propto \pi_l \, \mathcal{N}(x_i; \mu_l, \Sigma_l), \qquad
       \pi_l = \frac{1}{n} \sum_i d_{il}, \qquad
       \mu_l = \frac{\sum_i d_{il} x_i}{\sum_i d_{il}},

    and :math:`\Sigma_l` the covariance with the same weights.

    Parameters
    ----------
    shrinkage : float, default=0.1
        How far each covariance is moved to a multiple of the identity with the same
        trace: 0 not at all, as published, 1 entirely.
    floor : float, default=1e-9
        Probabilities below this are raised to it, then rows are normalised.
    underflow : bool, default=False
        Whether to multiply densities as published instead of adding their logarithms.
        With many features all of them become 0 or infinite, and the prediction
        uniform; only of use to reproduce published numbers.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        :math:`\pi`.
    means_ : ndarray of shape (n_labels, n_features)
        :math:`\mu`.
    factors_ : ndarray of shape (n_labels, n_features, n_features)
        Lower Cholesky factors of :math:`\Sigma`.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    PTSVM : The same transformation with support vectors.

    Notes
    -----
    Densities of many features are over-confident, so predictions are nearly one-hot
    then, whatever the shrinkage: reduce the number of features first.

    Deviations: the published method draws single-label samples at random with the
    degrees as probabilities; weights do the same without chance.

    References
    ----------
    .. [1] X. Geng, "Label Distribution Learning", IEEE Transactions on Knowledge
       and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import PTBayes
    >>> X, D = make_ldl(200, n_features=3, random_state=0)
    >>> model = PTBayes().fit(X[:150], D[:150])
    >>> model.predict(X[150:]).shape
    (50, 5)
    """

    _parameter_constraints: dict = {
        "shrinkage": [Interval(Real, 0, 1, closed="both")],
        "floor": [Interval(Real, 0, 1, closed="left")],
        "underflow": ["boolean"],
    }

    _grids: dict = {"default": {"shrinkage": [0.01, 0.1, 0.5, 1.0]}}

    def __init__(
        self, shrinkage: float = 0.1, *, floor: float = 1e-9, underflow: bool = False
    ) -> None:
        self.shrinkage = shrinkage
        self.floor = floor
        self.underflow = underflow

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take weighted means and covariances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in priors, means and covariances.

        Returns
        -------
        self : PTBayes
        """
        X, D = check_fit_data(self, X, y)
        require_spread(self, X)
        require_memory(
            8.0 * D.shape[1] * X.shape[1] ** 2,
            f"Covariances of {X.shape[1]} features for {D.shape[1]} labels",
            "Reduce the features first, for instance by PCA.",
        )
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        if sample_weight is None:
            sample_weight = np.ones(len(D))
        own = sample_weight[:, None]
        totals = (own * D).sum(axis=0)
        self.prior_ = totals / sample_weight.sum()
        # a label that nobody has gets all samples alike; its prior is 0
        weights = np.where(totals > 0, own * D, own)
        weights /= weights.sum(axis=0)
        self.means_ = weights.T @ X
        self.factors_ = np.empty((D.shape[1], X.shape[1], X.shape[1]))
        for factor, mean, weight in zip(
            self.factors_, self.means_, weights.T, strict=True
        ):
            self._factorize(X - mean, weight, factor)
        return self

    def _factorize(
        self, centred: FloatArray, weights: FloatArray, factor: FloatArray
    ) -> None:
        """Put the factor of a covariance into its place, without copies."""
        centred *= np.sqrt(weights)[:, None]
        mean = float(np.vdot(centred, centred)) / centred.shape[1]
        if not np.isfinite(mean):
            raise ValueError(
                "X has numbers so large that variances overflow. Scale the features "
                "first, for instance by StandardScaler."
            )
        np.matmul(centred.T, centred, out=factor)
        factor *= 1 - self.shrinkage
        factor[np.diag_indices_from(factor)] += self.shrinkage * mean + _JITTER
        try:
            # the upper factor by columns is the lower one by rows
            upper = scipy.linalg.cholesky(
                factor.T, overwrite_a=True, check_finite=False
            )
        except np.linalg.LinAlgError as error:
            raise ValueError(
                "A covariance is singular: there are too few samples for "
                f"{centred.shape[1]} features (n_samples={len(centred)}). Raise "
                f"shrinkage ({self.shrinkage:g}), or reduce the features first."
            ) from error
        if not np.shares_memory(upper, factor):
            factor[:] = upper.T

    def predict(self, X: Any) -> FloatArray:
        """Apply the rule of Bayes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, dtype=np.float64)
        logs = self._log_densities(X)
        with np.errstate(all="ignore"):
            if self.underflow:
                P = self.prior_ * np.exp(logs)
                P /= P.sum(axis=1, keepdims=True)
            else:
                P = softmax(np.log(self.prior_) + logs, axis=1)
            P = np.where(self.floor <= P, P, self.floor)  # also where P is not a number
        sums = P.sum(axis=1, keepdims=True)
        return np.where(sums > 0, P / np.where(sums > 0, sums, 1.0), 1 / P.shape[1])

    def _log_densities(self, X: FloatArray) -> FloatArray:
        logs = np.empty((len(X), len(self.means_)))
        for label, (mean, factor) in enumerate(
            zip(self.means_, self.factors_, strict=True)
        ):
            white = scipy.linalg.solve_triangular(
                factor, (X - mean).T, lower=True, overwrite_b=True, check_finite=False
            )
            squares = np.einsum("ij,ij->j", white, white)
            logs[:, label] = -squares / 2 - np.log(np.diag(factor)).sum()
        return logs - X.shape[1] / 2 * np.log(2 * np.pi)
