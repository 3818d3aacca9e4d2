"""Rows, groups and votes of a fit, checked; scores of the rows that were kept apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from skldl._inner import check_weights
from skldl._text import listed
from skldl._typing import FloatArray
from skldl.conformal._calibration import Calibration
from skldl.conformal._fitting import FitData, Part, predict_rows
from skldl.validation import SUM_TOLERANCE


def checked_rows(data: FitData, sample_weight: Any, groups: Any, votes: Any) -> FitData:
    """Rows of positive weight, with their groups and numbers of votes.

    Parameters
    ----------
    data : FitData
        Samples and distributions.
    sample_weight : array-like of shape (n_samples,) or None
        Weights.
    groups : array-like of shape (n_samples,) or None
        Groups.
    votes : array-like of shape (n_samples,) or (n_samples, n_labels), int or None
        Numbers of votes, or the votes themselves.

    Returns
    -------
    data : FitData
    """
    data.weight = check_weights(sample_weight, data.D)
    if groups is not None:
        check_consistent_length(data.D, groups)
        names, data.group = np.unique(_as_names(groups), return_inverse=True)
        data.group_names = names.tolist()
    if votes is not None:
        data.n_votes = _numbers_of_votes(votes, data.D)
    if data.weight is None or (data.weight > 0).all():
        return data
    return data.rows(np.flatnonzero(data.weight))


def _as_names(groups: Any) -> Any:
    names = column_or_1d(np.asarray(groups))
    missing = names != names
    if missing.any():
        raise ValueError(
            f"groups has a missing value in row {int(np.argmax(missing))}; name it, or "
            "leave the row out."
        )
    return names


def group_codes(groups: Any, known: Sequence[Any]) -> Any:
    """Numbers of groups by their names; refuses those that are not known."""
    names = _as_names(groups)
    place = {name: code for code, name in enumerate(known)}
    codes = np.array([place.get(name, -1) for name in names.tolist()], dtype=np.int64)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"groups has {names.tolist()[row]!r} in row {row}, which fit has not seen; "
            f"it knows {listed([str(name) for name in known])}. There are no scores to "
            "make a region of."
        )
    return codes


def _numbers_of_votes(votes: Any, D: FloatArray) -> FloatArray:
    counted = np.asarray(votes, dtype=np.float64)
    if counted.ndim == 2:
        counted = counted.sum(axis=1)
        if np.abs(counted - 1).max(initial=0.0) <= max(SUM_TOLERANCE, 1e-3):
            raise ValueError(
                "target='underlying' needs the numbers of votes, but y has shares: "
                "give n_votes."
            )
    counted = (
        np.broadcast_to(counted, (len(D),)).copy() if counted.ndim == 0 else counted
    )
    if len(counted) != len(D):
        raise ValueError(f"n_votes has {len(counted)} entries for {len(D)} samples.")
    if not (np.isfinite(counted) & (counted >= 1)).all():
        row = int(np.argmax(~(counted >= 1)))
        raise ValueError(
            f"n_votes must be 1 or more, but row {row} has {counted[row]:g}."
        )
    return counted


def difficulty_bins(data: FitData, part: Part, n_bins: int) -> FloatArray:
    """Edges between bins of difficulty, from the training rows alone."""
    train = np.setdiff1d(np.arange(len(data.D)), part.rows)
    X = data.rows(train).X
    assert part.difficulty is not None
    found = part.difficulty.estimate(X, predict_rows(part.model, X))
    return np.quantile(found, np.arange(1, n_bins) / n_bins)


def calibrate(
    data: FitData, P: FloatArray, parts: list[Part]
) -> tuple[Calibration, FloatArray]:
    """Score predictions of rows that models have not seen.

    Parameters
    ----------
    data : FitData
        These rows, those of the first model first.
    P : ndarray of shape (n_rows, n_labels)
        Predictions.
    parts : list of Part
        Models and their numbers of rows.

    Returns
    -------
    calibration : Calibration
    difficulty : ndarray of shape (n_rows,)
        What scores were divided by.
    """
    scores, difficulty = np.empty(len(P)), np.ones(len(P))
    model = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
    for number, part in enumerate(parts):
        mine = np.flatnonzero(model == number)
        if part.difficulty is not None:
            X = data.rows(mine).X
            difficulty[mine] = part.difficulty.estimate(X, P[mine])
        scores[mine] = part.ball.distance(data.D[mine], P[mine]) / difficulty[mine]
    residuals = np.abs(data.D - P) / difficulty[:, None]
    names = list(data.group_names)
    found = Calibration(scores, residuals, model, data.group, data.weight, names)
    return found, difficulty


def row_names(X: Any) -> Any:
    """The index of a pandas table, or None."""
    index = getattr(X, "index", None)
    return None if callable(index) else index
