"""Bayesian signed-rank test: the probability that a method is better."""

import numpy as np
import pandas as pd

from skldl._typing import FloatArray
from skldl.benchmark._paired_tests import method_pairs

_CELLS = 2_000_000  # weights that are drawn at a time


def bayesian_signed_rank(
    table: pd.DataFrame,
    *,
    greater_is_better: bool,
    control: str | None = None,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    n_draws: int = 20_000,
    random_state: int = 0,
) -> pd.DataFrame:
    r"""Bayesian version of Wilcoxon's signed-rank test for pairs of methods.

    The differences :math:`z_1, ..., z_n` of the scores on n data sets, and a prior
    difference :math:`z_0 = 0`, get random weights w from a Dirichlet distribution with
    parameters :math:`(s, 1, ..., 1)`. One draw has the masses

    .. math::
        \theta_{rope} = \sum_{ij} w_i w_j [|z_i + z_j| \le 2 r], \qquad
        \theta_{first} = \sum_{ij} w_i w_j [z_i + z_j > 2 r]

    and :math:`\theta_{second}` for the rest, where r is the half width of the region of
    practical equivalence and positive differences speak for the first method. The
    result is the share of draws in which each mass is the largest.

    Parameters
    ----------
    table : DataFrame of shape (n_datasets, n_methods)
        Scores, as :func:`skldl.benchmark.score_table` gives them.
    greater_is_better : bool
        Direction of the score.
    control : str, default=None
        Compare this method with each other one; None compares all pairs.
    rope : float, default=0.0
        Differences up to this, in units of the score, do not matter in practice. With
        0 the draws decide between the two methods only.
    prior_strength : float, default=0.5
        Parameter s of the prior difference.
    n_draws : int, default=20_000
        Number of draws; the error of a probability is at most :math:`0.5 / \sqrt n`.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    pairs : DataFrame
        Columns first, second, n (rows where both have a score), p_first, p_rope and
        p_second: probabilities that the first is better, that both are equivalent and
        that the second is better. They are missing for a pair without a shared row.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, F. Mangili, M. Zaffalon, F. Ruggeri, "A Bayesian
       Wilcoxon Signed-Rank Test Based on the Dirichlet Process", International
       Conference on Machine Learning, 2014.
    .. [2] A. Benavoli, G. Corani, J. Demšar, M. Zaffalon, "Time for a Change: a
       Tutorial for Comparing Multiple Classifiers Through Bayesian Analysis", Journal
       of Machine Learning Research 18(77), 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.benchmark.stats import bayesian_signed_rank
    >>> table = pd.DataFrame({"a": [0.1, 0.2, 0.15, 0.3], "b": [0.3, 0.4, 0.35, 0.5]})
    >>> found = bayesian_signed_rank(table, greater_is_better=False, rope=0.01)
    >>> bool(found["p_first"][0] > 0.95)
    True
    """
    _check_settings(rope, prior_strength, n_draws)
    sign = 1.0 if greater_is_better else -1.0
    rows = []
    for first, second in method_pairs(list(table.columns), control):
        both = table[[first, second]].dropna()
        shares = np.full(3, np.nan)
        if len(both):
            difference = sign * (both[first] - both[second]).to_numpy(np.float64)
            masses = _masses(difference, rope, prior_strength, n_draws, random_state)
            shares = _shares(masses)
        rows.append((first, second, len(both), *shares))
    columns = ["first", "second", "n", "p_first", "p_rope", "p_second"]
    return pd.DataFrame(rows, columns=columns)


def _check_settings(rope: float, prior_strength: float, n_draws: int) -> None:
    if not rope >= 0:
        raise ValueError(f"rope must be at least 0, got {rope!r}.")
    if not prior_strength > 0:
        raise ValueError(f"prior_strength must be above 0, got {prior_strength!r}.")
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws!r}.")


def _masses(
    difference: FloatArray, rope: float, strength: float, n_draws: int, seed: int
) -> FloatArray:
    """Masses for the first method, for neither and for the second, of each draw."""
    z = np.concatenate([[0.0], difference])
    sums = z[:, None] + z
    above = (sums > 2 * rope).astype(np.float64)
    below = (sums < -2 * rope).astype(np.float64)
    alpha = np.concatenate([[strength], np.ones(len(difference))])
    rng = np.random.default_rng(seed)
    parts = []
    step = max(1, _CELLS // len(z))
    for start in range(0, n_draws, step):
        w = rng.dirichlet(alpha, size=min(step, n_draws - start))
        first = ((w @ above) * w).sum(axis=1)
        second = ((w @ below) * w).sum(axis=1)
        parts.append(np.column_stack([first, 1.0 - first - second, second]))
    masses = np.concatenate(parts)
    if rope == 0:  # exact ties speak for neither: half of them for each
        masses[:, [0, 2]] += masses[:, [1]] / 2
        masses[:, 1] = 0.0
    return masses


def _shares(masses: FloatArray) -> FloatArray:
    """Share of the draws in which each mass is the largest; ties are divided."""
    largest = masses >= masses.max(axis=1, keepdims=True) - 1e-12
    return (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
