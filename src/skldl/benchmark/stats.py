"""Statistics over a table of scores: table in, table out, nothing printed.

A table has one row per data set (or fold) and one column per method. Tests over data
sets use complete rows only; rows with missing scores are named in ``dropped``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats as _scipy

from skldl.benchmark._bayes import bayesian_signed_rank
from skldl.benchmark._paired_tests import (
    corrected_resampled_t,
    method_pairs,
    paired_t_tests,
    split_ratio,
    win_tie_loss,
)

__all__ = [
    "Friedman",
    "average_ranks",
    "bayesian_signed_rank",
    "cd_groups",
    "corrected_resampled_t",
    "critical_difference",
    "friedman",
    "friedman_from_ranks",
    "holm",
    "nemenyi",
    "paired_t_tests",
    "rank_rows",
    "split_ratio",
    "wilcoxon_holm",
    "win_tie_loss",
]


@dataclass(frozen=True)
class Friedman:
    """Outcome of a Friedman test.

    Attributes
    ----------
    statistic, p_value : float
        Chi-square statistic and its p-value.
    f_statistic, f_p_value : float
        Iman and Davenport's less conservative version.
    ranks : Series
        Average rank of each method; 1 is best.
    n_blocks : int
        Complete rows used.
    dropped : list
        Rows left out because a score is missing.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    ranks: pd.Series
    n_blocks: int
    dropped: list[Any] = field(default_factory=list)


def _complete(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Any]]:
    if table.shape[1] < 2:
        raise ValueError("At least two methods are needed to compare.")
    whole = table.dropna()
    if whole.empty:
        gaps = ", ".join(map(str, table.columns[table.isna().any()]))
        raise ValueError(
            "No row of the table has a score for every method; leave out the methods "
            f"with missing scores: {gaps}."
        )
    return whole, list(table.index[table.isna().any(axis=1)])


def rank_rows(table: pd.DataFrame, *, greater_is_better: bool) -> pd.DataFrame:
    """Rank the methods in each row; 1 is best, ties share their mean rank.

    Parameters
    ----------
    table : DataFrame of shape (n_blocks, n_methods)
        Scores.
    greater_is_better : bool
        Direction of the score.

    Returns
    -------
    ranks : DataFrame of shape (n_blocks, n_methods)
        Missing scores have no rank.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.benchmark.stats import rank_rows
    >>> rank_rows(pd.DataFrame({"a": [0.1], "b": [0.3]}), greater_is_better=False)
         a    b
    0  1.0  2.0
    """
    return table.rank(axis=1, ascending=not greater_is_better)


def average_ranks(table: pd.DataFrame, *, greater_is_better: bool) -> pd.Series:
    """Average rank of each method over the complete rows.

    Parameters
    ----------
    table : DataFrame of shape (n_blocks, n_methods)
        Scores.
    greater_is_better : bool
        Direction of the score.

    Returns
    -------
    ranks : Series
        ``ranks.attrs["dropped"]`` names the rows with missing scores.
    """
    whole, dropped = _complete(table)
    ranks = rank_rows(whole, greater_is_better=greater_is_better).mean()
    ranks.attrs["dropped"] = dropped
    return ranks


def friedman(table: pd.DataFrame, *, greater_is_better: bool = False) -> Friedman:
    """Test whether all methods rank alike over data sets, corrected for ties.

    Parameters
    ----------
    table : DataFrame of shape (n_blocks, n_methods)
        Scores.
    greater_is_better : bool, default=False
        Direction of the score; matters for the ranks only.

    Returns
    -------
    outcome : Friedman

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.benchmark.stats import friedman
    >>> table = pd.DataFrame({"a": [1, 1, 1], "b": [2, 2, 2], "c": [3, 3, 3]})
    >>> friedman(table).statistic
    6.0
    """
    whole, dropped = _complete(table)
    ranks = rank_rows(whole, greater_is_better=greater_is_better)
    n, k = ranks.shape
    ties = sum(
        float((counts**3 - counts).sum())
        for counts in (np.unique(row, return_counts=True)[1] for row in ranks.values)
    )
    correction = 1.0 - ties / (n * (k**3 - k))
    return _friedman(ranks.mean(), n, correction, dropped)


def friedman_from_ranks(ranks: pd.Series | Sequence[float], n_blocks: int) -> Friedman:
    """Do the Friedman test from average ranks alone, as papers print them.

    Parameters
    ----------
    ranks : Series or sequence of float
        Average ranks.
    n_blocks : int
        Number of data sets.

    Returns
    -------
    outcome : Friedman
        Without a correction for ties, which average ranks do not show.

    Examples
    --------
    >>> from skldl.benchmark.stats import friedman_from_ranks
    >>> outcome = friedman_from_ranks([3.143, 2.000, 2.893, 1.964], 14)
    >>> round(outcome.statistic, 2), round(outcome.f_statistic, 2)
    (9.28, 3.69)
    """
    return _friedman(pd.Series(ranks), n_blocks, 1.0, [])


