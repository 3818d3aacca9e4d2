"""scikit-learn's kernel PCA with the width that the other kernel methods have."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from skldl._sklearn import fit_context
from skldl._threads import ThreadLimitMixin
from skldl._typing import FloatArray
from skldl.projection._components import N_COMPONENTS, resolve_components
from skldl.projection._spectral import SpectralProjectionMixin, fit_kernel_map


class RBFKernelPCA(
    ThreadLimitMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Principal components of an rbf kernel whose width is the mean distance.

    scikit-learn's ``KernelPCA`` with :math:`\exp(-\|x - x'\|^2/2s^2)`; only the choice
    of the width s, which depends on the training samples, is added.

    Parameters
    ----------
    n_components : int or float, default=2
        Number of components; a float is a share of the features.
    kernel_width : float or "mean", default="mean"
        Width s; "mean" is the mean distance between training samples.

    Attributes
    ----------
    kernel_map_ : KernelPCA
        The fitted kernel PCA.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    References
    ----------
    .. [1] B. Schölkopf, A. Smola, K.-R. Müller, "Nonlinear Component Analysis as a
       Kernel Eigenvalue Problem", Neural Computation 10(5), 1998.

    Examples
    --------
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.projection import RBFKernelPCA
    >>> X, _ = make_toy_ldl(100, random_state=0)
    >>> RBFKernelPCA(2).fit_transform(X).shape
    (100, 2)
    """

    _parameter_constraints: dict = {
        "n_components": N_COMPONENTS,
        "kernel_width": SpectralProjectionMixin._spectral_constraints["kernel_width"],
    }
    _search_grid: dict = {"n_components": [0.1, 0.3, 0.5]}

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        kernel_width: float | Literal["mean"] = "mean",
    ) -> None:
        self.n_components = n_components
        self.kernel_width = kernel_width

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : ignored
            For scikit-learn's signature.

        Returns
        -------
        self : RBFKernelPCA
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        size = resolve_components(self.n_components, X.shape[1])
        self.kernel_map_ = fit_kernel_map(X, self.kernel_width, min(size, len(X)))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Give the components of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.kernel_map_.transform(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.kernel_map_.eigenvalues_)
