"""Local Fisher discriminant analysis."""

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length

from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray, IndexArray
from skldl.base import LinearProjectionMixin
from skldl.graphs import NeighborGraph, neighbor_graph
from skldl.linalg import RowSpace, centered, generalized_eigh
from skldl.projection._components import (
    N_COMPONENTS,
    REG_MODE,
    is_share,
    resolve_components,
    resolve_ridge,
)
from skldl.validation import Target, check_features, check_target

_CHUNK = 1 << 21  # affinities held at once

Search = Callable[[FloatArray, int], NeighborGraph]


class LFDA(LinearProjectionMixin, BaseEstimator):
    r"""Separate classes, and keep neighbours within each class close.

    .. math:: S^b v = \lambda S^w v, \qquad
       S = \tfrac12 \sum_{ij} W_{ij} (x_i - x_j)(x_i - x_j)^T,

    for the largest eigenvalues, with :math:`W^w_{ij} = A_{ij}/n_c` and :math:`W^b_{ij}
    = A_{ij} (1/n - 1/n_c)` for two samples of a class c, :math:`W^w_{ij} = 0` and
    :math:`W^b_{ij} = 1/n` for others, and :math:`A_{ij} = \exp(-\|x_i -
    x_j\|^2/\sigma_i \sigma_j)`.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions; None takes the number of classes less one. More are
        possible, unlike in LDA. A float is a share of the features.
    n_neighbors : int, default=7
        :math:`\sigma_i` is the distance to this neighbour within the class; in a class
        with fewer members, to the farthest.
    embedding : {"weighted", "plain", "orthonormal"}, default="weighted"
        Directions times the roots of their eigenvalues, as they are, or made
        orthonormal.
    reg : float, default=1e-6
        Ridge on :math:`S^w`, the matrix on the right.
    reg_mode : {"relative", "absolute"}, default="relative"
        ``"relative"`` multiplies ``reg`` by the mean of the diagonal of that matrix, so
        that it means the same after scaling the features.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions, as rows.
    eigenvalues_ : ndarray of shape (n_components,)
        Descending.
    mean_ : ndarray of shape (n_features,)
        What is subtracted.
    classes_ : ndarray of shape (n_classes,)
        Classes.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    CCA : With classes, the directions of linear discriminant analysis.

    Notes
    -----
    Affinities are made in chunks of rows within a class, and no matrix over all pairs
    of samples is made. If some :math:`\sigma` is 0, the affinity is. Of a distribution
    the largest label is the class.

    References
    ----------
    .. [1] M. Sugiyama, "Dimensionality Reduction of Multimodal Labeled Data by Local
       Fisher Discriminant Analysis", Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from skldl.projection import LFDA
    >>> X, y = load_wine(return_X_y=True)
    >>> LFDA().fit_transform(X, y).shape
    (178, 2)
    """

    _parameter_constraints: dict = {
        "n_components": [*N_COMPONENTS, None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "embedding": [StrOptions({"weighted", "plain", "orthonormal"})],
        "reg": [Interval(Real, 0, None, closed="left")],
        "reg_mode": REG_MODE,
        "engine": [
            StrOptions({"auto", "exact", "pynndescent"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "n_jobs": [Integral, None],
    }
    _grids: dict = {"default": {"n_neighbors": [3, 7, 15], "reg": [1e-6, 1e-3, 1e-1]}}

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        n_neighbors: int = 7,
        embedding: Literal["weighted", "plain", "orthonormal"] = "weighted",
        reg: float = 1e-6,
        reg_mode: str = "relative",
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.embedding = embedding
        self.reg = reg
        self.reg_mode = reg_mode
        self.engine = engine
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, one-hot rows or distributions.

        Returns
        -------
        self : LFDA
        """
        codes, target = _class_codes(y, "LFDA")
        X = check_features(self, X, dtype=np.float64, ensure_min_samples=2)
        check_consistent_length(X, codes)
        self.classes_ = target.classes
        if np.bincount(codes).max() < 2:
            raise ValueError(
                "Every class has a single sample, so nothing is local within a class; "
                "LFDA needs classes of at least two samples."
            )
        self.mean_ = X.mean(axis=0)
        search = partial(neighbor_graph, engine=self.engine, n_jobs=self.n_jobs)
        space = RowSpace.of(centered(X, self.mean_))
        within, between = local_scatter(
            space.coordinates, codes, self.n_neighbors, search
        )
        within.flat[:: len(within) + 1] += self._ridge(within, between)
        size = min(len(np.unique(codes)) - 1, X.shape[1])
        if self.n_components is not None:
            size = resolve_components(self.n_components, X.shape[1])
        self.eigenvalues_, vectors, _ = generalized_eigh(
            between, within, size, largest=True, clip=is_share(self.n_components)
        )
        self.components_ = self._scaled(space.directions(vectors)).T
        return self

    def _ridge(self, within: FloatArray, between: FloatArray) -> float:
        # classes of equal samples have no scatter within
        ridge = partial(resolve_ridge, self.reg, self.reg_mode)
        d = self.n_features_in_
        return max(ridge(within, d), 1e-9 * ridge(between, d))

    def _scaled(self, vectors: FloatArray) -> FloatArray:
        if self.embedding == "weighted":
            return vectors * np.sqrt(np.maximum(self.eigenvalues_, 0.0))
        if self.embedding == "orthonormal":
            Q, R = np.linalg.qr(vectors)
            return Q * np.where(np.diag(R) < 0, -1.0, 1.0)
        return vectors


def local_scatter(
    X: FloatArray,
    codes: IndexArray,
    n_neighbors: int,
    search: Search = neighbor_graph,
) -> tuple[FloatArray, FloatArray]:
    """Local scatter within classes and between them, of centred samples."""
    n, d = X.shape
    within, between = np.zeros((d, d)), np.zeros((d, d))
    for code in np.unique(codes):
        members = X[codes == code]
        share = len(members) / n
        local, total = class_scatter(members, n_neighbors, search), members.sum(axis=0)
        within += local / len(members)
        between += local / n + (1 - share) * (members.T @ members)
        between += np.outer(total, total) / n
    whole = X.sum(axis=0)
    between -= np.outer(whole, whole) / n + within
    return within, between


def class_scatter(
    members: FloatArray, n_neighbors: int, search: Search = neighbor_graph
) -> FloatArray:
    """X' (diag(A1) - A) X of one class, with its affinities A, in chunks."""
    n, d = members.shape
    scatter = np.zeros((d, d))
    if n < 2:
        return scatter
    graph = search(members, min(n_neighbors, n - 1))
    sigma = graph.distances[:, -1]
    step = max(1, _CHUNK // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        widths = np.outer(sigma[rows], sigma)
        squared = cdist(members[rows], members, "sqeuclidean")
        A = _affinities(squared, widths)
        degrees = A.sum(axis=1, keepdims=True)
        scatter += members[rows].T @ (degrees * members[rows] - A @ members)
    return (scatter + scatter.T) / 2


def _affinities(squared: FloatArray, widths: FloatArray) -> FloatArray:
    """exp(-squared / widths) in the place of the first; 0 where there is no width."""
    apart = None if widths.min() > 0 else widths > 0
    where = True if apart is None else apart
    ratio = np.divide(squared, widths, out=squared, where=where)
    A = np.exp(np.negative(ratio, out=ratio), out=ratio)
    if apart is not None:
        A[~apart] = 0.0
    return A


def _class_codes(y: Any, name: str) -> tuple[IndexArray, Target]:
    """Class numbers: classes as they are, of distributions the largest label."""
    target = check_target(y)
    if target.kind == "indicator" and (target.matrix.sum(axis=1) != 1).any():
        row = int((target.matrix.sum(axis=1) != 1).argmax())
        raise ValueError(
            f"{name} needs one class per sample, but row {row} of y has "
            f"{int(target.matrix[row].sum())} labels. Give classes, one-hot rows or "
            "distributions, whose largest label counts."
        )
    codes = target.matrix.argmax(axis=1)
    if (codes == codes[0]).all():
        raise ValueError(f"{name} needs two classes or more, but y has one class.")
    return codes, target
