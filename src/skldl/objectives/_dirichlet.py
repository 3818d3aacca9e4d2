"""Likelihoods of Dirichlet regression, of distributions and of votes."""

from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from skldl._typing import FloatArray

#: Precisions stay below this, also where all distributions are equal.
MOST_PRECISION = 1e6
_REACH = 3.0  # of logarithms of precisions around the usual one


class DirichletLikelihood:
    r"""Negative log-likelihood of a Dirichlet or Dirichlet-multinomial regression.

    Sample i has the concentrations :math:`\alpha_i = \phi_i p_i`, with the mean
    :math:`p_i = \mathrm{softmax}(\Theta^T x_i + b)` and the precision

    .. math:: \phi_i = \phi \exp(3 \tanh(v^T x_i / 3)), \qquad
       \phi = 1 / (e^{-c} + 10^{-6}),

    log-linear near its usual value :math:`\phi`, from which it differs by a factor of
    20 at most: likelihoods of precisions without bound have none either. Without votes
    the sum over samples is of

    .. math:: -w_i \Big[\ln\Gamma(\phi_i) - \sum_l \ln\Gamma(\alpha_{il})
       + \sum_l (\alpha_{il} - 1) \ln d_{il}\Big],

    and with :math:`n_i` votes, of which :math:`c_i = n_i d_i` were for the labels, of

    .. math:: -w_i \Big[\ln\frac{\Gamma(\phi_i)}{\Gamma(n_i + \phi_i)}
       + \sum_l \ln\frac{\Gamma(c_{il} + \alpha_{il})}{\Gamma(\alpha_{il})}\Big].

    It is a function of an array with the labels in columns and the precision as the
    last one, features in rows and the intercepts b and c as the last one.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    D : ndarray of shape (n_samples, n_labels)
        Distributions; without votes they must be positive.
    n_votes : ndarray of shape (n_samples,), default=None
        Numbers of votes; None for distributions that are known exactly.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`; None is 1 for every sample.
    linear_precision : bool, default=False
        Whether the precision depends on the features; otherwise v is ignored.

    Attributes
    ----------
    shape : tuple of int
        Of the argument.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import DirichletLikelihood
    >>> D = np.array([[0.5, 0.5], [0.9, 0.1]])
    >>> objective = DirichletLikelihood(np.eye(2), D)
    >>> objective.value_and_grad(np.zeros(objective.shape))[1].shape
    (3, 3)
    """

    def __init__(
        self,
        X: Any,
        D: FloatArray,
        *,
        n_votes: FloatArray | None = None,
        sample_weight: FloatArray | None = None,
        linear_precision: bool = False,
    ) -> None:
        self.X = X
        self.n_votes = n_votes
        self.weights = np.ones(len(D)) if sample_weight is None else sample_weight
        self.linear_precision = linear_precision
        self.shape = (X.shape[1] + 1, D.shape[1] + 1)
        self._target = np.log(D) if n_votes is None else D * n_votes[:, None]

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_features + 1, n_labels + 1)
            Coefficients.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        scores = self.X @ x[:-1]
        scores[:, :-1] += x[-1, :-1]
        if not self.linear_precision:
            scores[:, -1] = 0.0
        usual = usual_precision(x[-1, -1])
        P, precision = mean_and_precision(scores, usual)
        alpha = np.maximum(precision[:, None] * P, 1e-300)
        values, slopes = self._likelihood(alpha, precision)
        means = np.einsum("ij,ij->i", P, slopes)
        inner = np.empty_like(scores)
        inner[:, :-1] = alpha * (slopes - means[:, None])
        inner[:, -1] = precision * means
        inner *= self.weights[:, None]
        of_usual = inner[:, -1].sum() * (1 - usual / MOST_PRECISION)
        inner[:, -1] *= 1 - np.tanh(scores[:, -1] / _REACH) ** 2
        gradient = np.vstack([self.X.T @ inner, inner.sum(axis=0)])
        gradient[-1, -1] = of_usual
        if not self.linear_precision:
            gradient[:-1, -1] = 0.0
        return float(self.weights @ values), gradient

    def _likelihood(
        self, alpha: FloatArray, precision: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Value of each sample, and slopes in the concentrations."""
        own = gammaln(alpha).sum(axis=1) - gammaln(precision)
        slopes = digamma(alpha) - digamma(precision)[:, None]
        if self.n_votes is None:
            values = own - ((alpha - 1) * self._target).sum(axis=1)
            return values, slopes - self._target
        more, total = self._target + alpha, self.n_votes + precision
        values = own + gammaln(total) - gammaln(more).sum(axis=1)
        return values, slopes + digamma(total)[:, None] - digamma(more)


class PrecisionRidge:
    r"""Ridge in units of the information of a sample about its mean.

    .. math:: \frac{\lambda}{2} (I \lVert \Theta \rVert^2 + \lVert v \rVert^2),
       \qquad I = \phi / (1 + \phi / n)

    as a function of the array of :class:`DirichletLikelihood`, with the precision
    :math:`\phi` of its intercept c. As the variance of the errors in a linear model,
    the precision then does not change the strength of the ridge, and cannot escape to
    infinity together with coefficients that fit every sample.

    Parameters
    ----------
    weight : float
        :math:`\lambda`.
    n_votes : float, default=inf
        Usual number of votes n.
    """

    def __init__(self, weight: float, n_votes: float = np.inf) -> None:
        self.weight = weight
        self.n_votes = n_votes

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_features + 1, n_labels + 1)
            Coefficients.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        phi = usual_precision(x[-1, -1])
        information = phi / (1 + phi / self.n_votes)
        slope = information / (1 + phi / self.n_votes) * (1 - phi / MOST_PRECISION)
        squares = float(np.vdot(x[:-1, :-1], x[:-1, :-1]))
        others = float(x[:-1, -1] @ x[:-1, -1])
        gradient = np.zeros_like(x)
        gradient[:-1, :-1] = self.weight * information * x[:-1, :-1]
        gradient[:-1, -1] = self.weight * x[:-1, -1]
        gradient[-1, -1] = 0.5 * self.weight * slope * squares
        return 0.5 * self.weight * (information * squares + others), gradient


def usual_precision(c: float) -> float:
    """Precision of an intercept, below 1e6.

    Parameters
    ----------
    c : float
        Logarithm of the precision before its limit.

    Returns
    -------
    precision : float
    """
    with np.errstate(over="ignore"):
        return float(max(1 / (np.exp(-c) + 1 / MOST_PRECISION), 1e-300))


def mean_and_precision(
    scores: FloatArray, usual: float
) -> tuple[FloatArray, FloatArray]:
    """Means and precisions of scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_labels + 1)
        Of the labels, and last of the precision.
    usual : float
        Precision where its score is 0.

    Returns
    -------
    P : ndarray of shape (n_samples, n_labels)
        Softmax rows.
    precision : ndarray of shape (n_samples,)
        At most 20 times more or less than usual.
    """
    own = scores[:, :-1]
    P = np.exp(own - own.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return P, usual * np.exp(_REACH * np.tanh(scores[:, -1] / _REACH))
