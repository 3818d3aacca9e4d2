"""The step of the learning curve from the rows of a fold to all rows."""

from collections.abc import Sequence

import numpy as np

from skldl._typing import FloatArray
from skldl.auto._choice import sample_losses
from skldl.auto._plan import Fold


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
    D: FloatArray,
    from_half: FloatArray,
    from_fold: FloatArray,
    weight: FloatArray,
    metric: str,
    n_rows: tuple[float, float, float],
) -> FloatArray:
    r"""How much lower losses are if learners are fitted on all rows.

    A loss that falls with the number of rows m as :math:`L(m) = a + b / m` has

    .. math:: L(m) - L(n) = \frac{1/m - 1/n}{1/h - 1/m} \, (L(h) - L(m)),

    so fits on h of the m rows of a fold tell what fits on all n rows would gain. As a
    is at least the loss of a perfect prediction, the gain is at most
    :math:`1 - m / n` times the distance of :math:`L(m)` from that loss. Where h rows
    are too few and their loss is out of proportion, the gains are scaled down to that.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    from_half, from_fold : ndarray of shape (n_samples, n_labels)
        Predictions from fits on h and on m rows.
    weight : ndarray of shape (n_samples,)
        Weights of the samples.
    metric : str
        The metric.
    n_rows : tuple of float
        h, m and n.

    Returns
    -------
    gains : ndarray of shape (n_samples,)
        One per sample; to be subtracted from its loss.
    """
    h, m, n = n_rows
    half, fold, perfect = (
        sample_losses(metric, D, P) for P in (from_half, from_fold, D)
    )
    gains = (1 / m - 1 / n) / (1 / h - 1 / m) * (half - fold)
    mean = np.average(gains, weights=weight)
    largest = (1 - m / n) * np.average(fold - perfect, weights=weight)
    return gains * (largest / mean) if mean > largest else gains


def mean_rows(folds: Sequence[Fold]) -> float:
    """Mean number of training rows."""
    return float(np.mean([len(train) for train, _ in folds]))
