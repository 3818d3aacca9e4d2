"""Ridge regression of log-ratios."""

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._design import check_order, make_design
from skldl.ldl._equal_rows import checked_weights, merge_equal_rows, spread
from skldl.ldl._kernel_choice import Targets, left_out_losses
from skldl.ldl._left_out import RidgePath, linear_path
from skldl.ldl._links import Link
from skldl.linalg import helmert_basis, inverse_clr
from skldl.validation import check_features, check_fit_data

_SMOOTHINGS = (0.001, 0.01, 0.03, 0.1, 0.3)


class LogRatioRidgeLDL(DistributionPredictorMixin, BaseEstimator):
    r"""Ridge regression of log-ratios, the ridge chosen by exact leave-one-out.

    .. math:: \min_{W, b} \sum_i w_i \lVert t(d_i) - W z_i - b \rVert^2
       + \lambda \lVert W \rVert^2, \qquad
       p = t^{-1}(W z + b),

    with t the centred or isometric log-ratios and z the standardised features.

    Parameters
    ----------
    link : {"clr", "ilr"}, default="clr"
        Log-ratios of the regression. The isometric ones are the centred ones in an
        orthonormal basis, so predictions are equal; "ilr" also keeps ``ilr_coef_``.
    reg : float or "auto", default="auto"
        Ridge :math:`\lambda`. ``"auto"`` takes the one with the least divergence of
        the samples, each predicted by the others.
    smoothing : float or "auto", default="auto"
        Share of the mean distribution that is mixed into each distribution before the
        logarithm, because that of 0 does not exist and those of tiny degrees would
        rule the regression. ``"auto"`` chooses between 0.001 and 0.3, as the ridge.
    standardize : bool, default=True
        Whether features are divided by their standard deviations, so that their units
        do not matter.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of X for the centred log-ratio of each label.
    intercept_ : ndarray of shape (n_labels,)
        b, for X as it is given, with what calibrates it (see Notes).
    ilr_coef_ : ndarray of shape (n_labels - 1, n_features)
        ``coef_`` in isometric coordinates, with ``link="ilr"`` only.
    ilr_intercept_ : ndarray of shape (n_labels - 1,)
        ``intercept_`` in isometric coordinates, with ``link="ilr"`` only.
    reg_ : float
        The ridge.
    smoothing_ : float
        The share of the mean.
    regs_ : ndarray of shape (n_regs,)
        Ridges tried.
    loo_losses_ : ndarray of shape (n_regs,)
        Weighted mean divergence of left-out samples for each ridge, at that share.
    loo_prediction_ : ndarray of shape (n_samples, n_labels)
        Each training sample predicted by the others. Samples with equal features are
        left out together; a sample of weight 0 gets NaN.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    KernelRidgeLDL : The same with a kernel, also without logarithms.
    LogisticLDL : A linear model fitted by divergence, which needs no smoothing.

    Notes
    -----
    Leave-one-out is of the regression: standardisation and the mean that is mixed in
    are those of all samples.

    The mean of log-ratios is that of a geometric mean. Predicted log-ratios are
    therefore shifted, each label's by a constant, so that left-out predictions have
    the mean of the distributions; these constants have the least divergence, and with
    them a very strong ridge gives the mean distribution. ``intercept_`` includes them.

    A label that never occurs gets a share of 1e-9 before the logarithm.

    References
    ----------
    .. [1] J. Aitchison, "The Statistical Analysis of Compositional Data", Journal of
       the Royal Statistical Society, Series B 44(2), 1982.
    .. [2] J. J. Egozcue, V. Pawlowsky-Glahn, G. Mateu-Figueras, C. Barceló-Vidal,
       "Isometric Logratio Transformations for Compositional Data Analysis",
       Mathematical Geology 35(3), 2003.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LogRatioRidgeLDL
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LogRatioRidgeLDL().fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    1.0
    """

    _parameter_constraints: dict = {
        "link": [StrOptions({"clr", "ilr"})],
        "reg": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "smoothing": [Interval(Real, 0, 1, closed="left"), StrOptions({"auto"})],
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        link: str = "clr",
        *,
        reg: float | str = "auto",
        smoothing: float | str = "auto",
        standardize: bool = True,
    ) -> None:
        self.link = link
        self.reg = reg
        self.smoothing = smoothing
        self.standardize = standardize

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the ridge and find the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        self : LogRatioRidgeLDL
        """
        X, D = check_fit_data(self, X, y)
        weights = checked_weights(sample_weight, X)
        check_order(min(X.shape))
        mean = weights @ D / weights.sum()
        tried = _SMOOTHINGS if self.smoothing == "auto" else [self.smoothing]
        targets = Targets(D, [Link("clr", float(s), mean) for s in tried])
        rows = merge_equal_rows(X, targets.columns, weights)
        D, Z = targets.split(rows.Z)
        design = make_design(
            rows.X, rows.weights, standardize=self.standardize, rotate=False
        )
        path, axes = linear_path(design.Z, Z, rows.weights)
        link, own = self._choose(path, D, targets)
        P = np.vstack([p for _, p in path.left_out(np.array([self.reg_]))])
        self.loo_prediction_ = spread(link.distributions(P[:, 0, own]), rows.of_row)
        theta = axes @ (np.sqrt(path.values)[:, None] * path.solve(self.reg_, own))
        self._store_solution(
            design.back(theta), path.mean[own] + link.shift, design.mean
        )
        return self

    def _choose(
        self, path: RidgePath, D: FloatArray, targets: Targets
    ) -> tuple[Link, slice]:
        """Take ridge and smoothing of the least loss; give the link and its columns."""
        fixed = self.reg != "auto"
        self.regs_ = np.array([float(self.reg)]) if fixed else path.regs()
        losses, links = left_out_losses(path, D, targets, self.regs_)
        best, column = np.unravel_index(np.argmin(losses), losses.shape)
        self.loo_losses_ = losses[best]
        self.reg_ = float(self.regs_[column])
        link = links[int(best)].at(int(column))
        self.smoothing_ = link.smoothing
        return link, targets.of(int(best))

    def _store_solution(
        self, coef: FloatArray, b: FloatArray, mean: FloatArray
    ) -> None:
        self.coef_ = coef
        self.intercept_ = b - coef @ mean
        if self.link == "ilr":
            basis = helmert_basis(len(b))
            self.ilr_coef_ = basis.T @ self.coef_
            self.ilr_intercept_ = basis.T @ self.intercept_

    def predict(self, X: Any) -> FloatArray:
        """Take log-ratios back to distributions.

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
        return inverse_clr(X @ self.coef_.T + self.intercept_)
