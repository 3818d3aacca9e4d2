"""A change of variables after which quasi-Newton methods need few iterations."""

import numpy as np
import scipy.linalg

from skldl._typing import FloatArray
from skldl.objectives import Objective

_JITTER = 1e-10  # relative to the diagonal; for columns that repeat others


class Preconditioned:
    r"""An objective in the variables :math:`y = R^T x`, where :math:`R R^T` is given.

    If :math:`R R^T` is near the second derivatives, those in y are near the identity.

    Parameters
    ----------
    objective : objective
        Of an array x of shape (n_features, n_labels).
    curvature : ndarray of shape (n_features, n_features)
        :math:`R R^T`, symmetric and not negative; it may be singular.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import MaxEntKL
    >>> from skldl.solvers import Preconditioned, lbfgs
    >>> X, D = np.array([[1.0, 0], [0, 1e3]]), np.array([[0.5, 0.5], [0.1, 0.9]])
    >>> objective = Preconditioned(MaxEntKL(X, D), X.T @ X)
    >>> x = objective.original(lbfgs(objective, np.zeros((2, 2))).x)
    >>> bool(MaxEntKL(X, D).value_and_grad(x)[0] < 1e-9)
    True
    """

    def __init__(self, objective: Objective, curvature: FloatArray) -> None:
        self.objective = objective
        # scaled to a diagonal of ones first, so that units of features do not matter
        size = np.sqrt(np.diag(curvature))
        size[size == 0] = 1.0
        matrix = curvature / size / size[:, None]
        matrix[np.diag_indices_from(matrix)] += _JITTER
        root = scipy.linalg.cholesky(matrix, lower=True, overwrite_a=True)
        self.root = size[:, None] * root

    def original(self, y: FloatArray) -> FloatArray:
        """Give x for y.

        Parameters
        ----------
        y : ndarray of shape (n_features, n_labels)
            New variables.

        Returns
        -------
        x : ndarray of shape (n_features, n_labels)
        """
        return scipy.linalg.solve_triangular(
            self.root, y, lower=True, trans="T", check_finite=False
        )

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient in the new variables.

        Parameters
        ----------
        x : ndarray of shape (n_features, n_labels)
            New variables, y.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        value, gradient = self.objective.value_and_grad(self.original(x))
        return value, scipy.linalg.solve_triangular(
            self.root, gradient, lower=True, check_finite=False
        )
