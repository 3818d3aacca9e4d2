"""What learners share that minimise a smooth objective of softmax coefficients."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from skldl._threads import small_openmp
from skldl._typing import FloatArray
from skldl._warnings import caller_level
from skldl.ldl._maxent import _MOST_FEATURES, _MaxEnt, second_moments
from skldl.objectives import Linear, Objective, Sum
from skldl.solvers import Preconditioned, Solution, lbfgs


class SmoothMaxEnt(_MaxEnt):
    """Softmax of linear scores, coefficients by L-BFGS."""

    max_iter: int
    tol: float

    def _solve(
        self, loss: Linear, penalty: Objective, reg: float, start: FloatArray
    ) -> Solution:
        """Minimise loss plus penalty; reg is the ridge that the penalty has."""
        objective: Any = Sum(loss, penalty)
        n_samples, n_features = loss.X.shape
        white = n_samples >= 2 * n_features and n_features <= _MOST_FEATURES
        if white:
            curvature = second_moments(loss) / loss.shape[1]
            curvature[np.diag_indices_from(curvature)] += reg
            objective = Preconditioned(objective, curvature)
            start = objective.root.T @ start
        solution = lbfgs(
            objective, start, max_iter=self.max_iter, tol=self.tol, ftol=1e-5 * self.tol
        )
        if white:
            solution = replace(solution, x=objective.original(solution.x))
        return solution

    def _end(self, solution: Solution, fit_intercept: bool) -> None:
        self._store_solution(solution, fit_intercept)
        if not solution.converged:
            warn_unfinished(self, solution)


def warn_unfinished(estimator: Any, solution: Solution) -> None:
    """Say once how far a search got."""
    warnings.warn(
        f"{type(estimator).__name__} stopped after {solution.n_iter} iterations with a "
        f"gradient of {solution.residual:.2g} (tol={estimator.tol:g}). Scale the "
        "features, raise max_iter, or regularise more.",
        ConvergenceWarning,
        stacklevel=caller_level(),
    )


def label_clusters(
    D: FloatArray,
    n_clusters: int,
    random_state: Any,
    sample_weight: FloatArray | None = None,
) -> NDArray[np.intp]:
    """Clusters of the distributions by k-means, whatever the order of rows or labels.

    Rows are sorted by a quantity that the order of the labels does not change, so that
    equal seeds give equal clusters. There are no more of them than distinct rows.
    """
    order = np.argsort(np.round((D**2).sum(axis=1), 12), kind="stable")
    distinct = len(np.unique(np.round(D, 12), axis=0))
    model = KMeans(min(n_clusters, distinct), n_init=3, random_state=random_state)
    clusters = np.empty(len(D), dtype=np.intp)
    with small_openmp(len(D)):
        weights = None if sample_weight is None else sample_weight[order]
        clusters[order] = model.fit_predict(D[order], sample_weight=weights)
    return clusters
