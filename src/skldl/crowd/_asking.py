"""What to ask the crowd next."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import digamma, xlogy
from sklearn.utils import check_random_state

from skldl._typing import FloatArray
from skldl.crowd._dirichlet_multinomial import fit_dirichlet_multinomial
from skldl.crowd._noise_floor import EXPECTED, shares_and_counts
from skldl.crowd._truth import TruthDraws
from skldl.crowd._votes import Votes
from skldl.validation import check_distribution

_DRAWS = 20  # truths for each item


def votes_needed(
    D: Any,
    precision: float = 0.1,
    *,
    metric: str = "sorensen",
    average: bool = True,
    max_votes: int = 100_000,
    random_state: Any = None,
) -> Any:
    r"""Say how many votes an item needs for shares of a wanted precision.

    Shares of n votes are off by :math:`\frac12 E \lVert C / n - T \rVert_1`, the
    expected total variation distance, which falls like :math:`1 / \sqrt n`, or by
    :math:`E\,\mathrm{KL}(C / n, T)`, which falls like :math:`1 / n`. The smallest n for
    which it is at most `precision` is given.

    Parameters
    ----------
    D : Votes, or array-like of shape (n_items, n_labels)
        Votes of a pilot, whose true distributions are drawn from their
        posterior as in :func:`noise_floor`; or distributions that
        are taken for the truth.
    precision : float, default=0.1
        Wanted distance, above 0.
    metric : {"sorensen", "kl_divergence"}, default="sorensen"
        Total variation, or Kullback-Leibler divergence.
    average : bool, default=True
        Whether the mean over the items counts, or each item for itself.
    max_votes : int, default=100_000
        Largest answer; a precision that needs more is an error.
    random_state : int, RandomState or None, default=None
        Seed of the draws, for `Votes`.

    Returns
    -------
    n_votes : int, or ndarray of int of shape (n_items,) with ``average=False``
        Votes for each item, those that it has already included.

    Examples
    --------
    >>> from skldl.crowd import votes_needed
    >>> votes_needed([[0.5, 0.5]], 0.1), votes_needed([[0.9, 0.1]], 0.1)
    (16, 7)
    """
    if not precision > 0:
        raise ValueError(f"precision must be above 0, got {precision!r}.")
    if metric not in ("sorensen", "kl_divergence"):
        raise ValueError(
            f"metric must be 'sorensen' or 'kl_divergence', got {metric!r}."
        )
    expected = EXPECTED[metric]
    truths = _truths(D, random_state)

    def distance(n_votes: FloatArray) -> FloatArray:
        each = np.mean(
            [expected(T, np.broadcast_to(n_votes, len(T))) for T in truths],
            axis=0,
        )
        return each.mean(keepdims=True) if average else each

    low = np.zeros(1 if average else len(truths[0]))  # not enough
    high = np.full_like(low, float(max_votes))
    short = np.flatnonzero(distance(high) > precision)
    if len(short):
        raise ValueError(
            f"A precision of {precision:g} needs more than {max_votes} votes for an "
            "item. Ask for less, or raise max_votes."
        )
    while (high - low > 1).any():
        middle = np.maximum(np.floor((low + high) / 2), 1.0)
        good = distance(middle) <= precision
        high, low = np.where(good, middle, high), np.where(good, low, middle)
    needed = high.astype(np.intp)
    return int(needed[0]) if average else needed


def _truths(D: Any, random_state: Any) -> list[FloatArray]:
    if not isinstance(D, Votes):
        return [check_distribution(D, name="D")]
    draws = TruthDraws(D.counts().toarray(), check_random_state(random_state))
    return [draws.draw() for _ in range(_DRAWS)]


def rank_items(
    D: Any,
    n_votes: Any = None,
    *,
    gain: str = "information",
    concentration: Any = None,
) -> pd.DataFrame:
    r"""Rank items by what one more vote would tell.

    What is known of an item is :math:`T_i \sim \mathrm{Dirichlet}(a)` with
    :math:`a = \alpha + c_i`, :math:`A = \sum_l a_l` and the mean
    :math:`p = a / A`. The expected gain of one more vote is

    .. math:: \text{information: } H(p) - \psi(A + 1) + \sum_l p_l \psi(a_l + 1),
       \qquad \text{variance: } \frac{1 - \sum_l p_l^2}{(A + 1)^2},

    the information in nats that the vote holds about the distribution (its expected
    divergence after and before), or the expected fall of the sum of its variances.

    Parameters
    ----------
    D : Votes, or array-like of shape (n_items, n_labels)
        Votes, or their shares.
    n_votes : float or array-like of shape (n_items,), default=None
        How many votes each row is made of. Not for `Votes`.
    gain : {"information", "variance"}, default="information"
        What counts.
    concentration : array-like of shape (n_labels,), default=None
        Prior :math:`\alpha`; None fits it to the votes.

    Returns
    -------
    ranking : DataFrame
        Columns ``item``, ``n_votes`` and ``gain``, the largest gain first.

    Examples
    --------
    >>> from skldl.crowd import Votes, rank_items
    >>> votes = Votes.from_counts([[9, 0], [1, 1], [30, 30]])
    >>> rank_items(votes)["item"].tolist()
    [1, 0, 2]
    """
    if gain not in ("information", "variance"):
        raise ValueError(f"gain must be 'information' or 'variance', got {gain!r}.")
    if isinstance(D, Votes):
        names, counts = D.item_names, D.counts().toarray()
    else:
        shares_, counted = shares_and_counts(D, n_votes)
        names, counts = pd.RangeIndex(len(shares_)), shares_ * counted[:, None]
    if concentration is None:
        concentration = fit_dirichlet_multinomial(counts)
    a = counts + np.asarray(concentration, dtype=np.float64)
    total = a.sum(axis=1)
    p = a / total[:, None]
    if gain == "variance":
        value = (1 - (p**2).sum(axis=1)) / (total + 1) ** 2
    else:
        value = (p * digamma(a + 1)).sum(axis=1) - digamma(total + 1)
        value -= xlogy(p, p).sum(axis=1)
    table = pd.DataFrame({"item": names, "n_votes": counts.sum(axis=1), "gain": value})
    return table.sort_values("gain", ascending=False, kind="stable", ignore_index=True)
