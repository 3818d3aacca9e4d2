"""J-Play: projections learned layer by layer, then together with the labels."""

import warnings
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, fit_context, output_container
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import LinearProjectionMixin
from skldl.linalg import RowSpace, nearest_distributions
from skldl.metrics import intersection
from skldl.projection._autorule import LAYER_CONSTRAINTS
from skldl.projection._components import check_size
from skldl.projection._jplay_layers import (
    EXACT,
    heat_graph,
    plan_sizes,
    require_codes,
    require_mean,
    warn_if_cut,
)
from skldl.projection._jplay_stack import JPlayWeights, LayerStack
from skldl.validation import check_features, check_target, require_range

_MOST_WEIGHT = 1e12  # with larger ones nothing is left of the other terms


class JPlay(LinearProjectionMixin, BaseEstimator):
    r"""Joint and progressive learning of layers of projections and a label map.

    .. math:: \min_{P, \Theta_l} \tfrac12 \sum_l \|X_{l-1} - X_{l-1} \Theta_l^T
       \Theta_l\|_F^2 + \tfrac{\alpha}{2} \|Y - X_m P^T\|_F^2
       + \tfrac{\beta}{2} \sum_l \operatorname{tr}(\Theta_l X_{l-1}^T L X_{l-1}
       \Theta_l^T) + \tfrac{\gamma}{2} \|P\|_F^2

    with :math:`X_l = X_{l-1} \Theta_l^T`, under :math:`X_l \ge 0` and rows of norm at
    most 1. The input of a layer can be reconstructed from its output, neighbours in the
    original features stay close, and the last layer predicts the labels by the map P.
    Layers are first trained one by one (:class:`AutoRULe`), then in turns until the
    objective hardly changes.

    Parameters
    ----------
    n_components : int or float, default=2
        Size of the last layer, :math:`d_m`; a float is a share of the features.
    n_layers : int, default=3
        Number of layers, m.
    layer_sizes : sequence of int or None, default=None
        Size of every layer; overrides ``n_components`` and ``n_layers``. None goes down
        from the features to the components in equal steps.
    label_weight : float, default=1.0
        Weight :math:`\alpha` of the labels, at most 1e12.
    smoothness_weight : float, default=0.1
        Weight :math:`\beta` of the smoothness in joint training, at most 1e12.
    reg : float, default=0.1
        Ridge :math:`\gamma` of the label map.
    pretrain_smoothness_weight : float, default=0.1
        Weight :math:`\eta` of the smoothness in pre-training.
    n_neighbors : int, default=10
        Neighbours in the graph, k.
    gamma : float or "median", default="median"
        :math:`g` of the graph's weights :math:`\exp(-g \|x_i - x_j\|^2)`; "median" is
        :math:`1/2t^2` with t the median distance to the last neighbour.
    penalty_growth : float, default=2.0
        Factor :math:`\rho` of the ADMM's penalty from one iteration to the next. It
        matters as much as the number of layers: search 1.1, 1.2, 1.5 and 2, too.
    max_iter : int, default=100
        Rounds over all layers at most; 0 leaves the layers as they were pre-trained.
    tol : float, default=1e-4
        Converged when a round changes the objective by less than this share of it.
    admm_max_iter : int, default=1000
        ADMM iterations in one layer at most.
    admm_tol : float, default=1e-6
        Where the ADMM of a layer ends.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    projections_ : list of ndarray
        :math:`\Theta_l`, of shape (size of the layer, size of the one before).
    components_ : ndarray of shape (n_components, n_features)
        Their product.
    latent_coef_ : ndarray of shape (n_labels, n_components)
        Label map P, the best one for the final projections.
    coef_ : ndarray of shape (n_labels, n_features)
        The label map after all projections, which gives the scores from X itself.
    layer_sizes_ : list of int
        Sizes after cuts by the rank.
    objective_ : float
        The objective at the end, the last of the history.
    objective_history_ : ndarray of shape (`n_iter_` + 1,)
        Objective after pre-training and after each round.
    objective_terms_ : ndarray of shape (`n_iter_` + 1, 4)
        Its parts: reconstruction, labels, smoothness, ridge.
    residual_ : float
        Largest difference between ADMM copies in the last round.
    gamma_ : float
        :math:`g` of the graph's weights.
    classes_ : ndarray of shape (n_labels,)
        Classes, or names of the labels.
    target_kind_ : str
        "classes", "indicator" or "distribution".
    n_iter_ : int
        Rounds of joint training.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    AutoRULe : One layer without labels.
    LPP : Where each layer starts.

    Notes
    -----
    Samples are rows here. The graph is built once, on X and without the labels. A
    round updates P, then each layer from the first to the last; as in the paper, a
    layer's update leaves out what it does to the rebuilding and smoothness of later
    layers, so the objective need not fall in every round. The label map is computed
    once more at the end.

    Two equations of the paper are corrected. In (17) V must be the codes of the last
    layer, not the product of the projections alone; with samples in rows,
    :math:`P = \alpha Y^T X_m (\alpha X_m^T X_m + \gamma I)^{-1}`. In (19) the map from
    layer l to the labels must come from the layers above it:
    :math:`P_l = P \Theta_m \cdots \Theta_{l+1}`, that is :math:`P_m = P` and
    :math:`P_{l-1} = P_l \Theta_l`.

    Data whose mean is zero are refused: only zero projections are non-negative for
    them. Features should be of similar, moderate size, such as spectra divided by their
    maximum; use PCA without subtracting the mean. Negative entries as such are allowed,
    without a word: PCA scores always have some.

    References
    ----------
    .. [1] D. Hong, N. Yokoya, J. Xu, X. Zhu, "Joint & Progressive Learning from
       High-Dimensional Data for Multi-Label Classification", European
       Conference on Computer Vision, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from skldl.projection import JPlay
    >>> digits = load_digits()
    >>> X, y = digits.data[:300] / 16, digits.target[:300]
    >>> model = JPlay(15, n_layers=2, tol=1e-3).fit(X, y)
    >>> model.layer_sizes_, model.transform(X, layer=1).shape
    ([40, 15], (300, 40))
    >>> bool((model.predict(X) == y).mean() > 0.8)
    True
    """

    _parameter_constraints: dict = {
        **LAYER_CONSTRAINTS,
        "n_layers": [Interval(Integral, 1, None, closed="left")],
        "layer_sizes": ["array-like", None],
        "label_weight": [Interval(Real, 0, _MOST_WEIGHT, closed="both")],
        "smoothness_weight": [Interval(Real, 0, _MOST_WEIGHT, closed="both")],
        "reg": [Interval(Real, 0, None, closed="neither")],
        "pretrain_smoothness_weight": [Interval(Real, 0, _MOST_WEIGHT, closed="both")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "admm_max_iter": [Interval(Integral, 1, None, closed="left")],
        "admm_tol": [Interval(Real, 0, None, closed="neither")],
    }
    _grids: dict = {
        "default": {
            "n_components": [0.1, 0.3],
            "n_layers": [1, 2, 3],
            "smoothness_weight": [0.1, 1.0],
            "penalty_growth": [1.2, 2.0],
        }
    }

    def __init__(
        self,
        n_components: int | float = 2,
        *,
        n_layers: int = 3,
        layer_sizes: Sequence[int] | None = None,
        label_weight: float = 1.0,
        smoothness_weight: float = 0.1,
        reg: float = 0.1,
        pretrain_smoothness_weight: float = 0.1,
        n_neighbors: int = 10,
        gamma: float | Literal["median"] = "median",
        penalty_growth: float = 2.0,
        max_iter: int = 100,
        tol: float = 1e-4,
        admm_max_iter: int = 1000,
        admm_tol: float = 1e-6,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_layers = n_layers
        self.layer_sizes = layer_sizes
        self.label_weight = label_weight
        self.smoothness_weight = smoothness_weight
        self.reg = reg
        self.pretrain_smoothness_weight = pretrain_smoothness_weight
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.penalty_growth = penalty_growth
        self.max_iter = max_iter
        self.tol = tol
        self.admm_max_iter = admm_max_iter
        self.admm_tol = admm_tol
        self.engine = engine
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True  # or nearly so: see the Notes
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        callback: Callable[[int, int, float], None] | None = None,
    ) -> Self:
        """Pre-train the layers one by one, then train them together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, not centred.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, label indicators or distributions.
        callback : callable, default=None
            Called after each layer's update with the layer (from 1), the round (0 in
            pre-training) and the objective (the layer's own in pre-training).

        Returns
        -------
        self : JPlay
        """
        target = check_target(y)
        X = check_features(self, X, dtype=np.float64)
        require_range(self, X)
        check_consistent_length(X, target.matrix)
        sizes = self._sizes(X.shape[1])
        require_mean(X, "JPlay")
        W, self.gamma_ = heat_graph(
            X, self.n_neighbors, self.gamma, engine=self.engine, n_jobs=self.n_jobs
        )
        weights = JPlayWeights(
            self.label_weight,
            self.smoothness_weight,
            self.reg,
            self.pretrain_smoothness_weight,
        )
        space = RowSpace.of(X, rank_tol=EXACT)
        stack = LayerStack(
            space.coordinates, target.matrix, W, weights, growth=self.penalty_growth,
            max_iter=self.admm_max_iter, tol=self.admm_tol, callback=callback,
        )  # fmt: skip
        most = X.shape[1]
        for number, size in enumerate(sizes, start=1):
            wanted = min(size, most)  # a cut is told once, not in every later layer
            most = len(stack.pretrain(wanted))
            warn_if_cut(most, wanted, number)
        converged = stack.train(self.max_iter, self.tol)
        require_codes(X, stack.codes()[-1], "JPlay")
        self.classes_, self.target_kind_ = target.classes, target.kind
        self._store(stack, space)
        if not converged:
            self._warn(stack)
        return self

    def _sizes(self, n_features: int) -> list[int]:
        if self.layer_sizes is None:
            size = check_size(self.n_components, n_features)
            return plan_sizes(n_features, size, self.n_layers)
        given: Any = self.layer_sizes
        sizes: list[Any] = [given] if isinstance(given, type) else list(given)
        whole = all(isinstance(s, Integral) and not isinstance(s, bool) for s in sizes)
        falling = whole and sizes == sorted(sizes, reverse=True)
        if not sizes or not falling or sizes[0] > n_features or sizes[-1] < 1:
            raise ValueError(
                f"layer_sizes must be integers from n_features={n_features} down to 1, "
                "one per layer and none larger than the one before, got "
                f"{self.layer_sizes!r}."
            )
        return [int(size) for size in sizes]

    def _store(self, stack: LayerStack, space: RowSpace) -> None:
        first, *later = stack.projections
        self.projections_ = [space.lift(first.T).T, *later]
        self.components_ = space.lift(stack.product().T).T
        self.latent_coef_ = stack.label_map()
        self.coef_ = self.latent_coef_ @ self.components_
        self.layer_sizes_ = [len(theta) for theta in stack.projections]
        self.objective_terms_ = np.array(stack.terms)
        self.objective_history_ = self.objective_terms_.sum(axis=1)
        self.objective_ = float(self.objective_history_[-1])
        self.n_iter_, self.residual_ = len(stack.terms) - 1, stack.residual

    def _warn(self, stack: LayerStack) -> None:
        warnings.warn(
            f"J-Play did not converge: after {self.n_iter_} rounds (max_iter="
            f"{self.max_iter}) the objective changes by a share of "
            f"{stack.change():.2g} a round (tol={self.tol:g}), and the largest ADMM "
            f"residual is {self.residual_:.2g} (admm_tol={self.admm_tol:g}). Raise "
            "max_iter, or tol and admm_tol.",
            ConvergenceWarning,
            stacklevel=caller_level(),
        )

    def transform(self, X: Any, layer: int | None = None) -> FloatArray:
        """Project samples into a layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        layer : int or None, default=None
            From 0, the samples themselves, to the number of layers; None is the last.

        Returns
        -------
        Z : ndarray of shape (n_samples, size of the layer)
        """
        check_is_fitted(self)
        if layer is None or layer == len(self.projections_):
            return self._project(self._check(X))
        if output_container(self) != "default":
            raise ValueError(
                "set_output names the features of the last layer only; use "
                f"transform_layer(X, {layer!r}) for the array of another one."
            )
        return self.transform_layer(X, layer)

    def transform_layer(self, X: Any, layer: int) -> FloatArray:
        """Project samples into any layer, as an array whatever ``set_output`` says.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        layer : int
            From 0, the samples themselves, to the number of layers.

        Returns
        -------
        Z : ndarray of shape (n_samples, size of the layer)
        """
        check_is_fitted(self)
        depth = len(self.projections_)
        if not isinstance(layer, Integral) or not 0 <= layer <= depth:
            raise ValueError(f"layer must be between 0 and {depth}, got {layer!r}.")
        Z = self._check(X).copy()
        for theta in self.projections_[:layer]:
            Z = Z @ theta.T
        return Z

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the labels, by the label map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_labels)
        """
        check_is_fitted(self)
        return self._project(self._check(X)) @ self.latent_coef_.T

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a target of the kind seen in fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_labels)
            The class with the largest score; indicators of scores of at least one half;
            or the distributions nearest to the scores.
        """
        scores = self.decision_function(X)
        if self.target_kind_ == "classes":
            return self.classes_[scores.argmax(axis=1)]
        if self.target_kind_ == "indicator":
            return (scores >= 0.5).astype(np.float64)
        return nearest_distributions(scores)

    def score(self, X: Any, y: Any) -> float:
        """Accuracy of classes, share of right indicators, or mean intersection.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their target, of the kind seen in fit.

        Returns
        -------
        score : float
            Larger is better. ``GridSearchCV`` does not take JPlay for a classifier:
            give it ``StratifiedKFold`` when rows are sorted by class.
        """
        predicted = self.predict(X)
        if self.target_kind_ == "classes":
            return float(np.mean(predicted == np.ravel(y)))
        if self.target_kind_ == "indicator":
            return float(np.mean(predicted == np.asarray(y)))
        return intersection(y, predicted)
