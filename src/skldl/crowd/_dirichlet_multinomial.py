"""How much items differ beyond the chance of few votes."""

from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from skldl._typing import FloatArray
from skldl.solvers import lbfgs

_LARGEST = 1e6  # items do not differ
_SMALLEST = 1e-6  # a label that nobody chose keeps a little


def fit_dirichlet_multinomial(
    counts: Any, *, max_iter: int = 300, tol: float = 1e-8
) -> FloatArray:
    r"""Fit a Dirichlet-multinomial distribution to counts of votes.

    Each item has a distribution of its own, drawn from a Dirichlet distribution with
    the concentrations :math:`\alpha`, and its votes are drawn from that:

    .. math:: \sum_i \log \frac{\Gamma(\alpha_0)}{\Gamma(\alpha_0 + n_i)}
       \prod_l \frac{\Gamma(\alpha_l + c_{il})}{\Gamma(\alpha_l)},
       \qquad \alpha_0 = \sum_l \alpha_l,

    is maximised over the logarithms of the concentrations.

    Parameters
    ----------
    counts : array-like of shape (n_items, n_labels)
        Votes of each item for each label. Items without votes say nothing.
    max_iter : int, default=300
        Iterations at most.
    tol : float, default=1e-8
        Converged when no entry of the gradient of the mean log-likelihood is larger.

    Returns
    -------
    concentration : ndarray of shape (n_labels,)
        :math:`\alpha`, each at most a million: its shares are the mean distribution,
        its sum is the precision. Items with one vote each do not tell the latter; then
        it is the number of labels.

    References
    ----------
    .. [1] J. E. Mosimann, "On the Compound Multinomial Distribution, the Multivariate
       beta-Distribution, and Correlations Among Proportions", Biometrika 49(1/2),
       1962.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.crowd import fit_dirichlet_multinomial
    >>> rng = np.random.default_rng(0)
    >>> D = rng.dirichlet([2.0, 6.0], size=4000)
    >>> fit_dirichlet_multinomial(rng.multinomial(10, D)).round(1)
    array([2.1, 6.2])
    """
    counts = np.asarray(counts, dtype=np.float64)
    n_votes = counts.sum(axis=1)
    total = counts.sum()
    if total <= 0:
        raise ValueError("counts has no votes.")
    mean = counts.sum(axis=0) / total
    if not (n_votes > 1).any() or len(mean) == 1:
        return np.maximum(mean * len(mean), _SMALLEST)
    solution = lbfgs(
        _Likelihood(counts, n_votes),
        np.log(np.maximum(mean * len(mean), _SMALLEST)),
        max_iter=max_iter,
        tol=tol,
    )
    return np.exp(np.clip(solution.x, np.log(_SMALLEST), np.log(_LARGEST)))


class _Likelihood:
    """Minus the mean log-likelihood of the logarithms of the concentrations."""

    def __init__(self, counts: FloatArray, n_votes: FloatArray) -> None:
        self.columns = [_tally(column) for column in counts.T]
        self.sums = _tally(n_votes)
        self.n_items = float(self.sums[1].sum())

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        alpha = np.exp(np.clip(x, np.log(_SMALLEST), np.log(_LARGEST)))
        value, slope = _rise(self.sums, float(alpha.sum()))
        gradient = np.full_like(alpha, slope)
        for label, tally in enumerate(self.columns):
            own, slope = _rise(tally, alpha[label])
            value -= own
            gradient[label] -= slope
        return value / self.n_items, gradient * alpha / self.n_items


def _tally(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Different positive values and how often they occur: few, as they are counts."""
    found, often = np.unique(values[values > 0], return_counts=True)
    return found, often.astype(np.float64)


def _rise(
    tally: tuple[FloatArray, FloatArray], alpha: float
) -> tuple[float, FloatArray]:
    """Logarithms of alpha (alpha + 1) ... up to each value, summed; its derivative."""
    found, often = tally
    value = often @ (gammaln(found + alpha) - gammaln(alpha))
    return float(value), often @ (digamma(found + alpha) - digamma(alpha))
