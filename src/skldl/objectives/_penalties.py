"""Penalties on parameters."""

from typing import Any

import numpy as np

from skldl._typing import FloatArray


class Ridge:
    r"""Half the squared norm, :math:`\frac{\lambda}{2} \lVert x \rVert^2`.

    Parameters
    ----------
    weight : float or ndarray
        :math:`\lambda`; an array is broadcast over the entries of x, so that a row
        with weight 0 is free.
    """

    def __init__(self, weight: float | FloatArray) -> None:
        self.weight = weight

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray
            Where.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        gradient = self.weight * x
        return 0.5 * float(np.vdot(x, gradient)), gradient


class RowNorms:
    r"""Smoothed sum of row norms, which makes whole rows zero.

    :math:`\lambda \sum_k \sqrt{\lVert w_k \rVert^2 + \epsilon}`

    Parameters
    ----------
    weight : float
        :math:`\lambda`.
    corner_eps : float
        :math:`\epsilon`; with 0 the gradient at a row of zeros does not exist.
    """

    def __init__(self, weight: float, corner_eps: float) -> None:
        self.weight = weight
        self.corner_eps = corner_eps

    def norms(self, x: FloatArray) -> FloatArray:
        """Smoothed norm of each row.

        Parameters
        ----------
        x : ndarray of shape (n_rows, n_columns)
            Where.

        Returns
        -------
        norms : ndarray of shape (n_rows,)
        """
        return np.sqrt(np.einsum("ij,ij->i", x, x) + self.corner_eps)

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_rows, n_columns)
            Where.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        norms = self.norms(x)
        return self.weight * float(norms.sum()), self.weight * x / norms[:, None]


class GraphSmoothness:
    r"""Differences between linked rows, :math:`\lambda \operatorname{tr}(Z^T L Z)`.

    Parameters
    ----------
    laplacian : sparse matrix of shape (n_rows, n_rows)
        L, symmetric.
    weight : float
        :math:`\lambda`.
    """

    def __init__(self, laplacian: Any, weight: float) -> None:
        self.laplacian = laplacian
        self.weight = weight

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_rows, n_columns)
            Where.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        if self.weight == 0:
            return 0.0, np.zeros_like(x)
        product = self.laplacian @ x
        return self.weight * float(np.vdot(x, product)), 2 * self.weight * product


class ColumnDistances:
    r"""Signed distances between columns, :math:`\sum_{l < k} s_{lk} \delta(c_l - c_k)`.

    :math:`\delta` is the Euclidean norm r, replaced by
    :math:`r^2 / 2\epsilon + \epsilon / 2` below :math:`\epsilon`.

    Parameters
    ----------
    signs : ndarray of shape (n_columns, n_columns)
        s, symmetric: positive entries pull columns together, negative push them apart.
    corner_width : float, default=1e-5
        :math:`\epsilon`.
    """

    def __init__(self, signs: FloatArray, corner_width: float = 1e-5) -> None:
        self.signs = signs
        self.corner_width = corner_width
        self.pairs = [
            (i, j) for i, j in np.argwhere(np.triu(signs, 1)).tolist()
        ]  # numbers of columns

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_rows, n_columns)
            Where.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        value, gradient = 0.0, np.zeros_like(x)
        for i, j in self.pairs:
            difference = x[:, i] - x[:, j]
            norm = float(np.sqrt(difference @ difference))
            wide = max(norm, self.corner_width)
            value += self.signs[i, j] * (norm * norm / wide + wide) / 2
            difference *= self.signs[i, j] / wide
            gradient[:, i] += difference
            gradient[:, j] -= difference
        return value, gradient
