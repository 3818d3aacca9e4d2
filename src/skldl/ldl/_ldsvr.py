"""LDSVR: support vector regression of all labels at once."""

import warnings
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.linalg
from scipy.special import expit, logit
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.ldl._gaussian import (
    check_kernel_size,
    gaussian,
    inner_distances,
    mean_distance_gamma,
    squared_distances,
)
from skldl.validation import check_features, check_fit_data, weighted_rows

_POSITIVE = [Interval(Real, 0, None, closed="neither")]
_COUNT = [Interval(Integral, 1, None, closed="left")]
_BATCH = 1000  # samples predicted at once
_SMALLEST_STEP = 1e-10
_QUANTILES = 50


class LDSVR(DistributionPredictorMixin, BaseEstimator):
    r"""Support vector regression of whole distributions, LDSVR.

    .. math:: \min_{W, b} \frac12 \lVert W \rVert^2 + C \sum_i
       \Big[\frac{u_i}{4} - \epsilon\Big]_+^2, \qquad
       u_i = \lVert z_i - W \varphi(x_i) - b \rVert,

    with :math:`z_i` the logits of the degrees and the features :math:`\varphi` of the
    kernel :math:`\exp(-\gamma \lVert x - x' \rVert^2)`. Predictions are sigmoids,
    divided by their sum.

    Parameters
    ----------
    C : float, default=3.0
        Weight of the errors; 1 is published. Larger ones suit data sets with little
        noise, such as SJAFFE and SBU_3DFE.
    epsilon : float, default=0.1
        Errors below this are free, :math:`\epsilon`.
    gamma : float or {"variance", "mean"}, default="variance"
        :math:`\gamma` of the kernel. ``"variance"`` is one over the sum of the
        variances of the features, so the width is half the root mean square distance
        of two training samples; with standardised features that is 1 / n_features.
        ``"mean"`` is :math:`1/2\sigma^2` with :math:`\sigma` the mean distance, as
        published, about a quarter of the other.
    smearing : bool, default=True
        Whether sigmoids are averaged over the errors of the training samples (see
        Notes); False is the published sigmoid of the regression alone.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-5
        Converged when an iteration lowers the objective by less than this share.
    max_samples : int, default=6000
        Training samples to accept at most. About 24 n^2 bytes are needed, 0.9 GB for
        6000 samples, and each iteration takes time with n^3.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_samples, n_features)
        All training samples, support vectors or not.
    dual_coef_ : ndarray of shape (n_samples, n_labels)
        Coefficients of the kernel functions; zero rows are not support vectors.
    intercept_ : ndarray of shape (n_labels,)
        b.
    errors_ : ndarray of shape (n_quantiles, n_labels)
        Quantiles of the errors :math:`z_i - W \varphi(x_i) - b` of training samples
        had they been left out, or a row of zeros without smearing.
    error_weights_ : ndarray of shape (n_quantiles,)
        Their weights in the average of sigmoids; equal ones but for 50 samples or
        fewer of different weights.
    gamma_ : float
        :math:`\gamma`.
    objective_ : float
        What was reached.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The objective after each iteration; it never rises.
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
    PTSVM : Support vector classification of weighted labels.

    Notes
    -----
    Iteratively re-weighted least squares, with a step that never raises the objective;
    the problem is convex.

    Deviations: the weights of the paper belong to twice the C of its objective, those
    of the published code may be negative; here they are
    :math:`C (u_i - 4\epsilon) / 8 u_i` where :math:`u_i > 4\epsilon`, else 0, as the
    objective says. Degrees of 0 become 1 / (10 labels) before the logit, as published.
    The search starts at the mean of the logits.

    The defaults of ``C`` and ``gamma`` were chosen by divergence on folds inside
    training parts of the data sets, with standardised features; ``python
    bench/defaults.py`` has the table.

    A regression of logits predicts their mean, and the sigmoid of a mean is not the
    mean of sigmoids: where degrees of many samples are 0, as in Natural_Scene, the
    published prediction is so low for them that even the mean distribution diverges
    less from the truth. So sigmoids are averaged over the errors e of the training
    samples, :math:`\frac1n \sum_i \mathrm{sigmoid}(W \varphi(x) + b + e_i)` label by
    label, which is known as smearing [2]_ (with 50 quantiles in place of all errors,
    each sample's error being that of a regression without it). Where errors are small
    it changes nothing.

    References
    ----------
    .. [1] X. Geng, P. Hou, "Pre-release Prediction of Crowd Opinion on Movies by Label
       Distribution Learning", International Joint Conference on Artificial
       Intelligence, 2015.
    .. [2] N. Duan, "Smearing Estimate: A Nonparametric Retransformation Method",
       Journal of the American Statistical Association 78(383), 1983.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDSVR
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDSVR().fit(X[:150], D[:150])
    >>> model.predict(X[150:]).shape
    (50, 5)
    """

    _parameter_constraints: dict = {
        "C": _POSITIVE,
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "gamma": [*_POSITIVE, StrOptions({"mean", "variance"})],
        "smearing": ["boolean"],
        "max_iter": _COUNT,
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_samples": _COUNT,
    }

    # widths of the mean distance, half of it, and 3 for standardised features
    _grids: dict = {
        "default": {
            "C": [0.1, 1.0, 10.0, 100.0, 1000.0],
            "epsilon": [0.01],
            "gamma": ["mean", "variance", 1 / 18],
        }
    }

    def __init__(
        self,
        C: float = 3.0,
        epsilon: float = 0.1,
        *,
        gamma: float | Literal["mean", "variance"] = "variance",
        smearing: bool = True,
        max_iter: int = 200,
        tol: float = 1e-5,
        max_samples: int = 6000,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.smearing = smearing
        self.max_iter = max_iter
        self.tol = tol
        self.max_samples = max_samples

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, which multiply `C` sample by sample, and weights of
            their errors where sigmoids are averaged.

        Returns
        -------
        self : LDSVR
        """
        X, D = check_fit_data(self, X, y)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        check_kernel_size("LDSVR", len(X), self.max_samples, bytes_each=24)
        squared = inner_distances(X)
        self.gamma_ = self._resolve_gamma(X, squared, sample_weight)
        self.X_fit_ = X
        kernel = gaussian(squared, self.gamma_)
        problem = _Problem(kernel, self.C, self.epsilon, sample_weight)
        self._search(problem, logits(D))
        return self

    def _search(self, problem: "_Problem", z: FloatArray) -> None:
        weights = problem.sample_weight
        mean = np.average(z, axis=0, weights=weights)
        point = problem.at(np.zeros_like(z), mean, z)
        history: list[float] = []
        change = np.inf
        while change > self.tol and len(history) < self.max_iter:
            following = problem.step(point, z)
            change = (point.value - following.value) / max(point.value, 1e-300)
            point = following
            history.append(point.value)
        self.dual_coef_, self.intercept_ = point.beta, point.b
        self.errors_, self.error_weights_ = np.zeros((1, z.shape[1])), np.ones(1)
        if self.smearing:
            errors = problem.left_out_errors(point, z)
            self.errors_, self.error_weights_ = quantiles(errors, weights)
        self.objective_ = point.value
        self.objective_history_ = np.array(history)
        self.n_iter_ = len(history)
        if change > self.tol:
            warnings.warn(
                f"LDSVR stopped after {self.n_iter_} iterations, the last of which "
                f"lowered the objective by a share of {change:.2g} (tol={self.tol:g}). "
                "Raise max_iter.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )

    def predict(self, X: Any) -> FloatArray:
        """Divide the sigmoids of the regression by their sum.

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
        P = np.empty((len(X), len(self.intercept_)))
        for rows in gen_batches(len(X), _BATCH):
            squared = squared_distances(X[rows], self.X_fit_)
            kernel = gaussian(squared, self.gamma_)
            P[rows] = self._smeared(kernel @ self.dual_coef_ + self.intercept_)
        return P / P.sum(axis=1, keepdims=True)

    def _resolve_gamma(
        self, X: FloatArray, squared: FloatArray, sample_weight: FloatArray | None
    ) -> float:
        if self.gamma == "variance":
            tiny = float(np.finfo(np.float64).tiny)
            centred = X - np.average(X, axis=0, weights=sample_weight)
            spread = np.average(centred**2, axis=0, weights=sample_weight).sum()
            return 1 / max(float(spread) or 1.0, tiny)
        if self.gamma != "mean":
            return float(self.gamma)
        return mean_distance_gamma(squared)

    def _smeared(self, values: FloatArray) -> FloatArray:
        """Mean of the sigmoids over the errors."""
        total = np.zeros_like(values)
        for error, weight in zip(self.errors_, self.error_weights_, strict=True):
            total += weight * expit(values + error)
        return total / self.error_weights_.sum()


class _Point(NamedTuple):
    beta: FloatArray
    b: FloatArray
    values: FloatArray  # of the kernel part at the samples
    value: float


class _Problem:
    """The objective, and one step of re-weighted least squares."""

    def __init__(
        self,
        kernel: FloatArray,
        C: float,
        epsilon: float,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.kernel = kernel
        self.sample_weight = sample_weight
        self.C = C
        self.epsilon = epsilon

    def at(
        self,
        beta: FloatArray,
        b: FloatArray,
        z: FloatArray,
        values: FloatArray | None = None,
    ) -> _Point:
        if values is None:
            values = self.kernel @ beta
        over = np.maximum(self._lengths(z - values - b) / 4 - self.epsilon, 0.0)
        lost = self.C * float(over @ self._weighted(over))
        value = 0.5 * float(np.vdot(beta, values)) + lost
        return _Point(beta, b, values, value)

    def _lengths(self, errors: FloatArray) -> FloatArray:
        return np.sqrt(np.einsum("ij,ij->i", errors, errors))

    def weights(self, errors: FloatArray) -> FloatArray:
        """Weight of each squared error; 0 inside the tube."""
        u = self._lengths(errors)
        over = np.maximum(u - 4 * self.epsilon, 0.0)
        return self._weighted(self.C * over / (8 * np.where(u > 0, u, 1.0)))

    def _weighted(self, values: FloatArray) -> FloatArray:
        return values if self.sample_weight is None else self.sample_weight * values

    def _system(self, active: IndexArray, a: FloatArray) -> FloatArray:
        system = self.kernel[np.ix_(active, active)]
        system[np.diag_indices_from(system)] += 1 / a[active]
        return system

    def left_out_errors(self, point: _Point, z: FloatArray) -> FloatArray:
        """Error of each sample had it been left out, at the weights of the others."""
        errors = z - point.values - point.b
        a = self.weights(errors)
        active = np.flatnonzero(a > 0)
        if len(active) > 1:
            system = self._system(active, a)
            factor = _cholesky(system)
            ones = scipy.linalg.cho_solve(factor, np.ones(len(active)))
            own = _inverse_diagonal(factor) - ones * ones / ones.sum()
            errors[active] *= (a[active] / np.maximum(own, 1e-6 * a[active]))[:, None]
        return errors

    def step(self, point: _Point, z: FloatArray) -> _Point:
        a = self.weights(z - point.values - point.b)
        active = np.flatnonzero(a > 0)
        beta, b = np.zeros_like(z), point.b
        if len(active):
            system = self._system(active, a)
            right = np.hstack([z[active], np.ones((len(active), 1))])
            solved = scipy.linalg.cho_solve(
                _cholesky(system), right, overwrite_b=True, check_finite=False
            )
            ones = solved[:, -1]
            b = solved[:, :-1].sum(axis=0) / ones.sum()
            beta[active] = solved[:, :-1] - ones[:, None] * b
        values = self.kernel @ beta
        step = 1.0
        while step >= _SMALLEST_STEP:
            mixed = [
                old + step * (new - old)
                for old, new in zip(point[:3], (beta, b, values), strict=True)
            ]
            following = self.at(mixed[0], mixed[1], z, mixed[2])
            if following.value <= point.value:
                return following
            step /= 10
        return point


def _cholesky(system: FloatArray) -> tuple[FloatArray, bool]:
    """Upper factor of a symmetric matrix in its place; by columns it is the same."""
    return scipy.linalg.cho_factor(system.T, overwrite_a=True, check_finite=False)


def _inverse_diagonal(factor: tuple[FloatArray, bool]) -> FloatArray:
    """Diagonal of the inverse of a factored matrix: squared lengths of rows."""
    inverse = np.triu(scipy.linalg.lapack.dtrtri(factor[0])[0])
    return np.einsum("ij,ij->i", inverse, inverse)


def quantiles(
    errors: FloatArray, sample_weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of each column, at the middles of equal parts; all rows if few.

    Also the weights of the rows.
    """
    if len(errors) <= _QUANTILES:
        ones = np.ones(len(errors))
        return errors, ones if sample_weight is None else sample_weight
    shares = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    if sample_weight is None:
        return np.quantile(errors, shares, axis=0), np.ones(_QUANTILES)
    columns = [_weighted_quantiles(e, sample_weight, shares) for e in errors.T]
    return np.column_stack(columns), np.ones(_QUANTILES)


def _weighted_quantiles(
    values: FloatArray, weights: FloatArray, shares: FloatArray
) -> FloatArray:
    """By straight lines between the middles of the weights; equal ones as usual."""
    order = np.argsort(values, kind="stable")
    ordered = weights[order]
    middles = np.cumsum(ordered) - ordered / 2
    places = (middles - middles[0]) / (middles[-1] - middles[0])
    return np.interp(shares, places, values[order])


def logits(D: FloatArray) -> FloatArray:
    """Logits of degrees, zeros raised to 1 / (10 labels) before."""
    raised = np.where(D > 0, D, 1 / (10 * D.shape[1]))
    raised /= raised.sum(axis=1, keepdims=True)
    return logit(np.clip(raised, 1e-12, 1 - 1e-12))
