"""Dirichlet regression, of distributions or of votes."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._design import Design, make_design
from skldl.ldl._equal_rows import checked_weights, folds
from skldl.ldl._links import mean_shift
from skldl.ldl._maxent_smooth import warn_unfinished
from skldl.ldl._reg_path import SHARES, Choice, choose_reg, minimize
from skldl.linalg import replace_zeros
from skldl.objectives import (
    DirichletLikelihood,
    PrecisionRidge,
    Sum,
    log_degrees,
    mean_and_precision,
    softmax_kl,
    usual_precision,
)
from skldl.solvers import Solution
from skldl.validation import check_features, check_fit_data

_ROUGH = 1e-8  # share of the objective that ends a search inside a fold
_FINE = 64 * float(np.finfo(np.float64).eps)  # what rounding leaves of a decrease
_FLOOR = 1e-9  # share of the uniform distribution, for labels that never occur


class DirichletLDL(DistributionPredictorMixin, BaseEstimator):
    r"""Dirichlet regression of distributions, Dirichlet-multinomial of votes.

    .. math:: d_i \sim \mathrm{Dirichlet}(\phi_i p_i), \qquad
       p_i = \mathrm{softmax}(W z_i + b), \qquad \phi_i = \phi
       \;\text{ or }\; \phi \exp(3 \tanh(v^T z_i / 3)),

    by maximum likelihood with the ridge :math:`\frac{\lambda}{2} (I \lVert W \rVert^2 +
    \lVert v \rVert^2)` on the coefficients of standardised features z. With ``n_votes``
    the votes :math:`n_i d_i` are multinomial draws from such a distribution, so that a
    sample with 3 votes counts less than one with 30, and shares of 0 are not a problem.
    :math:`I = \phi / (1 + \phi / \bar n)` is the information of a sample about its
    mean, so that the ridge has the same effect for every precision. With votes and a
    very large precision the model equals :class:`LogisticLDL`.

    ``predict`` gives the mean p, ``predict_concentration`` the concentrations
    :math:`\phi p`: how sure the model is that distributions are near their mean.

    Parameters
    ----------
    reg : float or "auto", default="auto"
        Ridge :math:`\lambda`; ``"auto"`` takes the best of a path by cross-validation,
        by the divergence of the means.
    precision : {"constant", "linear"}, default="constant"
        Whether the precision is one number, or depends on the features: log-linear near
        its usual value, and at most 20 times more or less. The latter wants many more
        samples than features.
    smoothing : float, default=0.01
        Share of the mean distribution that is mixed into each distribution before the
        logarithm; without votes a degree of 0 has no likelihood, and tiny ones rule it.
        Not used with votes.
    cv : int, splitter or iterable, default=5
        Folds by which the ridge is chosen, as in :class:`LogisticLDL`.
    max_iter : int, default=500
        Iterations at most, for each ridge.
    tol : float, default=1e-8
        Converged when no entry of the gradient, in units in which curvatures are near
        1, is larger than this, or when rounding allows no better objective.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of X for the means.
    intercept_ : ndarray of shape (n_labels,)
        Their intercepts.
    precision_coef_ : ndarray of shape (n_features,)
        Coefficients v of X for the precision; zeros if it is constant.
    precision_intercept_ : float
        What is added to their sum, so that it is 0 at the mean of the features.
    concentration_ : float
        Precision :math:`\phi`, at the mean of the features or everywhere.
    reg_ : float
        The ridge of the final fit.
    regs_, cv_losses_ : ndarray of shape (n_regs,)
        Ridges of the path, strongest first, and the weighted mean divergence of
        left-out samples; NaN where the path ended before.
    objective_ : float
        What was reached.
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
    LogisticLDL : The same means by divergence, without a precision.

    Notes
    -----
    Without votes the likelihood is one of logarithms, whose means are not those of the
    distributions where the latter are far from Dirichlet's. The intercepts of the means
    are therefore shifted after the search, so that predictions for the training samples
    have the mean of their distributions.

    The precision is bounded by 1e6, so that equal distributions have a solution.

    The likelihood is not convex in all parameters together; the search starts at the
    mean distribution and the precision of its moments.

    References
    ----------
    .. [1] R. H. Hijazi, R. W. Jernigan, "Modelling Compositional Data Using Dirichlet
       Regression Models", Journal of Applied Probability and Statistics 4(1), 2009.
    .. [2] J. E. Mosimann, "On the Compound Multinomial Distribution, the Multivariate
       beta-Distribution, and Correlations Among Proportions", Biometrika 49(1/2),
       1962.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import DirichletLDL
    >>> X, D = make_ldl(200, random_state=0)
    >>> votes = np.random.default_rng(0).multinomial(20, D)
    >>> model = DirichletLDL().fit(X[:150], votes[:150] / 20, n_votes=20)
    >>> round(model.score(X[150:], D[150:]), 1)
    0.9
    >>> model.predict_concentration(X[150:]).shape
    (50, 5)
    """

    _parameter_constraints: dict = {
        "reg": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "precision": [StrOptions({"constant", "linear"})],
        "smoothing": [Interval(Real, 0, 1, closed="left")],
        "cv": ["cv_object"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        reg: float | str = "auto",
        *,
        precision: str = "constant",
        smoothing: float = 0.01,
        cv: Any = 5,
        max_iter: int = 500,
        tol: float = 1e-8,
    ) -> None:
        self.reg = reg
        self.precision = precision
        self.smoothing = smoothing
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, n_votes: Any = None
    ) -> Self:
        """Choose the ridge and find the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D: with votes, their shares.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of log-likelihoods.
        n_votes : float or array-like of shape (n_samples,), default=None
            How many votes each distribution is made of; one number for all, or one for
            each sample. None for distributions that are not shares of votes.

        Returns
        -------
        self : DirichletLDL
        """
        X, D = check_fit_data(self, X, y)
        weights = checked_weights(sample_weight, X)
        votes = None if n_votes is None else _checked_votes(n_votes, len(X))
        design = make_design(X, weights)
        problem = _Path(
            design, D, weights, votes, self.smoothing, self.precision == "linear"
        )
        splits = folds(self.cv, X, D, weights)
        choice = problem.choose(self.reg, splits, self.max_iter)
        self.reg_, self.regs_, self.cv_losses_ = choice
        solution = problem.solve(
            np.arange(len(D)),
            self.reg_,
            max_iter=self.max_iter,
            tol=self.tol,
            ftol=_FINE,
        )
        x = problem.calibrated(np.arange(len(D)), solution.x)
        self._store_solution(design, replace(solution, x=x))
        if not solution.converged:
            warn_unfinished(self, solution)
        return self

    def _store_solution(self, design: Design, solution: Solution) -> None:
        coef = design.back(solution.x[:-1])
        moved = coef @ design.mean
        self.coef_, self.precision_coef_ = coef[:-1], coef[-1]
        self.intercept_ = solution.x[-1, :-1] - moved[:-1]
        self.precision_intercept_ = -float(moved[-1])
        self.concentration_ = usual_precision(solution.x[-1, -1])
        self.objective_ = solution.value
        self.n_iter_ = max(1, solution.n_iter)

    def _both(self, X: Any) -> tuple[FloatArray, FloatArray]:
        check_is_fitted(self)
        X = check_features(self, X, reset=False, dtype=np.float64)
        scores = np.empty((len(X), len(self.coef_) + 1))
        scores[:, :-1] = X @ self.coef_.T + self.intercept_
        scores[:, -1] = X @ self.precision_coef_ + self.precision_intercept_
        return mean_and_precision(scores, self.concentration_)

    def predict(self, X: Any) -> FloatArray:
        """Give the means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        return self._both(X)[0]

    def predict_concentration(self, X: Any) -> FloatArray:
        """Give the concentrations of the Dirichlet distributions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        alpha : ndarray of shape (n_samples, n_labels)
            Rows sum to the precisions; divided by them they are the means.
        """
        P, precision = self._both(X)
        return precision[:, None] * P


