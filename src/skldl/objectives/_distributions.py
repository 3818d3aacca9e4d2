r"""Losses of predicted distributions P, rows on the simplex, with rounded corners.

An absolute value is :math:`\sqrt{t^2 + \epsilon}` here, and a hinge half of the sum
of its argument and that.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skldl._typing import FloatArray


def _hinge(t: FloatArray, corner_eps: float) -> tuple[FloatArray, FloatArray]:
    """The rounded positive part, and its derivative."""
    size = np.sqrt(t * t + corner_eps)
    return (t + size) / 2, (1 + t / size) / 2


def _times(rows: FloatArray, sample_weight: FloatArray | None) -> FloatArray:
    """Rows, or single numbers, of samples times the weights of the samples."""
    if sample_weight is None:
        return rows
    return (rows.T * sample_weight).T


class AbsoluteError:
    r"""Weighted absolute errors, :math:`\sum_{il} \omega_{il} |p_{il} - d_{il}|`.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    weight : float or ndarray
        :math:`\omega`; broadcast over D.
    corner_eps : float
        :math:`\epsilon`, which rounds the corner at 0.
    """

    def __init__(
        self, D: FloatArray, weight: float | FloatArray, corner_eps: float
    ) -> None:
        self.D = D
        self.weight = np.broadcast_to(weight, D.shape)
        self.corner_eps = corner_eps

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        error = x - self.D
        size = np.sqrt(error * error + self.corner_eps)
        return float(np.vdot(self.weight, size)), self.weight * error / size


class LeadMargin:
    r"""Hinge loss of the lead of the largest label over every other label.

    :math:`\lambda \sum_i \sum_{l \ne t_i} [\rho - (p_{i t_i} - p_{il})]_+`

    Parameters
    ----------
    top : ndarray of shape (n_samples,)
        :math:`t`, number of the right label of each sample.
    margin : float
        :math:`\rho`.
    weight : float
        :math:`\lambda`.
    corner_eps : float
        :math:`\epsilon`, which rounds the corner.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in the sum; None is 1 for every sample.
    """

    def __init__(
        self,
        top: NDArray[np.intp],
        margin: float,
        weight: float,
        corner_eps: float,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        self.top = top
        self.margin = margin
        self.weight = weight
        self.corner_eps = corner_eps

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        rows = np.arange(len(x))
        short = self.margin - x[rows, self.top][:, None] + x
        values, gradient = _hinge(short, self.corner_eps)
        values[rows, self.top] = 0.0
        gradient[rows, self.top] = 0.0
        gradient[rows, self.top] = -gradient.sum(axis=1)
        values = _times(values, self.sample_weight)
        gradient = _times(gradient, self.sample_weight)
        return self.weight * float(values.sum()), self.weight * gradient


class TopError:
    r"""Distance from the right label alone, beyond a tolerance.

    :math:`\sum_i [\lVert p_i - e_{t_i} \rVert_1 - \rho]_+`, where the distance is
    :math:`2 (1 - p_{i t_i})` because rows of P sum to 1.

    Parameters
    ----------
    top : ndarray of shape (n_samples,)
        :math:`t`, number of the right label of each sample.
    tolerance : float
        :math:`\rho`.
    corner_eps : float
        :math:`\epsilon`, which rounds the corner.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in the sum; None is 1 for every sample.
    """

    def __init__(
        self,
        top: NDArray[np.intp],
        tolerance: float,
        corner_eps: float,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        self.top = top
        self.tolerance = tolerance
        self.corner_eps = corner_eps

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        rows = np.arange(len(x))
        distance = 2 * (1 - x[rows, self.top])
        values, slope = _hinge(distance - self.tolerance, self.corner_eps)
        gradient = np.zeros_like(x)
        gradient[rows, self.top] = -2 * _times(slope, self.sample_weight)
        return float(_times(values, self.sample_weight).sum()), gradient


class RestError:
    r"""Absolute errors of all labels but the right one, beyond a tolerance.

    :math:`\lambda \sum_i [\sum_{l \ne t_i} |p_{il} - d_{il}| - \rho_i]_+`

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    top : ndarray of shape (n_samples,)
        :math:`t`, number of the right label of each sample.
    tolerance : ndarray of shape (n_samples,)
        :math:`\rho`.
    weight : float
        :math:`\lambda`.
    corner_eps : float
        :math:`\epsilon`, which rounds the corners.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in the sum; None is 1 for every sample.
    """

    def __init__(
        self,
        D: FloatArray,
        top: NDArray[np.intp],
        tolerance: FloatArray,
        weight: float,
        corner_eps: float,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        others = np.ones_like(D)
        others[np.arange(len(D)), top] = 0.0
        self.others = others
        self.D = D
        self.tolerance = tolerance
        self.weight = weight
        self.corner_eps = corner_eps

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        error = x - self.D
        size = np.sqrt(error * error + self.corner_eps)
        total = np.einsum("ij,ij->i", size, self.others)
        values, slope = (
            _times(part, self.sample_weight)
            for part in _hinge(total - self.tolerance, self.corner_eps)
        )
        gradient = self.weight * slope[:, None] * self.others * error / size
        return self.weight * float(values.sum()), gradient


class LabelManifold:
    r"""Error of predicting each label's degrees from those of the other labels.

    :math:`\sum_g \lambda_g \sum_{i \in g} w_i \lVert p_i^T (I - Z_g) \rVert^2`, where
    column l of :math:`Z_g` has the weights that rebuild label l from the others in the
    rows of a group g.

    Parameters
    ----------
    groups : sequence of (rows, Z, weight)
        Numbers of the rows or a slice, weights of shape (n_labels, n_labels) and
        :math:`\lambda_g`.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`; None is 1 for every sample.
    """

    def __init__(
        self,
        groups: Sequence[tuple[NDArray[np.intp] | slice, FloatArray, float]],
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        self.groups = []
        for rows, Z, weight in groups:
            rest = np.eye(len(Z)) - Z
            self.groups.append((rows, weight * rest @ rest.T))

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        value, gradient = 0.0, np.zeros_like(x)
        for rows, square in self.groups:
            product = x[rows] @ square
            if self.sample_weight is not None:
                product *= self.sample_weight[rows, None]
            value += float(np.vdot(x[rows], product))
            gradient[rows] += 2 * product
        return value, gradient
