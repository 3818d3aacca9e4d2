"""Search over MSLP's parameters that does no work twice."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skldl._search import axes_of, fit_best, grid_values, search_path
from skldl._sklearn import fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin, LinearProjectionMixin
from skldl.graphs import NeighborIndex, neighbor_graph, neighbor_mean
from skldl.linalg import generalized_eigh, range_whitening
from skldl.projection._components import resolve_components
from skldl.projection._mslp import MSLP, check_enough
from skldl.projection._mslp_graphs import (
    check_scales,
    find_scales,
    label_distance,
    make_pencil,
)
from skldl.validation import check_fit_data

_AXES = (
    "n_neighbors",
    "scale",
    "beta",
    "reg",
    "n_components",
    "decoder_neighbors",
)


def mslp_path(
    X: FloatArray,
    D: FloatArray,
    X_test: FloatArray,
    grid: Mapping[str, Sequence[Any]],
    base: MSLP,
) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Predictions of every setting of a grid, for one training and one test part.

    One neighbour search serves all; graphs and matrices are made once per
    (n_neighbors, scale); the scatter is whitened once for them; an eigenproblem is
    solved once per (beta, reg); sizes and decoders are slices. A size above the rank
    is cut to the rank; a decoder of more neighbours than samples is left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    X_test : ndarray of shape (n_test, n_features)
        Samples to predict.
    grid : dict of str to sequence
        Values of n_neighbors, scale, beta, reg, n_components, decoder_neighbors; what
        is missing is taken from ``base``.
    base : MSLP
        All other settings.

    Yields
    ------
    params : dict
        One setting.
    P : ndarray of shape (n_test, n_labels)
        Its predictions.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.projection import MSLP, mslp_path
    >>> X, D = make_ldl(80, random_state=0)
    >>> path = mslp_path(X, D, X[:5], {"beta": [0.1, 0.5]}, MSLP(reg=1.0))
    >>> [params["beta"] for params, _ in path]
    [0.1, 0.5]
    """
    axes = {name: list(grid.get(name, [getattr(base, name)])) for name in _AXES}
    check_enough(len(X), min(axes["decoder_neighbors"]))
    decoders = [k for k in axes["decoder_neighbors"] if k <= len(X)]
    distance = label_distance(base.label_metric)
    pairs = list(product(axes["n_neighbors"], axes["scale"]))
    sizes = {
        pair: check_scales(len(X), pair[0], base.n_hetero, pair[1])[:3]
        for pair in pairs
    }
    graph = neighbor_graph(X, max(a for *_, a in sizes.values()), engine=base.engine)
    for (n_neighbors, scale), (k, h, a) in sizes.items():
        scales = find_scales(graph.truncate(a), D, k, h, distance)
        pencil = make_pencil(X, D, scales, distance, base.center)
        whitening = range_whitening(pencil.scatter)
        shift = 0.0 if pencil.mean is None else pencil.mean
        # embeddings are linear in these, whatever beta and reg are
        train, test = (X - shift) @ whitening, (X_test - shift) @ whitening
        for beta, reg in product(axes["beta"], axes["reg"]):
            ridge = pencil.ridge(reg, base.reg_mode)
            inner = whitening.T @ pencil.numerator(beta, ridge) @ whitening
            wanted = [
                min(resolve_components(c, X.shape[1]), len(inner))
                for c in axes["n_components"]
            ]
            vectors = generalized_eigh(
                (inner + inner.T) / 2, k=max(wanted), largest=False
            ).vectors
            near, new = train @ vectors, test @ vectors
            for given, size in zip(axes["n_components"], wanted, strict=True):
                index = NeighborIndex(base.engine).fit(near[:, :size])
                found = index.query(new[:, :size], max(decoders)).indices
                for decoder in decoders:
                    values = (n_neighbors, scale, beta, reg, given, decoder)
                    yield (
                        dict(zip(_AXES, values, strict=True)),
                        neighbor_mean(D, found[:, :decoder]),
                    )


