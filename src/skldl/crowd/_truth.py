"""What the true distributions may be, given few votes."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import gammaln

from skldl._typing import FloatArray
from skldl.crowd._dirichlet_multinomial import fit_dirichlet_multinomial

# the grid: how much of a distribution is not on its main label, and concentrations
_REST = (0.02, 0.05, 0.1, 0.17, 0.25, 0.4, 0.55)
_FIRM = (2.0, 6.0, 20.0, 60.0, 200.0, 1000.0)
_PAIR_SHARES = (0.2, 0.5, 0.8)
_PAIR_REST = (0.05, 0.2)
_PAIR_FIRM = (5.0, 15.0, 50.0, 200.0)
_MOST_LABELS = 30  # that have components of their own
_MOST_PAIRS = 30
_MOST_ROWS = 3000  # items, drawn from more, that weights are fitted to
_PSEUDO_ITEMS = 5.0  # for the plain Dirichlet distribution, which rules few items
_SMALLEST = 1e-3  # concentration of a label in a component
_FORGET = 1e-7  # weight of a component that is left out
_TINY = 1e-60  # below it binomial probabilities overflow on their way


@dataclass(frozen=True)
class DirichletMixture:
    """A mixture of Dirichlet distributions.

    Attributes
    ----------
    concentrations : ndarray of shape (n_components, n_labels)
        Of each component.
    weights : ndarray of shape (n_components,)
        Their shares; they sum to 1.
    """

    concentrations: FloatArray
    weights: FloatArray

    def posterior(self, counts: FloatArray) -> FloatArray:
        """Probabilities of the components, of shape (n_items, n_components)."""
        joint = _log_likelihood(counts, self.concentrations) + np.log(self.weights)
        joint = np.exp(joint - joint.max(axis=1, keepdims=True))
        return joint / joint.sum(axis=1, keepdims=True)


class TruthDraws:
    """Draws of the true distributions of items, given their votes.

    Parameters
    ----------
    counts : ndarray of shape (n_items, n_labels)
        Votes.
    rng : RandomState
        Source of the draws.
    """

    def __init__(self, counts: FloatArray, rng: np.random.RandomState) -> None:
        self.counts, self.rng = counts, rng
        self.prior = fit_truth(counts, rng)
        rows, self._row = np.unique(counts, axis=0, return_inverse=True)
        self._row = self._row.ravel()
        self._up_to = np.cumsum(self.prior.posterior(rows), axis=1)[:, :-1]

    def draw(self) -> FloatArray:
        """One distribution for each item."""
        chance = self.rng.random_sample((len(self.counts), 1))
        component = (self._up_to[self._row] < chance).sum(axis=1)
        alpha = self.prior.concentrations[component] + self.counts
        return draw_dirichlet(alpha, self.rng)


def draw_dirichlet(alpha: FloatArray, rng: np.random.RandomState) -> FloatArray:
    """One distribution for each row of concentrations."""
    # log-gamma draws do not underflow where concentrations are tiny
    log_gamma = np.log(rng.standard_gamma(alpha + 1))
    log_gamma += np.log(rng.random_sample(alpha.shape)) / alpha
    T = np.exp(log_gamma - log_gamma.max(axis=1, keepdims=True))
    T = np.maximum(T, _TINY)
    return T / T.sum(axis=1, keepdims=True)


def fit_truth(
    counts: FloatArray, rng: np.random.RandomState, *, max_iter: int = 500
) -> DirichletMixture:
    r"""Fit a mixture of Dirichlet distributions to counts of votes.

    The components are given: the Dirichlet distribution that fits best, and others of
    several concentrations around distributions that are nearly on one label or between
    two. Expectation-maximisation finds the weights :math:`w` that maximise

    .. math:: \sum_i \log \sum_j w_j\, p(c_i \mid \alpha_j) + s \log w_0,

    which is concave; :math:`p` is the Dirichlet-multinomial distribution and
    :math:`w_0` belongs to the one that fits best.

    Parameters
    ----------
    counts : ndarray of shape (n_items, n_labels)
        Votes of each item for each label.
    rng : RandomState
        Chooses rows, where there are very many different ones.
    max_iter : int, default=500
        Iterations at most.

    Returns
    -------
    prior : DirichletMixture
        One component alone if no item has two votes, as these do not tell.
    """
    single = fit_dirichlet_multinomial(counts)
    plain = DirichletMixture(np.maximum(single, _SMALLEST)[None], np.ones(1))
    if counts.shape[1] == 1 or not (counts.sum(axis=1) > 1).any():
        return plain
    rows, often = np.unique(counts, axis=0, return_counts=True)
    scale = 1.0
    if len(rows) > _MOST_ROWS:
        often = rng.multinomial(_MOST_ROWS, often / often.sum())
        rows, often = rows[often > 0], often[often > 0]
        scale = len(counts) / _MOST_ROWS
    alpha = np.vstack([plain.concentrations, _components(counts)])
    likelihood = _log_likelihood(rows, alpha)
    likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    weights = _climb(likelihood, np.asarray(often * scale, dtype=np.float64), max_iter)
    kept = weights > _FORGET
    return DirichletMixture(alpha[kept], weights[kept] / weights[kept].sum())


def _climb(likelihood: FloatArray, often: FloatArray, max_iter: int) -> FloatArray:
    """Weights of the components by expectation-maximisation."""
    n_components = likelihood.shape[1]
    weights = np.full(n_components, 0.5 / max(n_components - 1, 1))
    weights[0] = 0.5
    before = np.zeros(n_components)
    before[0] = _PSEUDO_ITEMS
    total = often.sum() + _PSEUDO_ITEMS
    for _ in range(max_iter):
        share = often / (likelihood @ weights)
        weights = (weights * (likelihood.T @ share) + before) / total
    return weights


def _components(counts: FloatArray) -> FloatArray:
    """Concentrations of the grid."""
    mean = counts.sum(axis=0) / counts.sum()
    mean = (mean + 1e-3) / (mean + 1e-3).sum()
    flat = np.full(len(mean), 1 / len(mean))
    often = np.argsort(-mean, kind="stable")[:_MOST_LABELS]
    pairs = _common_pairs(counts)
    found = []
    for rest in (mean, flat):  # what is not on the main labels is spread like this
        alone = [rest, *(d for label in often for d in _near(label, rest))]
        between = [d for pair in pairs for d in _between(pair, rest)]
        found += _products(alone, _FIRM) + _products(between, _PAIR_FIRM)
    return np.maximum(np.vstack(found), _SMALLEST)


def _near(label: int, rest: FloatArray) -> list[FloatArray]:
    """Distributions that are mainly on one label."""
    corner = np.arange(len(rest)) == label
    others = np.where(corner, 0.0, rest)
    others /= others.sum()
    return [(1 - share) * corner + share * others for share in _REST]


def _between(pair: tuple[int, int], rest: FloatArray) -> list[FloatArray]:
    """Distributions that are mainly on two labels."""
    found = []
    for share in _PAIR_SHARES:
        both = np.zeros(len(rest))
        both[list(pair)] = share, 1 - share
        found += [(1 - r) * both + r * rest for r in _PAIR_REST]
    return found


def _products(means: list[FloatArray], firm: Any) -> list[FloatArray]:
    return [np.asarray(means) * concentration for concentration in firm]


def _common_pairs(counts: FloatArray) -> list[tuple[int, int]]:
    """Pairs of labels, those that share items most often first."""
    together = counts.T @ counts
    pairs = list(combinations(range(len(together)), 2))
    return sorted(pairs, key=lambda pair: -together[pair])[:_MOST_PAIRS]


def _log_likelihood(counts: FloatArray, alpha: FloatArray) -> FloatArray:
    """Dirichlet-multinomial, of shape (n_rows, n_components), up to a row's factor."""
    total, n_votes = alpha.sum(axis=1), counts.sum(axis=1)
    value = gammaln(total) - gammaln(n_votes[:, None] + total)
    for label, column in enumerate(counts.T):
        # few different counts, many rows
        found, place = np.unique(column, return_inverse=True)
        own = alpha[:, label]
        rise = gammaln(found[:, None] + own) - gammaln(own)
        value += rise[place.ravel()]
    return value
