"""Learners that are hardly different from the mean distribution."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from skldl.report import BASELINE

#: Largest difference, as a share of the mean distribution's value, on every metric.
ALIKE = 0.015
_PLACE = ("part", "dataset")
_OWN = (*_PLACE, "method", "features", "variant", "protocol")


def learner_key(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Say which learner a row of a summary belongs to, without its metric."""
    return tuple(str(row[name]) for name in _OWN)


def like_mean(summary: pd.DataFrame) -> set[tuple[str, ...]]:
    """Find learners within 1.5 % of the mean distribution on every metric.

    Parameters
    ----------
    summary : DataFrame
        What :func:`read_summary` gave.

    Returns
    -------
    keys : set of tuple
        What :func:`learner_key` gives for their rows.
    """
    baseline = summary[summary["method"] == BASELINE]
    wanted = {
        (row["part"], row["dataset"], row["metric"]): row["mean"]
        for row in baseline.to_dict("records")
    }
    near: dict[tuple[str, ...], bool] = {}
    for row in summary.to_dict("records"):
        mean = wanted.get((row["part"], row["dataset"], row["metric"]))
        if mean is None or row["method"] == BASELINE:
            continue
        key = learner_key(row)
        close = abs(row["mean"] - mean) <= ALIKE * abs(mean)
        near[key] = near.get(key, True) and bool(close)
    return {key for key, alike in near.items() if alike}


def is_like_mean(summary: pd.DataFrame) -> list[bool]:
    """Say of each row whether its learner is within 1.5 % of the mean distribution.

    Parameters
    ----------
    summary : DataFrame
        What :func:`read_summary` gave.

    Returns
    -------
    alike : list of bool
        In the order of the rows.
    """
    keys = like_mean(summary)
    return [learner_key(row) in keys for row in summary.to_dict("records")]
