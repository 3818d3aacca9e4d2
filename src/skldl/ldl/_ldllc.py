"""LDLLC: maximum entropy with distances between the coefficients of labels."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.ldl._maxent_smooth import SmoothMaxEnt
from skldl.objectives import ColumnDistances, Linear, Ridge, ScoresKL, Sum
from skldl.solvers import Solution
from skldl.validation import check_fit_data, require_range, weighted_rows

_ROUNDS = 10  # of signs and coefficients in turn


class LDLLC(SmoothMaxEnt):
    r"""Maximum entropy that exploits correlations between labels, LDLLC.

    .. math:: \min_\Theta \sum_{il} d_{il} \ln \frac{d_{il}}{p_{il}}
       + \lambda_1 \lVert \Theta \rVert^2 + \lambda_2 \sum_{l < k}
       \mathrm{sign}(\rho_{lk}) \lVert \theta_l - \theta_k \rVert, \qquad
       p_i = \mathrm{softmax}(\Theta x_i + b),

    with :math:`\rho_{lk}` the correlation of the coefficients of two labels.
    Coefficients with a positive correlation are pulled together, and those with a
    negative one are pushed apart.

    Parameters
    ----------
    reg : float, default=100.0
        Ridge :math:`\lambda_1`; positive, because without it coefficients that are
        pushed apart may go on for ever. For standardised features. The published value
        is 0.1, for raw features.
    correlation_weight : float, default=0.01
        :math:`\lambda_2`.
    fit_intercept : bool, default=True
        Whether the scores have an intercept, free of the penalties. The published
        method has none, and so cannot predict the mean from centred features.
    max_iter : int, default=300
        Iterations at most, in each round.
    tol : float, default=1e-6
        Converged when no entry of the gradient is larger than this.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    intercept_ : ndarray of shape (n_labels,)
        Zeros without an intercept.
    correlation_signs_ : ndarray of shape (n_labels, n_labels)
        Signs of :math:`\rho` that the coefficients were found with.
    objective_ : float
        What was reached with these signs.
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
    SABFGS : Without the penalties.

    Notes
    -----
    The signs are held while the coefficients are found, then taken again, until they
    stay the same (at most 10 rounds). The first round has no signs.

    Deviations: the published code's gradients belong to another function than its
    objective (a sign in place of the coefficients, an absolute difference in place of
    a signed one), and its distance is a mean absolute difference; here both are as the
    objective above says. The correlation with a label whose coefficients are constant
    is 0. The search starts at zeros, not at an identity matrix.

    The default ridge was chosen by divergence on folds inside training parts of the
    data sets; ``python bench/defaults.py`` has the table.

    References
    ----------
    .. [1] X. Jia, W. Li, J. Liu, Y. Zhang, "Label Distribution Learning by Exploiting
       Label Correlations", AAAI Conference on Artificial Intelligence, 2018.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDLLC
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDLLC(reg=1.0).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    0.9
    """

    _parameter_constraints: dict = {
        "reg": [Interval(Real, 0, None, closed="neither")],
        "correlation_weight": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    _grids: dict = {
        "default": {
            "reg": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0],
            "correlation_weight": [0.01, 100.0],
        }
    }

    def __init__(
        self,
        reg: float = 100.0,
        correlation_weight: float = 0.01,
        *,
        fit_intercept: bool = True,
        max_iter: int = 300,
        tol: float = 1e-6,
    ) -> None:
        self.reg = reg
        self.correlation_weight = correlation_weight
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

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
            Weights of the samples in the sum of divergences.

        Returns
        -------
        self : LDLLC
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        loss = Linear(
            X,
            D.shape[1],
            ScoresKL(D, sample_weight),
            fit_intercept=self.fit_intercept,
            sample_weight=sample_weight,
        )
        signs = np.zeros((D.shape[1], D.shape[1]))
        x = np.zeros(loss.shape)
        n_iter = 0
        for _ in range(_ROUNDS):
            solution = self._round(loss, signs, x)
            x, n_iter = solution.x, n_iter + solution.n_iter
            self.correlation_signs_ = signs
            signs = correlation_signs(x[: X.shape[1]])
            if np.array_equal(signs, self.correlation_signs_):
                break
        self._end(replace(solution, n_iter=n_iter), self.fit_intercept)
        return self

    def _round(self, loss: Linear, signs: FloatArray, start: FloatArray) -> Solution:
        ridge = np.full((loss.shape[0], 1), 2.0 * self.reg)
        if self.fit_intercept:
            ridge[-1] = 0.0
        distances = _Features(
            ColumnDistances(self.correlation_weight * signs), loss.X.shape[1]
        )
        return self._solve(loss, Sum(Ridge(ridge), distances), 2.0 * self.reg, start)


class _Features:
    """A penalty on the coefficients without the intercept's row."""

    def __init__(self, penalty: ColumnDistances, n_features: int) -> None:
        self.penalty = penalty
        self.n_features = n_features

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        value, inner = self.penalty.value_and_grad(x[: self.n_features])
        gradient = np.zeros_like(x)
        gradient[: self.n_features] = inner
        return value, gradient


def correlation_signs(x: FloatArray) -> FloatArray:
    """Signs of the correlations between columns; 0 on the diagonal and if undefined."""
    centred = x - x.mean(axis=0)
    norms = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    scale = np.outer(norms, norms)
    products = centred.T @ centred
    # below: what rounding leaves of a correlation of 0
    signs = np.where(np.abs(products) > 1e-12 * scale, np.sign(products), 0.0)
    flat = norms <= 1e-9 * np.abs(x).max(axis=0, initial=0.0)
    signs[flat] = 0.0
    signs[:, flat] = 0.0
    np.fill_diagonal(signs, 0.0)
    return signs
