"""Support vectors for every pair of labels, with sums of the pairs' decision values."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from skldl._progress import report
from skldl._typing import FloatArray
from skldl.ldl._gaussian import gaussian, inner_distances, squared_distances
from skldl.solvers import smo

_BATCH = 1000
_HEAVY = 1e150  # in sum, squares of larger weights overflow
_AT_ONCE = 60_000  # variables of the pairs that are fitted together


class Machine(NamedTuple):
    """Support vectors, a column of coefficients and an intercept for each label.

    ``seen`` holds the decision values for the training samples.
    """

    support: FloatArray
    coef: FloatArray
    intercept: FloatArray
    gamma: float
    n_iter: int = 0
    residual: float = 0.0
    seen: FloatArray = np.zeros((1, 1))

    def values(self, X: FloatArray) -> FloatArray:
        """Decision values, summed over the pairs that a label is in."""
        values = np.tile(self.intercept, (len(X), 1))
        for rows in gen_batches(len(X), _BATCH) if len(self.support) else ():
            kernel = gaussian(squared_distances(X[rows], self.support), self.gamma)
            values[rows] += kernel @ self.coef
        return values


def fit_pairs(
    X: FloatArray, weights: FloatArray, *, gamma: float, **options: Any
) -> Machine:
    """Fit a classifier to each pair of labels; labels without example stay at 0.

    A sample is an example of every label that it has a weight for. Kernel values are
    computed once for all pairs. Options are those of :func:`skldl.solvers.smo`.
    """
    if weights.sum() > _HEAVY:
        raise ValueError("C is so large that products of weights overflow. Lower C.")
    used = np.asarray(weights.any(axis=1))
    if not used.any():  # nothing was drawn: all coefficients stay at 0
        used = np.ones(len(X), dtype=bool)
    few, weights = (X, weights) if used.all() else (X[used], weights[used])
    K = gaussian(inner_distances(few), gamma)
    coef, intercept = np.zeros(weights.shape), np.zeros(weights.shape[1])
    n_iter, residual = 0, 0.0
    pairs = list(combinations(np.flatnonzero(weights.any(axis=0)), 2))
    for some in gen_batches(len(pairs), max(1, _AT_ONCE // len(K))) if pairs else ():
        first, second = np.transpose(pairs[some])
        found = smo(K, weights.T[second], weights.T[first], **options)
        for low, high, solution in zip(first, second, found, strict=True):
            for label, sign in ((low, -1), (high, 1)):
                coef[:, label] += sign * solution.x[0]
                intercept[label] += sign * solution.x[1]
            n_iter = max(n_iter, solution.n_iter)
            residual = max(residual, solution.residual)
        report("PTSVM: pairs of labels", some.stop, len(pairs))
    seen = np.empty((len(X), len(intercept)))
    seen[used] = K @ coef + intercept
    support = np.flatnonzero(coef.any(axis=1))
    machine = Machine(few[support], coef[support], intercept, gamma, n_iter, residual)
    if len(few) < len(X):
        seen[~used] = machine.values(X[~used])
    return machine._replace(seen=seen)