def _friedman(
    ranks: pd.Series, n: int, correction: float, dropped: list[Any]
) -> Friedman:
    k = len(ranks)
    if correction <= 0:  # every row is one tie: nothing differs
        return Friedman(0.0, 1.0, 0.0, 1.0, ranks, n, dropped)
    spread = float((ranks**2).sum()) - k * (k + 1) ** 2 / 4
    chi2 = 12 * n / (k * (k + 1)) * spread / correction
    p = float(_scipy.chi2.sf(chi2, k - 1))
    rest = n * (k - 1) - chi2
    f = (n - 1) * chi2 / rest if rest > 1e-12 * n * k else float("inf")
    f_p = float(_scipy.f.sf(f, k - 1, (k - 1) * (n - 1))) if n > 1 else float("nan")
    return Friedman(float(chi2), p, float(f), f_p, ranks, n, dropped)


def critical_difference(n_methods: int, n_blocks: int, *, alpha: float = 0.05) -> float:
    """Difference of average ranks that is significant by Nemenyi's test.

    Parameters
    ----------
    n_methods, n_blocks : int
        Number of methods and of data sets.
    alpha : float, default=0.05
        Level.

    Returns
    -------
    cd : float

    Examples
    --------
    >>> from skldl.benchmark.stats import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = _scipy.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def nemenyi(table: pd.DataFrame, *, greater_is_better: bool = False) -> pd.DataFrame:
    """Compare all pairs after a Friedman test.

    Parameters
    ----------
    table : DataFrame of shape (n_blocks, n_methods)
        Scores.
    greater_is_better : bool, default=False
        Direction of the score; p-values do not depend on it.

    Returns
    -------
    p_values : DataFrame of shape (n_methods, n_methods)
        Symmetric, 1 on the diagonal.
    """
    whole, dropped = _complete(table)
    ranks = rank_rows(whole, greater_is_better=greater_is_better).mean()
    n, k = whole.shape
    difference = np.abs(ranks.to_numpy()[:, None] - ranks.to_numpy())
    q = difference / np.sqrt(k * (k + 1) / (6 * n)) * np.sqrt(2)
    p = np.clip(_scipy.studentized_range.sf(q, k, np.inf), 0.0, 1.0)
    np.fill_diagonal(p, 1.0)
    result = pd.DataFrame(p, index=table.columns, columns=table.columns)
    result.attrs["dropped"] = dropped
    return result


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Correct p-values for multiple tests by Holm's step-down rule.

    Parameters
    ----------
    p_values : sequence of float
        One per test.

    Returns
    -------
    corrected : ndarray
        In the same order, at most 1.

    Examples
    --------
    >>> from skldl.benchmark.stats import holm
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def wilcoxon_holm(
    table: pd.DataFrame, *, control: str | None = None, alpha: float = 0.05
) -> pd.DataFrame:
    """Wilcoxon's signed-rank test for pairs of methods, corrected by Holm.

    Parameters
    ----------
    table : DataFrame of shape (n_blocks, n_methods)
        Scores.
    control : str, default=None
        Compare this method with each other one; None compares all pairs.
    alpha : float, default=0.05
        Level.

    Returns
    -------
    pairs : DataFrame
        Columns first, second, n (rows where both have a score), statistic, p_value,
        p_holm, significant. A pair without a shared row has no p-value.
    """
    pairs = method_pairs(list(table.columns), control)
    rows = []
    for first, second in pairs:
        both = table[[first, second]].dropna()
        difference = (both[first] - both[second]).to_numpy()
        statistic, p = (0.0, 1.0) if len(both) else (np.nan, np.nan)
        if np.any(difference != 0):
            test = _scipy.wilcoxon(difference)
            statistic, p = float(test.statistic), float(test.pvalue)
        rows.append((first, second, len(both), statistic, p))
    columns = ["first", "second", "n", "statistic", "p_value"]
    result = pd.DataFrame(rows, columns=columns)
    known = result["p_value"].notna()
    result["p_holm"] = np.nan
    result.loc[known, "p_holm"] = holm(result.loc[known, "p_value"])
    result["significant"] = result["p_holm"] < alpha
    return result


def cd_groups(ranks: pd.Series, cd: float) -> list[list[Any]]:
    """Largest groups of methods whose ranks differ by less than the difference.

    Parameters
    ----------
    ranks : Series
        Average ranks.
    cd : float
        Critical difference.

    Returns
    -------
    groups : list of list
        Each from best to worst, with at least two methods; none inside another.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.benchmark.stats import cd_groups
    >>> cd_groups(pd.Series({"a": 1.0, "b": 1.8, "c": 3.0}), 1.25)
    [['a', 'b'], ['b', 'c']]
    """
    ordered = ranks.sort_values(kind="stable")
    values = ordered.to_numpy()
    groups, last = [], -1
    for start in range(len(values)):
        end = int(np.searchsorted(values, values[start] + cd, side="left")) - 1
        if end > start and end > last:
            groups.append(list(ordered.index[start : end + 1]))
            last = end
    return groups
