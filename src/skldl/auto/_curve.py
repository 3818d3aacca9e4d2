"""The step of the learning curve from the rows of a fold to all rows."""

from collections.abc import Sequence

import numpy as np

from skldl._typing import FloatArray
from skldl.auto._choice import Choice, sample_losses
from skldl.auto._plan import Fold
from skldl.ldl import combine

_TINY = 1e-300


def halved(folds: Sequence[Fold], seed: int) -> list[Fold]:
    """Folds with half of their training rows, drawn at random.

    Parameters
    ----------
    folds : sequence of (train, test)
        Row numbers.
    seed : int
        Of the draw.

    Returns
    -------
    folds : list of (train, test)
        The test rows are the same.
    """
    rng = np.random.default_rng(seed)
    return [
        (np.sort(rng.permutation(train)[: (len(train) + 1) // 2]), test)
        for train, test in folds
    ]


def gains_of_all_rows(
    choice: Choice,
    from_half: FloatArray,
    from_fold: FloatArray,
    D: FloatArray,
    weight: FloatArray,
    metric: str,
    share: float,
) -> FloatArray:
    r"""How much lower losses are if members are fitted on all rows.

    A loss that falls with the number of rows m as :math:`a + b / m` has

    .. math:: L(m) - L(n) = (1 - m / n) \, (L(m / 2) - L(m)),

    so fits on half of a fold's rows tell what fits on all rows would gain. As a is at
    least the loss of a perfect prediction, :math:`L(m / 2)` is at most twice as far
    from that loss as :math:`L(m)`. Where it is farther, because half of the rows are
    too few, the gains are that much smaller.

    Parameters
    ----------
    choice : Choice
        The pool.
    from_half, from_fold : ndarray of shape (n_members, n_samples, n_labels)
        Predictions of its members, fitted on m / 2 and on m rows.
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    weight : ndarray of shape (n_samples,)
        Weights of the samples.
    metric : str
        The metric.
    share : float
        m / n.

    Returns
    -------
    gains : ndarray of shape (n_samples,)
        One per sample; to be subtracted from its loss.
    """
    weights = list(choice.weights.values())
    half, fold = (
        sample_losses(
            metric, D, combine(members, weights, pool=choice.kind, bias=choice.bias)
        )
        for members in (from_half, from_fold)
    )
    perfect = sample_losses(metric, D, D)
    fall = np.average(half - fold, weights=weight)
    largest = np.average(fold - perfect, weights=weight)
    return (1 - share) * min(1.0, largest / max(fall, _TINY)) * (half - fold)
