"""Guesses: which columns of a table are labels, and whether it has a vote per row."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api import types

from skldl._typing import FloatArray
from skldl.datasets._degrees import ROUNDING
from skldl.datasets._faults import numbers_of

_ROWS = 500  # rows by which labels are guessed
_PREFIX = re.compile(r"(.*(?:vote|label|count|share|emotion|class|n)s?)[_ .:-].+", re.I)
_CLASS = re.compile(r"(label|class|target|y|category|klasse)", re.I)
_LONG = {
    "item": re.compile(
        r"(.*[_ ])?(item|text|image|picture|task|question|tweet|unit|document|sample)"
        r"s?([_ ]?(id|nr))?",
        re.I,
    ),
    "annotator": re.compile(
        r"(.*[_ ])?(annotator|worker|rater|coder|user|judge|participant|labeler)"
        r"s?([_ ]?(id|nr))?",
        re.I,
    ),
    "label": re.compile(
        r"(.*[_ ])?(label|answer|vote|response|choice|annotation|rating|judgement)",
        re.I,
    ),
}


def guess_labels(frame: pd.DataFrame, roles: pd.DataFrame) -> list[str]:
    """Columns that look like label degrees, or one that looks like classes.

    Neighbouring columns of non-negative numbers whose rows sum to 1 or 100, or to the
    same whole number; else whole numbers whose names begin alike (``vote_...``), or
    those at the end of the table that go down to 0 or 1; else a column of categories
    that is called label, class or target.
    """
    part = frame.iloc[:_ROWS]
    runs = _runs(part, roles)
    for share in (1.0, 100.0):
        found = _summing(part, runs, share)
        if found:
            return found
    found = (
        _same_sum(part, runs) or _same_prefix(part, runs) or _counts_at_end(part, runs)
    )
    if found:
        return found
    return [
        str(name)
        for name in frame.columns
        if roles.loc[name, "role"] == "category" and _CLASS.fullmatch(str(name))
    ][:1]


def guess_long(frame: pd.DataFrame) -> dict[str, str] | None:
    """Columns of a table with one vote per row: item, annotator and label."""
    found: dict[str, str] = {}
    for what, pattern in _LONG.items():
        fitting = [str(c) for c in frame.columns if pattern.fullmatch(str(c))]
        if not fitting:
            return None
        found[what] = fitting[0]
    repeated = frame[found["item"]].duplicated().any()
    return found if repeated and len(set(found.values())) == len(found) else None


def _runs(part: pd.DataFrame, roles: pd.DataFrame) -> list[list[str]]:
    """Neighbouring columns of numbers that may be degrees."""
    runs: list[list[str]] = [[]]
    for name in part.columns:
        numeric = types.is_numeric_dtype(part[name]) and roles.loc[name, "role"] in (
            "number",
            "constant",
        )
        if numeric and not (numbers_of(part[name]) < 0).any():
            runs[-1].append(str(name))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) > 1]


def _matrix(part: pd.DataFrame, run: Sequence[str]) -> FloatArray:
    return np.nan_to_num(np.column_stack([numbers_of(part[name]) for name in run]))


def _summing(part: pd.DataFrame, runs: list[list[str]], share: float) -> list[str]:
    """The longest neighbours whose rows with votes sum to 1 or 100; else nothing."""
    best: list[str] = []
    for run in runs:
        sums = np.cumsum(_matrix(part, run), axis=1)
        sums = np.column_stack([np.zeros(len(part)), sums])
        for first in range(len(run) - 1):
            parts = sums[:, first + 2 :] - sums[:, [first]]
            near = np.abs(parts - share) <= share * ROUNDING + 1e-9
            # one vote makes a label; a table of zeros makes none
            fits = ((near | (parts == 0)).all(axis=0)) & near.any(axis=0)
            if fits.any():
                last = first + 2 + int(np.flatnonzero(fits)[-1])
                if last - first >= max(2, len(best)):
                    best = run[first:last]
    return best


def _same_sum(part: pd.DataFrame, runs: list[list[str]]) -> list[str]:
    """The longest whole numbers at the end of a run with the same sum in every row."""
    best: list[str] = []
    for run in runs:
        matrix = _matrix(part, run)
        if len(matrix) < 3:
            continue
        for first in range(len(run) - 1):
            tail = matrix[:, first:]
            whole = (tail == np.rint(tail)).all()
            if whole and np.ptp(tail.sum(axis=1)) == 0 and np.ptp(tail, axis=0).any():
                if len(run) - first >= max(2, len(best)):
                    best = run[first:]
                break
    return best


def _counts_at_end(part: pd.DataFrame, runs: list[list[str]]) -> list[str]:
    """Whole numbers in the last columns that go down to 0 or 1, as votes do."""
    if not runs or runs[-1][-1] != str(part.columns[-1]):
        return []
    found: list[str] = []
    for name in reversed(runs[-1]):
        values = np.nan_to_num(numbers_of(part[name]))
        if (values % 1 != 0).any() or values.min() > 1:
            break
        found.insert(0, name)
    return found if len(found) > 1 else []


def _same_prefix(part: pd.DataFrame, runs: list[list[str]]) -> list[str]:
    best: list[str] = []
    for run in runs:
        begins: dict[str, list[str]] = {}
        for name in run:
            values = numbers_of(part[name])
            found = _PREFIX.fullmatch(name)
            if found and (np.nan_to_num(values) % 1 == 0).all():
                begins.setdefault(found[1].lower(), []).append(name)
        for group in begins.values():
            if len(group) >= max(2, len(best)):
                best = group
    return best
