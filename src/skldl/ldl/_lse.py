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
from sklearn.utils.validation import check_is_fitted, validate_data

from skldl._progress import report
from skldl._sklearn import Interval, StrOptions, fit_context
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.base import DistributionPredictorMixin
from skldl.ldl._lse_start import (
    clustered_start,
    label_laplacian,
    resolve_selected,
    spectral_start,
    turned,
    with_ones,
)
from skldl.objectives import LatentKL
from skldl.solvers import Solution, alternate, descend, fit_labels
from skldl.validation import check_fit_data

_POSITIVE = [Interval(Real, 0, None, closed="neither")]


class LSELDL(SelectorMixin, DistributionPredictorMixin, BaseEstimator):
    r"""Encode features into few latent ones, learn labels from them, select features.

    .. math:: \min_{\theta, Z, W} \sum_{il} d_{il} \ln\frac{d_{il}}{p_{il}}
       + \alpha \lVert XW - Z \rVert^2
       + 2\beta \sum_k \sqrt{\lVert w_k \rVert^2 + \epsilon}
       + \gamma \sum_{ij} s_{ij} \lVert z_i - z_j \rVert^2
       + \delta \lVert \theta \rVert^2, \qquad p_i = \mathrm{softmax}(\theta z_i),

    with :math:`s_{ij} = \exp(-\lVert d_i - d_j \rVert^2 / \sigma^2)` where one sample
    is among the other's nearest in the labels, else 0. A new sample is predicted by
    :math:`\mathrm{softmax}(\theta W^T x)`; a feature counts as much as its row of W is
    long.

    Parameters
    ----------
    n_components : int or None, default=None
        Latent features, c; None takes one less than there are labels. More change
        nothing, fewer are a bottleneck.
    alpha : float, default=1.0
        Weight of the encoding error, :math:`\alpha`.
    beta : float, default=0.1
        Weight of the row norms, :math:`\beta`: the larger, the fewer features.
    gamma : float, default=0.001
        Weight of smoothness along the label graph, :math:`\gamma`.
    delta : float, default=0.01
        Ridge on the label coefficients, :math:`\delta`.
    n_neighbors : int or float, default=0.01
        Label neighbours of each sample, :math:`\rho`; a float is a share of the
        samples, at most 50 of them.
    sigma : float, default=0.05
        Width of the label graph's weights, :math:`\sigma`.
    smoothing : float, default=1e-4
        :math:`\epsilon`.
    n_selected_features : int, float or None, default=None
        Features to predict from and to keep in ``transform``, Q; a float is a share,
        None all. It may be changed after ``fit`` without fitting again.
    fit_intercept : bool, default=True
        Whether the latent features have an intercept: a row of W that is penalised
        like the others, but neither ranked nor dropped. The paper has none.
    refit_coef : bool, default=False
        Whether to fit :math:`\theta` once more at the end, on the encoded features that
        predictions use instead of on Z. Not in the paper.
    solver : {"alternate", "gradient"}, default="alternate"
        ``"alternate"`` goes to the minimum. ``"gradient"`` is the paper's start and
        loop with mended gradients; it is slow and stays far from the minimum.
    max_iter : int, default=2000
        Iterations at most; the paper makes 5000 gradient steps.
    tol : float, default=1e-5
        Converged when no entry of the gradient is larger than this; see
        :func:`skldl.solvers.alternate` for its units.
    random_state : int, RandomState or None, default=None
        Seed of the start of ``solver="gradient"``; the other needs none.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_components)
        :math:`\theta`, turned so that its columns are orthogonal and fall in length.
    projection_ : ndarray of shape (n_features, n_components)
        W.
    intercept_ : ndarray of shape (n_components,)
        Intercept of the latent features.
    feature_scores_ : ndarray of shape (n_features,)
        Lengths of the rows of W.
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
    LSELDLCV : The weights by cross-validation.
    SABFGS : Maximum entropy on the features themselves.

    Notes
    -----
    Scale the features first: the row norms compare features in their own units.

    Deviations: the paper's equations 13 and 15 put one latent feature alone into the
    softmax, 15 drops the links of the graph, and the sizes in 17 do not match; the
    gradients here are those of the objective. The paper's surrogate for the row norms
    has twice their gradient, hence the factor 2 before :math:`\beta` above. The
    problem is not convex, other than the paper says; the search starts from the
    singular vectors of a softmax regression and goes on until the gradient vanishes,
    while 5000 gradient steps from random numbers stay far above the minimum. In
    training the softmax sees Z, at prediction XW: with a small ``alpha`` or a large
    ``beta`` the two differ much, see ``refit_coef``.

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
        "alpha": _POSITIVE,
        "beta": _POSITIVE,
        "gamma": [Interval(Real, 0, None, closed="left")],
        "delta": _POSITIVE,
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
        ],
        "sigma": _POSITIVE,
        "smoothing": _POSITIVE,
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
    }

    # where standardised features do well; the paper's grid is LSELDLCV's default
    _search_grid: dict = {
        "alpha": [1.0, 10.0],
        "beta": [0.1, 1.0],
        "delta": [0.01, 0.1],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 0.001,
        delta: float = 0.01,
        n_neighbors: int | float = 0.01,
        sigma: float = 0.05,
        smoothing: float = 1e-4,
        n_selected_features: int | float | None = None,
        fit_intercept: bool = True,
        refit_coef: bool = False,
        solver: str = "alternate",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.delta = delta
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.smoothing = smoothing
        self.n_selected_features = n_selected_features
        self.fit_intercept = fit_intercept
        self.refit_coef = refit_coef
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn encoding and label coefficients together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D; a vector of classes counts as one-hot rows.

        Returns
        -------
        self : LSELDL
        """
        X, D = check_fit_data(self, X, y, accept_classes=True)
        resolve_selected(self.n_selected_features, X.shape[1])
        X = with_ones(X, self.fit_intercept)
        graph = label_laplacian(D, self.n_neighbors, self.sigma)
        objective = self._objective(X, D, graph)
        size = self._size(D)
        if self.solver == "gradient":
            start = clustered_start(X, D, size, self.random_state)
            solution = descend(objective, start, max_iter=self.max_iter, tol=self.tol)
        else:
            start = spectral_start(X, D, size)
            solution = alternate(
                objective,
                start,
                max_iter=self.max_iter,
                tol=self.tol,
                callback=self._follow,
            )
        self._keep(objective, solution)
        if not solution.converged:
            warnings.warn(
                f"LSELDL stopped after {solution.n_iter} iterations with a gradient of "
                f"{solution.residual:.2g} (tol={self.tol:g}). Scale the features, "
                "raise max_iter, or lower gamma.",
                ConvergenceWarning,
                stacklevel=caller_level(),
            )
        return self

    def _follow(self, iteration: int, value: float) -> None:
        report("LSELDL", iteration, self.max_iter, objective=value)

    def _objective(self, X: FloatArray, D: FloatArray, graph: Any) -> LatentKL:
        return LatentKL(
            X,
            D,
            graph,
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
            delta=self.delta,
            smoothing=self.smoothing,
        )

    def _size(self, D: FloatArray) -> int:
        return self.n_components or max(1, D.shape[1] - 1)

    def _keep(self, objective: LatentKL, solution: Solution) -> None:
        theta, _, W = turned(solution.x)
        if self.refit_coef:
            theta = fit_labels(objective, theta, objective.X @ W, max_iter=500)
        self.coef_ = theta
        count = self.n_features_in_
        self.projection_ = W[:count]
        self.intercept_ = W[-1] if self.fit_intercept else np.zeros(W.shape[1])
        self.feature_scores_ = np.linalg.norm(self.projection_, axis=1)
        self.ranking_ = np.argsort(-self.feature_scores_, kind="stable")
        self.objective_ = solution.value
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = solution.n_iter

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
        X = validate_data(self, X, reset=False, dtype=np.float64)
        for count in n_selected_features:
            kept = self.ranking_[: resolve_selected(count, X.shape[1])]
            encoded = X[:, kept] @ self.projection_[kept] + self.intercept_
            yield softmax(encoded @ self.coef_.T, axis=1)

    def make_search(self, grid: Any, *, scoring: Any, cv: Any) -> Any:
        """Search a grid of weights, each solution starting the next.

        Parameters
        ----------
        grid : dict of str to list
            Parameters to search.
        scoring : callable
            Scorer.
        cv : splitter
            Folds.

        Returns
        -------
        search : LSELDLCV
        """
        from skldl.ldl._lse_cv import search_from_grid

        return search_from_grid(self, grid, scoring, cv)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        count = resolve_selected(self.n_selected_features, self.n_features_in_)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_[:count]] = True
        return mask
