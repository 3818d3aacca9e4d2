"""Centring that leaves no rounding noise in constant columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skldl._typing import FloatArray

_FEW = 64
_EPS = float(np.finfo(np.float64).eps)


def centered(X: FloatArray, mean: FloatArray | None = None) -> FloatArray:
    """Subtract the mean; columns in which only rounding is left become zeros.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    mean : ndarray of shape (n_features,), default=None
        What to subtract; None for the mean of the columns.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        A constant feature is exactly zero, so that no method scales its noise up.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.linalg import centered
    >>> centered(np.full((3, 1), 0.1))
    array([[0.],
           [0.],
           [0.]])
    """
    mean = X.mean(axis=0) if mean is None else mean
    # a column that is more than noise in a few rows need not be looked at in all
    few = X[:_FEW]
    noise = _noise(mean, few.min(axis=0), few.max(axis=0), len(X))
    for column in np.flatnonzero(noise):
        own = X[:, column]
        part = mean[[column]], own.min(keepdims=True), own.max(keepdims=True)
        noise[column] = _noise(*part, len(X))[0]
    return Center(mean, noise).apply(X)


@dataclass(frozen=True)
class Center:
    """Subtract the mean as :func:`centered` does, from rows in blocks.

    Attributes
    ----------
    mean : ndarray of shape (n_features,) or None
        What is subtracted; None for nothing.
    noise : ndarray of shape (n_features,) or None
        Columns that become zeros.
    reach : float
        Largest modulus of any entry after centring, NaN if unknown.
    """

    mean: FloatArray | None = None
    noise: NDArray[np.bool_] | None = None
    reach: float = float("nan")

    @classmethod
    def of(
        cls, mean: FloatArray, low: FloatArray, high: FloatArray, n_samples: int
    ) -> "Center":
        """Judge the columns by their smallest and largest entries.

        Parameters
        ----------
        mean : ndarray of shape (n_features,)
            What to subtract.
        low, high : ndarray of shape (n_features,)
            Smallest and largest entries of the columns.
        n_samples : int
            Number of rows.

        Returns
        -------
        center : Center
        """
        far = np.maximum(high - mean, mean - low)
        noise = _noise(mean, low, high, n_samples)
        return cls(mean, noise, float(far[~noise].max(initial=0.0)))

    def apply(self, X: Any) -> FloatArray:
        """Centre some rows, in double precision.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        X : ndarray of shape (n_rows, n_features)
        """
        if self.mean is None:
            return np.asarray(X, dtype=np.float64)
        moved = X - self.mean
        if self.noise is not None and self.noise.any():
            moved[:, self.noise] = 0.0
        return moved


def _noise(
    mean: FloatArray, low: FloatArray, high: FloatArray, n_samples: int
) -> NDArray[np.bool_]:
    """Columns that differ from their mean by no more than rounding."""
    rounding = _EPS * max(64.0, n_samples**0.5)  # of a sum over the samples
    return np.maximum(high - mean, mean - low) <= rounding * np.abs(mean)
