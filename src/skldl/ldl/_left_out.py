"""Ridge regressions for many ridges at once, with exact leave-one-out predictions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.utils import gen_batches

from skldl._typing import FloatArray
from skldl.ldl._design import principal_axes

#: Ridges tried, as shares of the mean eigenvalue.
SHARES = np.logspace(-5, 4, 19)
_TINY = float(np.finfo(np.float64).tiny)
_BATCH = 1000

Blocks = Callable[[], Iterator[tuple[slice, FloatArray]]]


@dataclass(frozen=True)
class RidgePath:
    r"""Weighted ridge regression with a free intercept, in principal coordinates.

    .. math:: \min_{b, f} \sum_i w_i \lVert z_i - b - f(x_i) \rVert^2
       + \lambda \lVert f \rVert^2 .

    With features (or a kernel) that are centred and weighted by :math:`\sqrt{w}` and
    equal :math:`U S^{1/2}`, fitted values are :math:`u u^T + U \frac{S}{S + \lambda}
    U^T` times the weighted targets, where u holds the roots of the shares of the
    weights. A left-out sample is predicted as :math:`z_i - (z_i - \hat z_i) / (1 -
    h_{ii})`, which is exactly what a regression on the others gives [1]_.

    References
    ----------
    .. [1] G. H. Golub, M. Heath, G. Wahba, "Generalized Cross-Validation as a Method
       for Choosing a Good Ridge Parameter", Technometrics 21(2), 1979.

    Attributes
    ----------
    blocks : callable
        Gives rows of U in order, with the slice that they are. U has orthonormal
        columns, orthogonal to u.
    values : ndarray of shape (rank,)
        Positive eigenvalues S.
    inner : ndarray of shape (rank, n_targets)
        :math:`U^T \sqrt{w} (Z - \bar z)`.
    Z : ndarray of shape (n_samples, n_targets)
        Targets.
    weights : ndarray of shape (n_samples,)
        w, positive.
    """

    blocks: Blocks
    values: FloatArray
    inner: FloatArray
    Z: FloatArray
    weights: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Weighted mean of the targets."""
        return self.weights @ self.Z / self.weights.sum()

    def regs(self) -> FloatArray:
        """Ridges worth trying, weakest first."""
        return SHARES * (self.values.mean() if len(self.values) else 1.0)

    def left_out(self, regs: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """Predictions of samples by all others, in blocks of rows.

        Residuals and :math:`1 - h_{ii}` are summed as what the ridge takes away, not as
        differences from 1, so that weak ridges keep their digits.

        Parameters
        ----------
        regs : ndarray of shape (n_regs,)
            Ridges.

        Yields
        ------
        rows : slice
        Z : ndarray of shape (n_rows, n_regs, n_targets)
        """
        taken = regs / (self.values[:, None] + regs)  # (rank, n_regs)
        shape = len(regs), self.Z.shape[1]
        wide = np.einsum("kt,kr->krt", self.inner, taken).reshape(
            len(taken), shape[0] * shape[1]
        )
        mean, total = self.mean, self.weights.sum()
        for rows, U in self.blocks():
            Z, weights = self.Z[rows], self.weights[rows]
            root = np.sqrt(weights)[:, None]
            rest = root * (Z - mean) - U @ self.inner
            squares = U**2
            outside = np.maximum(1 - weights / total - squares.sum(axis=1), 0.0)
            free = np.maximum(outside[:, None] + squares @ taken, _TINY)
            errors = (U @ wide).reshape(len(Z), *shape)
            errors += rest[:, None]
            errors /= (free * root)[:, :, None]
            yield rows, Z[:, None] - errors

    def solve(self, reg: float, columns: slice = slice(None)) -> FloatArray:
        r"""Solve for one ridge: :math:`(S + \lambda)^{-1} U^T \sqrt{w} (Z - \bar z)`.

        Parameters
        ----------
        reg : float
            Ridge.
        columns : slice
            Of the targets.

        Returns
        -------
        inner : ndarray of shape (rank, n_targets)
            Times the roots of S they are coefficients of the principal coordinates.
        """
        return self.inner[:, columns] / (self.values + reg)[:, None]


def path_of(
    U: FloatArray, values: FloatArray, Z: FloatArray, weights: FloatArray
) -> RidgePath:
    """Make a path from all rows of U."""

    def blocks() -> Iterator[tuple[slice, FloatArray]]:
        for rows in gen_batches(len(Z), _BATCH):
            yield rows, U[rows]

    mean = weights @ Z / weights.sum()
    inner = U.T @ (np.sqrt(weights)[:, None] * (Z - mean))
    return RidgePath(blocks, values, inner, Z, weights)


def linear_path(
    X: FloatArray, Z: FloatArray, weights: FloatArray
) -> tuple[RidgePath, FloatArray]:
    """Path on centred features, and the axes of the principal coordinates."""
    values, axes = principal_axes(X, weights)
    U = np.sqrt(weights)[:, None] * (X @ (axes / np.sqrt(values)))
    return path_of(U, values, Z, weights), axes
