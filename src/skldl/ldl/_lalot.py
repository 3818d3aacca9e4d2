"""LALOT: maximum entropy by optimal transport, with a learned distance of labels."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.ldl._maxent_smooth import SmoothMaxEnt
from skldl.linalg import nearest_semidefinite
from skldl.objectives import (
    LALOTTransport,
    Linear,
    OfSoftmax,
    Ridge,
    log_degrees,
    softmax_kl,
)
from skldl.solvers import Solution, lbfgs
from skldl.validation import check_fit_data, require_range, weighted_rows

_POSITIVE = [Interval(Real, 0, None, closed="neither")]
_MOST_SHARPNESS = 1000  # of larger ones the kernel of a plan is the identity
_COUNT = [Interval(Integral, 1, None, closed="left")]


class LALOT(SmoothMaxEnt):
    r"""Maximum entropy by optimal transport with a learned label distance, LALOT.

    .. math:: \min_{\Theta, K \succeq 0} \sum_i \Big[c(p_i, d_i)
       - \frac12 c(p_i, p_i) - \frac12 c(d_i, d_i)\Big]
       + \frac{C}{2} \lVert K - K_0 \rVert^2 + \frac{\alpha}{2} \lVert \Theta \rVert^2,
       \qquad c(p, d) = \min_T \langle T, M(K) \rangle
       + \frac{1}{\lambda} \sum_{jl} T_{jl} \ln T_{jl},

    where the plan T moves :math:`p_i = \mathrm{softmax}(\Theta x_i + b)` to
    :math:`d_i`, :math:`M_{jl} = k_{jj} + k_{ll} - 2 k_{jl}` divided by its maximum is
    the cost, and :math:`K_0 = D^T D`.

    Parameters
    ----------
    sharpness : float, default=1.0
        :math:`\lambda`: the larger, the less the entropy of the plans counts, and the
        more scalings a plan takes; at most 1000.
    metric_weight : float, default=200.0
        Weight C, which holds the label kernel near :math:`K_0`.
    reg : float, default=30.0
        Ridge :math:`\alpha`; the intercept is free of it. For standardised features.
    debiased : bool, default=True
        Whether the costs of staying, :math:`c(p_i, p_i)` and :math:`c(d_i, d_i)`, are
        subtracted, and the intercept is fitted once more, see the Notes; False is the
        published cost :math:`c(p_i, d_i)` alone.
    n_rounds : int, default=3
        Times that coefficients are found, each but the first after a new label
        distance.
    max_iter : int, default=100
        Iterations at most, in each round.
    tol : float, default=1e-3
        Converged when no entry of the gradient is larger than this.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    intercept_ : ndarray of shape (n_labels,)
        b.
    label_cost_ : ndarray of shape (n_labels, n_labels)
        M of the last round, the learned distance of labels.
    objective_ : float
        Transport cost plus ridge that was reached with it, before the intercept is
        fitted once more.
    objective_history_ : ndarray
        The objective after each iteration of the last round.
    n_iter_ : int
        Iterations taken, all rounds together.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    SABFGS : Divergence in place of transport.

    Notes
    -----
    The cost :math:`c(p, d)` alone is not smallest at p = d: its entropy blurs
    predictions, and even the best constant prediction is far from the mean
    distribution. Debiased [2]_ it is. With a small ``sharpness`` it is near
    :math:`(p - d)^T K (p - d)`, for which the mean is best, and which takes few
    scalings.

    The cost between two rare labels is small, because :math:`K_0` is, and a softmax
    that has given up a label hardly feels a slope. So the minimum may predict a rare
    label for nobody, whatever the number of rounds: on SCUT_FBP a label of mean degree
    0.030 got 0.0007. If `debiased`, the intercept alone is therefore fitted once more,
    by the divergence of the maximum entropy models: the problem is convex, and at its
    minimum the mean of the predictions is the mean of the training distributions. The
    paper has no such step.

    This is a reconstruction: no code of the authors could be found, only ports by third
    parties, one of which takes gradients of another model than it predicts with; here
    both are the softmax. Its ``sharpness`` is 0.2. Gradient steps are replaced by
    L-BFGS, and the ridge is new. Its default was chosen by divergence on folds inside
    training parts of the data sets, with standardised features; ``python
    bench/defaults.py`` has the table.

    References
    ----------
    .. [1] P. Zhao, Z.-H. Zhou, "Label Distribution Learning by Optimal Transport", AAAI
       Conference on Artificial Intelligence, 2018.
    .. [2] J. Feydy, T. Séjourné, F.-X. Vialard, S. Amari, A. Trouvé, G. Peyré,
       "Interpolating between Optimal Transport and MMD using Sinkhorn Divergences",
       International Conference on Artificial Intelligence and Statistics, 2019.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LALOT
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LALOT(reg=1.0).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    0.9
    """

    _parameter_constraints: dict = {
        "sharpness": [Interval(Real, 0, _MOST_SHARPNESS, closed="right")],
        "metric_weight": _POSITIVE,
        "reg": [Interval(Real, 0, None, closed="left")],
        "debiased": ["boolean"],
        "n_rounds": _COUNT,
        "max_iter": _COUNT,
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    _grids: dict = {
        "default": {
            "sharpness": [0.2, 1.0, 5.0],
            "reg": [1.0, 10.0, 100.0, 1000.0, 10000.0],
        }
    }

    def __init__(
        self,
        sharpness: float = 1.0,
        metric_weight: float = 200.0,
        reg: float = 30.0,
        *,
        debiased: bool = True,
        n_rounds: int = 3,
        max_iter: int = 100,
        tol: float = 1e-3,
    ) -> None:
        self.sharpness = sharpness
        self.metric_weight = metric_weight
        self.reg = reg
        self.debiased = debiased
        self.n_rounds = n_rounds
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find coefficients and the label distance in turn.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of transport costs, in :math:`K_0` and in
            the last fit of the intercept.

        Returns
        -------
        self : LALOT
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        first = D.T @ (D if sample_weight is None else D * sample_weight[:, None])
        self.label_cost_ = label_cost(first)
        x, n_iter = np.zeros((X.shape[1] + 1, D.shape[1])), 0
        for last in reversed(range(self.n_rounds)):
            transport = self._transport(D, sample_weight)
            solution = self._round(X, transport, x)
            x, n_iter = solution.x, n_iter + solution.n_iter
            if last:
                plan = transport.total_plan(softmax(X @ x[:-1] + x[-1], axis=1))
                kernel = nearest_kernel(first, plan, self.metric_weight)
                self.label_cost_ = label_cost(kernel)
        self._end(replace(solution, n_iter=n_iter), True)
        if self.debiased:
            self.intercept_ += shift_to_mean(X @ x[:-1] + x[-1], D, sample_weight)
        return self

    def _transport(
        self, D: FloatArray, sample_weight: FloatArray | None
    ) -> LALOTTransport:
        return LALOTTransport(
            D,
            self.label_cost_,
            self.sharpness,
            max_iter=200,
            tol=1e-8,
            debiased=self.debiased,
            sample_weight=sample_weight,
        )

    def _round(self, X: Any, transport: LALOTTransport, start: FloatArray) -> Solution:
        loss = Linear(
            X,
            start.shape[1],
            OfSoftmax(transport),
            fit_intercept=True,
            sample_weight=transport.sample_weight,
        )
        ridge = np.full((len(start), 1), float(self.reg))
        ridge[-1] = 0.0
        return self._solve(loss, Ridge(ridge), self.reg, start)


def label_cost(kernel: FloatArray) -> FloatArray:
    """Squared distances that a kernel defines, with maximum 1."""
    diagonal = np.diag(kernel)
    cost = np.abs(diagonal + diagonal[:, None] - 2 * kernel)
    largest = cost.max()
    # labels that cannot be told apart are at equal distances
    return cost / largest if largest > 0 else 1.0 - np.eye(len(cost))


def nearest_kernel(first: FloatArray, plan: FloatArray, weight: float) -> FloatArray:
    r"""Minimise :math:`\langle T, M(K) \rangle + C/2 \lVert K - K_0 \rVert^2`."""
    moved = plan + plan.T
    gradient = np.diag(moved.sum(axis=0)) - moved
    return nearest_semidefinite(first - gradient / weight)


class _ShiftedKL:
    """Divergence of the softmax of shifted scores, as a function of the shift."""

    def __init__(
        self, scores: FloatArray, D: FloatArray, shares: FloatArray | None
    ) -> None:
        self.scores = scores
        self.D = D
        self.log_D = log_degrees(D)
        self.shares = shares  # of samples in the mean

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = softmax_kl(self.scores + x, self.D, self.log_D, self.shares)
        if self.shares is not None:
            return value, gradient.sum(axis=0)
        return value / len(self.D), gradient.mean(axis=0)


def shift_to_mean(
    scores: FloatArray, D: FloatArray, sample_weight: FloatArray | None = None
) -> FloatArray:
    """Constants to add to scores, so that their softmax has the mean of D.

    They minimise the divergence from D, whose slope is the difference of the means.
    """
    shares = None if sample_weight is None else sample_weight / sample_weight.sum()
    wanted = np.average(D, axis=0, weights=shares)
    mean = np.average(softmax(scores, axis=1), axis=0, weights=shares)
    possible = (wanted > 0) & (mean > 0)
    # a step of iterative scaling: it never raises the divergence
    start = np.log(np.where(possible, wanted, 1.0) / np.where(possible, mean, 1.0))
    return lbfgs(_ShiftedKL(scores, D, shares), start, tol=1e-8).x
