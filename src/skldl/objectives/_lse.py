"""The objective of LSE-LDL: labels from latent features, latent from given ones."""

from typing import Any, NamedTuple

import numpy as np

from skldl._typing import FloatArray
from skldl.objectives._base import Sum
from skldl.objectives._penalties import GraphSmoothness, Ridge, RowNorms
from skldl.objectives._softmax import MaxEntKL, log_degrees, softmax_kl


class LSEPoint(NamedTuple):
    """Variables of :class:`LSEObjective`, or the gradient in them.

    Attributes
    ----------
    theta : ndarray of shape (n_labels, n_components)
        Labels from latent features.
    latent : ndarray of shape (n_samples, n_components)
        Latent features Z, or the part :math:`E = Z - XW` that X does not explain.
    projection : ndarray of shape (n_features, n_components)
        Latent features from X, W.
    """

    theta: FloatArray
    latent: FloatArray
    projection: FloatArray


class LSEObjective:
    r"""Objective of LSE-LDL.

    .. math:: \sum_i v_i \Big[\sum_l d_{il} \ln\frac{d_{il}}{p_{il}}
       + \alpha \lVert W^T x_i - z_i \rVert^2 \Big]
       + 2\beta \sum_k \sqrt{\lVert w_k \rVert^2 + \epsilon}
       + 2\gamma \operatorname{tr}(Z^T L Z) + \delta \lVert \theta \rVert^2,
       \qquad P = \mathrm{softmax}(Z \theta^T).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    laplacian : sparse matrix of shape (n_samples, n_samples)
        L of the label graph.
    encoding_weight, sparsity_weight, smoothness_weight, reg : float
        Weights :math:`\alpha`, :math:`\beta`, :math:`\gamma` and :math:`\delta`.
    corner_eps : float, default=1e-4
        :math:`\epsilon`.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`v`, positive; None is 1 for every sample.
    """

    def __init__(
        self,
        X: FloatArray,
        D: FloatArray,
        laplacian: Any,
        *,
        encoding_weight: float,
        sparsity_weight: float,
        smoothness_weight: float,
        reg: float,
        corner_eps: float = 1e-4,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        self.X = X
        self.D = D
        self.encoding_weight = encoding_weight
        self.reg = reg
        self.row_norms = RowNorms(2 * sparsity_weight, corner_eps)
        self.smoothness = GraphSmoothness(laplacian, 2 * smoothness_weight)
        self.log_D = log_degrees(D)

    def weighted(self, rows: FloatArray) -> FloatArray:
        """Rows times the weights of the samples.

        Parameters
        ----------
        rows : ndarray of shape (n_samples, n)
            One row per sample.

        Returns
        -------
        rows : ndarray of shape (n_samples, n)
        """
        weights = self.sample_weight
        return rows if weights is None else rows * weights[:, None]

    def scaled(self, rows: FloatArray) -> FloatArray:
        """Rows times the roots of the weights: products of them are weighted sums.

        Parameters
        ----------
        rows : ndarray of shape (n_samples, n)
            One row per sample.

        Returns
        -------
        rows : ndarray of shape (n_samples, n)
        """
        weights = self.sample_weight
        return rows if weights is None else rows * np.sqrt(weights)[:, None]

    def value(self, point: LSEPoint) -> float:
        """Value at (theta, Z, W).

        Parameters
        ----------
        point : LSEPoint
            Where.

        Returns
        -------
        value : float
        """
        return self.value_and_grad(point)[0]

    def value_and_grad(self, point: LSEPoint) -> tuple[float, LSEPoint]:
        """Value and gradient in (theta, Z, W).

        Parameters
        ----------
        point : LSEPoint
            Where.

        Returns
        -------
        value : float
        gradient : LSEPoint
        """
        theta, Z, W = point
        E = Z - self.X @ W
        value, g_theta, g_free, g_norms = self._terms(theta, Z, E, W)
        pull = 2 * self.encoding_weight * self.weighted(E)
        g_W = g_norms - self.X.T @ pull
        return value, LSEPoint(g_theta, g_free + pull, g_W)

    def value_and_grad_encoded(self, point: LSEPoint) -> tuple[float, LSEPoint]:
        """Value and gradient in (theta, E, W), where Z = XW + E.

        Parameters
        ----------
        point : LSEPoint
            Where, with E in the place of Z.

        Returns
        -------
        value : float
        gradient : LSEPoint
        """
        theta, E, W = point
        Z = self.X @ W + E
        value, g_theta, g_free, g_norms = self._terms(theta, Z, E, W)
        g_W = g_norms + self.X.T @ g_free
        pull = 2 * self.encoding_weight * self.weighted(E)
        return value, LSEPoint(g_theta, g_free + pull, g_W)

    def _terms(
        self, theta: FloatArray, Z: FloatArray, E: FloatArray, W: FloatArray
    ) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        """The value, and gradients of all terms but the encoding error."""
        loss, residual = self.divergence(Z @ theta.T)
        rough, g_rough = self.smoothness.value_and_grad(Z)
        rows, g_rows = self.row_norms.value_and_grad(W)
        value = loss + rough + rows
        value += self.encoding_weight * float(np.vdot(E, self.weighted(E)))
        value += self.reg * float(np.vdot(theta, theta))
        g_theta = residual.T @ Z + 2 * self.reg * theta
        return value, g_theta, residual @ theta + g_rough, g_rows

    def divergence(self, scores: FloatArray) -> tuple[float, FloatArray]:
        """The first term and its gradient.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_labels)
            What the softmax is taken of.

        Returns
        -------
        value : float
        gradient : ndarray of shape (n_samples, n_labels)
        """
        return softmax_kl(scores, self.D, self.log_D, self.sample_weight)

    def theta_block(self, Z: FloatArray) -> Sum:
        """The terms that theta is in, as a function of its transpose.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_components)
            Latent features.

        Returns
        -------
        objective : Sum
        """
        loss = MaxEntKL(Z, self.D, sample_weight=self.sample_weight)
        return Sum(loss, Ridge(2 * self.reg))

    def latent_block(self, theta: FloatArray, encoded: FloatArray) -> "_LatentBlock":
        """The terms that Z is in, as a function of Z.

        Parameters
        ----------
        theta : ndarray of shape (n_labels, n_components)
            Labels from latent features.
        encoded : ndarray of shape (n_samples, n_components)
            XW.

        Returns
        -------
        objective : objective
        """
        return _LatentBlock(self, theta, encoded)


class _LatentBlock:
    def __init__(
        self, whole: LSEObjective, theta: FloatArray, encoded: FloatArray
    ) -> None:
        self.whole = whole
        self.theta = theta
        self.encoded = encoded

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient in Z."""
        whole, E = self.whole, x - self.encoded
        loss, residual = whole.divergence(x @ self.theta.T)
        rough, gradient = whole.smoothness.value_and_grad(x)
        gradient += residual @ self.theta
        pull = whole.weighted(E)
        gradient += 2 * whole.encoding_weight * pull
        return loss + rough + whole.encoding_weight * float(np.vdot(E, pull)), gradient
