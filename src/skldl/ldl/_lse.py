"""LSE-LDL: learn distributions and select features at once."""

import warnings
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from skldl._progress import report
from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.ldl._lse_path import AXES, WEIGHTS, lse_settings_path
from skldl.ldl._lse_start import (
    clustered_start,
    label_laplacian,
    resolve_selected,
    spectral_start,
    turned,
    with_ones,
)
from skldl.objectives import LSEObjective
from skldl.solvers import Solution, lse_alternate, lse_descend, lse_fit_labels
from skldl.validation import (
    check_features,
    check_fit_data,
    require_range,
    weighted_rows,
)

_MOST_SMOOTHNESS = 1e12  # beyond it rounding hides all other terms
_POSITIVE = [Interval(Real, 0, None, closed="neither")]
_MOST_COMPONENTS = 10_000
_DECADES = [0.001, 0.01, 0.1, 1.0, 10.0]


class LSELDL(SelectorMixin, DistributionPredictorMixin, BaseEstimator):
    r"""Encode features into few latent ones, learn labels from them, select features.

    .. math:: \min_{\theta, Z, W} \sum_{il} d_{il} \ln\frac{d_{il}}{p_{il}}
       + \alpha \lVert XW - Z \rVert^2
       + 2\beta \sum_k \sqrt{\lVert w_k \rVert^2 + \epsilon}
       + \gamma \sum_{ij} s_{ij} \lVert z_i - z_j \rVert^2
       + \delta \lVert \theta \rVert^2, \qquad p_i = \mathrm{softmax}(\theta z_i),

    with :math:`s_{ij} = \exp(-g \lVert d_i - d_j \rVert^2)` where one sample is among
    the other's nearest in the labels, else 0. A new sample is predicted by
    :math:`\mathrm{softmax}(\theta W^T x)`; the importance of a feature is the norm of
    its row of W. ``RFE`` and ``SelectFromModel`` of scikit-learn judge features by
    ``coef_`` instead, unless they get ``importance_getter="feature_importances_"``.

    Parameters
    ----------
    n_components : int or None, default=None
        Latent features, c; None takes one less than there are labels. More change
        nothing, fewer are a bottleneck.
    encoding_weight : float, default=1.0
        Weight of the encoding error, :math:`\alpha`.
    sparsity_weight : float, default=1.0
        Weight of the row norms, :math:`\beta`: the larger, the fewer features.
    smoothness_weight : float, default=0.001
        Weight of smoothness along the label graph, :math:`\gamma`.
    reg : float, default=0.01
        Ridge on the label coefficients, :math:`\delta`.
    n_neighbors : int or float, default=0.01
        Label neighbours of each sample, :math:`\rho`; a float is a share of the
        samples, at most 50 of them.
    gamma : float, default=400.0
        :math:`g` of the label graph's weights; the paper's :math:`1/\sigma^2`, whose
        :math:`\sigma` is 0.05.
    corner_eps : float, default=1e-4
        :math:`\epsilon`, which rounds the corners of the row norms.
    n_selected_features : int, float or None, default=None
        Features to predict from and to keep in ``transform``, Q; a float is a share,
        None all. It may be changed after ``fit`` without fitting again.
    fit_intercept : bool, default=True
        Whether the latent features have an intercept: a row of W that is penalised
        like the others, but neither ranked nor dropped. The paper has none.
    refit_coef : bool, default=True
        Whether to fit :math:`\theta` once more at the end, on the encoded features that
        predictions use instead of on Z. Not in the paper.
    solver : {"alternate", "gradient"}, default="alternate"
        ``"alternate"`` goes to the minimum. ``"gradient"`` is the paper's start and
        loop with corrected gradients; it is slow and stays far from the minimum.
    max_iter : int, default=2000
        Iterations at most; the paper makes 5000 gradient steps.
    tol : float, default=1e-5
        Converged when no entry of the gradient is larger than this; see
        :func:`skldl.solvers.lse_alternate` for its units.
    random_state : int, RandomState or None, default=None
        Seed of the start of ``solver="gradient"``; the other needs none.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the neighbour search.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\theta W^T`, the scores of the labels by features.
    intercept_ : ndarray of shape (n_labels,)
        What all scores begin with.
    latent_coef_ : ndarray of shape (n_labels, n_components)
        :math:`\theta`, turned so that its columns are orthogonal and fall in length.
    latent_intercept_ : ndarray of shape (n_components,)
        Intercept of the latent features.
    components_ : ndarray of shape (n_components, n_features)
        Directions of the latent features, as rows: the columns of W.
    feature_scores_ : ndarray of shape (n_features,)
        Lengths of the rows of W.
    feature_importances_ : ndarray of shape (n_features,)
        The same, divided by their sum.
    ranking_ : ndarray of shape (n_features,)
        Numbers of the features, the most important first.
    objective_ : float
        What was reached.
    objective_history_ : ndarray
        The objective at the start and after each iteration; it never rises.
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
    skldl.model_selection.PathSearchCV : The weights by cross-validation.
    lse_path : Predictions of many settings on one split.
    SABFGS : Maximum entropy on the features themselves.

    Notes
    -----
    Scale the features first: the row norms compare features in their own units. On
    features of much smaller units, such as the raw ones of SJAFFE, the default
    ``sparsity_weight`` leaves little but the mean distribution.

    Deviations: the paper's equations 13 and 15 put one latent feature alone into the
    softmax, 15 drops the links of the graph, and the sizes in 17 do not match; the
    gradients here are those of the objective. The paper's surrogate for the row norms
    has twice their gradient, hence the factor 2 before :math:`\beta` above. The
    problem is not convex, unlike what the paper says; the search starts from the
    singular vectors of a softmax regression and goes on until the gradient vanishes,
    while 5000 gradient steps from random numbers stay far above the minimum. In
    training the softmax sees Z, at prediction XW: with a small
    ``encoding_weight`` or a large ``sparsity_weight`` the two differ much, see
    ``refit_coef``.

    The defaults of ``sparsity_weight`` and ``refit_coef`` were chosen by divergence on
    folds inside training parts of the data sets, with standardised features; ``python
    bench/defaults.py`` has the table. The paper searches all weights from 0.001 to 10,
    and does not refit.

    References
    ----------
    .. [1] S. Xu, L. Shang, F. Shen, "Latent Semantics Encoding for Label Distribution
       Learning", International Joint Conference on Artificial Intelligence, 2019.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDL
    >>> X, D = make_ldl(200, n_features=10, random_state=0)
    >>> model = LSELDL(n_selected_features=4).fit(X, D)
    >>> model.transform(X).shape, model.predict(X).shape, len(model.ranking_)
    ((200, 4), (200, 5), 10)
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "encoding_weight": _POSITIVE,
        "sparsity_weight": _POSITIVE,
        "smoothness_weight": [Interval(Real, 0, _MOST_SMOOTHNESS, closed="both")],
        "reg": _POSITIVE,
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "gamma": _POSITIVE,
        "corner_eps": _POSITIVE,
        "n_selected_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "fit_intercept": ["boolean"],
        "refit_coef": ["boolean"],
        "solver": [StrOptions({"alternate", "gradient"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "engine": [
            StrOptions({"auto", "exact", "pynndescent"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "n_jobs": [Integral, None],
    }

    # the default is where standardised features do well
    _grids: dict = {
        "default": {
            "encoding_weight": [1.0, 100.0],
            "sparsity_weight": [0.1, 1.0, 10.0, 100.0],
            "reg": [0.01, 1.0],
        },
        "published": {**dict.fromkeys(WEIGHTS, _DECADES), "refit_coef": [False]},
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        encoding_weight: float = 1.0,
        sparsity_weight: float = 1.0,
        smoothness_weight: float = 0.001,
        reg: float = 0.01,
        n_neighbors: int | float = 0.01,
        gamma: float = 400.0,
        corner_eps: float = 1e-4,
        n_selected_features: int | float | None = None,
        fit_intercept: bool = True,
        refit_coef: bool = True,
        solver: str = "alternate",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.encoding_weight = encoding_weight
        self.sparsity_weight = sparsity_weight
        self.smoothness_weight = smoothness_weight
        self.reg = reg
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.corner_eps = corner_eps
        self.n_selected_features = n_selected_features
        self.fit_intercept = fit_intercept
        self.refit_coef = refit_coef
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn encoding and label coefficients together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D; a vector of classes counts as one-hot rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sums of divergences and of encoding errors.
            The label graph has no weights.

        Returns
        -------
        self : LSELDL
        """
        X, D = check_fit_data(self, X, y, accept_classes=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        resolve_selected(self.n_selected_features, X.shape[1])
        X = with_ones(X, self.fit_intercept)
        objective = self._objective(X, D, self._graph(D), sample_weight)
        try:
            solution = self._solution(objective, self._size(D))
        except np.linalg.LinAlgError:
            column = int(np.abs(X).max(axis=0).argmax())
            raise ValueError(
                "The problem is singular in double precision: features are too far "
                f"from zero (column {column} of X has the mean "
                f"{X[:, column].mean():.3g}), or smoothness_weight="
                f"{self.smoothness_weight:g} is too large. Use StandardScaler first, "
                "or lower smoothness_weight."
            ) from None
        self._store_solution(objective, solution)
        if not solution.converged:
            warnings.warn(
                f"LSELDL stopped after {solution.n_iter} iterations with a gradient of "
                f"{solution.residual:.2g} (tol={self.tol:g}). Scale the features, "
                "raise max_iter, or lower smoothness_weight.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        return self

    def _solution(self, objective: LSEObjective, size: int) -> Solution:
        search: dict[str, Any] = {"max_iter": self.max_iter, "tol": self.tol}
        if self.solver == "gradient":
            start = clustered_start(objective, size, self.random_state)
            return lse_descend(objective, start, **search)
        X, D, weights = objective.X, objective.D, objective.sample_weight
        start = spectral_start(X, D, size, weights)
        return lse_alternate(objective, start, callback=self._follow, **search)

    def _follow(self, iteration: int, value: float) -> None:
        report("LSELDL", iteration, self.max_iter, objective=value)

    def _graph(self, D: FloatArray) -> Any:
        """Laplacian of the label graph."""
        return label_laplacian(
            D, self.n_neighbors, self.gamma, engine=self.engine, n_jobs=self.n_jobs
        )

    def _objective(
        self,
        X: FloatArray,
        D: FloatArray,
        graph: Any,
        sample_weight: FloatArray | None = None,
    ) -> LSEObjective:
        return LSEObjective(
            X,
            D,
            graph,
            encoding_weight=self.encoding_weight,
            sparsity_weight=self.sparsity_weight,
            smoothness_weight=self.smoothness_weight,
            reg=self.reg,
            corner_eps=self.corner_eps,
            sample_weight=sample_weight,
        )

    def _size(self, D: FloatArray) -> int:
        if self.n_components is not None and self.n_components > _MOST_COMPONENTS:
            raise ValueError(
                f"n_components must be at most {_MOST_COMPONENTS}, got "
                f"{self.n_components}: fewer than there are labels are enough."
            )
        return self.n_components or max(1, D.shape[1] - 1)

    def _store_solution(self, objective: LSEObjective, solution: Solution) -> None:
        theta, _, W = turned(solution.x)
        if self.refit_coef:
            theta = lse_fit_labels(objective, theta, objective.X @ W, max_iter=500)
        count = self.n_features_in_
        self.latent_coef_ = theta
        self.components_ = np.ascontiguousarray(W[:count].T)
        self.latent_intercept_ = W[-1] if self.fit_intercept else np.zeros(W.shape[1])
        self._multiply()
        self.feature_scores_ = np.linalg.norm(self.components_, axis=0)
        self.ranking_ = np.argsort(-self.feature_scores_, kind="stable")
        self.objective_ = solution.value
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = solution.n_iter

    def _multiply(self) -> None:
        """Write the two linear maps, one after the other, as one."""
        self.coef_ = self.latent_coef_ @ self.components_
        self.intercept_ = self.latent_coef_ @ self.latent_intercept_

    @property
    def feature_importances_(self) -> FloatArray:
        """Lengths of the rows of the encoding, divided by their sum."""
        check_is_fitted(self)
        return self.feature_scores_ / (self.feature_scores_.sum() or 1.0)

    def predict(self, X: Any) -> FloatArray:
        """Predict from the selected features.

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
        return next(self.predict_path(X, [self.n_selected_features]))

    def predict_path(
        self, X: Any, n_selected_features: Sequence[int | float | None]
    ) -> Iterator[FloatArray]:
        """Predict from the best features, for several numbers of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_selected_features : sequence of int, float or None
            Numbers or shares of features; None is all.

        Yields
        ------
        P : ndarray of shape (n_samples, n_labels)
            Predictions from so many features; no fit is needed.
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, dtype=np.float64)
        for count in n_selected_features:
            kept = self.ranking_[: resolve_selected(count, X.shape[1])]
            scores = X[:, kept] @ self.coef_[:, kept].T + self.intercept_
            yield softmax(scores, axis=1)

    @property
    def _path_axes(self) -> tuple[str, ...]:
        return AXES if self.solver == "alternate" else ()

    def _path(self, X: Any, D: FloatArray, X_test: Any, settings: Any) -> Any:
        X, X_test = (np.asarray(rows, dtype=np.float64) for rows in (X, X_test))
        return lse_settings_path(X, D, X_test, settings, self)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        count = resolve_selected(self.n_selected_features, self.n_features_in_)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_[:count]] = True
        return mask