class MSLPCV(LinearProjectionMixin, DistributionPredictorMixin, BaseEstimator):
    """MSLP with its parameters chosen by cross-validation, work shared.

    Per fold there is one neighbour search for the whole grid, one pair of graphs for
    each (n_neighbors, scale) and one eigenproblem for each (beta, reg) beside; sizes
    and decoders cost a search in the embedding only.

    Parameters
    ----------
    n_components : sequence of int or float, default=(0.1,)
        Sizes of the embedding; a size above the rank is cut to the rank while
        searching. Here and below a single value will do.
    n_neighbors : sequence of int, default=(5, 10)
        Label neighbours.
    scale : sequence of int, default=(5, 10)
        Sizes of the feature neighbourhood over ``n_neighbors``.
    beta : sequence of float, default=(0.0, 0.1, 0.5)
        Weights of attraction.
    reg : sequence of float, default=(0.0, 0.01, 0.1)
        Ridges.
    decoder_neighbors : sequence of int, default=(5, 10, 15)
        Training embeddings that a prediction averages.
    estimator : MSLP or None, default=None
        Its other settings; None takes the defaults.
    scoring : str or callable, default="intersection"
        Metric by name, or a scorer.
    cv : int, splitter or iterable, default=5
        Folds; an integer gives plain folds without shuffling.

    Attributes
    ----------
    best_estimator_ : MSLP
        Fitted on all samples with the best setting.
    best_params_ : dict
        The best setting.
    best_score_ : float
        Its mean score over folds.
    cv_results_ : dict of ndarray
        One entry per setting: ``param_...``, ``mean_test_score``, ``std_test_score``.
    components_ : ndarray of shape (n_components, n_features)
        Of the best estimator.
    classes_ : ndarray of shape (n_labels,)
        Label names.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    mslp_path : Predictions of a grid on one split.

    Notes
    -----
    The score of the best setting is optimistic, as always; put MSLPCV itself into
    ``cross_validate`` for an honest number.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.projection import MSLPCV
    >>> X, D = make_ldl(150, random_state=0)
    >>> search = MSLPCV(reg=(0.1, 10.0), beta=(0.5,), scale=(5,)).fit(X, D)
    >>> len(search.cv_results_["mean_test_score"])
    12
    """

    def __init__(
        self,
        n_components: Sequence[int | float] = (0.1,),
        *,
        n_neighbors: Sequence[int] = (5, 10),
        scale: Sequence[int] = (5, 10),
        beta: Sequence[float] = (0.0, 0.1, 0.5),
        reg: Sequence[float] = (0.0, 0.01, 0.1),
        decoder_neighbors: Sequence[int] = (5, 10, 15),
        estimator: MSLP | None = None,
        scoring: Any = "intersection",
        cv: Any = 5,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.beta = beta
        self.reg = reg
        self.decoder_neighbors = decoder_neighbors
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv

    _parameter_constraints: dict = {
        **{name: ["array-like", Real] for name in _AXES},
        "estimator": [MSLP, None],
        "scoring": [str, callable],
        "cv": ["cv_object"],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Score every setting on every fold, then fit the best one on all.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.

        Returns
        -------
        self : MSLPCV
        """
        X, D = check_fit_data(self, X, y, accept_classes=True)
        base = MSLP() if self.estimator is None else self.estimator
        grid = {name: grid_values(getattr(self, name)) for name in _AXES}
        found = search_path(
            mslp_path, X, D, grid, base, scoring=self.scoring, cv=self.cv
        )
        self.cv_results_ = found.results
        self.best_params_ = found.params
        self.best_score_ = found.score
        self.best_estimator_ = fit_best(base, found.params, X, D, self.classes_)
        self.components_ = self.best_estimator_.components_
        self.mean_ = self.best_estimator_.mean_
        return self

    def predict(self, X: Any) -> FloatArray:
        """Predict with the best estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(self._check(X))


def search_from_grid(base: MSLP, grid: dict[str, Any], scoring: Any, cv: Any) -> Any:
    """A search for a comparison; parameters off the path stay as they are."""
    axes = axes_of(base, grid, _AXES)
    return MSLPCV(**axes, estimator=base, scoring=scoring, cv=cv)
