"""Targets that a least-squares regression predicts, and the way back to the simplex."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from skldl._typing import FloatArray
from skldl.linalg import clr, replace_zeros

_FLOOR = 1e-9  # share of the uniform distribution, for labels that never occur
_LEAST = 1e-300


@dataclass(frozen=True)
class Link:
    """Degrees themselves, or centred log-ratios, smoothed towards a mean.

    Attributes
    ----------
    name : {"identity", "clr"}
        What is predicted.
    smoothing : float
        Share of the mean in targets ("clr") or in predictions ("identity").
    mean : ndarray of shape (n_labels,)
        The mean distribution.
    """

    name: str
    smoothing: float
    mean: FloatArray

    def targets(self, D: FloatArray) -> FloatArray:
        """What is regressed.

        Parameters
        ----------
        D : ndarray of shape (n_samples, n_labels)
            Distributions.
        """
        if self.name == "identity":
            return D
        base = replace_zeros(self.mean[None], _FLOOR)[0]
        return clr(replace_zeros(D, max(self.smoothing, _FLOOR), base=base))

    def distributions(self, Z: FloatArray) -> FloatArray:
        """Rows on the simplex from predicted targets.

        Parameters
        ----------
        Z : ndarray of shape (..., n_labels)
            Predictions of targets.
        """
        if self.name == "clr":
            return softmax(Z, axis=-1)
        P = np.maximum(Z, 0.0)
        P /= np.maximum(P.sum(axis=-1, keepdims=True), _LEAST)
        P *= 1 - self.smoothing
        P += self.smoothing * self.mean
        return P


def divergences(D: FloatArray, P: FloatArray) -> FloatArray:
    """Divergence of each prediction; a degree of 0 adds nothing.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    P : ndarray of shape (n_samples, n_settings, n_labels)
        Predictions.

    Returns
    -------
    kl : ndarray of shape (n_samples, n_settings)
    """
    own = (D * np.log(np.maximum(D, _LEAST))).sum(axis=1)
    crossed = np.einsum("il,ijl->ij", D, np.log(np.maximum(P, _LEAST)))
    return own[:, None] - crossed
