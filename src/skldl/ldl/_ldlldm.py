"""LDL-LDM: maximum entropy that keeps how labels rebuild each other."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from skldl._sklearn import Interval, fit_context
from skldl._typing import FloatArray
from skldl.ldl._maxent_smooth import SmoothMaxEnt, label_clusters
from skldl.objectives import LabelManifold, Linear, OfSoftmax, Ridge, ScoresKL, Sum
from skldl.validation import check_fit_data, require_range, weighted_rows

_NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]


class LDLLDM(SmoothMaxEnt):
    r"""Maximum entropy on the manifold of label distributions, LDL-LDM.

    .. math:: \min_\Theta \sum_{il} d_{il} \ln \frac{d_{il}}{p_{il}}
       + \frac{\lambda_1}{2} \lVert \Theta \rVert^2
       + \lambda_2 \lVert P (I - Z) \rVert^2
       + \lambda_3 \sum_g \lVert P_g (I - Z_g) \rVert^2, \qquad
       p_i = \mathrm{softmax}(\Theta x_i + b).

    Column l of Z has the weights, with sum 1, that best predict the degrees of label l
    from those of all other labels; :math:`Z_g` has them within a cluster of
    distributions.

    Parameters
    ----------
    reg : float, default=100.0
        Ridge :math:`\lambda_1`; the intercept is free of it. For standardised
        features; the published value of 0.001 is for raw ones of small scale.
    global_weight : float, default=0.01
        :math:`\lambda_2`, for correlations of labels over all samples.
    local_weight : float, default=0.01
        :math:`\lambda_3`, for those within clusters.
    n_clusters : int, default=10
        Clusters of the distributions by k-means.
    max_iter : int, default=300
        Iterations at most.
    tol : float, default=1e-6
        Converged when no entry of the gradient is larger than this.
    random_state : int, RandomState or None, default=None
        Seed of the clustering.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        :math:`\Theta`.
    intercept_ : ndarray of shape (n_labels,)
        b.
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
    SABFGS : Without the penalties.
    LDLSCL : Correlations within clusters by codes of the samples.

    Notes
    -----
    Deviations: the published ridge is on the intercept, too. The search starts at
    zeros, not at an identity matrix, and a label is kept out of its own neighbours by
    its number, also if two labels are equal. Clusters of a single sample are left out,
    as published. The version for incomplete labels is not here.

    The defaults were chosen by divergence on folds inside training parts of the
    data sets, with standardised features; ``python bench/defaults.py`` has the table.

    References
    ----------
    .. [1] J. Wang, X. Geng, "Label Distribution Learning by Exploiting Label
       Distribution Manifold", IEEE Transactions on Neural Networks and Learning
       Systems 34(2), 2023.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LDLLDM
    >>> X, D = make_ldl(200, random_state=0)
    >>> model = LDLLDM(1.0, 1.0, 0.1, random_state=0).fit(X[:150], D[:150])
    >>> round(model.score(X[150:], D[150:]), 1)
    0.9
    """

    _parameter_constraints: dict = {
        "reg": _NOT_NEGATIVE,
        "global_weight": _NOT_NEGATIVE,
        "local_weight": _NOT_NEGATIVE,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": _NOT_NEGATIVE,
        "random_state": ["random_state"],
    }

    _grids: dict = {
        "default": {
            "reg": [0.001, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0],
            "global_weight": [0.01, 1.0],
            "local_weight": [0.01, 1.0],
        }
    }

    def __init__(
        self,
        reg: float = 100.0,
        global_weight: float = 0.01,
        local_weight: float = 0.01,
        *,
        n_clusters: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.reg = reg
        self.global_weight = global_weight
        self.local_weight = local_weight
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_labels)
            Their label distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in the sum of divergences, in both manifold terms,
            in the weights that rebuild a label, and in the clustering.

        Returns
        -------
        self : LDLLDM
        """
        X, D = check_fit_data(self, X, y, accept_sparse=True)
        require_range(self, X)
        X, D, sample_weight = weighted_rows(X, D, sample_weight)
        manifold = LabelManifold(self._groups(D, sample_weight), sample_weight)
        loss = Linear(
            X,
            D.shape[1],
            Sum(ScoresKL(D, sample_weight), OfSoftmax(manifold)),
            fit_intercept=True,
            sample_weight=sample_weight,
        )
        ridge = np.full((loss.shape[0], 1), float(self.reg))
        ridge[-1] = 0.0
        solution = self._solve(loss, Ridge(ridge), self.reg, np.zeros(loss.shape))
        self._end(solution, True)
        return self

    def _groups(self, D: FloatArray, sample_weight: FloatArray | None) -> list[Any]:
        # products of these rows are weighted sums over samples
        scaled = D if sample_weight is None else D * np.sqrt(sample_weight)[:, None]
        Z = rebuilding_weights(scaled)
        groups: list[Any] = [(slice(None), Z, self.global_weight)]
        if self.local_weight == 0:
            return groups
        clusters = label_clusters(D, self.n_clusters, self.random_state, sample_weight)
        for cluster in range(clusters.max() + 1):
            rows = np.flatnonzero(clusters == cluster)
            if len(rows) > 1:
                weights = rebuilding_weights(scaled[rows])
                groups.append((rows, weights, self.local_weight))
        return groups


def rebuilding_weights(D: FloatArray) -> FloatArray:
    """Weights with sum 1 that rebuild each column from the others, in columns."""
    n_labels = D.shape[1]
    products = D.T @ D
    Z = np.zeros((n_labels, n_labels))
    for label in range(n_labels if n_labels > 1 else 0):
        others = np.delete(np.arange(n_labels), label)
        cross = products[label, others]
        gram = products[np.ix_(others, others)] - cross - cross[:, None]
        gram += products[label, label]
        trace = float(np.trace(gram))
        gram[np.diag_indices_from(gram)] += 1e-3 * (trace if trace > 0 else 1.0)
        weights = np.linalg.solve(gram, np.ones(n_labels - 1))
        Z[others, label] = weights / weights.sum()
    return Z
