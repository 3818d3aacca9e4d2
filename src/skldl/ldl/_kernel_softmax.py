"""Softmax regression on kernel functions."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._equal_rows import checked_weights, folds
from skldl.ldl._kernel_map import Front, feature_map, kernel_values
from skldl.ldl._kernel_ridge import KernelRidgeLDL
from skldl.ldl._logistic import SoftmaxPath
from skldl.ldl._maxent_smooth import warn_unfinished
from skldl.validation import check_features, check_fit_data

_BATCH = 1000  # samples predicted at once
_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")
_AUTO = StrOptions({"auto"})


class KernelSoftmaxLDL(DistributionPredictorMixin, BaseEstimator):
    r"""Softmax regression on kernel functions, fitted by divergence.

    .. math:: \min_{f, b} \sum_i w_i \sum_l d_{il} \ln \frac{d_{il}}{p_{il}}
       + \frac{\lambda}{2} \sum_l \lVert f_l \rVert_k^2, \qquad
       p_i = \mathrm{softmax}(f(x_i) + b),

    with :math:`f_l` in the span of the kernel functions of ``n_components`` samples:
    :class:`LogisticLDL` on Nystroem's map [1]_.

    Parameters
    ----------
    gamma : float or "auto", default="auto"
        Width :math:`\gamma` of the kernel; ``"auto"`` takes the one that
        :class:`KernelRidgeLDL` chooses for log-ratios by leave-one-out, on the same
        landmarks.
    reg : float or "auto", default="auto"
        Ridge :math:`\lambda`; ``"auto"`` takes the best of a path by cross-validation.
    kernel : {"rational", "rbf"}, default="rational"
        :math:`1 / (1 + \gamma \lVert x - x' \rVert^2)` or
        :math:`\exp(-\gamma \lVert x - x' \rVert^2)`.
    standardize : bool, default=True
        Whether features are divided by their standard deviations.
    whiten : bool or "auto", default="auto"
        Whether principal components are evened out before distances are taken, as in
        :class:`KernelRidgeLDL`, which decides under ``"auto"``.
    n_components : int, default=300
        Samples that kernel functions stand on; with fewer samples, all.
    cv : int, splitter or iterable, default=5
        Folds by which the ridge is chosen, as in :class:`LogisticLDL`.
    max_iter : int, default=500
        Iterations at most, for each ridge.
    tol : float, default=1e-8
        Converged when no entry of the gradient, in units in which curvatures are near
        1, is larger than this, or when rounding allows no better objective.
    max_samples : int, default=300000
        Training samples to accept at most. About 24 bytes for each sample and landmark
        are needed, 2.2 GB for 300,000 samples and 300 landmarks.
    random_state : int, RandomState instance or None, default=None
        For the draw of landmarks.

    Attributes
    ----------
    gamma_ : float
        Width of the kernel.
    whiten_ : bool
        Whether components are evened out.
    reg_ : float
        The ridge of the final fit.
    regs_, cv_losses_ : ndarray of shape (n_regs,)
        Ridges of the path, strongest first, and the weighted mean divergence of
        left-out samples; NaN where the path ended before.
    X_fit_ : ndarray of shape (n_centers, n_axes)
        What kernel functions stand on, after ``standardize`` and ``whiten``.
    dual_coef_ : ndarray of shape (n_centers, n_labels)
        Coefficients of the kernel functions.
    intercept_ : ndarray of shape (n_labels,)
        b.
    mean_, axes_ : ndarray
        What is subtracted from features, and what they are multiplied by then.
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
    KernelRidgeLDL : Least squares, with a ridge for free.
    LogisticLDL : Without a kernel.

    References
    ----------
    .. [1] C. K. I. Williams, M. Seeger, "Using the Nyström Method to Speed Up Kernel
       Machines", Advances in Neural Information Processing Systems 13, 2001.
    .. [2] J. Zhu, T. Hastie, "Kernel Logistic Regression and the Import Vector
       Machine", Journal of Computational and Graphical Statistics 14(1), 2005.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import KernelSoftmaxLDL
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = KernelSoftmaxLDL(n_components=50, random_state=0).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    1.0
    """

    _parameter_constraints: dict = {
        "gamma": [_POSITIVE, _AUTO],
        "reg": [Interval(Real, 0, None, closed="left"), _AUTO],
        "kernel": [StrOptions({"rational", "rbf"})],
        "standardize": ["boolean"],
        "whiten": ["boolean", _AUTO],
        "n_components": [_COUNT],
        "cv": ["cv_object"],
        "max_iter": [_COUNT],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_samples": [_COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        gamma: float | str = "auto",
        *,
        reg: float | str = "auto",
        kernel: str = "rational",
        standardize: bool = True,
        whiten: bool | str = "auto",
        n_components: int = 300,
        cv: Any = 5,
        max_iter: int = 500,
        tol: float = 1e-8,
        max_samples: int = 300_000,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.reg = reg
        self.kernel = kernel
        self.standardize = standardize
        self.whiten = whiten
        self.n_components = n_components
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.max_samples = max_samples
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose width and ridge and find the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of divergences.

        Returns
        -------
        self : KernelSoftmaxLDL
        """
        X, D = check_fit_data(self, X, y)
        self._check_size(len(X))
        weights = checked_weights(sample_weight, X)
        self._choose_kernel(X, D, weights)
        moved = Front(self.mean_, self.axes_).apply(X)
        Z, size, mean, back = feature_map(
            moved, weights, self.gamma_, self.kernel, self.X_fit_
        )
        problem = SoftmaxPath(Z, size, D, weights)
        splits = folds(self.cv, X, D, weights)
        choice = problem.choose(self.reg, splits, self.max_iter)
        self.reg_, self.regs_, self.cv_losses_ = choice
        solution = problem.solve(
            np.arange(len(D)), self.reg_, max_iter=self.max_iter, tol=self.tol
        )
        self.dual_coef_ = back @ solution.x[:-1]
        self.intercept_ = solution.x[-1] - mean @ solution.x[:-1]
        self.objective_ = solution.value
        self.n_iter_ = max(1, solution.n_iter)
        if not solution.converged:
            warn_unfinished(self, solution)
        return self

    def _check_size(self, n_samples: int) -> None:
        if n_samples > self.max_samples:
            gigabytes = 24e-9 * n_samples * self.n_components
            raise ValueError(
                f"KernelSoftmaxLDL keeps n_samples x n_components numbers, about "
                f"{gigabytes:.1f} GB for n_samples={n_samples}, which is more than "
                f"max_samples={self.max_samples} allows. Raise max_samples if there is "
                "memory, or use KernelRidgeLDL, which works in blocks."
            )

    def _choose_kernel(self, X: FloatArray, D: FloatArray, weights: FloatArray) -> None:
        ridge = KernelRidgeLDL(
            self.gamma,
            link="clr",
            kernel=self.kernel,
            standardize=self.standardize,
            whiten=self.whiten,
            n_components=self.n_components,
            random_state=self.random_state,
        ).fit(X, D, sample_weight=weights)
        self.gamma_, self.whiten_ = ridge.gamma_, ridge.whiten_
        self.mean_, self.axes_, self.X_fit_ = ridge.mean_, ridge.axes_, ridge.X_fit_

    def predict(self, X: Any) -> FloatArray:
        """Take the softmax of the scores.

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
        X = Front(self.mean_, self.axes_).apply(X)
        P = np.empty((len(X), len(self.classes_)))
        for rows in gen_batches(len(X), _BATCH):
            K = kernel_values(X[rows], self.X_fit_, self.gamma_, self.kernel)
            P[rows] = softmax(K @ self.dual_coef_ + self.intercept_, axis=1)
        return P
