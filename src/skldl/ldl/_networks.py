"""AA-BP and CPNN: small networks with a softmax at the end."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.base import DistributionPredictorMixin
from skldl.ldl._maxent_smooth import warn_unfinished
from skldl.linalg import tame_columns
from skldl.objectives import (
    CPNNNetwork,
    Network,
    Objective,
    OfSoftmax,
    Ridge,
    ScoresKL,
    SquaredError,
    Sum,
    cpnn_scores,
    forward,
)
from skldl.solvers import lbfgs
from skldl.validation import check_features, check_fit_data, weighted_rows

_NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
_MOST_UNITS = 100_000  # of a hidden layer
_COUNT = [Interval(Integral, 1, None, closed="left")]


class _NetworkLearner(DistributionPredictorMixin, BaseEstimator):
    """What both share: the search, prediction, and sparse features."""

    hidden_layer_sizes: Any
    reg: float
    max_iter: int
    tol: float
    random_state: Any

    def _hidden(self) -> list[int]:
        """Sizes of the hidden layers."""
        given = self.hidden_layer_sizes
        one = isinstance(given, Integral | type)
        hidden: list[Any] = [given] if one else list(given)
        whole = all(
            isinstance(size, Integral)
            and not isinstance(size, bool)
            and 0 < int(size) <= _MOST_UNITS
            for size in hidden
        )
        if not hidden or not whole:
            raise ValueError(
                "hidden_layer_sizes must have one or more positive whole numbers, none "
                f"over {_MOST_UNITS}, got {self.hidden_layer_sizes!r}."
            )
        return [int(size) for size in hidden]

    def _train(
        self, network: Objective, start: FloatArray, penalised: FloatArray
    ) -> FloatArray:
        """Minimise network plus ridge; the weights. Penalised is 1 or 0 for each."""
        objective = Sum(network, Ridge(self.reg * penalised))
        solution = lbfgs(
            objective, start, max_iter=self.max_iter, tol=self.tol, ftol=1e-9
        )
        self.objective_ = solution.value
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = max(1, solution.n_iter)
        if not solution.converged:
            warn_unfinished(self, solution)
        return solution.x

    def _scores(self, X: Any) -> FloatArray:
        raise NotImplementedError

    def predict(self, X: Any) -> FloatArray:
        """Take the softmax of the network's scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
            Rows on the simplex.
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return softmax(self._scores(X), axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class AABP(_NetworkLearner):
    r"""A network with back-propagated squared errors, AA-BP.

    .. math:: \min \frac12 \sum_{il} (p_{il} - d_{il})^2
       + \frac{\lambda}{2} \big(\lVert W_1 \rVert^2 + \lVert W_2 \rVert^2\big),
       \qquad p_i = \mathrm{softmax}(W_2 \tanh(W_1 x_i + b_1) + b_2)

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(60,)
        Units of each hidden layer; an int is that of a single one.
    reg : float, default=1.0
        Ridge :math:`\lambda` on all weights but the intercepts. The published method
        has none, and stops early.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-3
        Converged when no entry of the gradient is larger than this.
    random_state : int, RandomState or None, default=None
        Seed of the hidden weights to begin with.

    Attributes
    ----------
    layers_ : list of ndarray of shape (n_inputs + 1, n_outputs)
        Weights of every layer, intercepts in the last row.
    objective_ : float
        What was reached.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The objective after each iteration.
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
    CPNN : A network that sees the label as an input.

    Notes
    -----
    Scale the features first, or the hidden units saturate. Columns with numbers over a
    million are divided by a power of two; the ridge is on the weights of the result.

    Deviations: the paper describes one hidden layer and a softmax, and so does this
    class; the published code has two layers and divides absolute values by their sum.
    Gradient descent is replaced by L-BFGS with a ridge, which leaves the intercepts
    free, so that heavy ridges give the mean distribution. The search starts at random
    hidden weights and zeros in the last layer, so that no label is preferred.

    References
    ----------
    .. [1] X. Geng, "Label Distribution Learning", IEEE Transactions on Knowledge
       and Data Engineering 28(7), 2016.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AABP
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = AABP(20, reg=0.1, random_state=0).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    0.9
    """

    _parameter_constraints: dict = {
        "hidden_layer_sizes": [Integral, "array-like"],
        "reg": _NOT_NEGATIVE,
        "max_iter": _COUNT,
        "tol": _NOT_NEGATIVE,
        "random_state": ["random_state"],
    }

    _grids: dict = {"default": {"reg": [0.01, 0.1, 1.0, 10.0]}}

    def __init__(
        self,
        hidden_layer_sizes: int | Sequence[int] = (60,),
        *,
        reg: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.reg = reg
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of squared errors.

        Returns
        -------
        self : AABP
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        X, factors = tame_columns(X)
        sizes = [X.shape[1], *self._hidden(), D.shape[1]]
        network = Network(X, sizes, OfSoftmax(SquaredError(D, sample_weight)))
        rng = check_random_state(self.random_state)
        start, penalised = np.zeros(network.n_weights), np.ones(network.n_weights)
        for layer in network.layers(start)[:-1]:
            layer[:-1] = rng.normal(size=layer[:-1].shape) / np.sqrt(len(layer))
        for layer in network.layers(penalised):
            layer[-1] = 0.0
        found = self._train(network, start, penalised)
        self.layers_ = [layer.copy() for layer in network.layers(found)]
        if factors is not None:
            self.layers_[0][:-1] *= factors[:, None]
        return self

    def _scores(self, X: Any) -> FloatArray:
        *hidden, last = self.layers_
        return forward(X, hidden)[-1] @ last[:-1] + last[-1]


class CPNN(_NetworkLearner):
    r"""Conditional probability neural network, CPNN.

    .. math:: \min \sum_{il} d_{il} \ln \frac{d_{il}}{p_{il}}
       + \frac{\lambda}{2} \big(\lVert U \rVert^2 + \lVert v \rVert^2\big),
       \qquad p_{il} \propto \exp\big(v^T \sigma(U x_i + l a + b)\big),

    with the logistic :math:`\sigma`. One network scores every pair of a sample and the
    number l of a label, so **the order of the labels matters**. It is meant for ordered
    labels, such as ages or ratings.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of one int, default=(50,)
        Units of the hidden layer, of which there is one.
    reg : float, default=3.0
        Ridge :math:`\lambda` on U and v. The published method has none, and stops
        early.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-3
        Converged when no entry of the gradient is larger than this.
    random_state : int, RandomState or None, default=None
        Seed of the weights to begin with.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features + 3, n_units)
        U, a, b and v in rows.
    objective_ : float
        What was reached.
    objective_history_ : ndarray of shape (`n_iter_`,)
        The objective after each iteration.
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
    AABP : A network whose outputs are the labels.

    Notes
    -----
    Scale the features first, or the hidden units saturate. Columns with numbers over a
    million are divided by a power of two; the ridge is on the weights of the result.

    Deviations: the published gradient of the hidden layer multiplies by the sum of all
    output weights, here each unit has its own. Resilient back-propagation with a
    smallest step that is too large for the end is replaced by L-BFGS with a ridge. It
    leaves a and b free, so that the mean distribution, which needs steep functions of
    l where labels are not ordered, costs nothing. The
    search starts at random numbers between -0.5 and 0.5, as published, those of the
    features divided by the root of the number of features.

    References
    ----------
    .. [1] X. Geng, C. Yin, Z.-H. Zhou, "Facial Age Estimation by Learning from Label
       Distributions", IEEE Transactions on Pattern Analysis and Machine Intelligence
       35(10), 2013.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import CPNN
    >>> X, D = make_ldl(200, n_labels=3, random_state=0)
    >>> model = CPNN(20, tol=0.1, random_state=0).fit(X[:150], D[:150])
    >>> model.predict(X[150:]).shape
    (50, 3)
    """

    _parameter_constraints: dict = {
        "hidden_layer_sizes": [Integral, "array-like"],
        "reg": _NOT_NEGATIVE,
        "max_iter": _COUNT,
        "tol": _NOT_NEGATIVE,
        "random_state": ["random_state"],
    }

    _grids: dict = {"default": {"reg": [0.3, 1.0, 3.0, 10.0]}}

    def __init__(
        self,
        hidden_layer_sizes: int | Sequence[int] = (50,),
        *,
        reg: float = 3.0,
        max_iter: int = 200,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.reg = reg
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of divergences.

        Returns
        -------
        self : CPNN
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        X, factors = tame_columns(X)
        hidden = self._hidden()
        if len(hidden) != 1:
            raise ValueError(
                f"CPNN has exactly one hidden layer, but hidden_layer_sizes="
                f"{self.hidden_layer_sizes!r} has {len(hidden)}. Give one number."
            )
        rng = check_random_state(self.random_state)
        start = rng.uniform(-0.5, 0.5, (X.shape[1] + 3, hidden[0]))
        start[:-3] /= np.sqrt(X.shape[1])
        penalised = np.ones((len(start), 1))
        penalised[-3:-1] = 0.0
        network = CPNNNetwork(X, D.shape[1], ScoresKL(D, sample_weight))
        self.weights_ = self._train(network, start, penalised)
        if factors is not None:
            self.weights_[:-3] *= factors[:, None]
        return self

    def _scores(self, X: Any) -> FloatArray:
        U, slope, v = self.weights_[:-3], self.weights_[-3], self.weights_[-1]
        base = X @ U + self.weights_[-2]
        return cpnn_scores(base, slope, v, len(self.classes_))
