"""Canonical correlation with the labels, as a projection of the features."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length

from skldl._sklearn import fit_context
from skldl._typing import FloatArray
from skldl.blocks import Blocks, as_blocks, is_blocked, survey_target
from skldl.linalg import RowSpace, centered
from skldl.projection._block_products import correlation_products, label_part, moments
from skldl.projection._spectral import SpectralProjectionMixin
from skldl.validation import check_features, check_target


class CCA(SpectralProjectionMixin, BaseEstimator):
    r"""Directions of the features that correlate most with the labels.

    .. math:: X_c^T P X_c v = \rho^2 X_c^T X_c v, \qquad P = Y_c Y_c^+,

    where :math:`\rho^2` is as large as possible, and P is the projector on the centred
    labels.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, at most the rank of the centred labels; None takes that
        rank, or all features if there are fewer. A float is a share of the features.
    reg : float or None, default=None
        Ridge on the matrix on the right; None is 0, or a relative 1e-3 with a kernel,
        where correlations would all be 1 without it. With more features than samples
        use one, too.
    reg_mode : {"relative", "absolute"}, default="relative"
        ``"relative"`` multiplies ``reg`` by the mean of the diagonal of that matrix, so
        that it means the same after scaling the features.
    kernel : {"rbf"} or None, default=None
        Whether to work on the features of a kernel.
    kernel_gamma : float or "mean", default="mean"
        :math:`g` of the kernel :math:`\exp(-g \|x - x'\|^2)`; "mean" is
        :math:`1/2m^2` with m the mean distance of two samples.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions, as rows; on kernel features if there is a kernel.
    eigenvalues_ : ndarray of shape (n_components,)
        Squared canonical correlations, descending.
    mean_ : ndarray
        What is subtracted.
    kernel_map_ : KernelPCA or None
        The kernel's features.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    Notes
    -----
    The target may be classes, indicators or distributions. With classes the directions
    are those of linear discriminant analysis up to their length. scikit-learn's own
    ``CCA`` is iterative, scales the columns and may not converge when they are
    collinear; this one is an eigenproblem.

    References
    ----------
    .. [1] H. Hotelling, "Relations Between Two Sets of Variates", Biometrika 28(3/4),
       1936.
    .. [2] L. Sun, S. Ji, J. Ye, "Canonical Correlation Analysis for Multilabel
       Classification: A Least-Squares Formulation, Extensions, and Analysis", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 33(1), 2011.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.projection import CCA
    >>> X, D = make_ldl(100, n_labels=4, random_state=0)
    >>> CCA().fit(X, D).components_.shape
    (3, 20)
    """

    _parameter_constraints: dict = SpectralProjectionMixin._spectral_constraints
    _grids: dict = {"default": {"reg": [0.0, 0.01, 0.1, 1.0]}}

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        reg: float | None = None,
        reg_mode: str = "relative",
        kernel: str | None = None,
        kernel_gamma: float | Literal["mean"] = "mean",
    ) -> None:
        self.n_components = n_components
        self.reg = reg
        self.reg_mode = reg_mode
        self.kernel = kernel
        self.kernel_gamma = kernel_gamma

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), Blocks or Dask collection
            Training samples. Of blocks only one is in memory at a time.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, indicators or distributions. Blocks carry their own.

        Returns
        -------
        self : CCA
        """
        if is_blocked(X):
            return self._fit_blocks(as_blocks(X, y))
        target = check_target(y)
        X = check_features(self, X, dtype=np.float64, ensure_min_samples=2)
        check_consistent_length(X, target.matrix)
        labels = target.matrix - target.matrix.mean(axis=0)
        Z = self._map_fit(X)
        self.mean_ = Z.mean(axis=0)
        space = RowSpace.of(centered(Z, self.mean_))
        Z = space.coordinates
        triangle: Any = np.linalg.qr(labels, mode="r")
        part = label_part(Z.T @ labels, triangle)
        return self._fit_products(Z.T @ Z, *part, space)

    def _fit_blocks(self, blocks: Blocks) -> Self:
        if self.kernel is not None:
            raise ValueError(
                "A kernel needs all pairs of samples, so it cannot be fitted block by "
                "block; use kernel=None, or arrays."
            )
        self.kernel_map_ = None
        target = survey_target(blocks)
        center = moments(blocks).center
        blocks.describe(self)
        self.mean_ = center.mean
        return self._fit_products(*correlation_products(blocks, center, target))

    def _fit_products(
        self,
        scatter: FloatArray,
        shared: FloatArray,
        s: FloatArray,
        space: RowSpace | None = None,
    ) -> Self:
        """Solve, given Z'Z, and U'Z and s of the labels' decomposition U s V'."""
        if s[0] <= 1e-12:
            raise ValueError(
                "All samples have the same labels, so nothing correlates with them; "
                "CCA needs at least two classes or different distributions."
            )
        shared = shared[s > 1e-9 * s[0]]
        self._solve(shared.T @ shared, scatter, space, largest=True, most=len(shared))
        return self
