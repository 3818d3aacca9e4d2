"""LDL-SCL: maximum entropy with codes that say how near each cluster a sample is."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._maxent_smooth import label_clusters, warn_unfinished
from skldl.objectives import LDLSCLObjective, LDLSCLPoint
from skldl.solvers import lbfgs
from skldl.validation import (
    check_features,
    check_fit_data,
    require_range,
    weighted_rows,
)

_NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
_FAR = 0.01  # a code at the start; that of the own cluster is 1


class LDLSCL(DistributionPredictorMixin, BaseEstimator):
    r"""Maximum entropy with local label correlations as codes, LDL-SCL.

    .. math:: \min_{\Theta, W, c > 0} \sum_{il} d_{il} \ln \frac{d_{il}}{p_{il}}
       + \lambda_1 \lVert \Theta \rVert^2 + \lambda_2 \lVert W \rVert^2
       + \lambda_3 \sum_{ij} c_{ij} \lVert p_i - q_j \rVert^2, \qquad
       p_i = \mathrm{softmax}(\Theta x_i + W c_i),

    with :math:`q_j` the mean distribution of a cluster of the training distributions.
    The codes c of new samples come from a linear regression on the features.

    Parameters
    ----------
    n_clusters : int, default=5
        Clusters of the distributions by k-means, and codes of a sample.
    reg : float, default=100.0
        Ridge :math:`\lambda_1`.
    code_coef_reg : float, default=10.0
        Ridge :math:`\lambda_2`.
    cluster_weight : float, default=0.1
        :math:`\lambda_3`.
    code_reg : float, default=100.0
        Ridge of the regression of the codes on the features. 0 is the published least
        squares, which fits noise with about as many features as samples.
    max_iter : int, default=50
        Iterations at most. A search that is stopped early predicts better, because the
        codes can fit any training distribution.
    tol : float, default=1e-3
        Converged when no entry of the gradient is larger than this.
    random_state : int, RandomState or None, default=None
        Seed of the clustering.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    code_coef_ : ndarray of shape (n_labels, n_codes)
        W.
    codes_ : ndarray of shape (n_samples, n_codes)
        c of the training samples.
    regression_ : LinearRegression or Ridge
        Codes from features.
    objective_ : float
        What was reached.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The objective after each iteration.
    n_iter_ : int
        Iterations taken.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LDLLDM : Local correlations as a penalty.

    Notes
    -----
    Deviations: the published gradients of the third term are wrong, here they are those
    of the objective. In place of a barrier and small steps the search is over the
    logarithms of the codes. The search is not convex, unlike what was published; it
    starts at zeros, a code of 1 for the own cluster and 0.01 for the others. The
    published weights, 0.001 each or less, are for a search that hardly moves the codes;
    with exact minimisation they fit noise, hence other defaults. These were chosen by
    divergence on folds inside training parts of the data sets, with standardised
    features; ``python bench/defaults.py`` has the table.

    References
    ----------
    .. [1] X. Jia, Z. Li, X. Zheng, W. Li, S.-J. Huang, "Label Distribution Learning
       with Label Correlations on Local Samples", IEEE Transactions on Knowledge and
       Data Engineering 33(4), 2021.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDLSCL
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDLSCL(reg=1.0, tol=1.0, random_state=0).fit(X[:150], D[:150])
    >>> model.codes_.shape, round(model.score(X[150:], D[150:]), 1)
    ((150, 5), 0.9)
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "reg": _NOT_NEGATIVE,
        "code_coef_reg": _NOT_NEGATIVE,
        "cluster_weight": _NOT_NEGATIVE,
        "code_reg": _NOT_NEGATIVE,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": _NOT_NEGATIVE,
        "random_state": ["random_state"],
    }

    _grids: dict = {
        "default": {
            "reg": [0.1, 1.0, 10.0, 100.0, 1000.0],
            "cluster_weight": [0.001, 0.1, 1.0],
        }
    }

    def __init__(
        self,
        n_clusters: int = 5,
        *,
        reg: float = 100.0,
        code_coef_reg: float = 10.0,
        cluster_weight: float = 0.1,
        code_reg: float = 100.0,
        max_iter: int = 50,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.reg = reg
        self.code_coef_reg = code_coef_reg
        self.cluster_weight = cluster_weight
        self.code_reg = code_reg
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find codes and coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sums of divergences and of distances to the
            centers, in the clustering, and in the regression of the codes.

        Returns
        -------
        self : LDLSCL
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        objective, start = self._problem(X, D, sample_weight)
        solution = lbfgs(
            objective, start, max_iter=self.max_iter, tol=self.tol, ftol=1e-9
        )
        theta, W, log_codes = objective.point(solution.x)
        self.coef_ = np.ascontiguousarray(theta.T)
        self.code_coef_ = np.ascontiguousarray(W.T)
        self.codes_ = np.exp(log_codes)
        model = Ridge(self.code_reg) if self.code_reg else LinearRegression()
        self.regression_ = model.fit(X, self.codes_, sample_weight=sample_weight)
        self.objective_ = solution.value
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = max(1, solution.n_iter)
        if not solution.converged:
            warn_unfinished(self, solution)
        return self

    def _problem(
        self, X: Any, D: FloatArray, sample_weight: FloatArray | None
    ) -> tuple[LDLSCLObjective, FloatArray]:
        clusters = label_clusters(D, self.n_clusters, self.random_state, sample_weight)
        member = np.eye(clusters.max() + 1)[clusters]
        share = member if sample_weight is None else member * sample_weight[:, None]
        centers = share.T @ D / share.sum(axis=0)[:, None]
        weights = (self.reg, self.code_coef_reg, self.cluster_weight)
        objective = LDLSCLObjective(X, D, centers, weights, sample_weight)
        theta, W = (np.zeros((a, D.shape[1])) for a in (X.shape[1], len(centers)))
        log_codes = np.log(np.where(member > 0, 1.0, _FAR))
        return objective, objective.vector(LDLSCLPoint(theta, W, log_codes))

    def predict(self, X: Any) -> FloatArray:
        """Regress the codes, then take the softmax of the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        codes = self.regression_.predict(X).reshape(X.shape[0], -1)
        return softmax(X @ self.coef_.T + codes @ self.code_coef_.T, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
