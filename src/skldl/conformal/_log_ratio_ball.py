"""Extent of balls in log-ratio coordinates, label by label."""

import numpy as np
from scipy.special import logsumexp

from skldl._typing import FloatArray

_TOLERANCE = 1e-10
_MAX_ITER = 500


def log_ratio_bounds(
    P: FloatArray, radius: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Smallest and largest degree of each label in Aitchison balls.

    In log-ratios z the function :math:`\ln q_j = z_j - \ln \sum_k e^{z_k}` is concave
    with the gradient :math:`g = e_j - q`. Its extremes in a ball are at the border, at
    :math:`z \pm r g / |g|`, where g is the gradient there.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_labels)
        Centres without zeros.
    radius : ndarray of shape (n_samples,)
        Finite radii.

    Returns
    -------
    lower, upper : ndarray of shape (n_samples, n_labels)
    """
    Z = np.log(P)
    Z -= Z.mean(axis=1, keepdims=True)
    lower, upper = np.empty(P.shape), np.empty(P.shape)
    if P.shape[1] == 1:
        return np.ones(P.shape), np.ones(P.shape)
    for j in range(P.shape[1]):
        lower[:, j] = np.exp(_smallest(Z, radius, j))
        upper[:, j] = np.exp(_largest(Z, radius, j))
    return lower, upper


def _log_degree(V: FloatArray, j: int) -> tuple[FloatArray, FloatArray]:
    """Logarithm of the degree of a label, and its gradient."""
    total = logsumexp(V, axis=1)
    gradient = -np.exp(V - total[:, None])
    gradient[:, j] = -(gradient.sum(axis=1) - gradient[:, j])  # 1 - q, without loss
    return V[:, j] - total, gradient


def _unit(G: FloatArray) -> FloatArray:
    return G / np.sqrt(np.square(G).sum(axis=1, keepdims=True))


def _largest(Z: FloatArray, radius: FloatArray, j: int) -> FloatArray:
    """A bound from above that is exact up to the tolerance.

    A concave function is below its tangents, so the largest value of the tangent in the
    ball is a bound, wherever the iteration stops. Steps are damped, because the
    undamped ones may oscillate in large balls.
    """
    r = radius[:, None]
    shift = r * _unit(_log_degree(Z, j)[1])
    best = np.full(len(Z), np.inf)
    for _ in range(_MAX_ITER):
        value, gradient = _log_degree(Z + shift, j)
        steepest = r * _unit(gradient)
        gap = (gradient * (steepest - shift)).sum(axis=1)
        best = np.minimum(best, value + gap)
        if gap.max(initial=0.0) <= _TOLERANCE:
            break
        shift += 2 / (2 + r) * (steepest - shift)
    return best


def _smallest(Z: FloatArray, radius: FloatArray, j: int) -> FloatArray:
    """The least of a concave function: each step goes down, from two starts.

    Of two other labels the one with the larger degree grows at least as much, else
    exchanging the two would lower the label further. So the starts are the largest
    other label, and all others by their degrees.
    """
    others = Z.copy()
    others[:, j] = -np.inf
    alone = np.zeros(Z.shape)
    alone[np.arange(len(Z)), others.argmax(axis=1)] = -1.0
    alone[:, j] = 1.0
    starts = (alone, _log_degree(Z, j)[1])
    return np.minimum(*(_descend(Z, radius[:, None], G, j) for G in starts))


def _descend(Z: FloatArray, r: FloatArray, G: FloatArray, j: int) -> FloatArray:
    value, G = _log_degree(Z - r * _unit(G), j)
    for _ in range(_MAX_ITER):
        before = value
        value, G = _log_degree(Z - r * _unit(G), j)
        if (before - value).max(initial=0.0) <= _TOLERANCE:
            break
    return value
