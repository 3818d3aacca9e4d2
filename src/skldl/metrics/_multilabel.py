"""Ranking and bipartition metrics for multi-label data.

Y holds 0/1 indicators; S holds scores, larger for more relevant labels. Where
scikit-learn has the metric the mean equals its result; these also give the
values per sample, which statistics over instances need.
"""

from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import check_array

from skldl._typing import FloatArray
from skldl.metrics._wrap import metric
from skldl.validation import check_indicator

TieRule = Literal["error", "stable", "half"]
_CHUNK = 1 << 22  # floats held at once by the pairwise comparison


def _check_scores(Y: Any, S: Any) -> tuple[FloatArray, FloatArray]:
    Y = np.asarray(check_indicator(Y))
    S = check_array(S, dtype=np.float64, input_name="S")
    return _same_shape(Y, S)


def _check_indicators(Y: Any, P: Any) -> tuple[FloatArray, FloatArray]:
    P = np.asarray(check_indicator(P, name="P"))
    return _same_shape(np.asarray(check_indicator(Y)), P)


def _same_shape(Y: FloatArray, S: FloatArray) -> tuple[FloatArray, FloatArray]:
    if Y.shape != S.shape:
        raise ValueError(
            f"The indicators have shape {Y.shape} but the predictions {S.shape}; both "
            "need one row per sample and one column per label."
        )
    return Y, S


_scored = partial(
    metric,
    check=_check_scores,
    parameters="""
    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        True 0/1 indicators.
    S : array-like of shape (n_samples, n_labels)
        Scores, larger for more relevant labels.""",
)
_thresholded = partial(
    metric,
    check=_check_indicators,
    parameters="""
    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        True 0/1 indicators.
    P : array-like of shape (n_samples, n_labels)
        Predicted 0/1 indicators.""",
)


@_scored
def ranking_loss(
    Y: FloatArray, S: FloatArray, *, ties: TieRule = "error"
) -> FloatArray:
    """Share of (relevant, irrelevant) label pairs that the scores order wrongly.

    Samples with no or with only relevant labels count 0.

    Parameters
    ----------
    ties : {"error", "stable", "half"}, default="error"
        What a pair with equal scores is: an error (scikit-learn's rule), ordered
        by label number with the higher number first (MULAN's sort), or half an error.
        Name the rule beside the number.

    Examples
    --------
    >>> from skldl.metrics import ranking_loss
    >>> Y, S = [[1, 0]], [[0.5, 0.5]]
    >>> [ranking_loss(Y, S, ties=rule) for rule in ("error", "stable", "half")]
    [1.0, 1.0, 0.5]
    """
    if ties not in ("error", "stable", "half"):
        raise ValueError(f"ties must be 'error', 'stable' or 'half', got {ties!r}.")
    values = np.empty(len(Y))
    step = max(1, _CHUNK // Y.shape[1] ** 2)
    for start in range(0, len(Y), step):
        rows = slice(start, start + step)
        values[rows] = _ranking_loss_rows(Y[rows], S[rows], ties)
    return values


def _ranking_loss_rows(Y: FloatArray, S: FloatArray, ties: TieRule) -> FloatArray:
    pairs = Y[:, :, None] * (1 - Y[:, None, :])  # [relevant, irrelevant]
    relevant, other = S[:, :, None], S[:, None, :]
    tied = relevant == other
    if ties == "half":
        penalty = 0.5 * tied
    elif ties == "error":
        penalty = tied.astype(float)
    else:  # the irrelevant label ranks first where its number is the higher one
        penalty = (tied & np.tri(Y.shape[1], k=-1, dtype=bool).T).astype(float)
    count = pairs.sum(axis=(1, 2))
    errors = (pairs * ((relevant < other) + penalty)).sum(axis=(1, 2))
    return np.divide(errors, count, out=np.zeros_like(errors), where=count > 0)


@_scored
def coverage(Y: FloatArray, S: FloatArray) -> FloatArray:
    """How far down the ranking the last relevant label stands, counted from 0.

    One less than :func:`sklearn.metrics.coverage_error` where every sample has
    a relevant label; samples without one count 0. Tied labels share the worst
    rank. The best value depends on the data: the mean number of relevant labels
    less one.

    Examples
    --------
    >>> from skldl.metrics import coverage
    >>> coverage([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    2.0
    """
    lowest = np.where(Y > 0, S, np.inf).min(axis=1, keepdims=True)
    return np.maximum((lowest <= S).sum(axis=1) - 1.0, 0.0)


@_scored
def average_precision(Y: FloatArray, S: FloatArray) -> FloatArray:
    """Label ranking average precision; ideal 1.

    The mean is scikit-learn's ``label_ranking_average_precision_score``: tied
    labels share the worst rank, samples with no or only relevant labels count 1.

    Examples
    --------
    >>> from skldl.metrics import average_precision
    >>> average_precision([[1, 0, 0]], [[0.5, 0.9, 0.1]])
    0.5
    """
    rank = rankdata(-S, method="max", axis=1)
    rank_among_relevant = rankdata(np.where(Y > 0, -S, np.inf), method="max", axis=1)
    precision = np.where(Y > 0, rank_among_relevant / rank, 0.0).sum(axis=1)
    n_relevant = Y.sum(axis=1)
    trivial = (n_relevant == 0) | (n_relevant == Y.shape[1])
    return np.where(trivial, 1.0, precision / np.maximum(n_relevant, 1))


@_scored
def one_error(Y: FloatArray, S: FloatArray) -> FloatArray:
    """Share of samples whose first top-scored label is not relevant; ideal 0.

    Examples
    --------
    >>> from skldl.metrics import one_error
    >>> one_error([[1, 0], [1, 0]], [[0.9, 0.1], [0.1, 0.9]])
    0.5
    """
    return 1.0 - np.take_along_axis(Y, S.argmax(axis=1)[:, None], axis=1)[:, 0]


@_thresholded
def hamming_loss(Y: FloatArray, P: FloatArray) -> FloatArray:
    """Share of labels that are predicted wrongly; ideal 0.

    Examples
    --------
    >>> from skldl.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 1, 0]], [[1, 1, 1, 0]])
    0.25
    """
    return (Y != P).mean(axis=1)
