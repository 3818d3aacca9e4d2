"""Maximum-entropy models: softmax of linear scores, fitted by divergence."""

import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from skldl._progress import report
from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.blocks import as_blocks, is_blocked, survey_target
from skldl.linalg import tame_columns
from skldl.objectives import BlockedKL, Linear, MaxEntKL, Ridge, Sum
from skldl.solvers import Preconditioned, Solution, iis, lbfgs
from skldl.validation import (
    check_features,
    check_fit_data,
    require_range,
    weighted_rows,
)

_MOST_FEATURES = 4000  # of which a square matrix is factorised
# what rounding leaves of a decrease; scikit-learn's logistic regression takes the same
_PRECISION = 64 * float(np.finfo(np.float64).eps)


class _MaxEnt(DistributionPredictorMixin, BaseEstimator):
    """What the family shares: prediction, and sparse features."""

    max_iter: int
    coef_: FloatArray
    intercept_: FloatArray

    def predict(self, X: Any) -> FloatArray:
        """Take the softmax of the scores.

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
        return softmax(X @ self.coef_.T + self.intercept_, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _follow(self, iteration: int, value: float) -> None:
        report(type(self).__name__, iteration, self.max_iter, objective=value)

    def _store_solution(self, solution: Solution, fit_intercept: bool = False) -> None:
        x = solution.x
        self.coef_ = np.ascontiguousarray((x[:-1] if fit_intercept else x).T)
        self.intercept_ = x[-1].copy() if fit_intercept else np.zeros(x.shape[1])
        self.objective_ = solution.value
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = max(1, solution.n_iter)  # 0 if the start is the optimum


class SABFGS(_MaxEnt):
    r"""Maximum entropy by a quasi-Newton method, SA-BFGS.

    .. math:: \min_{\Theta, b} \sum_{il} d_{il} \ln \frac{d_{il}}{p_{il}}
       + \frac{\lambda}{2} \lVert \Theta \rVert^2, \qquad
       p_i = \mathrm{softmax}(\Theta x_i + b).

    Parameters
    ----------
    reg : float, default=100.0
        Ridge :math:`\lambda`; the intercept is free of it. For standardised features.
        The published method has none: ``reg=0.0``.
    fit_intercept : bool, default=True
        Whether the scores have an intercept. The published method has none, and so
        cannot predict the mean from centred features.
    max_iter : int, default=300
        Iterations at most.
    tol : float, default=1e-6
        Converged when no entry of the gradient is larger than this.
    precondition : bool or "auto", default="auto"
        Whether to search in units in which the features are uncorrelated; ``tol`` is in
        these units, too. That takes a tenth of the iterations or fewer. ``"auto"`` does
        so with at least twice as many samples as features, and no more than 4000
        features.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    intercept_ : ndarray of shape (n_labels,)
        b; zeros without an intercept.
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
    LogisticLDL : The same model, which standardises and chooses its ridge.
    SAIIS : The same objective by improved iterative scaling.
    LSELDL : Maximum entropy on latent features, with feature selection.

    Notes
    -----
    With one-hot distributions, an intercept and ``reg=1/C`` this is scikit-learn's
    multinomial ``LogisticRegression``.

    The published method is ``SABFGS(reg=0.0, fit_intercept=False)``, and its authors'
    search is that of ``precondition=False``. On standardised features it is worse than
    the mean distribution on most data sets. The defaults are those of best divergence
    on folds inside training parts of the data sets: ``python bench/defaults.py`` has
    the table. The best ridge differs between data sets, from 10 to 1000: search for it,
    or use :class:`LogisticLDL`.

    Deviations: the published code starts at an identity matrix and may overflow, this
    one starts at zeros and shifts the scores. The problem is convex, so the optimum is
    the same. With about as many features as samples and ``reg=0`` the optimum may lie
    at infinity or fit noise; then the number of iterations acts as a regulariser, which
    preconditioning would undo, and a warning says that the search was stopped.

    References
    ----------
    .. [1] X. Geng, "Label Distribution Learning", IEEE Transactions on Knowledge
       and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import SABFGS
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = SABFGS(reg=0.1).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    1.0
    """

    _parameter_constraints: dict = {
        "reg": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "precondition": ["boolean", StrOptions({"auto"})],
    }

    # what comparisons tune over; 0 is the published method
    _grids: dict = {
        "default": {
            "reg": [0.0, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0],
            "fit_intercept": [False, True],
        }
    }

    def __init__(
        self,
        reg: float = 100.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 300,
        tol: float = 1e-6,
        precondition: bool | str = "auto",
    ) -> None:
        self.precondition = precondition
        self.reg = reg
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), Blocks or Dask
            Training samples. Of blocks only one is in memory at a time; every
            evaluation of the objective reads all of them.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D. Blocks carry their own.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of divergences.

        Returns
        -------
        self : SABFGS
        """
        loss = self._make_loss(X, y, sample_weight)
        ridge = np.full((loss.shape[0], 1), float(self.reg))
        if self.fit_intercept:
            ridge[-1] = 0.0
        objective: Any = Sum(loss, Ridge(ridge)) if self.reg else loss
        curvature = self._curvature(loss)
        if curvature is not None:
            curvature /= loss.shape[1]
            curvature[np.diag_indices_from(curvature)] += ridge[:, 0]
            objective = Preconditioned(objective, curvature)
        solution = lbfgs(
            objective,
            np.zeros(loss.shape),
            max_iter=self.max_iter,
            tol=self.tol,
            ftol=_PRECISION,
            callback=self._follow,
        )
        if curvature is not None:
            solution = replace(solution, x=objective.original(solution.x))
        self._store_solution(solution, self.fit_intercept)
        if not solution.converged:
            warnings.warn(
                f"SABFGS stopped after {solution.n_iter} iterations with a gradient of "
                f"{solution.residual:.2g} (tol={self.tol:g}). Scale the features, "
                "raise max_iter, or use a positive reg.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        return self

    def _make_loss(self, X: Any, y: Any, sample_weight: Any) -> MaxEntKL | BlockedKL:
        """Validate, and give the sum of divergences."""
        if is_blocked(X):
            if sample_weight is not None:
                raise ValueError("sample_weight cannot be used with data in blocks.")
            blocks = as_blocks(X, y)
            target = survey_target(blocks, ("distribution",))
            blocks.describe(self)
            self.classes_ = target.classes
            return BlockedKL(blocks, target, fit_intercept=self.fit_intercept)
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        return MaxEntKL(
            X, D, fit_intercept=self.fit_intercept, sample_weight=sample_weight
        )

    def _curvature(self, loss: MaxEntKL | BlockedKL) -> FloatArray | None:
        """Second moments of the features, if the search is to be preconditioned."""
        if self.precondition is False:
            return None
        n_features = self.n_features_in_
        most = _MOST_FEATURES if self.precondition == "auto" else np.inf
        if n_features > most:
            return None
        few = 2 * n_features if self.precondition == "auto" else 0
        if isinstance(loss, BlockedKL):
            n_samples, products = loss.second_moments()
            return None if n_samples < few else products
        return None if loss.X.shape[0] < few else second_moments(loss)


def second_moments(loss: MaxEntKL | Linear) -> FloatArray:
    """Weighted sums of products of features, the intercept's ones included."""
    X, weights = loss.X, loss.sample_weight
    sparse = sp.issparse(X)
    if weights is None:
        weighted, total = X, float(X.shape[0])
    else:
        weighted = sp.diags_array(weights) @ X if sparse else X * weights[:, None]
        total = float(weights.sum())
    products = (X.T @ weighted).toarray() if sparse else X.T @ weighted
    if not loss.fit_intercept:
        return products
    sums = np.asarray(weighted.sum(axis=0)).reshape(-1, 1)
    return np.block([[products, sums], [sums.T, np.array([[total]])]])


class SAIIS(_MaxEnt):
    r"""Maximum entropy by improved iterative scaling, SA-IIS (IIS-LLD).

    The objective of :class:`SABFGS` without ridge and intercept. A sweep adds to every
    coefficient :math:`\theta_{lk}` the root :math:`\delta` of

    .. math:: \sum_i d_{il} x_{ik} = \sum_i p_{il} x_{ik}
       \exp(\delta \, \mathrm{sign}(x_{ik}) f_i), \qquad f_i = \sum_k |x_{ik}| .

    Parameters
    ----------
    max_iter : int, default=200
        Sweeps at most.
    tol : float, default=1e-7
        Converged when a sweep lowers the sum of divergences by less than this.
    init : {"identity", "zeros"}, default="identity"
        Coefficients to begin with: ones on the main diagonal, as published, or zeros.
    overrelax : bool, default=False
        Go beyond the roots as long as the objective falls. Not as published, but about
        five times as far in as many sweeps.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\theta`.
    intercept_ : ndarray of shape (n_labels,)
        Zeros.
    objective_ : float
        What was reached.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The objective after each sweep; it never rises.
    n_iter_ : int
        Sweeps made.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    SABFGS : The same objective, much faster to its minimum.

    Notes
    -----
    Scaling is slow: after 200 sweeps it usually is far from the minimum, so this is
    maximum entropy stopped early, and what it predicts depends on the number of sweeps
    and on the start. A warning says so whenever ``tol`` was not met.

    Deviations: the published code solves one equation at a time with a general root
    finder; here all of them are solved together by Newton's method. Steps are cut at 10
    and where an exponent would pass 50, which the published code leaves to overflow.
    Columns with numbers over a million are divided by a power of two first, since the
    start at ones on the diagonal would be far out for them.

    References
    ----------
    .. [1] X. Geng, "Label Distribution Learning", IEEE Transactions on Knowledge
       and Data Engineering 28(7), 2016.
    .. [2] S. Della Pietra, V. Della Pietra, J. Lafferty, "Inducing Features of Random
       Fields", IEEE Transactions on Pattern Analysis and Machine Intelligence 19(4),
       1997.
    .. [3] R. Salakhutdinov, S. Roweis, "Adaptive Overrelaxed Bound Optimization
       Methods", International Conference on Machine Learning, 2003 (``overrelax``).

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import SAIIS
    >>> X, D = make_ldl(200, n_features=3, random_state=0)
    >>> model = SAIIS(max_iter=500).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    1.0
    """

    _parameter_constraints: dict = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"identity", "zeros"})],
        "overrelax": ["boolean"],
    }

    def __init__(
        self,
        max_iter: int = 200,
        *,
        tol: float = 1e-7,
        init: str = "identity",
        overrelax: bool = False,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.overrelax = overrelax

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
        self : SAIIS
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        X, factors = tame_columns(X)
        objective = MaxEntKL(X, D, sample_weight=sample_weight)
        make = np.eye if self.init == "identity" else lambda *shape: np.zeros(shape)
        start = make(*objective.shape)
        solution = iis(
            objective,
            start,
            max_iter=self.max_iter,
            tol=self.tol,
            overrelax=self.overrelax,
            callback=self._follow,
        )
        if factors is not None:
            solution = replace(solution, x=solution.x * factors[:, None])
        self._store_solution(solution)
        if not solution.converged:
            warnings.warn(
                f"SAIIS stopped after {solution.n_iter} sweeps, the last of which "
                f"lowered the objective by {solution.residual:.2g} (tol={self.tol:g}). "
                "Raise max_iter, or use SABFGS, which gets to the minimum.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        return self
