"""What a perfect model scores against the shares of few votes."""

from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.utils import check_random_state

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.crowd._agreement import Estimate
from skldl.crowd._truth import TruthDraws
from skldl.crowd._votes import Votes
from skldl.metrics import get_metric
from skldl.validation import check_distribution

_MANY = 30.0  # expected votes from which an expansion takes the place of a sum
_REPEATS = 50
_DRAWN_ROWS = 200_000  # in all repetitions, unless the user wants more
_TERMS = 100  # terms of that sum; more votes have a probability below 1e-20


def noise_floor(
    D: Any,
    n_votes: Any = None,
    metric: Any = "kl_divergence",
    *,
    truth: str = "estimated",
    n_repeats: int | None = None,
    sample_weight: Any = None,
    random_state: Any = None,
) -> Any:
    r"""Give the score that a perfect model would get against so few votes.

    A model that knows the true distributions T exactly is still judged by the shares of
    :math:`n_i` votes, which differ from T by chance. The floor is the expected score
    :math:`E\,\mathrm{metric}(C / n, T)` with :math:`C_i \sim
    \mathrm{Multinomial}(n_i, T_i)`. A model at the floor cannot be told from a perfect
    one, and a better score is luck.

    Parameters
    ----------
    D : Votes, or array-like of shape (n_samples, n_labels)
        Votes; or shares of votes, or the true distributions.
    n_votes : float or array-like of shape (n_samples,), default=None
        How many votes each row is made of. Not for `Votes`, which know it.
    metric : str or sequence of str, default="kl_divergence"
        Name of a metric between distributions, see :mod:`skldl.metrics`. Several share
        their draws.
    truth : {"estimated", "known"}, default="estimated"
        ``"estimated"``: D are shares, and the truth is drawn again in each repetition
        from what they tell, see Notes. ``"known"``: D is the truth, such as in a
        simulation, or a model's prediction that is taken for it.
    n_repeats : int, default=None
        Draws; None takes 50, but fewer for tables of more than 4,000 rows, and at least
        5.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in the score; None is 1 for each.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    estimate : Estimate, or dict of str to Estimate for several metrics
        ``value`` is the floor. ``std`` is how far the score of a perfect model on one
        table of this size strays from it.

    Notes
    -----
    Shares of few votes are more extreme than the truth, and would give too low a floor.
    So a distribution of the truth is fitted to all votes: a mixture of Dirichlet
    distributions on a fixed grid, whose components are nearly on one label, between
    two, or spread, each with several concentrations [2]_. Expectation-maximisation
    finds their weights. The truth of each row is drawn from its posterior, and new
    votes are drawn from that. With one vote for each item nothing is known about the
    spread, and the floor rests on a flat prior.

    On generated crowds of 10,000 items with at least two votes each, the floor is
    within 2 % of the score of the truth where items are ambiguous. Where most items are
    clear and few are not (``make_crowd`` with ``sharpness=3``), it is too low by up to
    4 % in total variation and 6 % in divergence, because so few votes do not tell an
    improbable label from an impossible one. With one to three votes for each item these
    become 6 % and 16 %, and with twelve labels about 6 % and 12 %. The truth is what a
    crowd without end would say, the mistakes of its annotators included.

    The floors of ``"sorensen"`` (total variation) and ``"intersection"`` are sums of
    mean absolute deviations of binomial distributions, which have the closed form of
    De Moivre, and that of ``"kl_divergence"`` is a sum over binomial distributions.
    For these only the unknown truth is drawn.

    References
    ----------
    .. [1] P. Diaconis, S. Zabell, "Closed Form Summation for Classical Distributions:
       Variations on a Theme of De Moivre", Statistical Science 6(3), 1991.
    .. [2] J. Kiefer, J. Wolfowitz, "Consistency of the Maximum Likelihood Estimator in
       the Presence of Infinitely Many Incidental Parameters", The Annals of
       Mathematical Statistics 27(4), 1956.

    Examples
    --------
    >>> from skldl.crowd import noise_floor
    >>> floor = noise_floor([[0.5, 0.5]], 2, "sorensen", truth="known")
    >>> floor.value  # one vote each: 0; both for one label: 0.5
    0.25
    """
    several = not isinstance(metric, str)
    judges = [_judge(name) for name in (metric if several else [metric])]
    if truth not in ("estimated", "known"):
        raise ValueError(f"truth must be 'estimated' or 'known', got {truth!r}.")
    if n_repeats is not None and n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}.")
    shares_, counted = shares_and_counts(D, n_votes)
    rng = check_random_state(random_state)
    if n_repeats is None:
        n_repeats = min(_REPEATS, max(5, _DRAWN_ROWS // len(shares_)))
    known = truth == "known"
    if known and all(judge.name in EXPECTED for judge in judges):
        n_repeats = 1
    draws = None if known else TruthDraws(shares_ * counted[:, None], rng)
    weight = None
    if sample_weight is not None:
        weight = check_sample_weight(sample_weight, shares_, dtype=np.float64)
    tally = [_Tally(judge, weight) for judge in judges]
    for _ in range(n_repeats):
        T = shares_ if draws is None else draws.draw()
        drawn = draw_shares(T, counted, rng)
        for each in tally:
            each.add(drawn, T, counted)
    found = {each.judge.name: each.estimate(len(shares_)) for each in tally}
    return found if several else found[judges[0].name]


def _judge(name: str) -> Any:
    judge = get_metric(name)
    if judge.kind not in ("distribution", "classification"):
        raise ValueError(f"{name} is not a metric between distributions.")
    return judge


class _Tally:
    """Scores of a perfect model by one metric, draw by draw."""

    def __init__(self, judge: Any, weight: FloatArray | None) -> None:
        self.judge, self.exact = judge, EXPECTED.get(judge.name)
        self.weight = weight
        self.scores: list[float] = []
        self.means: list[float] = []

    def add(self, drawn: FloatArray, T: FloatArray, counted: FloatArray) -> None:
        self.scores.append(self.judge.fn(drawn, T, sample_weight=self.weight))
        if self.exact:
            expected = self.exact(T, counted)
            self.means.append(float(np.average(expected, weights=self.weight)))

    def estimate(self, n_items: int) -> Estimate:
        several = len(self.scores) > 1
        spread = float(np.std(self.scores, ddof=1)) if several else float("nan")
        value = float(np.mean(self.means if self.exact else self.scores))
        return Estimate(self.judge.name, value, spread, n_items)


def shares_and_counts(D: Any, n_votes: Any) -> tuple[FloatArray, FloatArray]:
    """Rows on the simplex, and a whole number of votes for each."""
    if isinstance(D, Votes):
        if n_votes is not None:
            raise ValueError("Votes know their numbers; leave n_votes out.")
        voted = D.voted()
        return voted.distributions(), _whole_counts(voted.n_votes, voted.n_items)
    if n_votes is None:
        raise ValueError("n_votes is needed: how many votes each row is made of.")
    D = check_distribution(D, name="D")
    return D, _whole_counts(n_votes, len(D))


def _whole_counts(n_votes: Any, n_samples: int) -> FloatArray:
    """Numbers of votes, at least 1: fractions, of weighted votes, are rounded."""
    counted = np.asarray(n_votes, dtype=np.float64)
    if counted.ndim == 0:
        counted = np.full(n_samples, float(counted))
    if counted.shape != (n_samples,):
        raise ValueError(
            f"n_votes has shape {counted.shape}; give one number, or one for each of "
            f"the {n_samples} rows."
        )
    bad = np.flatnonzero(~(np.isfinite(counted) & (counted > 0)))
    if len(bad):
        raise ValueError(
            f"n_votes must be positive, but row {bad[0]} has {counted[bad[0]]:g} "
            f"({len(bad)} such rows). Remove rows without votes."
        )
    return np.maximum(np.round(counted), 1.0)


def draw_shares(
    T: FloatArray, n_votes: FloatArray, rng: np.random.RandomState
) -> FloatArray:
    """Shares of votes that are drawn from each row."""
    left, rest = n_votes.astype(np.int64), np.ones(len(T))
    counts = np.zeros(T.shape)
    for label in range(T.shape[1] - 1):
        share = np.clip(T[:, label] / np.maximum(rest, 1e-300), 0.0, 1.0)
        counts[:, label] = rng.binomial(left, share)
        left = left - counts[:, label].astype(np.int64)
        rest = rest - T[:, label]
    counts[:, -1] = left
    return counts / n_votes[:, None]


def expected_distance(T: FloatArray, n_votes: FloatArray) -> FloatArray:
    """Expected total variation between each row and shares of votes drawn from it."""
    n = n_votes[:, None]
    # De Moivre: E|C - np| = 2 v (1 - p) P(C = v), v the least integer above np
    v = np.floor(n * T) + 1
    deviation = 2 * v * (1 - T) * binom.pmf(v, n, T) / n
    return 0.5 * np.where(T < 1, deviation, 0.0).sum(axis=1)


def expected_divergence(T: FloatArray, n_votes: FloatArray) -> FloatArray:
    """Expected divergence of shares of votes, drawn from each row, from that row."""
    n = np.broadcast_to(n_votes[:, None], T.shape)
    value = np.zeros(T.shape)
    few = (n * T < _MANY) & (T > 0)
    most = min(_TERMS, int(n_votes.max(initial=0)))
    for votes in range(1, most + 1):
        share = votes / n[few]
        value[few] += binom.pmf(votes, n[few], T[few]) * share * np.log(share / T[few])
    many = n * T >= _MANY
    t, m = T[many], n[many]
    # moments of the binomial up to the fourth in the series of x log(x / t)
    second = (1 - t) ** 2 / 4 - (1 - t) * (1 - 2 * t) / 6
    value[many] = (1 - t) / (2 * m) + second / (t * m**2)
    return value.sum(axis=1)


def _expected_overlap(T: FloatArray, n_votes: FloatArray) -> FloatArray:
    return 1 - expected_distance(T, n_votes)


#: Metrics whose expectation over the votes has a formula.
EXPECTED = {
    "sorensen": expected_distance,
    "intersection": _expected_overlap,
    "kl_divergence": expected_divergence,
}