def _checked_votes(n_votes: Any, n_samples: int) -> FloatArray:
    votes = np.asarray(n_votes, dtype=np.float64)
    if votes.ndim == 0:
        votes = np.full(n_samples, float(votes))
    if votes.shape != (n_samples,):
        raise ValueError(
            f"n_votes has shape {votes.shape}; give one number, or one for each of the "
            f"{n_samples} samples."
        )
    bad = ~(np.isfinite(votes) & (votes > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"n_votes must be positive, but row {row} has {votes[row]:g}. Remove "
            "samples without votes."
        )
    return votes


class _Path:
    """Dirichlet regressions on the same features, for any rows and any ridge."""

    def __init__(
        self,
        design: Design,
        D: FloatArray,
        weights: FloatArray,
        votes: FloatArray | None,
        smoothing: float,
        linear: bool,
    ) -> None:
        self.design, self.D, self.weights = design, D, weights
        self.votes, self.linear = votes, linear
        self.mean = weights @ D / weights.sum()
        base = replace_zeros(self.mean[None], _FLOOR)[0]
        self.positive = D
        if votes is None:
            self.positive = replace_zeros(D, max(smoothing, _FLOOR), base=base)
        self.phi = self._moments()
        self.n_votes = np.inf
        if votes is not None:
            self.n_votes = float(np.average(votes, weights=weights))

    def _moments(self) -> float:
        """Precision of a Dirichlet distribution with the same total variance."""
        mean = self.weights @ self.positive / self.weights.sum()
        spread = self.weights @ ((self.positive - mean) ** 2).sum(axis=1)
        spread /= self.weights.sum()
        whole = float((mean * (1 - mean)).sum())
        return float(np.clip(whole / max(spread, 1e-12) - 1, 0.5, 1e4))

    def choose(self, reg: float | str, splits: Any, max_iter: int) -> Choice:
        """Take the given ridge, or the one of least divergence of left-out samples."""
        if reg != "auto":
            return Choice(float(reg), np.array([float(reg)]), np.array([np.nan]))

        def fit(train: IndexArray, reg: float, start: Any) -> FloatArray:
            options = {"max_iter": max_iter, "tol": 0.0, "ftol": _ROUGH}
            return self.calibrated(train, self.solve(train, reg, start, **options).x)

        total = self.weights.sum()
        choice = choose_reg(SHARES * total, splits, fit, self.loss)
        return choice._replace(losses=choice.losses / total)

    def calibrated(self, rows: IndexArray, x: FloatArray) -> FloatArray:
        """Shift the intercepts to the mean distribution; votes need no such thing."""
        if self.votes is not None:
            return x
        scores = self.design.Z[rows] @ x[:-1, :-1] + x[-1, :-1]
        shift = mean_shift(scores[:, None], self.D[rows], self.weights[rows])[0]
        x = x.copy()
        x[-1, :-1] += shift
        return x

    def loss(self, rows: IndexArray, x: FloatArray) -> float:
        """Sum of divergences of the means, by votes where there are any."""
        D, weights = self.D[rows], self.weights[rows]
        scores = self.design.Z[rows] @ x[:-1, :-1] + x[-1, :-1]
        if self.votes is not None:
            weights = weights * self.votes[rows] / self.votes.mean()
        return softmax_kl(scores, D, log_degrees(D), weights)[0]

    def solve(
        self, rows: IndexArray, reg: float, start: Any = None, **options: Any
    ) -> Solution:
        """Fit some rows."""
        weights = self.weights[rows]
        likelihood = DirichletLikelihood(
            self.design.Z[rows],
            self.positive[rows],
            n_votes=None if self.votes is None else self.votes[rows],
            sample_weight=weights,
            linear_precision=self.linear,
        )
        penalty = PrecisionRidge(reg, self.n_votes)
        size = np.append(self.design.size / self.weights.sum(), 1.0) * weights.sum()
        curvature = np.tile(size[:, None], (1, likelihood.shape[1]))
        curvature[:, :-1] /= likelihood.shape[1] - 1
        curvature[:-1] += reg
        curvature[:, :-1] *= self.phi / (1 + self.phi / self.n_votes)
        root = np.sqrt(curvature)
        root[root == 0] = 1.0
        if start is None:
            start = self._start(likelihood.shape)
        return minimize(Sum(likelihood, penalty), root, start, **options)

    def _start(self, shape: tuple[int, int]) -> FloatArray:
        start = np.zeros(shape)
        logs = np.log(np.maximum(self.mean, 1e-6))
        start[-1, :-1] = logs - logs.mean()
        start[-1, -1] = np.log(self.phi)
        return start
