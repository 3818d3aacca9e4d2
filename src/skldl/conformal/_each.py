"""Regions of rows whose distributions are known, each by the scores of the others."""

from typing import Any

import numpy as np

from skldl._typing import FloatArray
from skldl.conformal._balls import Ball
from skldl.conformal._fitting import label_scale
from skldl.conformal._prepare import row_names
from skldl.conformal._quantile import check_coverage, needed_rank
from skldl.conformal._regions import Regions
from skldl.validation import check_distribution_pair, label_names


def regions_of_rows(
    D: Any,
    P: Any,
    *,
    coverage: float = 0.9,
    distance: str = "label",
    smoothing: float = 0.01,
) -> Regions:
    r"""Regions around predictions of rows that a model has not seen.

    The region of each row is a ball whose radius is the
    :math:`\lceil n c \rceil`-th smallest of the scores of the n - 1 other rows. It is
    what :class:`ConformalDistribution` would give if the other rows were for the
    calibration, so a report can show how regions of new rows would look.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        True distributions.
    P : array-like of shape (n_samples, n_labels)
        Predictions by a model that was not fitted on these rows, or out-of-fold
        predictions.
    coverage : float, default=0.9
        Probability that a region holds the distribution.
    distance : {"label", "tv", "kl", "aitchison"}, default="label"
        Distance of distributions, see :class:`ConformalDistribution`.
    smoothing : float, default=0.01
        Share of the uniform distribution that is mixed in before logarithms.

    Returns
    -------
    regions : Regions
        One per row. With too few rows for the coverage, each is the whole simplex.

    Notes
    -----
    If rows are exchangeable and one model predicted all of them, the coverage holds
    exactly as for "split". For out-of-fold predictions of several models there is no
    proof.

    Examples
    --------
    >>> from skldl.conformal import regions_of_rows
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LogisticLDL
    >>> X, D = make_ldl(300, random_state=0)
    >>> P = LogisticLDL().fit(X[:200], D[:200]).predict(X[200:])
    >>> round(float(regions_of_rows(D[200:], P).contains(D[200:]).mean()), 2)
    0.9
    """
    check_coverage(coverage)
    names, index = label_names(D, np.shape(D)[1]), row_names(D)
    D, P = check_distribution_pair(D, P)
    ball = Ball(distance, smoothing, label_scale(D))
    radius = _kth_of_the_others(ball.distance(D, P), coverage)
    return Regions(P, radius, coverage, names, index, ball)


def _kth_of_the_others(scores: FloatArray, coverage: float) -> FloatArray:
    """For each score the conformal quantile of all others."""
    count = len(scores)
    rank = needed_rank(count - 1, coverage)
    if rank > count - 1:
        return np.full(count, np.inf)
    order = np.argsort(scores, kind="stable")
    place = np.empty(count, dtype=int)
    place[order] = np.arange(count)
    ordered = scores[order]
    return np.where(place < rank, ordered[rank], ordered[rank - 1])
