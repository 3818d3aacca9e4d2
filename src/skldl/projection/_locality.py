"""Unsupervised locality-preserving projections: LPP and NPE."""

from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_array

from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl.blocks import as_blocks, is_blocked
from skldl.graphs import (
    NeighborGraph,
    barycenter_weights,
    degrees,
    heat_weights,
    neighbor_graph,
)
from skldl.linalg import (
    Center,
    graph_products,
    neighbor_sums,
    require_products,
    row_slices,
    weighted_mean,
)
from skldl.projection._components import narrowed
from skldl.projection._spectral import SpectralProjectionMixin
from skldl.validation import check_features

_CONSTRAINTS: dict = {
    **SpectralProjectionMixin._spectral_constraints,
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "engine": [
        StrOptions({"auto", "exact", "pynndescent"}),
        HasMethods(["fit", "kneighbors"]),
    ],
    "n_jobs": [Integral, None],
}


class _Locality(SpectralProjectionMixin, BaseEstimator):
    """What LPP and NPE share: no target, a neighbour graph of the samples."""

    n_neighbors: int
    engine: Any
    n_jobs: int | None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the graph and solve for the projection.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), Blocks or Dask collection
            Training samples. The neighbour search needs all rows, which are kept in
            the precision given; products are made of a block at a time.
        y : ignored
            For scikit-learn's signature.

        Returns
        -------
        self : object
        """
        if is_blocked(X):
            blocks = as_blocks(X)
            X = blocks.gather()[0]
            blocks.describe(self)
            X = check_array(X, dtype=self._dtypes)
        else:
            X = check_features(self, X, dtype=self._dtypes)
        if self.n_neighbors >= len(X):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must be less than n_samples={len(X)}."
            )
        require_products(*X.shape)
        graph = neighbor_graph(
            X, self.n_neighbors, engine=self.engine, n_jobs=self.n_jobs
        )
        self.recall_ = graph.recall
        self._fit_graph(X, self._map_fit(X), graph)
        return self

    @property
    def _dtypes(self) -> Any:
        """Single precision may stay, but not under a kernel."""
        return (np.float64, np.float32) if self.kernel is None else np.float64

    def _fit_graph(self, X: FloatArray, Z: FloatArray, graph: NeighborGraph) -> None:
        raise NotImplementedError


class LPP(_Locality):
    r"""Locality preserving projections.

    .. math:: \min_V \sum_{ij} W_{ij} \|V^T x_i - V^T x_j\|^2
       \quad\text{s.t.}\quad V^T X^T G X V = I,

    with :math:`W_{ij} = \exp(-\gamma \|x_i - x_j\|^2)` for neighbours and G their
    degrees. The directions are eigenvectors of the smallest eigenvalues of :math:`X^T L
    X v = \eta X^T G X v`.

    Parameters
    ----------
    n_components : int or float, default=2
        Size of the embedding; a float is a share of the features.
    n_neighbors : int, default=5
        Neighbours of each sample.
    gamma : float or "mean_squared", default="mean_squared"
        :math:`\gamma` of the heat kernel; "mean_squared" is one over the mean squared
        distance of linked pairs.
    embedding : {"plain", "unit"}, default="plain"
        Length of the directions: ``"plain"`` leaves :math:`V^T X^T G X V = I`,
        ``"unit"`` divides each direction by its Euclidean length.
    center : bool, default=True
        Whether to subtract the G-weighted mean; without it a nearly constant direction
        may come first.
    reg : float or None, default=None
        Ridge on the matrix on the right; None is 0, or a relative 1e-3 with a kernel,
        without which a kernel would not generalise.
    reg_mode : {"relative", "absolute"}, default="relative"
        ``"relative"`` multiplies ``reg`` by the mean of the diagonal of that matrix, so
        that it means the same after scaling the features.
    kernel : {"rbf"} or None, default=None
        Whether to work on the features of a kernel.
    kernel_gamma : float or "mean", default="mean"
        :math:`g` of the kernel :math:`\exp(-g \|x - x'\|^2)`; "mean" is
        :math:`1/2m^2` with m the mean distance of two samples.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions, as rows; on kernel features if there is a kernel.
    eigenvalues_ : ndarray of shape (n_components,)
        Ascending.
    mean_ : ndarray or None
        What is subtracted.
    kernel_map_ : KernelPCA or None
        The kernel's features.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    NPE : Preserves how neighbours rebuild each sample.
    MSLP : Chooses neighbours by their labels.

    Notes
    -----
    Components are orthonormal with respect to :math:`X^T G X`. Some papers scale them
    to unit length, ``embedding="unit"``, and get other distances and other neighbours.

    References
    ----------
    .. [1] X. He, P. Niyogi, "Locality Preserving Projections", Advances in Neural
       Information Processing Systems 16, 2003.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.ldl import AAkNN
    >>> from skldl.projection import LPP
    >>> X, D = make_toy_ldl(200, random_state=0)
    >>> make_pipeline(LPP(2), AAkNN()).fit(X, D).predict(X).shape
    (200, 3)

    Directions of unit length, as in many published comparisons:

    >>> unit = LPP(2, embedding="unit").fit(X)
    >>> (unit.components_**2).sum(axis=1).round(6)
    array([1., 1.])
    """

    _parameter_constraints: dict = {
        **_CONSTRAINTS,
        "gamma": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"mean_squared"}),
        ],
        "embedding": [StrOptions({"plain", "unit"})],
        "center": ["boolean"],
    }
    _grids: dict = {
        "default": {"n_components": [0.1, 0.3, 0.5], "n_neighbors": [5, 10, 15]}
    }

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        n_neighbors: int = 5,
        gamma: float | Literal["mean_squared"] = "mean_squared",
        embedding: Literal["plain", "unit"] = "plain",
        center: bool = True,
        reg: float | None = None,
        reg_mode: str = "relative",
        kernel: str | None = None,
        kernel_gamma: float | Literal["mean"] = "mean",
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.embedding = embedding
        self.center = center
        self.reg = reg
        self.reg_mode = reg_mode
        self.kernel = kernel
        self.kernel_gamma = kernel_gamma
        self.engine = engine
        self.n_jobs = n_jobs

    def _fit_graph(self, X: FloatArray, Z: FloatArray, graph: NeighborGraph) -> None:
        W = heat_weights(graph, gamma=self.gamma)
        g = degrees(W)
        self.mean_ = weighted_mean(Z, g) if self.center else None
        space, Z, center = narrowed(Z, _center_of(Z, self.mean_))
        scatter, linked = graph_products(Z, W, g, center)
        self._solve(scatter - linked, scatter, space, largest=False)
        if self.embedding == "unit":
            lengths = np.linalg.norm(self.components_, axis=1, keepdims=True)
            self.components_ /= lengths


class NPE(_Locality):
    r"""Neighbourhood preserving embedding.

    .. math:: \min_V \|(I - S) X V\|_F^2 \quad\text{s.t.}\quad V^T X^T X V = I,

    with X centred. S has the weights with which the mean of its neighbours is closest
    to each sample.

    Parameters
    ----------
    n_components : int or float, default=2
        Size of the embedding; a float is a share of the features.
    n_neighbors : int, default=5
        Neighbours of each sample.
    barycenter_reg : float, default=1e-3
        Ridge of the barycentre weights, relative to the local trace.
    reg : float or None, default=None
        Ridge on the matrix on the right; None is 0, or a relative 1e-3 with a kernel.
    reg_mode : {"relative", "absolute"}, default="relative"
        ``"relative"`` multiplies ``reg`` by the mean of the diagonal of that matrix, so
        that it means the same after scaling the features.
    kernel : {"rbf"} or None, default=None
        Whether to work on the features of a kernel.
    kernel_gamma : float or "mean", default="mean"
        :math:`g` of the kernel :math:`\exp(-g \|x - x'\|^2)`; "mean" is
        :math:`1/2m^2` with m the mean distance of two samples.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions, as rows; on kernel features if there is a kernel.
    eigenvalues_ : ndarray of shape (n_components,)
        Ascending.
    mean_ : ndarray
        What is subtracted.
    kernel_map_ : KernelPCA or None
        The kernel's features.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    LPP : Preserves neighbourhoods by weights of distance.

    Notes
    -----
    The weights come from the samples, also with a kernel.

    References
    ----------
    .. [1] X. He, D. Cai, S. Yan, H.-J. Zhang, "Neighborhood Preserving Embedding",
       IEEE International Conference on Computer Vision, 2005.

    Examples
    --------
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.projection import NPE
    >>> X, D = make_toy_ldl(200, random_state=0)
    >>> NPE(2, kernel="rbf").fit_transform(X).shape
    (200, 2)
    """

    _parameter_constraints: dict = {
        **_CONSTRAINTS,
        "barycenter_reg": [Interval(Real, 0, None, closed="left")],
    }
    _grids: dict = {
        "default": {"n_components": [0.1, 0.3, 0.5], "n_neighbors": [5, 10, 15]}
    }

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        n_neighbors: int = 5,
        barycenter_reg: float = 1e-3,
        reg: float | None = None,
        reg_mode: str = "relative",
        kernel: str | None = None,
        kernel_gamma: float | Literal["mean"] = "mean",
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.barycenter_reg = barycenter_reg
        self.reg = reg
        self.reg_mode = reg_mode
        self.kernel = kernel
        self.kernel_gamma = kernel_gamma
        self.engine = engine
        self.n_jobs = n_jobs

    def _fit_graph(self, X: FloatArray, Z: FloatArray, graph: NeighborGraph) -> None:
        S = barycenter_weights(X, graph, reg=self.barycenter_reg)
        self.mean_ = Z.mean(axis=0, dtype=np.float64)
        space, Z, center = narrowed(Z, _center_of(Z, self.mean_))
        d = Z.shape[1]
        residual, scatter = np.zeros((d, d)), np.zeros((d, d))
        for rows in row_slices(*Z.shape):
            here = center.apply(Z[rows])
            scatter += here.T @ here
            here -= neighbor_sums(Z, S[rows], center)
            residual += here.T @ here
        self._solve(residual, scatter, space, largest=False)


def _center_of(Z: FloatArray, mean: FloatArray | None) -> Center:
    if mean is None:
        return Center()
    return Center.of(mean, Z.min(axis=0), Z.max(axis=0), len(Z))
