"""Crowds that need no download."""

from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch, check_random_state

from skldl._sklearn import Interval, StrOptions, validate_params
from skldl._typing import FloatArray, IndexArray
from skldl.datasets._dataset import numbered
from skldl.datasets._generators import make_ldl

_SIZE = [Interval(Integral, 1, None, closed="left")]


@validate_params(
    {
        "n_items": _SIZE,
        "n_labels": _SIZE,
        "n_annotators": _SIZE,
        "votes_per_item": [*_SIZE, tuple],
        "reliability": ["array-like"],
        "truth": [StrOptions({"distribution", "class"})],
        "sharpness": [Interval(Real, 0, None, closed="left")],
        "n_features": _SIZE,
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def make_crowd(
    n_items: int = 300,
    n_labels: int = 4,
    n_annotators: int = 30,
    votes_per_item: int | tuple[int, int] = 5,
    *,
    reliability: Any = (0.5, 0.95),
    truth: str = "distribution",
    sharpness: float = 3.0,
    n_features: int = 8,
    random_state: Any = None,
) -> Bunch:
    r"""Generate a crowd of annotators of different reliability, and its votes.

    Each item has features x and a true distribution, as in :func:`make_ldl`. An
    annotator who votes on it has an opinion drawn from that distribution, and reports
    it with the probability r, the annotator's reliability; otherwise the answer is
    drawn from the annotator's own habit b. The confusion matrix is thus
    :math:`r I + (1 - r) 1 b^T`.

    Parameters
    ----------
    n_items, n_labels, n_annotators : int
        Sizes; defaults 300, 4 and 30.
    votes_per_item : int or (int, int), default=5
        Votes on each item, all by different annotators; a pair is the least and the
        largest number, between which it is drawn.
    reliability : array-like, default=(0.5, 0.95)
        The least and the largest reliability, between which it is drawn; or one value
        for each annotator.
    truth : {"distribution", "class"}, default="distribution"
        ``"class"`` draws one true label for each item, which all annotators see: the
        world of Dawid and Skene.
    sharpness : float, default=3.0
        Power to which the degrees of :func:`make_ldl` are raised: 0 makes all items
        flat, a large one makes nearly all of them clear.
    n_features : int, default=8
        Features of the items.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    crowd : Bunch
        ``votes``, a DataFrame with the columns item, annotator and label;
        ``features``, a DataFrame indexed by the item; ``D``, the true distributions;
        ``classes``, the true labels, or None; ``reliability`` and ``confusion`` of the
        annotators, the latter of shape (n_annotators, n_labels, n_labels) with a row
        for each true label; ``label_names`` and ``annotator_names``.

    Examples
    --------
    >>> from skldl.datasets import make_crowd
    >>> crowd = make_crowd(100, votes_per_item=3, random_state=0)
    >>> crowd.votes.shape, crowd.features.shape
    ((300, 3), (100, 8))
    """
    rng = check_random_state(random_state)
    low, high = _vote_range(votes_per_item, n_annotators)
    skill = _skills(reliability, n_annotators, rng)
    X, D = make_ldl(
        n_items, n_features=n_features, n_labels=n_labels, noise=0.3, random_state=rng
    )
    D = D**sharpness / (D**sharpness).sum(axis=1, keepdims=True)
    classes = _drawn(D, rng) if truth == "class" else None
    item = np.repeat(np.arange(n_items), rng.randint(low, high + 1, size=n_items))
    annotator = _different(item, n_annotators, rng)
    opinion = _drawn(D[item], rng) if classes is None else classes[item]
    habit = rng.dirichlet(np.full(n_labels, 2.0), size=n_annotators)
    honest = rng.random_sample(len(item)) < skill[annotator]
    label = np.where(honest, opinion, _drawn(habit[annotator], rng))
    names = [numbered(*pair) for pair in (("item", n_items), ("label", n_labels),
                                          ("annotator", n_annotators))]  # fmt: skip
    confusion = skill[:, None, None] * np.eye(n_labels)
    confusion = confusion + (1 - skill)[:, None, None] * habit[:, None, :]
    votes = {"item": names[0][item], "annotator": names[2][annotator]}
    columns = numbered("feature", n_features).tolist()
    return Bunch(
        votes=pd.DataFrame(votes | {"label": names[1][label]}),
        features=pd.DataFrame(X, pd.Index(names[0], name="item"), columns),
        D=D,
        classes=None if classes is None else names[1][classes],
        reliability=skill,
        confusion=confusion,
        label_names=names[1],
        annotator_names=names[2],
    )


def _vote_range(votes_per_item: Any, n_annotators: int) -> tuple[int, int]:
    pair = (
        votes_per_item if isinstance(votes_per_item, tuple) else (votes_per_item,) * 2
    )
    if len(pair) != 2 or not 1 <= pair[0] <= pair[1] <= n_annotators:
        raise ValueError(
            f"votes_per_item must be from 1 to n_annotators={n_annotators}, or such a "
            f"pair with the least number first, got {votes_per_item!r}."
        )
    return int(pair[0]), int(pair[1])


def _skills(
    reliability: Any, n_annotators: int, rng: np.random.RandomState
) -> FloatArray:
    values = np.asarray(reliability, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"reliability must be in [0, 1], got {reliability!r}.")
    if len(values) == n_annotators:
        return values
    if len(values) != 2:
        raise ValueError(
            f"reliability has {len(values)} values; give the least and the largest, or "
            f"one for each of the {n_annotators} annotators."
        )
    return rng.uniform(values.min(), values.max(), size=n_annotators)


def _drawn(D: FloatArray, rng: np.random.RandomState) -> IndexArray:
    """One label for each row."""
    above = np.cumsum(D, axis=1)[:, :-1] < rng.random_sample((len(D), 1))
    return above.sum(axis=1)


def _different(
    item: IndexArray, n_annotators: int, rng: np.random.RandomState
) -> IndexArray:
    """Annotators of the votes, on each item different ones.

    Each item starts at a random place of the circle of annotators and steps on by a
    random stride that shares no divisor with its length, so that no table of items by
    annotators is needed.
    """
    steps = np.arange(1, n_annotators + 1)
    steps = steps[np.gcd(steps, n_annotators) == 1]
    n_items = item[-1] + 1
    start = rng.randint(n_annotators, size=n_items)
    stride = rng.choice(steps, size=n_items)
    sizes = np.bincount(item)
    number = np.arange(len(item)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    who = (start[item] + number * stride[item]) % n_annotators
    return rng.permutation(n_annotators)[who]
