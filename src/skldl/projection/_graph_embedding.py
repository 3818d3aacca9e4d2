"""Graph embedding by distances between label sets."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_array

from skldl._sklearn import StrOptions, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import LinearProjectionMixin
from skldl.blocks import Blocks, as_blocks, is_blocked, survey_target
from skldl.graphs import label_correlation, share_correlation
from skldl.linalg import Center, RowSpace, generalized_eigh
from skldl.projection._block_products import (
    Form,
    form_is_constant,
    form_product,
    grouped_blocks,
    moments,
)
from skldl.projection._components import N_COMPONENTS, check_size, is_share
from skldl.projection._graph_embedding_labels import (
    bilinear_product,
    check_constraint,
    dense_product,
    euclidean,
    grouped_product,
)
from skldl.validation import (
    check_features,
    check_indicator,
    check_target,
    is_single_indicator,
    label_names,
)

_NAMES = {
    "generalized_hamming",
    "hamming",
    "euclidean_y",
    "sqeuclidean_y",
    "euclidean_x",
    "sqeuclidean_x",
}
# kinds of the forms s_i + s_j - 2 y_i'y_j
_FORMS = {"hamming": "counts", "sqeuclidean_y": "squares", "sqeuclidean_x": "features"}
_SAME_LABELS = (
    "All samples have the same labels, so there is nothing to push apart; "
    "GraphEmbedding needs at least two different label sets or classes."
)


class GraphEmbedding(LinearProjectionMixin, BaseEstimator):
    r"""Project so that samples with different label sets are far apart.

    .. math:: \max_{W^T B W = I} \sum_{ij} A_{ij} \lVert W^T (x_i - x_j) \rVert^2
       = 2 \operatorname{tr}(W^T X^T L X W), \qquad L = \mathrm{diag}(A 1) - A,

    where :math:`A_{ij}` is a distance between the label sets of two samples. The
    generalised Hamming distance of :func:`skldl.graphs.generalized_hamming` takes
    correlations of labels into account: :math:`A_{ij} = |y_i| + |y_j| - y_i^T (I + F)
    y_j`.

    Parameters
    ----------
    n_components : int or float, default=2
        Size p of the embedding; a float is a share of the features.
    label_distance : str, callable or array, default="generalized_hamming"
        ``"generalized_hamming"``; ``"hamming"``; ``"euclidean_y"`` and
        ``"sqeuclidean_y"`` between label rows, the latter of which equals
        ``"hamming"`` for 0/1 labels; ``"euclidean_x"`` and ``"sqeuclidean_x"`` between
        samples. A function of two label matrices that gives the distances of all pairs
        of rows, symmetric; it is asked for blocks of the different label sets. Or a
        symmetric matrix of shape (n_samples, n_samples).
    constraint : {"scatter"}, array or None, default=None
        B: the identity; with ``"scatter"`` the scatter :math:`X_c^T X_c`, under which
        the embedding has unit scatter, as in discriminant analysis; or any symmetric
        matrix of shape (n_features, n_features) without negative eigenvalues.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Rows are the columns of W.
    eigenvalues_ : ndarray of shape (n_components,)
        Descending. What is not positive separates nothing, and a warning says so.
    mean_ : ndarray of shape (n_features,)
        What is subtracted from X.
    label_correlation_ : ndarray of shape (n_labels, n_labels) or None
        F, for the generalised Hamming distance.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    skldl.graphs.label_correlation : F as a function.
    skldl.plotting.plot_label_correlation : F as a picture.
    CCA : Directions that correlate with the labels.

    Notes
    -----
    Samples are rows here. No matrix of samples by samples is made: for the (squared or
    generalised) distances that are bilinear, :math:`X^T L X = X_c^T \mathrm{diag}(
    \delta) X_c + C K C^T` with :math:`C = X_c^T Y` costs time linear in the number of
    samples; any other distance of labels works on groups of equal label sets.
    ``"euclidean_x"`` has no such form and takes time quadratic in the number of
    samples, in blocks.

    The poster prints the squared distance of labels as a rival of the Hamming distance,
    which for 0/1 labels are the same; its different numbers suggest that the root was
    used, so both are here. The generalised distance may be negative and L indefinite;
    eigenvalues are ordered by value. Distributions and classes are allowed as a target:
    their rows enter the same formulas.

    Its label part is often small beside the weighted scatter, and the embedding then
    lies close to principal components.

    References
    ----------
    .. [1] H. Zhang, M. Gabbouj, "Feature Dimensionality Reduction with Graph Embedding
       and Generalized Hamming Distance", poster, Tampere University of Technology,
       undated.
    .. [2] S. Yan, D. Xu, B. Zhang, H.-J. Zhang, Q. Yang, S. Lin, "Graph Embedding and
       Extensions: A General Framework for Dimensionality Reduction", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 29(1), 2007.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from skldl.projection import GraphEmbedding
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> GraphEmbedding(3).fit(X, Y).transform(X).shape
    (100, 3)

    Known methods are special cases. With equal weights for all pairs the directions are
    principal components, and with the scatter within the classes as a constraint those
    of linear discriminant analysis:

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> equal = np.full((len(X), len(X)), 1 / len(X))
    >>> pca = GraphEmbedding(2, label_distance=equal).fit(X, y)
    >>> round(float(pca.transform(X).var(axis=0).sum()), 2)
    4.44
    >>> within = sum(np.cov(X[y == c].T, bias=True) * (y == c).sum() for c in range(3))
    >>> lda = GraphEmbedding(2, label_distance=equal, constraint=within).fit(X, y)
    >>> lda.eigenvalues_.round(2)  # scatter in all over that within the classes
    array([33.19,  1.29])
    """

    _parameter_constraints: dict = {
        "n_components": N_COMPONENTS,
        "label_distance": [StrOptions(_NAMES), callable, "array-like"],
        "constraint": [StrOptions({"scatter"}), "array-like", None],
    }
    _grids: dict = {"default": {"n_components": [1, 2, 4, 8, 16]}}

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        label_distance: str | Callable | FloatArray = "generalized_hamming",
        constraint: str | FloatArray | None = None,
    ) -> None:
        self.n_components = n_components
        self.label_distance = label_distance
        self.constraint = constraint

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), Blocks or Dask collection
            Training samples. Of blocks only one is in memory at a time.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or vector
            Label indicators; also distributions or classes. Blocks carry their own.

        Returns
        -------
        self : GraphEmbedding
        """
        if is_blocked(X):
            return self._fit_blocks(as_blocks(X, y))
        X = check_features(
            self, X, dtype=(np.float64, np.float32), ensure_min_samples=2
        )
        Y = self._check_labels(y)
        check_consistent_length(X, Y)
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        center = Center.of(self.mean_, X.min(axis=0), X.max(axis=0), len(X))
        unit = center.reach or 1.0  # keeps products in range
        moved = center.apply(X)
        moved /= unit
        # a matrix of the user's is about all features, so it needs all of them
        given = not (self._scatter or self.constraint is None)
        space = RowSpace(moved) if given else RowSpace.of(moved)
        Z = space.coordinates
        scatter = Z.T @ Z if self._scatter else None
        return self._fit_products(self._product(Z, Y), scatter, unit, space)

    def _fit_blocks(self, blocks: Blocks) -> Self:
        kind = self.label_distance
        if kind == "euclidean_x" or not (isinstance(kind, str) or callable(kind)):
            raise ValueError(
                "This label_distance needs all pairs of samples, so it cannot be "
                "fitted block by block; use another, such as 'sqeuclidean_x'."
            )
        target = survey_target(blocks)
        center = moments(blocks).center
        blocks.describe(self)
        self.mean_, self.classes_ = center.mean, target.classes
        self.label_correlation_: FloatArray | None = None
        unit = center.reach or 1.0
        A, scatter = self._block_products(blocks, Form(center, unit, target, "counts"))
        return self._fit_products(A, scatter if self._scatter else None, unit)

    def _block_products(
        self, blocks: Blocks, form: Form
    ) -> tuple[FloatArray, FloatArray]:
        """X'LX and X'X, centred and scaled, by sums over blocks."""
        kind = self.label_distance
        if callable(kind):
            return grouped_blocks(blocks, form, kind)
        if not self._distance_of_x and form_is_constant(blocks, form):
            raise ValueError(_SAME_LABELS)
        if kind == "euclidean_y":
            return grouped_blocks(blocks, form, euclidean)
        if kind == "generalized_hamming":
            return form_product(blocks, form, self._correlate)
        form = replace(form, kind=_FORMS[str(kind)])
        return form_product(blocks, form, lambda mean, _: 2.0 * np.eye(len(mean)))

    def _correlate(self, share: FloatArray, both: FloatArray) -> FloatArray:
        self.label_correlation_ = F = share_correlation(share, both)
        return np.eye(len(share)) + F

    @property
    def _scatter(self) -> bool:
        return isinstance(self.constraint, str)

    def _fit_products(
        self,
        A: FloatArray,
        scatter: FloatArray | None,
        unit: float,
        space: RowSpace | None = None,
    ) -> Self:
        """Solve, given the products of centred features divided by ``unit``."""
        size = check_size(self.n_components, self.n_features_in_)
        B = scatter if self._scatter else check_constraint(self.constraint, len(A))
        values, vectors, _ = generalized_eigh(
            A, B, size, largest=True, clip=is_share(self.n_components)
        )
        vectors = vectors if space is None else space.directions(vectors)
        power = 0 if self._scatter else 2
        if self._distance_of_x:
            power += 2 if "sq" in str(self.label_distance) else 1
        self.eigenvalues_ = values
        for _ in range(power):  # one by one, so that 0 stays 0
            with np.errstate(over="ignore"):
                self.eigenvalues_ = self.eigenvalues_ * np.float64(unit)
        self.components_ = vectors.T / (unit if self._scatter else 1.0)
        useless = int((values <= 0).sum())
        if useless:
            warnings.warn(
                f"{useless} of {len(values)} directions do not push different label "
                "sets apart (their eigenvalues are not positive). Lower n_components.",
                UserWarning,
                stacklevel=caller_level(),
            )
        return self

    @property
    def _distance_of_x(self) -> bool:
        return isinstance(self.label_distance, str) and self.label_distance.endswith(
            "_x"
        )

    def _check_labels(self, y: Any) -> Any:
        if sp.issparse(y) or is_single_indicator(y):
            Y = check_indicator(y, name="y", accept_sparse=True)
            self.classes_ = label_names(y, Y.shape[1])
        else:
            target = check_target(y)
            Y, self.classes_ = target.matrix, target.classes
        needs_labels = isinstance(self.label_distance, str) and not self._distance_of_x
        if needs_labels and _all_rows_equal(Y):
            raise ValueError(_SAME_LABELS)
        return Y

    def _product(self, X: FloatArray, Y: Any) -> FloatArray:
        """X'LX of the chosen distance."""
        self.label_correlation_ = None
        kind = self.label_distance
        if not isinstance(kind, str):
            if callable(kind):
                return grouped_product(X, _dense(Y), kind)
            return dense_product(X, self._check_matrix(kind, len(X)))
        if kind == "euclidean_y":
            return grouped_product(X, _dense(Y), euclidean)
        if kind == "euclidean_x":
            return grouped_product(X, X, euclidean)
        if kind == "sqeuclidean_x":
            return bilinear_product(X, X, 2.0, np.einsum("ij,ij->i", X, X))
        if kind == "sqeuclidean_y":
            squared = np.asarray((Y * Y if not sp.issparse(Y) else Y).sum(axis=1))
            return bilinear_product(X, Y, 2.0, squared.ravel())
        counts = np.asarray(Y.sum(axis=1)).ravel()
        if kind == "hamming":
            return bilinear_product(X, Y, 2.0, counts)
        self.label_correlation_ = F = label_correlation(Y)
        K = np.eye(Y.shape[1]) + F
        return bilinear_product(X, Y, K, counts)

    @staticmethod
    def _check_matrix(A: Any, n_samples: int) -> FloatArray:
        try:
            A = check_array(A, dtype=np.float64, input_name="label_distance")
        except (TypeError, ValueError) as error:
            raise ValueError(
                "label_distance must be a name, a function of two label matrices, or a "
                f"matrix of distances between all samples: {error}"
            ) from None
        if A.shape != (n_samples, n_samples):
            raise ValueError(
                f"label_distance has the shape {A.shape}; a matrix of distances needs "
                f"({n_samples}, {n_samples}), the number of samples. Under "
                "cross-validation use a function in its place."
            )
        if not np.allclose(A, A.T):
            raise ValueError("label_distance is not symmetric; distances must be.")
        return A


def _all_rows_equal(Y: Any) -> bool:
    shares = np.asarray(Y.mean(axis=0)).ravel()
    first = _dense(Y[[0]]).ravel()
    return bool(np.allclose(shares, first) and np.isin(shares, (0, 1)).all()) or (
        not sp.issparse(Y) and bool((Y[:1] == Y).all())
    )


def _dense(Y: Any) -> FloatArray:
    return Y.toarray() if sp.issparse(Y) else Y
