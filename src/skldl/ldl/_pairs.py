"""Support vectors for every pair of labels, with sums of the pairs' decision values."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils import gen_batches

from skldl._typing import FloatArray, IndexArray

_WHOLE = 8000  # examples whose kernel values are computed at once: 512 MB
_BATCH = 1000


class Examples(NamedTuple):
    """Numbers of samples and labels, and weights."""

    rows: IndexArray
    labels: IndexArray
    weights: FloatArray


class Machine(NamedTuple):
    """Support vectors, a column of coefficients and an intercept for each label."""

    support: FloatArray
    coef: FloatArray
    intercept: FloatArray
    gamma: float

    def values(self, X: FloatArray) -> FloatArray:
        """Decision values, summed over the pairs that a label is in."""
        values = np.tile(self.intercept, (len(X), 1))
        for rows in gen_batches(len(X), _BATCH) if len(self.support) else ():
            values[rows] += _kernel(X[rows], self.support, self.gamma) @ self.coef
        return values


def fit_pairs(
    X: FloatArray, examples: Examples, n_labels: int, *, C: float, gamma: float
) -> Machine:
    """Fit a classifier to each pair of labels; labels without example stay at 0."""
    centred = X - X.mean(axis=0)
    if not np.isfinite(8 * float(np.vdot(centred, centred))):
        raise ValueError(
            "X holds numbers so large that distances overflow. Scale the features "
            "first, for instance by StandardScaler."
        )
    coef, intercept = np.zeros((len(X), n_labels)), np.zeros(n_labels)
    for first, second in combinations(np.unique(examples.labels), 2):
        of_pair = np.isin(examples.labels, (first, second))
        rows = examples.rows[of_pair]
        is_second = examples.labels[of_pair] == second
        weights = examples.weights[of_pair]
        dual, constant = fit_two(X[rows], is_second, weights, C=C, gamma=gamma)
        # a sample may be an example of both
        of_samples = np.bincount(rows, dual, minlength=len(X))
        for label, sign in ((first, -1), (second, 1)):
            coef[:, label] += sign * of_samples
            intercept[label] += sign * constant
    support = np.flatnonzero(coef.any(axis=1))
    return Machine(X[support], coef[support], intercept, gamma)


def fit_two(
    X: FloatArray,
    is_second: IndexArray,
    weights: FloatArray,
    *,
    C: float,
    gamma: float,
) -> tuple[FloatArray, float]:
    """Fit a classifier that is positive for the second label: dual and intercept.

    All weights are above 0; support vectors would be numbered without the others.
    """
    # one product of matrices is many times faster than a kernel value at a time
    whole = len(X) <= _WHOLE
    svm = SVC(C=C, kernel="precomputed" if whole else "rbf", gamma=gamma)
    inputs = _kernel(X, X, gamma) if whole else X - X.mean(axis=0)
    svm.fit(inputs, is_second, sample_weight=weights)
    dual = np.zeros(len(X))
    dual[svm.support_] = svm.dual_coef_[0]
    return dual, float(svm.intercept_[0])


def _kernel(X: FloatArray, Y: FloatArray, gamma: float) -> FloatArray:
    """Kernel values by products, which lose fewer digits near the mean of the rows."""
    center = Y.mean(axis=0)
    near = Y - center
    return rbf_kernel(near if X is Y else X - center, near, gamma=gamma)
