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

    .. math:: \sum_i w_i \Big[\sum_l d_{il} \ln \frac{d_{il}}{p_{il}}
       + \lambda_3 \sum_j c_{ij} \lVert p_i - q_j \rVert^2 \Big]
       + \lambda_1 \lVert \Theta \rVert^2 + \lambda_2 \lVert W \rVert^2, \qquad
       p_i = \mathrm{softmax}(\Theta^T x_i + W^T c_i),

    as a function of one vector: :math:`\Theta`, W and
    :math:`\sqrt{w_i} \ln c_{ij}`. In these units a sample of weight 2 and two equal
    samples take the same steps.

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
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`, positive; None is 1 for every sample.
    """

    def __init__(
        self,
        X: Any,
        D: FloatArray,
        centers: FloatArray,
        weights: tuple[float, float, float],
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        self.X = X
        self._transposed = X.T
        self.D = D
        self.log_D = log_degrees(D)
        self.centers = centers
        self.weights = weights

    def _weighted(self, rows: FloatArray) -> FloatArray:
        weights = self.sample_weight
        return rows if weights is None else rows * weights[:, None]

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
        log_codes = log_codes.reshape(n, c)
        if self.sample_weight is not None:
            log_codes = log_codes / np.sqrt(self.sample_weight)[:, None]
        return LDLSCLPoint(theta.reshape(q, m), W.reshape(c, m), log_codes)

    def vector(self, point: LDLSCLPoint) -> FloatArray:
        """Put a point together, in the units of the vector.

        Parameters
        ----------
        point : LDLSCLPoint
            All variables.

        Returns
        -------
        x : ndarray of shape (n_variables,)
        """
        theta, W, log_codes = point
        if self.sample_weight is not None:
            log_codes = log_codes * np.sqrt(self.sample_weight)[:, None]
        return np.concatenate([part.ravel() for part in (theta, W, log_codes)])

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
        value, residual = softmax_kl(scores, self.D, self.log_D, self.sample_weight)
        near = _CenterDistances(self._weighted(codes), self.centers, pull)
        more, pulled = OfSoftmax(near).value_and_grad(scores)
        residual += pulled
        value += more + ridge * float(np.vdot(theta, theta))
        value += ridge_codes * float(np.vdot(W, W))
        P = np.exp(scores - scores.max(axis=1, keepdims=True))
        P /= P.sum(axis=1, keepdims=True)
        of_codes = residual @ W.T + pull * self._weighted(near.distances(P))
        parts = (
            self._transposed @ residual + 2 * ridge * theta,
            codes.T @ residual + 2 * ridge_codes * W,
            of_codes * codes,
        )
        if self.sample_weight is not None:
            parts[-1][:] /= np.sqrt(self.sample_weight)[:, None]
        return value, np.concatenate([part.ravel() for part in parts])
