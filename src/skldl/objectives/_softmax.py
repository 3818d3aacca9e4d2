"""The divergence of a softmax: what maximum-entropy models minimise."""

from typing import Any

import numpy as np

from skldl._typing import FloatArray


def log_degrees(D: FloatArray) -> FloatArray:
    """Logarithms of distributions, 0 where a degree is 0.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.

    Returns
    -------
    log_D : ndarray of shape (n_samples, n_labels)
    """
    return np.log(np.where(D > 0, D, 1.0))


def softmax_kl(
    scores: FloatArray,
    D: FloatArray,
    log_D: FloatArray,
    sample_weight: FloatArray | None = None,
) -> tuple[float, FloatArray]:
    r"""Divergence of softmax rows from distributions, and its gradient in the scores.

    :math:`\sum_i w_i \sum_l d_{il} \ln (d_{il} / p_{il})` with :math:`p_i` the softmax
    of row i; the gradient is :math:`w_i (p_i - d_i)` because rows of D sum to 1.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels)
        Any numbers; shifted by their row maximum before the exponential.
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    log_D : ndarray of shape (n_samples, n_labels)
        Their logarithms by :func:`log_degrees`, made once.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`; None is 1 for every sample.

    Returns
    -------
    value : float
    gradient : ndarray of shape (n_samples, n_labels)

    Notes
    -----
    Quickest where all matrices are stored by columns (Fortran order): a label's numbers
    then lie side by side, and there are more samples than labels.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import log_degrees, softmax_kl
    >>> D = np.array([[0.75, 0.25]])
    >>> softmax_kl(np.zeros((1, 2)), D, log_degrees(D))[1]
    array([[-0.25,  0.25]])
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    P = np.exp(shifted)
    sums = P @ np.ones((P.shape[1], 1))  # faster than a sum along short rows
    P /= sums
    P -= D
    # differences of logarithms first: small divergences keep their digits
    shifted -= np.log(sums)
    np.subtract(log_D, shifted, out=shifted)
    if sample_weight is None:
        return float(np.vdot(D.T, shifted.T)), P  # vdot would copy columns
    P *= sample_weight[:, None]
    return float(sample_weight @ np.einsum("ij,ij->i", D, shifted)), P


class MaxEntKL:
    r"""Divergence of the maximum-entropy model from distributions, summed over samples.

    .. math:: \sum_i w_i \sum_l d_{il} \ln \frac{d_{il}}{p_{il}}, \qquad
       p_i = \mathrm{softmax}(\Theta^T x_i + b),

    as a function of the coefficients, features in rows and labels in columns, with b as
    a last row where there is an intercept.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    D : ndarray of shape (n_samples, n_labels)
        Distributions; a degree of 0 adds nothing.
    fit_intercept : bool, default=False
        Whether the coefficients have a last row that no feature multiplies.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`; None is 1 for every sample.

    Attributes
    ----------
    shape : tuple of int
        Of the coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import MaxEntKL
    >>> objective = MaxEntKL(np.eye(2), np.array([[0.5, 0.5], [0.9, 0.1]]))
    >>> value, gradient = objective.value_and_grad(np.zeros(objective.shape))
    >>> gradient
    array([[ 0. ,  0. ],
           [-0.4,  0.4]])
    """

    def __init__(
        self,
        X: Any,
        D: FloatArray,
        *,
        fit_intercept: bool = False,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.X = X
        self.D = np.asfortranarray(D)  # see the notes of softmax_kl
        self.fit_intercept = fit_intercept
        self.sample_weight = sample_weight
        self.shape = (X.shape[1] + fit_intercept, D.shape[1])
        self._transposed = X.T  # made once: a sparse X would be converted at every call
        self.log_D = log_degrees(self.D)

    def scores(self, x: FloatArray) -> FloatArray:
        """What the softmax is taken of.

        Parameters
        ----------
        x : ndarray of shape (n_features or n_features + 1, n_labels)
            Coefficients.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_labels)
            Stored by columns.
        """
        coef = x[:-1] if self.fit_intercept else x
        scores = np.asfortranarray((coef.T @ self._transposed).T)
        if self.fit_intercept:
            scores += x[-1]
        return scores

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
        value, residual = softmax_kl(
            self.scores(x), self.D, self.log_D, self.sample_weight
        )
        gradient = self._transposed @ residual
        if self.fit_intercept:
            gradient = np.vstack([gradient, residual.sum(axis=0)])
        return value, gradient
