"""LDLM and RWLM-LDL: distributions learned so that the largest label is right."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import entr
from sklearn.utils import check_random_state

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl.ldl._maxent_smooth import SmoothMaxEnt
from skldl.objectives import (
    AbsoluteError,
    LeadMargin,
    Linear,
    Objective,
    OfSoftmax,
    RestError,
    Ridge,
    Sum,
    TopError,
)
from skldl.solvers import Solution, adam
from skldl.validation import check_fit_data, require_range, weighted_rows

_NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
_POSITIVE = [Interval(Real, 0, None, closed="neither")]


class _MarginSoftmax(SmoothMaxEnt):
    """Fit of both; they differ in the loss."""

    _parameter_constraints: dict = {
        "reg": _NOT_NEGATIVE,
        "margin_weight": _NOT_NEGATIVE,
        "margin": _POSITIVE,
        "corner_eps": _POSITIVE,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": _NOT_NEGATIVE,
    }

    reg: float
    margin_weight: float
    margin: float
    corner_eps: float

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in all sums over samples.

        Returns
        -------
        self : estimator
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        self._end(self._minimise(X, D, sample_weight), True)
        return self

    def _minimise(
        self, X: Any, D: FloatArray, sample_weight: FloatArray | None
    ) -> Solution:
        loss = self._linear(X, D, sample_weight)
        return self._solve(loss, Ridge(self.reg), self.reg, np.zeros(loss.shape))

    def _linear(self, X: Any, D: FloatArray, sample_weight: FloatArray | None) -> Any:
        """Loss of coefficients."""
        of_scores = OfSoftmax(self._loss(D, sample_weight))
        return Linear(
            X,
            D.shape[1],
            of_scores,
            fit_intercept=True,
            sample_weight=sample_weight,
        )

    def _loss(self, D: FloatArray, sample_weight: FloatArray | None) -> Objective:
        """Loss of predicted distributions."""
        raise NotImplementedError


class LDLM(_MarginSoftmax):
    r"""Label distribution learning machine, LDLM.

    .. math:: \min_\Theta \sum_i [\lVert p_i - e_{t_i} \rVert_1 - \rho]_+
       + \frac{\lambda_1}{2} \lVert \Theta \rVert^2
       + \lambda_2 \sum_i \sum_{l \ne t_i} [\rho - (p_{i t_i} - p_{il})]_+
       + \lambda_3 \sum_i \Big[\sum_{l \ne t_i} |p_{il} - d_{il}| - \rho_i\Big]_+ ,

    with :math:`p_i = \mathrm{softmax}(\Theta x_i + b)`, :math:`t_i` the largest label
    of sample i and :math:`\rho_i` the gap between its second and third largest degree.

    Parameters
    ----------
    reg : float, default=0.001
        Ridge :math:`\lambda_1`, on the intercept, too.
    margin_weight : float, default=0.1
        :math:`\lambda_2`.
    rest_weight : float, default=0.1
        :math:`\lambda_3`, of the labels that are not the largest.
    margin : float, default=0.01
        :math:`\rho`.
    corner_eps : float, default=1e-6
        :math:`\epsilon`, which rounds corners: an absolute value is
        :math:`\sqrt{t^2 + \epsilon}`.
    max_iter : int, default=300
        Iterations at most.
    tol : float, default=1e-3
        Converged when no entry of the gradient is larger than this.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    intercept_ : ndarray of shape (n_labels,)
        b.
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
    RWLM : Absolute errors of all labels, with a margin.
    LWkNN : The same idea with neighbours.

    Notes
    -----
    This learner promises the largest label and nothing more: use ``classify``, and
    judge it by ``zero_one_loss``. Its first term wants the whole of a distribution on
    the largest label, so ``predict`` gives distributions that are sharper than the
    true ones, and may be farther from them than the mean distribution is.

    Deviations: corners are rounded, so that a smooth method works; the published code
    runs L-BFGS on the corners. Of equal largest degrees the first is right. With two
    labels the third largest degree is taken as 0, as published.

    References
    ----------
    .. [1] J. Wang, X. Geng, "Label Distribution Learning Machine", International
       Conference on Machine Learning, 2021.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDLM
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDLM(reg=1.0).fit(X, D)
    >>> bool((model.classify(X) == D.argmax(axis=1)).mean() > 0.9)
    True
    """

    _parameter_constraints: dict = {
        **_MarginSoftmax._parameter_constraints,
        "rest_weight": _NOT_NEGATIVE,
    }

    _grids: dict = {
        "default": {
            "margin_weight": [0.001, 0.01, 0.1, 1.0],
            "rest_weight": [0.001, 0.01, 0.1, 1.0],
        }
    }

    def __init__(
        self,
        reg: float = 0.001,
        margin_weight: float = 0.1,
        rest_weight: float = 0.1,
        *,
        margin: float = 0.01,
        corner_eps: float = 1e-6,
        max_iter: int = 300,
        tol: float = 1e-3,
    ) -> None:
        self.reg = reg
        self.margin_weight = margin_weight
        self.rest_weight = rest_weight
        self.margin = margin
        self.corner_eps = corner_eps
        self.max_iter = max_iter
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # made to classify
        return tags

    def _loss(self, D: FloatArray, sample_weight: FloatArray | None) -> Objective:
        top, gaps = D.argmax(axis=1), second_gaps(D)
        last = self.corner_eps, sample_weight
        return Sum(
            TopError(top, self.margin, *last),
            LeadMargin(top, self.margin, self.margin_weight, *last),
            RestError(D, top, gaps, self.rest_weight, *last),
        )


class RWLM(_MarginSoftmax):
    r"""Re-weighting large margin, RWLM-LDL.

    .. math:: \min_\Theta \frac{\lambda_1}{2} \lVert \Theta \rVert^2
       + \sum_{il} \omega_{il} |p_{il} - d_{il}| + \lambda_2 \sum_i \sum_{l \ne t_i}
       \Big[1 - \frac{p_{i t_i} - p_{il}}{\rho}\Big]_+ ,

    with :math:`p_i = \mathrm{softmax}(\Theta x_i + b)` and :math:`t_i` the largest
    label of sample i.

    Parameters
    ----------
    reg : float, default=0.0001
        Ridge :math:`\lambda_1`, on the intercept, too.
    margin_weight : float, default=1.0
        :math:`\lambda_2`.
    margin : float, default=0.1
        :math:`\rho`.
    loss_weight : "entropy" or None, default=None
        :math:`\omega`: None is 1, ``"entropy"`` each degree times the entropy of its
        distribution.
    corner_eps : float, default=1e-6
        :math:`\epsilon`, which rounds corners: an absolute value is
        :math:`\sqrt{t^2 + \epsilon}`.
    solver : {"lbfgs", "adam"}, default="lbfgs"
        ``"lbfgs"`` sees all samples at once and goes on until it has converged.
        ``"adam"`` is the published schedule: batches of 32 samples, steps of 0.001,
        normally distributed coefficients to begin with, and the whole ridge in each
        batch.
    max_iter : int, default=300
        Iterations at most; of ``"adam"``, passes over the samples. The published number
        of these is 200.
    tol : float, default=1e-3
        Converged when no entry of the gradient is larger than this; ``"adam"`` does not
        use it. Corners magnify rounding: degrees predicted from the same data, sparse
        instead of dense, differ by up to 1e-3; with a ``tol`` of 1e-7, by up to 1e-5.
    random_state : int, RandomState or None, default=None
        Seed of ``"adam"``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    intercept_ : ndarray of shape (n_labels,)
        b.
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
    LDLM : Errors beyond a tolerance only.
    LWkNN : The same loss with neighbours.

    Notes
    -----
    This learner is made for ``classify``. Its loss is not convex; the search starts at
    zeros. Where it ends with a ``ConvergenceWarning``, rounding may decide where it
    stood, so that equal data in another layout may give other predictions.

    Deviations: the published code takes small batches and adds the whole ridge to each,
    which makes it stronger than the formula says, by the number of batches. So does
    ``solver="adam"``. By default all samples are seen at once, and the ridge is that of
    the formula. Corners are rounded.

    References
    ----------
    .. [1] J. Wang, X. Geng, H. Xue, "Re-Weighting Large Margin Label Distribution
       Learning for Classification", IEEE Transactions on Pattern Analysis and Machine
       Intelligence 44(9), 2022.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import RWLM
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = RWLM(reg=1.0).fit(X, D)
    >>> bool((model.classify(X) == D.argmax(axis=1)).mean() > 0.9)
    True
    """

    _parameter_constraints: dict = {
        **_MarginSoftmax._parameter_constraints,
        "loss_weight": [StrOptions({"entropy"}), None],
        "solver": [StrOptions({"lbfgs", "adam"})],
        "random_state": ["random_state"],
    }

    _grids: dict = {
        "default": {
            "reg": [1e-4, 1e-2, 1.0],
            "margin_weight": [0.01, 0.1, 1.0],
            "margin": [0.01, 0.1],
        }
    }

    def __init__(
        self,
        reg: float = 1e-4,
        margin_weight: float = 1.0,
        *,
        margin: float = 0.1,
        loss_weight: str | None = None,
        corner_eps: float = 1e-6,
        solver: str = "lbfgs",
        max_iter: int = 300,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.reg = reg
        self.margin_weight = margin_weight
        self.margin = margin
        self.loss_weight = loss_weight
        self.corner_eps = corner_eps
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _minimise(
        self, X: Any, D: FloatArray, sample_weight: FloatArray | None
    ) -> Solution:
        if self.solver == "lbfgs":
            return super()._minimise(X, D, sample_weight)

        def part(rows: IndexArray) -> Objective:
            weights = None if sample_weight is None else sample_weight[rows]
            return Sum(self._linear(X[rows], D[rows], weights), Ridge(self.reg))

        rng = check_random_state(self.random_state)
        start = rng.normal(size=(X.shape[1] + 1, D.shape[1]))
        return adam(part, start, len(D), random_state=rng, n_epochs=self.max_iter)

    def _loss(self, D: FloatArray, sample_weight: FloatArray | None) -> Objective:
        slope = self.margin_weight / self.margin
        entropy = entr(D).sum(axis=1, keepdims=True)
        weight = 1.0 if self.loss_weight is None else entropy * D
        if sample_weight is not None:
            weight = weight * sample_weight[:, None]
        top = D.argmax(axis=1)
        return Sum(
            AbsoluteError(D, weight, self.corner_eps),
            LeadMargin(top, self.margin, slope, self.corner_eps, sample_weight),
        )


def second_gaps(D: FloatArray) -> FloatArray:
    """Second minus third largest degree of each row; missing ones are 0."""
    padded = np.hstack([D, np.zeros((len(D), 2))])
    ordered = np.sort(padded, axis=1)
    return ordered[:, -2] - ordered[:, -3]
