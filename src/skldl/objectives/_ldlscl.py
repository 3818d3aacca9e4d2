"""Maximum entropy with a positive code for every sample."""

from typing import Any, NamedTuple

import numpy as np

from skldl._typing import FloatArray
from skldl.objectives._linear import OfSoftmax
from skldl.objectives._softmax import log_degrees, softmax_kl


class LDLSCLPoint(NamedTuple):
    """Variables of :class:`LDLSCLObjective`, in this order in its vector."""

    theta: FloatArray
    W: FloatArray
    log_codes: FloatArray


class _CenterDistances:
    """Sum over samples and centers of code times squared distance."""

    def __init__(self, codes: FloatArray, centers: FloatArray, weight: float) -> None:
        self.codes = codes
        self.centers = centers
        self.weight = weight

    def distances(self, P: FloatArray) -> FloatArray:
        squares = np.einsum("ij,ij->i", P, P)[:, None]
        own = np.einsum("ij,ij->i", self.centers, self.centers)
        return squares - 2 * P @ self.centers.T + own

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        value = self.weight * float(np.vdot(self.codes, self.distances(x)))
        totals = self.codes.sum(axis=1, keepdims=True)
        return value, 2 * self.weight * (totals * x - self.codes @ self.centers)


class LDLSCLObjective:
    r"""Divergence of a softmax of features and positive codes, with its penalties.

    .. math:: \sum_{il} d_{il} \ln \frac{d_{il}}{p_{il}}
       + \lambda_1 \lVert \Theta \rVert^2 + \lambda_2 \lVert W \rVert^2
       + \lambda_3 \sum_{ij} c_{ij} \lVert p_i - q_j \rVert^2, \qquad
       p_i = \mathrm{softmax}(\Theta^T x_i + W^T c_i),

    as a function of one vector: :math:`\Theta`, W and the logarithms of the codes c.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    centers : ndarray of shape (n_codes, n_labels)
        q, mean distributions of the clusters.
    weights : tuple of float
        :math:`\lambda_1, \lambda_2, \lambda_3`.
    """

    def __init__(
        self,
        X: Any,
        D: FloatArray,
        centers: FloatArray,
        weights: tuple[float, float, float],
    ) -> None:
        self.X = X
        self._transposed = X.T
        self.D = D
        self.log_D = log_degrees(D)
        self.centers = centers
        self.weights = weights

    def point(self, x: FloatArray) -> LDLSCLPoint:
        """Take a vector apart.

        Parameters
        ----------
        x : ndarray of shape (n_variables,)
            All variables.

        Returns
        -------
        point : LDLSCLPoint
        """
        (n, q), m, c = self.X.shape, self.D.shape[1], len(self.centers)
        theta, W, log_codes = np.split(x, [q * m, (q + c) * m])
        return LDLSCLPoint(
            theta.reshape(q, m), W.reshape(c, m), log_codes.reshape(n, c)
        )

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_variables,)
            All variables.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        theta, W, log_codes = self.point(x)
        ridge, ridge_codes, pull = self.weights
        codes = np.exp(np.clip(log_codes, -50.0, 50.0))
        scores = self.X @ theta + codes @ W
        value, residual = softmax_kl(scores, self.D, self.log_D)
        near = _CenterDistances(codes, self.centers, pull)
        more, pulled = OfSoftmax(near).value_and_grad(scores)
        residual += pulled
        value += more + ridge * float(np.vdot(theta, theta))
        value += ridge_codes * float(np.vdot(W, W))
        P = np.exp(scores - scores.max(axis=1, keepdims=True))
        P /= P.sum(axis=1, keepdims=True)
        of_codes = residual @ W.T + pull * near.distances(P)
        parts = (
            self._transposed @ residual + 2 * ridge * theta,
            codes.T @ residual + 2 * ridge_codes * W,
            of_codes * codes,
        )
        return value, np.concatenate([part.ravel() for part in parts])
