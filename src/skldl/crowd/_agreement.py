"""How far the votes of a crowd agree."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skldl._typing import FloatArray, IndexArray
from skldl.crowd._votes import Votes
from skldl.metrics import get_metric


@dataclass(frozen=True)
class Estimate:
    """A score that was estimated by random draws.

    Attributes
    ----------
    metric : str
        Name of the metric.
    value : float
        Mean over the draws and the items.
    std : float
        Standard deviation of the mean over the items, from draw to draw: how far one
        table of this size strays from the value.
    n_items : int
        Items that were used.
    """

    metric: str
    value: float
    std: float
    n_items: int

    def __float__(self) -> float:
        return self.value


def fleiss_kappa(votes: Votes | Any) -> float:
    r"""Fleiss' kappa: agreement beyond chance.

    .. math:: \kappa = \frac{\bar P - \sum_l p_l^2}{1 - \sum_l p_l^2}, \qquad
       P_i = \frac{\sum_l c_{il} (c_{il} - 1)}{n_i (n_i - 1)},

    with the shares :math:`p_l` of all votes.

    Parameters
    ----------
    votes : Votes, or array-like of shape (n_items, n_labels)
        Votes, or their counts. Items with fewer than two votes are left out. Numbers of
        votes may differ; Fleiss has the same number for all.

    Returns
    -------
    kappa : float
        1 for perfect agreement, 0 for that of chance; NaN if all votes are for one
        label.

    References
    ----------
    .. [1] J. L. Fleiss, "Measuring nominal scale agreement among many raters",
       Psychological Bulletin 76(5), 1971.

    Examples
    --------
    >>> from skldl.crowd import fleiss_kappa
    >>> fleiss_kappa([[3, 0], [0, 3]])
    1.0
    """
    counts = _pairable(votes)
    n_votes = counts.sum(axis=1)
    agreed = (counts * (counts - 1)).sum(axis=1) / (n_votes * (n_votes - 1))
    by_chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return _beyond_chance(1 - float(agreed.mean()), 1 - by_chance)


def krippendorff_alpha(votes: Votes | Any, level: str = "nominal") -> float:
    r"""Krippendorff's alpha: one less observed over expected disagreement.

    .. math:: \alpha = 1 - \frac{\sum_{lk} o_{lk} \delta_{lk}^2}
       {\sum_{lk} n_l n_k \delta_{lk}^2 / (n - 1)}, \qquad
       o_{lk} = \sum_i \frac{c_{il} (c_{ik} - [l = k])}{n_i - 1}.

    Parameters
    ----------
    votes : Votes, or array-like of shape (n_items, n_labels)
        Votes, or their counts. Items with fewer than two votes are left out.
    level : {"nominal", "ordinal"}, default="nominal"
        ``"nominal"`` takes all labels as equally different; ``"ordinal"`` takes them in
        their order, with differences by ranks.

    Returns
    -------
    alpha : float
        1 for perfect agreement, 0 for that of chance; NaN if all votes are for one
        label.

    References
    ----------
    .. [1] K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.

    Examples
    --------
    >>> from skldl.crowd import krippendorff_alpha
    >>> krippendorff_alpha([[3, 0], [0, 3]])
    1.0
    """
    if level not in ("nominal", "ordinal"):
        raise ValueError(f"level must be 'nominal' or 'ordinal', got {level!r}.")
    counts = _pairable(votes)
    scaled = counts / (counts.sum(axis=1, keepdims=True) - 1)
    together = scaled.T @ counts - np.diag(scaled.sum(axis=0))
    often = together.sum(axis=1)
    if level == "nominal":
        apart = 1 - np.eye(len(often))
    else:
        ranks = np.cumsum(often) - often / 2
        apart = (ranks[:, None] - ranks[None, :]) ** 2
    expected = (np.outer(often, often) * apart).sum() / (often.sum() - 1)
    return _beyond_chance(float((together * apart).sum()), float(expected))


def _beyond_chance(observed: float, expected: float) -> float:
    return 1 - observed / expected if expected > 0 else float("nan")


def _pairable(votes: Votes | Any) -> FloatArray:
    """Counts of the items with at least two votes."""
    counts = votes.counts().toarray() if isinstance(votes, Votes) else votes
    counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 2 or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError(
            "Give Votes, or a table of counts with a row for each item and a column "
            "for each label, without negative or missing numbers."
        )
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        raise ValueError("Agreement needs an item with two votes; there is none.")
    return counts


def split_half(
    votes: Votes,
    metric: str = "sorensen",
    *,
    n_repeats: int = 20,
    random_state: Any = None,
) -> Estimate:
    """Score one half of the crowd against the other.

    The votes of each item are dealt into two halves at random, and the shares of one
    half are judged as a prediction of the shares of the other. A learner that agrees
    with the crowd better than this knows more than half of the crowd does.

    Parameters
    ----------
    votes : Votes
        Items with fewer than two votes are left out. Weights must be whole numbers.
    metric : str, default="sorensen"
        Name of a metric between distributions, see :mod:`skldl.metrics`;
        ``"sorensen"`` is the total variation distance.
    n_repeats : int, default=20
        How often to deal.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    estimate : Estimate

    Examples
    --------
    >>> from skldl.crowd import Votes, split_half
    >>> votes = Votes.from_counts([[4, 0], [0, 6]])
    >>> split_half(votes, random_state=0).value
    0.0
    """
    judge = get_metric(metric)
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}.")
    item, label = _single_votes(votes)
    enough = np.flatnonzero(np.bincount(item, minlength=votes.n_items) >= 2)
    if not len(enough):
        raise ValueError("Two halves need an item with two votes; there is none.")
    rng = check_random_state(random_state)
    shape = (votes.n_items, votes.n_labels)
    values = []
    for _ in range(n_repeats):
        odd = _deal(item, rng)
        halves = []
        for half in (odd, ~odd):
            cell = item[half] * votes.n_labels + label[half]
            count = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
            halves.append(count[enough] / count[enough].sum(axis=1, keepdims=True))
        values.append(judge.fn(*halves))
    spread = float(np.std(values, ddof=1)) if n_repeats > 1 else float("nan")
    return Estimate(metric, float(np.mean(values)), spread, len(enough))


def _single_votes(votes: Votes) -> tuple[IndexArray, IndexArray]:
    """Item and label of each vote, those of weight 2 twice."""
    whole = np.round(votes.weight).astype(np.intp)
    if (whole != votes.weight).any():
        raise ValueError(
            "Votes with fractions as weights cannot be split into halves; their "
            "weights must be whole numbers."
        )
    return np.repeat(votes.item, whole), np.repeat(votes.label, whole)


def _deal(item: IndexArray, rng: np.random.RandomState) -> Any:
    """Every second vote of each item, in random order; who begins is random, too."""
    order = np.lexsort((rng.random_sample(len(item)), item))
    sizes = np.bincount(item)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    begins = np.repeat(rng.randint(2, size=len(sizes)), sizes)
    odd = np.empty(len(item), dtype=bool)
    odd[order] = (np.arange(len(item)) - first + begins) % 2 == 1
    return odd
