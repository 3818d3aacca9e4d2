"""Logistic regression on distributions: intercept, ridge, and a choice of the ridge."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl.ldl._design import Design, make_design
from skldl.ldl._equal_rows import checked_weights, folds
from skldl.ldl._maxent import _PRECISION, _MaxEnt
from skldl.ldl._maxent_smooth import warn_unfinished
from skldl.ldl._reg_path import SHARES, Choice, choose_reg, minimize
from skldl.objectives import MaxEntKL, Ridge, Sum, log_degrees, softmax_kl
from skldl.solvers import Solution
from skldl.validation import check_fit_data

_SMALL = 10_000_000  # entries of sparse features that may be made dense
_ROUGH = 1e-7  # share of the objective that ends a search inside a fold


class LogisticLDL(_MaxEnt):
    r"""Multinomial logistic regression on distributions; chooses its ridge.

    .. math:: \min_{W, b} \sum_i w_i \sum_l d_{il} \ln \frac{d_{il}}{p_{il}}
       + \frac{\lambda}{2} \lVert W \rVert^2, \qquad
       p_i = \mathrm{softmax}(W z_i + b),

    where :math:`z_i` are the features divided by their standard deviations, or as they
    are with ``standardize=False``. The intercept b is free of the ridge, so that a very
    strong ridge gives the mean distribution.

    Parameters
    ----------
    reg : float or "auto", default="auto"
        Ridge :math:`\lambda`, 1 / C of scikit-learn's ``LogisticRegression``.
        ``"auto"`` takes the best of a path by cross-validation, by divergence.
    fit_intercept : bool, default=True
        Whether the scores have an intercept.
    standardize : bool, default=True
        Whether the ridge is on coefficients of features that are divided by their
        standard deviations, so that the units of features do not matter. ``coef_`` is
        for X as it is given in either case.
    cv : int, splitter or iterable, default=5
        Folds by which the ridge is chosen. A number deals distinct rows out in an order
        that their features decide, so equal rows are in one fold and the order of rows
        does not matter. Anything else is as in scikit-learn.
    max_iter : int, default=500
        Iterations at most, for each ridge.
    tol : float, default=1e-8
        Converged when no entry of the gradient, in units in which curvatures are near
        1, is larger than this, or when rounding allows no better objective.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of X.
    intercept_ : ndarray of shape (n_labels,)
        b; zeros without an intercept.
    reg_ : float
        The ridge of the final fit.
    regs_ : ndarray of shape (n_regs,)
        Ridges of the path, strongest first; the given one alone if there was no choice.
    cv_losses_ : ndarray of shape (n_regs,)
        Weighted mean divergence of left-out samples; NaN where the path ended before.
    objective_ : float
        What was reached.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The objective after each iteration of the final fit.
    n_iter_ : int
        Iterations of the final fit.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    SABFGS : The published model, with neither intercept nor ridge by default.
    KernelSoftmaxLDL : The same on the features of a kernel.

    Notes
    -----
    With one-hot distributions and ``standardize=False`` this is scikit-learn's
    multinomial ``LogisticRegression(C=1/reg)``.

    A ridge does not feel a rotation of standardised features, so they are replaced by
    their principal components for the search (with at most 2000 samples or features),
    which makes it quick. Components below 1e-5 of the largest deviation are left out.
    Sparse features of up to 1e7 entries, zeros included, are made dense for that;
    larger ones are scaled only.

    The path goes from 10 to 1e-6 per unit of weight, two ridges per factor of 10, each
    from the solution of the one before, and ends when four ridges gave no better loss.

    References
    ----------
    .. [1] J. Friedman, T. Hastie, R. Tibshirani, "Regularization Paths for Generalized
       Linear Models via Coordinate Descent", Journal of Statistical Software 33(1),
       2010 (paths of warm starts).

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LogisticLDL
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LogisticLDL().fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    1.0
    """

    _parameter_constraints: dict = {
        "reg": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "fit_intercept": ["boolean"],
        "standardize": ["boolean"],
        "cv": ["cv_object"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        reg: float | str = "auto",
        *,
        fit_intercept: bool = True,
        standardize: bool = True,
        cv: Any = 5,
        max_iter: int = 500,
        tol: float = 1e-8,
    ) -> None:
        self.reg = reg
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the ridge and find the coefficients.

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
        self : LogisticLDL
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        if sp.issparse(X) and X.shape[0] * X.shape[1] <= _SMALL:
            X = X.toarray()  # rotated features are the quicker ones
        weights = checked_weights(sample_weight, X)
        design = make_design(
            X, weights, center=self.fit_intercept, standardize=self.standardize
        )
        problem = SoftmaxPath(
            design.Z, design.size, D, weights, fit_intercept=self.fit_intercept
        )
        splits = folds(self.cv, X, D, weights)
        choice = problem.choose(self.reg, splits, self.max_iter)
        self.reg_, self.regs_, self.cv_losses_ = choice
        solution = problem.solve(
            np.arange(len(D)), self.reg_, max_iter=self.max_iter, tol=self.tol
        )
        self._store_solution(solution, self.fit_intercept)
        self._to_given_units(design, solution)
        if not solution.converged:
            warn_unfinished(self, solution)
        return self

    def _to_given_units(self, design: Design, solution: Solution) -> None:
        theta = solution.x[:-1] if self.fit_intercept else solution.x
        self.coef_ = design.back(theta)
        if self.fit_intercept:
            self.intercept_ = self.intercept_ - self.coef_ @ design.mean


class SoftmaxPath:
    """Softmax regressions on the same features, for any rows and any ridge."""

    def __init__(
        self,
        Z: Any,
        size: FloatArray,
        D: FloatArray,
        weights: FloatArray,
        *,
        fit_intercept: bool = True,
    ) -> None:
        self.Z = Z
        self.size = size
        self.D = D
        self.weights = weights
        self.fit_intercept = fit_intercept

    def choose(self, reg: float | str, splits: Any, max_iter: int) -> Choice:
        """Take the given ridge, or the one of least divergence of left-out samples."""
        if reg != "auto":
            return Choice(float(reg), np.array([float(reg)]), np.array([np.nan]))

        def fit(train: IndexArray, reg: float, start: Any) -> FloatArray:
            options = {"max_iter": max_iter, "tol": 0.0, "ftol": _ROUGH}
            return self.solve(train, reg, start, **options).x

        total = self.weights.sum()
        choice = choose_reg(SHARES * total, splits, fit, self.loss)
        return choice._replace(losses=choice.losses / total)

    def loss(self, rows: IndexArray, x: FloatArray) -> float:
        """Sum of divergences at some rows."""
        coef = x[:-1] if self.fit_intercept else x
        scores = self.Z[rows] @ coef
        if self.fit_intercept:
            scores = scores + x[-1]
        D = self.D[rows]
        return softmax_kl(scores, D, log_degrees(D), self.weights[rows])[0]

    def solve(
        self, rows: IndexArray, reg: float, start: Any = None, **options: Any
    ) -> Solution:
        """Fit some rows."""
        whole = len(rows) == len(self.D)
        Z = self.Z if whole else self.Z[rows]
        loss = MaxEntKL(
            Z,
            self.D[rows],
            fit_intercept=self.fit_intercept,
            sample_weight=self.weights[rows],
        )
        total = self.weights[rows].sum()
        share = total / self.weights.sum()
        ridge = np.full((loss.shape[0], 1), float(reg))
        curvature = np.empty((loss.shape[0], 1))
        curvature[: len(self.size), 0] = share * self.size
        if self.fit_intercept:
            ridge[-1], curvature[-1] = 0.0, total
        root = np.sqrt(curvature / loss.shape[1] + ridge)
        root[root == 0] = 1.0
        if start is None:
            start = self._start(loss)
        options = {"ftol": _PRECISION, **options}
        return minimize(Sum(loss, Ridge(ridge)), root, start, **options)

    def _start(self, loss: MaxEntKL) -> FloatArray:
        """The mean distribution, if there is an intercept."""
        start = np.zeros(loss.shape)
        if self.fit_intercept:
            mean = np.average(loss.D, axis=0, weights=loss.sample_weight)
            logs = np.log(np.maximum(mean, 1e-6))
            start[-1] = logs - logs.mean()
        return start
