"""The divergence of a softmax as a sum over blocks of samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._typing import FloatArray
from skldl.blocks import Blocks, BlockTarget
from skldl.objectives._softmax import MaxEntKL


class BlockedKL:
    """:class:`MaxEntKL` of samples that come in blocks; each call reads all of them.

    Parameters
    ----------
    blocks : Blocks
        Samples and distributions.
    target : BlockTarget
        Reads the distributions.
    fit_intercept : bool, default=False
        Whether the coefficients have a last row that no feature multiplies.

    Attributes
    ----------
    shape : tuple of int
        Of the coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.blocks import Blocks, survey_target
    >>> from skldl.objectives import BlockedKL
    >>> blocks = Blocks(np.eye(2), np.array([[0.5, 0.5], [0.9, 0.1]]), block_rows=1)
    >>> objective = BlockedKL(blocks, survey_target(blocks))
    >>> objective.value_and_grad(np.zeros(objective.shape))[1]
    array([[ 0. ,  0. ],
           [-0.4,  0.4]])
    """

    def __init__(
        self, blocks: Blocks, target: BlockTarget, *, fit_intercept: bool = False
    ) -> None:
        self.blocks = blocks
        self.target = target
        self.fit_intercept = fit_intercept
        self.shape = (blocks.layout.n_features + fit_intercept, len(target.classes))

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
        return self.blocks.reduce(_Value(self.target, self.fit_intercept, x))

    def second_moments(self) -> tuple[int, FloatArray]:
        """Number of samples, and sums of products of features, with the intercept's.

        Returns
        -------
        n_samples : int
        products : ndarray of shape (shape[0], shape[0])
        """
        return self.blocks.reduce(_Moments(self.fit_intercept))


@dataclass(frozen=True)
class _Value:
    target: BlockTarget
    fit_intercept: bool
    x: FloatArray

    def __call__(self, X: Any, y: Any) -> tuple[float, FloatArray]:
        X = X.astype(np.float64, copy=False)
        block = MaxEntKL(X, self.target.encode(y), fit_intercept=self.fit_intercept)
        return block.value_and_grad(self.x)


@dataclass(frozen=True)
class _Moments:
    fit_intercept: bool

    def __call__(self, X: Any, y: Any) -> tuple[int, FloatArray]:
        X = X.astype(np.float64, copy=False)
        products = (X.T @ X).toarray() if sp.issparse(X) else X.T @ X
        if self.fit_intercept:
            sums = np.asarray(X.sum(axis=0)).reshape(-1, 1)
            corner = np.array([[float(X.shape[0])]])
            products = np.block([[products, sums], [sums.T, corner]])
        return X.shape[0], products
