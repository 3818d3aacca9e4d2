"""Tests over the paired folds of two methods on one data set."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats as _scipy

from skldl._typing import FloatArray


def method_pairs(methods: list[Any], control: str | None) -> list[tuple[Any, Any]]:
    """All pairs of methods, or the control with each other one."""
    if control is None:
        return [(a, b) for i, a in enumerate(methods) for b in methods[i + 1 :]]
    if control not in methods:
        raise ValueError(
            f"The control {control!r} is not among the methods: {', '.join(methods)}."
        )
    return [(control, method) for method in methods if method != control]


def split_ratio(split: str) -> float:
    """Number of test rows over training rows of a split, by its name.

    Parameters
    ----------
    split : str
        As in the column ``split`` of results: ``"kfold-10"``, ``"shuffle-0.1"``, each
        perhaps with ``"-stratified"``.

    Returns
    -------
    ratio : float

    Examples
    --------
    >>> from skldl.benchmark.stats import split_ratio
    >>> round(split_ratio("kfold-10"), 4)
    0.1111
    """
    kind, _, size = split.removesuffix("-stratified").partition("-")
    if kind == "kfold":
        return 1.0 / (int(size) - 1)
    if kind == "shuffle":
        return float(size) / (1.0 - float(size))
    raise ValueError(
        f"The split {split!r} has no random test part, so there is nothing to correct; "
        "use folds or random splits."
    )


def corrected_resampled_t(difference: Any, *, ratio: float) -> tuple[float, float]:
    r"""Corrected resampled t-test of Nadeau and Bengio.

    Training parts of folds and of random splits overlap, so that differences of scores
    are not independent and their variance over folds is too small. The test takes

    .. math:: t = \frac{\bar d}{\sqrt{(1 / k + r) s^2}}

    with k differences of mean :math:`\bar d` and variance :math:`s^2`, and r test rows
    for each training row. It has k - 1 degrees of freedom. Without the correction, with
    r = 0, it is the paired t-test.

    Parameters
    ----------
    difference : array-like of shape (n_folds,)
        Scores of one method less those of the other, fold by fold.
    ratio : float
        Number of test rows over training rows: 1 / 9 in ten folds. See
        :func:`split_ratio`.

    Returns
    -------
    t, p_value : float
        The p-value is two-sided. Both are missing with fewer than two folds.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the Generalization Error", Machine
       Learning 52(3), 2003.

    Examples
    --------
    >>> from skldl.benchmark.stats import corrected_resampled_t
    >>> t, p = corrected_resampled_t([0.1, 0.2, 0.3], ratio=1 / 2)
    >>> round(t, 3), round(p, 3)
    (2.191, 0.16)
    """
    values = np.asarray(difference, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"difference must be a vector, got {values.ndim} dimensions.")
    if not (np.isfinite(ratio) and ratio >= 0):
        raise ValueError(f"ratio must be at least 0, got {ratio!r}.")
    return _paired_t(values[~np.isnan(values)], ratio)


def paired_t_tests(
    rows: pd.DataFrame,
    *,
    metric: str,
    control: str,
    greater_is_better: bool,
    alpha: float = 0.05,
    corrected: bool = False,
) -> pd.DataFrame:
    """Compare a method with each other one on each data set by its paired folds.

    Parameters
    ----------
    rows : DataFrame
        Tidy results, as :func:`skldl.benchmark.run` gives them.
    metric : str
        Which metric.
    control : str
        The method to compare with the others.
    greater_is_better : bool
        Direction of the metric.
    alpha : float, default=0.05
        Level of the two-sided test.
    corrected : bool, default=False
        Whether to correct for training rows that folds share, by
        :func:`corrected_resampled_t`. The column ``split`` says how many they are.

    Returns
    -------
    table : DataFrame
        Columns dataset, method, n (folds that both have), difference (control less
        the other), t, p_value, outcome ("win", "tie" or "loss" of the control;
        missing with fewer than two shared folds).

    Notes
    -----
    Folds of a cross-validation share training data, so p-values without the correction
    are too small; they are the default because published tables count wins by them.
    """
    scores = rows[rows["metric"] == metric].pivot_table(
        index=["dataset", "repetition", "fold"], columns="method", values="value"
    )
    everyone = list(rows["method"].unique())  # also who has no score at all
    scores = scores.reindex(columns=everyone)
    pairs = method_pairs(everyone, control)
    ratios = _ratios(rows) if corrected else {}
    found = []
    for dataset, part in scores.groupby(level="dataset", sort=False):
        for _, other in pairs:
            both = (part[control] - part[other]).dropna().to_numpy()
            t, p = _paired_t(both, ratios.get(dataset, 0.0))
            difference = float(both.mean()) if len(both) else float("nan")
            better = difference > 0 if greater_is_better else difference < 0
            outcome = _outcome(p, better, alpha)
            found.append((dataset, other, len(both), difference, t, p, outcome))
    columns = ["dataset", "method", "n", "difference", "t", "p_value", "outcome"]
    return pd.DataFrame(found, columns=columns)


def _ratios(rows: pd.DataFrame) -> dict[str, float]:
    if "split" not in rows.columns:
        raise ValueError(
            "The correction needs the column 'split' of results, as in kfold-10."
        )
    splits = rows.groupby("dataset", sort=False)["split"].unique()
    several = splits[splits.str.len() > 1]
    if len(several):
        name, found = next(iter(several.items()))
        raise ValueError(
            f"{name} has results of several splits ({', '.join(found)}); select one."
        )
    return {name: split_ratio(found[0]) for name, found in splits.items()}


def _outcome(p_value: float, better: bool, alpha: float) -> str | None:
    if np.isnan(p_value):
        return None
    if p_value >= alpha:
        return "tie"
    return "win" if better else "loss"


def _paired_t(difference: FloatArray, ratio: float) -> tuple[float, float]:
    """T and p; folds that all differ by the same amount are certain, not undefined."""
    if len(difference) < 2:
        return float("nan"), float("nan")
    spread, mean = difference.std(ddof=1), difference.mean()
    if np.abs(difference).max() <= 1e-14:  # rounding of scores about 1
        return 0.0, 1.0
    if spread <= 1e-14:
        return float(np.copysign(np.inf, mean)), 0.0
    t = mean / (spread * np.sqrt(1 / len(difference) + ratio))
    return float(t), float(2 * _scipy.t.sf(abs(t), len(difference) - 1))


def win_tie_loss(tests: pd.DataFrame) -> pd.DataFrame:
    """Count the outcomes of :func:`paired_t_tests` for each method.

    Parameters
    ----------
    tests : DataFrame
        What :func:`paired_t_tests` gave.

    Returns
    -------
    counts : DataFrame
        Indexed by method; columns win, tie, loss and missing.
    """
    filled = tests.assign(outcome=tests["outcome"].fillna("missing"))
    counts = pd.crosstab(filled["method"], filled["outcome"])
    wanted = ["win", "tie", "loss", "missing"]
    return counts.reindex(columns=wanted, fill_value=0).rename_axis(columns=None)
