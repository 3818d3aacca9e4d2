"""More features than samples: work in the space that the samples span.

A pencil of products :math:`X^T M X` has its solutions in the span of the rows of X, of
dimension n at most. With an orthonormal basis Q of that span and :math:`R = X Q`, the
solutions are those of :math:`R^T M R` times Q: matrices of order n in place of d.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skldl._memory import require_memory
from skldl._typing import FloatArray
from skldl.linalg._eigen import RANK_TOL, fix_signs

_MATRICES = 4  # of the order of the problem, that exist at once


@dataclass(frozen=True)
class RowSpace:
    """Coordinates of samples in the space that they span, and the way back.

    Attributes
    ----------
    coordinates : ndarray of shape (n_samples, rank)
        R; the samples themselves if there is no basis.
    basis : ndarray of shape (n_features, rank) or None
        Q, with orthonormal columns; None is the identity.
    """

    coordinates: FloatArray
    basis: FloatArray | None = None

    @classmethod
    def of(cls, X: Any, *, rank_tol: float = RANK_TOL) -> "RowSpace":
        """Find the span, if there are more features than samples.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Samples, centred before where the method centres.
        rank_tol : float, default=1e-9
            Directions count as empty if their sum of squares, of features scaled to
            unit length, is below this share of the largest: the rule of
            :func:`generalized_eigh`.

        Returns
        -------
        space : RowSpace

        Examples
        --------
        >>> import numpy as np
        >>> from skldl.linalg import RowSpace
        >>> space = RowSpace.of(np.array([[3.0, 0.0, 4.0]]))
        >>> np.abs(space.coordinates), space.basis.shape
        (array([[5.]]), (3, 1))
        """
        n, d = X.shape
        require_products(n, d)
        if d <= n:
            return cls(X)
        X = np.asarray(X, dtype=np.float64)
        scale = _column_norms(X)
        scaled, triangle = np.linalg.qr((X / scale).T)
        left, s, _ = np.linalg.svd(triangle)
        kept = left[:, s > np.sqrt(rank_tol) * max(s[0], np.finfo(np.float64).tiny)]
        if not kept.shape[1]:
            return cls(np.zeros((n, 1)), np.eye(d, 1))
        basis = np.linalg.qr((scaled @ kept) * scale[:, None])[0]
        return cls(X @ basis, basis)

    def lift(self, vectors: FloatArray) -> FloatArray:
        """Give vectors in the features.

        Parameters
        ----------
        vectors : ndarray of shape (rank, k)
            Columns in the coordinates.

        Returns
        -------
        vectors : ndarray of shape (n_features, k)
        """
        return vectors if self.basis is None else self.basis @ vectors

    def directions(self, vectors: FloatArray) -> FloatArray:
        """Give eigenvectors in the features, with the usual signs.

        Parameters
        ----------
        vectors : ndarray of shape (rank, k)
            Eigenvectors in the coordinates, as columns.

        Returns
        -------
        vectors : ndarray of shape (n_features, k)
            With the entry of largest modulus of each column positive.
        """
        return vectors if self.basis is None else fix_signs(self.basis @ vectors)


def require_products(n_samples: int, n_features: int) -> None:
    """Raise an error if square matrices of the smaller side of X are too large.

    Parameters
    ----------
    n_samples, n_features : int
        Shape of the samples. An eigenproblem takes several matrices whose order is the
        smaller of both.
    """
    order = min(n_samples, n_features)
    require_memory(
        _MATRICES * 8.0 * order**2,
        f"An eigenproblem of order {order}, for {n_samples} samples of {n_features} "
        "features,",
        "Reduce the features first, for instance by PCA, or take fewer samples.",
    )


def _column_norms(X: FloatArray) -> FloatArray:
    """Lengths of columns, safe for huge and tiny entries; 1 for zero columns."""
    reach = np.abs(X).max(axis=0)
    reach[reach == 0] = 1.0
    return reach * np.maximum(np.sqrt(np.square(X / reach).sum(axis=0)), 1.0)
