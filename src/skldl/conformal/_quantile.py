"""Finite-sample quantiles of calibration scores."""

import math
from typing import Any

import numpy as np

from skldl._typing import FloatArray

# k/n times (n + 1) may miss an integer by rounding; one sample more would be asked for
_ROUNDING = 1e-9


def conformal_quantile(
    scores: Any,
    coverage: float,
    *,
    sample_weight: Any = None,
    new_weight: float = 1.0,
) -> float:
    r"""Smallest score that covers a new sample with the wanted probability.

    Without weights the :math:`\lceil (n + 1) c \rceil`-th smallest of n scores; if that
    is more than n, infinity. With weights the smallest score t with
    :math:`\sum_{i: s_i \le t} w_i \ge c \, (\sum_i w_i + w)`, where :math:`w` is the
    weight of the new sample.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Scores of calibration samples.
    coverage : float
        Wanted probability :math:`c`, between 0 and 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the calibration samples; None is 1 for each.
    new_weight : float, default=1.0
        Weight of the new sample.

    Returns
    -------
    quantile : float

    References
    ----------
    .. [1] V. Vovk, A. Gammerman and G. Shafer, "Algorithmic Learning in a Random
       World", Springer, 2005.
    .. [2] R. J. Tibshirani, R. Foygel Barber, E. J. Candès and A. Ramdas, "Conformal
       Prediction Under Covariate Shift", NeurIPS, 2019.

    Examples
    --------
    >>> from skldl.conformal import conformal_quantile
    >>> conformal_quantile([1, 2, 3, 4], 0.8), conformal_quantile([1, 2, 3, 4], 0.9)
    (4.0, inf)
    """
    check_coverage(coverage)
    scores = np.asarray(scores, dtype=np.float64)
    if sample_weight is None:
        rank = needed_rank(len(scores), coverage)
        if rank > len(scores):
            return math.inf
        return float(np.partition(scores, rank - 1)[rank - 1])
    order = np.argsort(scores, kind="stable")
    weights = np.asarray(sample_weight, dtype=np.float64)[order]
    total = np.cumsum(weights)
    wanted = coverage * ((total[-1] if len(total) else 0.0) + new_weight)
    place = int(np.searchsorted(total, wanted * (1 - _ROUNDING)))
    return float(scores[order[place]]) if place < len(scores) else math.inf


def needed_rank(n_samples: int, coverage: float) -> int:
    """Place, from 1, of the score that n samples give for a coverage."""
    return max(1, math.ceil((n_samples + 1) * coverage * (1 - _ROUNDING)))


def needed_samples(coverage: float) -> int:
    """Fewest calibration samples that give a finite score."""
    return math.ceil(coverage / (1 - coverage) * (1 - _ROUNDING))


def check_coverage(coverage: float) -> None:
    """Refuse a coverage that is not between 0 and 1."""
    if not 0 < coverage < 1:
        raise ValueError(
            f"coverage must be between 0 and 1, such as 0.9, got {coverage!r}."
        )


def row_quantiles(
    shifted: FloatArray, coverage: float, weights: FloatArray | None, new: FloatArray
) -> FloatArray:
    """Quantile of each row of scores, which all have the same weights.

    Parameters
    ----------
    shifted : ndarray of shape (n_new, n_samples)
        Scores of the calibration samples, as each new sample sees them.
    coverage : float
        Wanted probability.
    weights : ndarray of shape (n_samples,) or None
        Weights of the calibration samples.
    new : ndarray of shape (n_new,)
        Weights of the new samples.

    Returns
    -------
    quantiles : ndarray of shape (n_new,)
    """
    n_new, n_samples = shifted.shape
    if weights is None:
        rank = needed_rank(n_samples, coverage)
        if rank > n_samples:
            return np.full(n_new, math.inf)
        return np.partition(shifted, rank - 1, axis=1)[:, rank - 1]
    order = np.argsort(shifted, axis=1, kind="stable")
    total = np.cumsum(weights[order], axis=1)
    wanted = coverage * (weights.sum() + new) * (1 - _ROUNDING)
    place = (total < wanted[:, None]).sum(axis=1)
    ranked = np.take_along_axis(shifted, order, axis=1)
    ranked = np.column_stack([ranked, np.full(n_new, math.inf)])
    return ranked[np.arange(n_new), place]
