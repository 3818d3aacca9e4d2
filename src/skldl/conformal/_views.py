"""Tables that show whether regions and degrees hold what they say."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import betabinom

from skldl._typing import FloatArray
from skldl.conformal._calibration import Calibration
from skldl.conformal._quantile import needed_rank
from skldl.validation import check_distribution_pair, label_names


def coverage_table(
    model: Any,
    X: Any,
    D: Any,
    levels: Sequence[float] = (0.8, 0.9, 0.95),
    *,
    groups: Any = None,
    band: float = 0.95,
) -> pd.DataFrame:
    """Share of new distributions in their regions, against what was asked for.

    Parameters
    ----------
    model : ConformalDistribution
        Fitted.
    X : array-like of shape (n_samples, n_features)
        New samples, neither for the fit nor for the calibration.
    D : array-like of shape (n_samples, n_labels)
        Their distributions.
    levels : sequence of float, default=(0.8, 0.9, 0.95)
        Coverages to try.
    groups : array-like of shape (n_samples,), default=None
        Groups to look at one by one; if ``fit`` had groups, they are needed.
    band : float, default=0.95
        Probability of the band.

    Returns
    -------
    table : DataFrame
        One row per level and ``part``: ``"all"``, each group, and each label (its
        interval, one by one valid). Columns: ``kind`` of the part, ``n_samples``,
        ``coverage`` found, the ``low`` and ``high`` end of the band in which it is with
        probability ``band`` if samples are exchangeable and scores differ, and the mean
        ``size``, the width of intervals.

    Notes
    -----
    Of m new samples the number in their regions is beta-binomial with parameters k and
    n + 1 - k, where the region is made of the k-th of n scores [1]_. The band is that
    of "split"; "cross", weights and all groups together have none, so its ends are
    missing. Groups that ``fit`` did not have may be off: nothing is promised for them.

    References
    ----------
    .. [1] V. Vovk, "Conditional Validity of Inductive Conformal Predictors", Machine
       Learning 92, 2013.

    Examples
    --------
    >>> from skldl.conformal import ConformalDistribution, coverage_table
    >>> from skldl.datasets import make_ldl
    >>> X, D = make_ldl(600, n_labels=3, random_state=0)
    >>> model = ConformalDistribution(random_state=0).fit(X[:400], D[:400])
    >>> table = coverage_table(model, X[400:], D[400:], [0.9])
    >>> table["part"].tolist()
    ['all', 0, 1, 2]
    """
    known = groups if getattr(model, "groups_", None) and model.n_bins is None else None
    rows = []
    for level in levels:
        regions = model.predict_region(X, coverage=level, groups=known)
        inside, size = regions.contains(D), regions.size
        rows += _by_group(model.calibration_, level, inside, size, groups, known, band)
        lower, upper = model.intervals(X, coverage=level, groups=known)
        degrees = check_distribution_pair(D, regions.center)[0]
        within = (lower - 1e-12 <= degrees) & (degrees <= upper + 1e-12)
        ends = _band(model.calibration_, None, level, len(degrees), band)
        for j, name in enumerate(np.asarray(model.classes_).tolist()):
            width = float((upper - lower)[:, j].mean())
            found = float(within[:, j].mean())
            rows.append([level, "label", name, len(degrees), found, *ends, width])
    columns = ["level", "kind", "part", "n_samples", "coverage", "low", "high", "size"]
    return pd.DataFrame(rows, columns=columns)


def _by_group(
    calibration: Calibration,
    level: float,
    inside: Any,
    size: FloatArray,
    groups: Any,
    known: Any,
    band: float,
) -> list[list[Any]]:
    """Rows of all samples, and of each group."""
    ends = _band(calibration, None, level, len(inside), band)
    found = [float(inside.mean()), *ends, float(size.mean())]
    rows: list[list[Any]] = [[level, "all", "all", len(inside), *found]]
    if groups is None:
        return rows
    names = np.asarray(groups)
    for name in np.unique(names).tolist():
        mine = np.asarray(names == name)
        ends = (np.nan, np.nan)
        if known is not None:
            code = calibration.group_names.index(name)
            ends = _band(calibration, code, level, int(mine.sum()), band)
        part = [float(inside[mine].mean()), *ends, float(size[mine].mean())]
        rows.append([level, "group", name, int(mine.sum()), *part])
    return rows


def _band(
    calibration: Calibration, code: int | None, level: float, n_new: int, band: float
) -> tuple[float, float]:
    """Ends of the band of the share of new samples that are covered."""
    # with groups, all together are a mixture of quantiles
    mixed = calibration.group is not None and code is None
    if mixed or calibration.weight is not None or calibration.model.max(initial=0) > 0:
        return np.nan, np.nan
    n_samples = len(calibration.scores)
    if code is not None:
        n_samples = int(np.count_nonzero(calibration.group == code))
    rank = needed_rank(n_samples, level)
    if rank > n_samples:
        return 1.0, 1.0
    law = betabinom(n_new, rank, n_samples + 1 - rank)
    tail = (1 - band) / 2
    return float(law.ppf(tail) / n_new), float(law.ppf(1 - tail) / n_new)


def reliability_table(D: Any, P: Any, *, n_bins: int = 10) -> pd.DataFrame:
    """Mean degrees of labels among samples with similar predicted degrees.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        True distributions of new samples.
    P : array-like of shape (n_samples, n_labels)
        Predicted distributions.
    n_bins : int, default=10
        Bins of about equally many predictions per label.

    Returns
    -------
    table : DataFrame
        One row per label and bin: ``label``, ``predicted`` and ``observed`` mean
        degree, ``standard_error`` of the difference, ``n_samples``. Where a learner is
        reliable, the two means agree up to a few standard errors.

    References
    ----------
    .. [1] A. H. Murphy and R. L. Winkler, "Reliability of Subjective Probability
       Forecasts of Precipitation and Temperature", Journal of the Royal Statistical
       Society, Series C 26(1), 1977.

    Examples
    --------
    >>> from skldl.conformal import reliability_table
    >>> D, P = [[0.2, 0.8], [0.4, 0.6]], [[0.3, 0.7], [0.3, 0.7]]
    >>> reliability_table(D, P, n_bins=1)[["label", "predicted", "observed"]].round(2)
       label  predicted  observed
    0      0        0.3       0.3
    1      1        0.7       0.7
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be 1 or more, got {n_bins!r}.")
    given = D
    D, P = check_distribution_pair(D, P)
    rows = []
    for j, name in enumerate(label_names(given, D.shape[1])):
        edges = np.quantile(P[:, j], np.arange(1, n_bins) / n_bins)
        place = np.searchsorted(np.unique(edges), P[:, j], side="right")
        for b in np.unique(place):
            mine = place == b
            error = (D - P)[mine, j]
            deviation = error.std(ddof=1) if len(error) > 1 else np.nan
            means = [P[mine, j].mean(), D[mine, j].mean()]
            rows.append([name, *means, deviation / np.sqrt(len(error)), len(error)])
    columns = ["label", "predicted", "observed", "standard_error", "n_samples"]
    return pd.DataFrame(rows, columns=columns)
