"""Observed shares of votes against the distribution behind them."""

from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln
from scipy.stats import norm

from skldl._typing import FloatArray
from skldl.conformal._balls import Ball

_DRAWS = 20_000  # simulated samples
_SMALL = 1e-6  # share of the uniform distribution in predictions, so none is 0
_RANGE = (np.log(1e-2), np.log(1e6))


def fit_concentration(counts: Any, P: Any, *, confidence: float | None = None) -> float:
    r"""Concentration of a Dirichlet-multinomial around predictions.

    Votes :math:`c_i` of a sample are multinomial with a distribution that is
    Dirichlet with parameters :math:`\kappa p_i`. The :math:`\kappa` of the largest
    likelihood is found.

    Parameters
    ----------
    counts : array-like of shape (n_samples, n_labels)
        Votes.
    P : array-like of shape (n_samples, n_labels)
        Predicted distributions of samples that were not fitted on.
    confidence : float, default=None
        Gives the lower end of a one-sided likelihood interval instead, such as 0.95.
        Few votes may look as if predictions were without error; this is on the safe
        side.

    Returns
    -------
    concentration : float
        Large if predictions are nearly the distributions behind the votes.

    References
    ----------
    .. [1] J. E. Mosimann, "On the Compound Multinomial Distribution, the Multivariate
       Beta-Distribution, and Correlations Among Proportions", Biometrika 49, 1962.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.conformal import fit_concentration
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet(np.ones(3), 2000)
    >>> votes = [rng.multinomial(10, rng.dirichlet(20 * p + 1e-9)) for p in P]
    >>> bool(15 < fit_concentration(votes, P) < 25)
    True
    """
    counts = np.asarray(counts, dtype=np.float64)
    P = _positive(np.asarray(P, dtype=np.float64))
    total = counts.sum(axis=1)

    def loss(log_concentration: float) -> float:
        kappa = np.exp(log_concentration)
        of_total = gammaln(kappa) - gammaln(total + kappa)
        of_labels = gammaln(counts + kappa * P) - gammaln(kappa * P)
        return -float((of_total + of_labels.sum(axis=1)).sum())

    best = minimize_scalar(loss, bounds=_RANGE, method="bounded")
    if confidence is None:
        return float(np.exp(best.x))
    allowed = best.fun + norm.ppf(confidence) ** 2 / 2
    if loss(_RANGE[0]) <= allowed:
        return float(np.exp(_RANGE[0]))
    return float(np.exp(brentq(lambda x: loss(x) - allowed, _RANGE[0], best.x)))


def simulate_scores(
    P: FloatArray,
    n_votes: FloatArray,
    concentration: float,
    ball: Ball,
    difficulty: FloatArray,
    rng: Any,
) -> tuple[FloatArray, FloatArray]:
    """Scores of simulated distributions, and of the votes drawn from them.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_labels)
        Predictions of the calibration samples.
    n_votes : ndarray of shape (n_samples,)
        Their votes.
    concentration : float
        Of the Dirichlet distribution around each prediction.
    ball : Ball
        The score.
    difficulty : ndarray of shape (n_samples,)
        What scores are divided by.
    rng : RandomState
        For the draws.

    Returns
    -------
    underlying, observed : ndarray of shape (n_draws,)
        Sorted scores.
    """
    rows = np.resize(np.arange(len(P)), max(_DRAWS, len(P)))
    centers = P[rows]
    Q = rng.standard_gamma(concentration * _positive(centers)) + 1e-300
    Q /= Q.sum(axis=1, keepdims=True)
    votes = np.random.default_rng(rng.randint(2**31 - 1)).multinomial(
        np.maximum(np.rint(n_votes[rows]).astype(np.int64), 1), Q
    )
    shares = votes / votes.sum(axis=1, keepdims=True)
    of_center = ball.distance(Q, centers) / difficulty[rows]
    of_votes = ball.distance(shares, centers) / difficulty[rows]
    return np.sort(of_center), np.sort(of_votes)


def shrinkage(underlying: FloatArray, observed: FloatArray, coverage: float) -> float:
    """Radius for the distribution behind votes, relative to that for their shares."""
    of_votes = float(np.quantile(observed, coverage))
    if of_votes <= 0:
        return 1.0
    return min(1.0, float(np.quantile(underlying, coverage)) / of_votes)


def _positive(P: FloatArray) -> FloatArray:
    return (1 - _SMALL) * P + _SMALL / P.shape[1]
