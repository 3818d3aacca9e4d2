"""Losses of linear scores, and of their softmax."""

from typing import Any

import numpy as np

from skldl._typing import FloatArray
from skldl.objectives._base import Objective
from skldl.objectives._softmax import log_degrees, softmax_kl


class ScoresKL:
    r"""Divergence of the softmax of scores from distributions.

    :math:`\sum_i w_i \sum_l d_{il} \ln (d_{il} / p_{il})` with p the softmax of row i.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`; None is 1 for every sample.
    """

    def __init__(self, D: FloatArray, sample_weight: FloatArray | None = None) -> None:
        self.D = D
        self.sample_weight = sample_weight
        self.log_D = log_degrees(D)

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Scores.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        return softmax_kl(x, self.D, self.log_D, self.sample_weight)


class OfSoftmax:
    r"""A loss of distributions as a function of the scores they are the softmax of.

    With P the softmax and A the gradient of the loss in P, the gradient in the scores
    is :math:`P \circ (A - (P \circ A) 1 1^T)`.

    Parameters
    ----------
    loss : objective
        Of an array of distributions in rows.
    """

    def __init__(self, loss: Objective) -> None:
        self.loss = loss

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Scores.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        P = np.exp(x - x.max(axis=1, keepdims=True))
        P /= P.sum(axis=1, keepdims=True)
        value, gradient = self.loss.value_and_grad(P)
        means = np.einsum("ij,ij->i", P, gradient)
        return value, P * (gradient - means[:, None])


class Linear:
    r"""A loss of linear scores :math:`X \Theta + b` as a function of the coefficients.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    n_labels : int
        Columns of the scores.
    loss : objective
        Of the scores.
    fit_intercept : bool, default=False
        Whether the coefficients have a last row that no feature multiplies, b.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights that the loss gives to the samples. They are only kept here, for those
        who estimate the curvature.

    Attributes
    ----------
    shape : tuple of int
        Of the coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import Linear, Ridge
    >>> Linear(np.eye(2), 1, Ridge(1.0)).value_and_grad(np.ones((2, 1)))[0]
    1.0
    """

    def __init__(
        self,
        X: Any,
        n_labels: int,
        loss: Objective,
        *,
        fit_intercept: bool = False,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.X = X
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.sample_weight = sample_weight
        self.shape = (X.shape[1] + fit_intercept, n_labels)
        self._transposed = X.T

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_features or n_features + 1, n_labels)
            Coefficients.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        if not self.fit_intercept:
            value, residual = self.loss.value_and_grad(self.X @ x)
            return value, self._transposed @ residual
        value, residual = self.loss.value_and_grad(self.X @ x[:-1] + x[-1])
        gradient = self._transposed @ residual
        return value, np.vstack([gradient, residual.sum(axis=0)])
