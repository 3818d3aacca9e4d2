"""Fit models on parts of the data, and score them on the rest."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from skldl._inner import fit_inner, named_target
from skldl._seeds import with_seed
from skldl._sklearn import safe_indexing
from skldl._typing import FloatArray
from skldl.conformal._balls import Ball
from skldl.conformal._difficulty import Difficulty
from skldl.validation import check_distribution, check_folds


@dataclass
class FitData:
    """Validated data of a fit.

    Attributes
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    classes : ndarray
        Label names.
    weight, n_votes, group : ndarray of shape (n_samples,) or None
        What else is known of each sample.
    group_names : list
        Names of the groups.
    """

    X: Any
    D: FloatArray
    classes: Any
    weight: Any = None
    n_votes: Any = None
    group: Any = None
    group_names: Any = ()

    def rows(self, rows: Any) -> "FitData":
        """Some of the samples."""
        weight, n_votes, group = (
            None if other is None else other[rows]
            for other in (self.weight, self.n_votes, self.group)
        )
        X, D = safe_indexing(self.X, rows), self.D[rows]
        return FitData(X, D, self.classes, weight, n_votes, group, self.group_names)


@dataclass
class Part:
    """A fitted model, and the rows that it has not seen.

    Attributes
    ----------
    model : estimator
        Fitted.
    ball : Ball
        Score, with the scales of labels in the training rows.
    difficulty : Difficulty or None
        Learned from the training rows.
    rows : ndarray of int
        Calibration rows.
    """

    model: Any
    ball: Ball
    difficulty: Difficulty | None
    rows: Any


def predict_rows(model: Any, X: Any) -> FloatArray:
    """Predictions that are known to be distributions."""
    name = f"The prediction of {type(model).__name__}"
    return check_distribution(model.predict(X), on_unnormalized="raise", name=name)


def fit_rows(inner: Any, data: FitData, seed: int) -> Any:
    """A fitted clone."""
    model = with_seed(clone(inner), seed)
    return fit_inner(model, data.X, named_target(data.D, data.classes), data.weight)


def fit_part(
    inner: Any, data: FitData, train: Any, rest: Any, settings: Any, seed: int
) -> Part:
    """Fit a model, and what makes its scores comparable, on the training rows.

    Parameters
    ----------
    inner : estimator
        Not fitted.
    data : FitData
        All rows.
    train, rest : ndarray of int
        Rows to fit on, and calibration rows.
    settings : ConformalDistribution
        Distance and difficulty.
    seed : int
        For models that draw.

    Returns
    -------
    part : Part
    """
    seen = data.rows(train)
    model = fit_rows(inner, seen, seed)
    ball = Ball(settings.distance, settings.smoothing, label_scale(seen.D))
    difficulty = None
    if settings.difficulty is not None:
        regressor = settings.difficulty
        regressor = None if isinstance(regressor, str) else clone(regressor)
        P = out_of_fold(inner, seen, _number_of_folds(settings.cv), seed)
        difficulty = Difficulty(regressor).fit(seen.X, P, ball.distance(seen.D, P))
    return Part(model, ball, difficulty, rest)


def out_of_fold(inner: Any, data: FitData, n_splits: int, seed: int) -> FloatArray:
    """Predictions of rows by models that have not seen them."""
    if len(data.D) < n_splits:
        raise ValueError(
            f"difficulty needs cv={n_splits} folds of the training rows, but there are "
            f"n_samples = {len(data.D)} of them. Lower cv, or give more samples."
        )
    P = np.empty(data.D.shape)
    for train, test in KFold(n_splits, shuffle=True, random_state=seed).split(P):
        model = fit_rows(inner, data.rows(train), seed)
        P[test] = predict_rows(model, safe_indexing(data.X, test))
    return P


def label_scale(D: FloatArray) -> FloatArray:
    """Standard deviation of each label; constant labels count as a small one."""
    scale = D.std(axis=0)
    middle = float(scale.mean()) or 1.0
    return np.maximum(scale, 0.01 * middle)


def split_rows(n_samples: int, size: float, rng: Any) -> tuple[Any, Any]:
    """Training and calibration rows, drawn by chance.

    Parameters
    ----------
    n_samples : int
        Rows.
    size : int or float
        Calibration rows, as a number or a share.
    rng : RandomState
        For the draw.

    Returns
    -------
    train, rest : ndarray of int
    """
    wanted = int(np.ceil(size * n_samples)) if isinstance(size, float) else int(size)
    if n_samples < 2 or not 1 <= wanted < n_samples:
        raise ValueError(
            f"calibration_size={size!r} must leave at least one training and one "
            f"calibration sample of n_samples = {n_samples}."
        )
    order = rng.permutation(n_samples)
    return np.sort(order[wanted:]), np.sort(order[:wanted])


def folds_of(cv: Any, data: FitData, seed: int) -> list[tuple[Any, Any]]:
    """Folds in which each row is left out exactly once."""
    n_samples = len(data.D)
    if isinstance(cv, int | np.integer):
        if n_samples < cv:
            raise ValueError(
                f"cv={cv} needs at least {cv} samples, but n_samples = {n_samples}. "
                "Lower cv, or give more samples."
            )
        cv = KFold(int(cv), shuffle=True, random_state=seed)
    folds = check_folds(cv, data.X, data.D)
    left_out = np.concatenate([test for _, test in folds])
    if not np.array_equal(np.sort(left_out), np.arange(n_samples)):
        raise ValueError("cv must leave out each sample exactly once, as KFold does.")
    return folds


def _number_of_folds(cv: Any) -> int:
    return int(cv) if isinstance(cv, int | np.integer) else 5
