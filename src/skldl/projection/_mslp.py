"""MSLP: label embedding by multi-scale locality preservation."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin, LinearProjectionMixin
from skldl.blocks import as_blocks, is_blocked
from skldl.graphs import NeighborIndex, neighbor_graph, neighbor_mean
from skldl.linalg import generalized_eigh, require_products, row_slices
from skldl.projection._components import (
    N_COMPONENTS,
    REG_MODE,
    is_share,
    resolve_components,
)
from skldl.projection._mslp_graphs import (
    Pencil,
    check_enough,
    check_scales,
    find_scales,
    mslp_pencil,
    resolve_decoder,
    resolve_label_distance,
)
from skldl.projection._mslp_path import AXES, mslp_settings_path
from skldl.validation import check_fit_data, weighted_rows

# at its best size
_PAPER_GRID = {
    "n_components": [0.1],
    "n_neighbors": [5, 10],
    "neighborhood_factor": [5, 10],
    "attraction_weight": [0.0, 0.1, 0.5],
    "reg": [0.0, 0.01, 0.1],
    "n_decoder_neighbors": [5, 10, 15],
    "reg_mode": ["absolute"],
}

# relative ridges, for features of any scale
_GRID = {
    "n_components": [0.1],
    "n_neighbors": [5, 10],
    "neighborhood_factor": [5, 10],
    "attraction_weight": [0.0, 0.1, 0.5],
    "reg": [0.01, 0.1, 1.0, 10.0, 100.0],
}


class MSLP(LinearProjectionMixin, DistributionPredictorMixin, BaseEstimator):
    r"""Project features so that neighbours with similar labels stay close.

    .. math:: \min_V \operatorname{tr}(V^T (X^T M X + \lambda I) V)
       \quad\text{s.t.}\quad V^T X^T G^+ X V = I,
       \qquad M = \beta M^+ - (1 - \beta) M^-,

    with :math:`M^+ = G^+ - W^+` the Laplacian of a graph that links each sample to the
    members of its feature neighbourhood whose distributions are nearest, weighted
    :math:`W^+_{ij} = \exp(-\gamma\, \mathrm{dist}(d_i, d_j))`, and :math:`M^-` the
    Laplacian of a graph that links it to members which are near in the features and
    far in the labels. The columns of V are the eigenvectors of the l smallest
    eigenvalues of :math:`(X^T M X + \lambda I) v = \eta X^T G^+ X v`. A prediction is
    the mean distribution of the nearest training embeddings.

    Parameters
    ----------
    n_components : int or float, default=0.1
        Size l of the embedding; a float is the share u of the features.
    n_neighbors : int, default=5
        Label neighbours of each sample, :math:`k^+`.
    n_hetero_neighbors : int or None, default=None
        How many nearest and farthest members may be hetero-neighbours, :math:`k^-`;
        None takes ``n_neighbors``, 0 switches the second graph off.
    neighborhood_factor : int, default=5
        The feature neighbourhood has ``neighborhood_factor * n_neighbors`` members,
        :math:`\alpha` times as many as label neighbours.
    attraction_weight : float, default=0.1
        Weight :math:`\beta` of attraction against repulsion, in [0, 1].
    reg : float, default=1.0
        Ridge :math:`\lambda`. The published grid is 0, 0.01 and 0.1, absolute.
    reg_mode : {"absolute", "relative"}, default="relative"
        ``"relative"`` multiplies ``reg`` by the mean of the diagonal of the matrix on
        the right, :math:`\operatorname{tr}(X^T G^+ X)/d`, so that it means the same
        after scaling the features. The paper's values are absolute and suit its raw
        features only.
    center : bool, default=False
        Whether to subtract the :math:`G^+`-weighted mean first.
    n_decoder_neighbors : int or "auto", default="auto"
        Training embeddings that a prediction averages, k. ``"auto"`` takes the number
        that predicts left-out training samples best in the embedding of all, as in
        :class:`skldl.ldl.AAkNN`. The published grid is 5, 10 and 15.
    label_distance : str or callable, default="sqeuclidean"
        Distance between distributions: ``"sqeuclidean"``, any distribution metric of
        ``skldl.metrics`` by name, or a function of two matrices that gives one value
        per pair of rows.
    gamma : float or "mean", default="mean"
        Factor :math:`\gamma` of the label distances in the weights; "mean" is one over
        the mean label distance of linked pairs, the paper's :math:`1/\sigma`. Here
        gamma multiplies the label distance itself, which is squared by default.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Rows are the columns of V.
    eigenvalues_ : ndarray of shape (n_components,)
        Ascending; negative ones are the most wanted.
    embedding_ : ndarray of shape (n_samples, n_components)
        Training embedding.
    n_decoder_neighbors_ : int
        Number of embeddings that a prediction averages.
    gamma_ : float
        Factor of the label distances in the weights; 1 if all of them are 0.
    n_hetero_pairs_ : int
        Number of linked hetero pairs.
    recall_ : float
        Share of true neighbours that the search found; 1 for an exact one.
    mean_ : ndarray of shape (n_features,) or None
        What is subtracted from X.
    distributions_ : ndarray of shape (n_samples, n_labels)
        Training distributions.
    sample_weight_ : ndarray of shape (n_samples,) or None
        Weights of the training samples.
    index_ : NeighborIndex
        The training embedding, indexed for the decoder.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    skldl.model_selection.PathSearchCV : Its parameters by cross-validation.
    mslp_path : Predictions of a grid on one split.
    LPP : The unsupervised method that MSLP with one scale and one graph becomes.

    Notes
    -----
    Samples are rows here; the paper's :math:`D^+` is called :math:`G^+`. The problem is
    solved in the range of :math:`X^T G^+ X`, so more features than samples, constant
    and repeated columns are fine; directions outside carry no training information.
    A neighbourhood larger than the data is clipped with one warning. With
    ``attraction_weight=0, reg=0`` there may be fewer repelled directions than
    components; the rest is arbitrary, and a warning says so. An asymmetric
    ``label_distance`` is averaged over both directions for the weights.

    With ``sample_weight`` the weight of a link in both graphs is multiplied by
    :math:`\sqrt{s_i s_j}`, so a sample that counts for nothing has no links, and a
    factor on all weights acts like a smaller absolute ridge. Which samples are linked,
    and the mean label distance, do not depend on the weights.

    The defaults of ``reg``, ``reg_mode`` and ``n_decoder_neighbors`` were chosen by
    divergence on folds inside training parts of the data sets, with standardised
    features: ``python bench/defaults.py`` has the table. With the smallest values of
    the published grid, ``reg=0.01, reg_mode="absolute", n_decoder_neighbors=5``, MSLP
    is worse than the mean distribution on all of them.

    References
    ----------
    .. [1] C.-L. Peng, A. Tao, X. Geng, "Label Embedding Based on Multi-Scale Locality
       Preservation", International Joint Conference on Artificial Intelligence, 2018.

    Examples
    --------
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.projection import MSLP
    >>> X, D = make_toy_ldl(300, random_state=0)
    >>> model = MSLP(n_components=2).fit(X, D)
    >>> model.transform(X).shape, model.predict(X[:1]).shape
    ((300, 2), (1, 3))

    Narrower weights than the mean label distance gives, the paper's sigma halved:

    >>> narrow = MSLP(n_components=2, gamma=2 * model.gamma_).fit(X, D)
    >>> narrow.gamma_ / model.gamma_
    2.0
    """

    _parameter_constraints: dict = {
        "n_components": N_COMPONENTS,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_hetero_neighbors": [Interval(Integral, 0, None, closed="left"), None],
        "neighborhood_factor": [Interval(Integral, 1, None, closed="left")],
        "attraction_weight": [Interval(Real, 0, 1, closed="both")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "reg_mode": REG_MODE,
        "center": ["boolean"],
        "n_decoder_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "label_distance": [str, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"mean"})],
        "engine": [
            StrOptions({"auto", "exact", "pynndescent"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "n_jobs": [Integral, None],
    }

    _grids: dict = {"default": _GRID, "published": _PAPER_GRID}

    def __init__(
        self,
        n_components: int | float = 0.1,
        *,
        n_neighbors: int = 5,
        n_hetero_neighbors: int | None = None,
        neighborhood_factor: int = 5,
        attraction_weight: float = 0.1,
        reg: float = 1.0,
        reg_mode: str = "relative",
        center: bool = False,
        n_decoder_neighbors: int | Literal["auto"] = "auto",
        label_distance: str | Callable = "sqeuclidean",
        gamma: float | Literal["mean"] = "mean",
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_hetero_neighbors = n_hetero_neighbors
        self.neighborhood_factor = neighborhood_factor
        self.attraction_weight = attraction_weight
        self.reg = reg
        self.reg_mode = reg_mode
        self.center = center
        self.n_decoder_neighbors = n_decoder_neighbors
        self.label_distance = label_distance
        self.gamma = gamma
        self.engine = engine
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Build the two graphs, solve for the projection, index the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), Blocks or Dask collection
            Training samples. The neighbour search needs all rows, which are kept in
            the precision given; products are made of a block at a time.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D; a vector of classes counts as one-hot rows.
            Blocks carry their own.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples: that of a neighbour multiplies its share in a
            prediction, and a link of two samples counts the geometric mean of theirs.
            Samples of weight 0 are left out. Not for data in blocks.

        Returns
        -------
        self : MSLP
        """
        if is_blocked(X) and sample_weight is not None:
            raise ValueError("sample_weight cannot be used with data in blocks.")
        X, D = self._check_samples(X, y)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        check_enough(len(X), self.n_decoder_neighbors)
        k, h, a, note = check_scales(
            len(X),
            self.n_neighbors,
            self.n_hetero_neighbors,
            self.neighborhood_factor,
        )
        if note:
            warnings.warn(note, UserWarning, stacklevel=caller_level())
        require_products(*X.shape)
        distance = resolve_label_distance(self.label_distance)
        graph = neighbor_graph(X, a, engine=self.engine, n_jobs=self.n_jobs)
        self.recall_ = graph.recall
        scales = find_scales(graph, D, k, h, distance)
        pencil = mslp_pencil(
            X,
            D,
            scales,
            distance,
            gamma=self.gamma,
            center=self.center,
            sample_weight=sample_weight,
        )
        self._solve(pencil, X.shape[1])
        self.distributions_ = D
        self.sample_weight_ = sample_weight
        slices = row_slices(*X.shape)
        self.embedding_ = np.concatenate([self._project(X[rows]) for rows in slices])
        index = NeighborIndex(self.engine, n_jobs=self.n_jobs)
        self.index_ = index.fit(self.embedding_)
        self.n_decoder_neighbors_ = resolve_decoder(
            self.n_decoder_neighbors, self.index_, D, sample_weight
        )
        return self

    def _check_samples(self, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
        if not is_blocked(X):
            return check_fit_data(self, X, y, accept_classes=True, keep_float32=True)
        blocks = as_blocks(X, y)
        X, y = blocks.gather()
        X, D = check_fit_data(self, X, y, accept_classes=True, keep_float32=True)
        blocks.describe(self)
        return X, D

    def _solve(self, pencil: Pencil, n_features: int) -> None:
        ridge = pencil.ridge(self.reg, self.reg_mode)
        size = resolve_components(self.n_components, n_features)
        if self.attraction_weight == 0 and ridge == 0 and pencil.n_hetero_rank < size:
            warnings.warn(
                f"With attraction_weight=0 and reg=0 only {pencil.n_hetero_rank} "
                f"directions are determined by hetero-neighbours, but {size} are "
                "wanted; the others are arbitrary. Use a positive reg.",
                UserWarning,
                stacklevel=caller_level(),
            )
        self.eigenvalues_, vectors, _ = generalized_eigh(
            pencil.numerator(self.attraction_weight, ridge),
            pencil.scatter,
            size,
            largest=False,
            clip=is_share(self.n_components),
        )
        self.components_ = pencil.space.directions(vectors).T
        self.mean_ = pencil.mean
        self.gamma_ = pencil.gamma
        self.n_hetero_pairs_ = pencil.n_hetero_pairs

    def predict(self, X: Any) -> FloatArray:
        """Average the distributions of the nearest training embeddings.

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
        found = self.index_.query(
            self._project(self._check(X)), self.n_decoder_neighbors_
        )
        weights = None
        if self.sample_weight_ is not None:
            weights = self.sample_weight_[found.indices]
            weights /= weights.sum(axis=1, keepdims=True)
        return neighbor_mean(self.distributions_, found.indices, weights)

    _path_axes = AXES

    def _path(self, X: Any, D: FloatArray, X_test: Any, settings: Any) -> Any:
        X, X_test = (np.asarray(rows, dtype=np.float64) for rows in (X, X_test))
        return mslp_settings_path(X, D, X_test, settings, self)
