"""What a page about one model is made from: predictions of rows it has not seen."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import check_consistent_length

from skldl._seeds import with_seed
from skldl._sklearn import check_sample_weight, safe_indexing
from skldl._typing import FloatArray, IndexArray
from skldl.auto import AutoLDL
from skldl.base import sample_weight_keys
from skldl.conformal import ConformalDistribution, Regions, regions_of_rows
from skldl.validation import check_distribution, check_label_names, label_names

_FOLDS = 5
_FEWEST = 10  # rows that a cross-validation needs to say anything
Rows = Literal["auto", "new", "training"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """True and predicted distributions of rows that the model was not fitted on.

    Attributes
    ----------
    D, P, mean : ndarray of shape (n_rows, n_labels)
        True distributions, predictions, and what the mean distribution predicts.
    labels : list of str
        Names of the labels.
    names : list of str
        Names of the rows.
    how : str
        Where the predictions come from, in a sentence.
    weight, n_votes : ndarray of shape (n_rows,) or None
        Weights of the rows, and votes behind each.
    explained : Explained or None
        What features do is shown by these rows; None if there are no features.
    regions : Regions
        Of the rows.
    """

    D: FloatArray
    P: FloatArray
    mean: FloatArray
    labels: list[str]
    names: list[str]
    how: str
    weight: FloatArray | None = None
    n_votes: FloatArray | None = None
    explained: "Explained | None" = None
    regions: Regions | None = field(default=None, repr=False)

    @property
    def misplaced(self) -> FloatArray:
        """Share of each row's votes that is put on wrong labels."""
        return np.abs(self.D - self.P).sum(axis=1) / 2


@dataclass(frozen=True, eq=False)
class Explained:
    """By which model and rows the use of features is shown.

    Attributes
    ----------
    model : estimator
        Fitted.
    X : array or DataFrame
        Rows.
    D : ndarray of shape (n_rows, n_labels)
        Their distributions.
    words : str
        Which rows these are.
    """

    model: Any
    X: Any
    D: FloatArray
    words: str


@dataclass(frozen=True, eq=False)
class Given:
    """What the caller gave, checked.

    Attributes
    ----------
    X, target : array or DataFrame
        As given.
    D : ndarray of shape (n_rows, n_labels)
        The target as numbers.
    weight, n_votes : ndarray of shape (n_rows,) or None
        Weights and numbers of votes.
    names : list of str
        Of the rows.
    mean : ndarray of shape (n_labels,) or None
        Mean distribution of other, earlier rows.
    """

    X: Any
    target: Any
    D: FloatArray
    weight: FloatArray | None
    n_votes: FloatArray | None
    names: list[str]
    mean: FloatArray | None

    def part(self, rows: Any) -> "Given":
        """Some of the rows."""
        weight, n_votes = (
            None if v is None else v[rows] for v in (self.weight, self.n_votes)
        )
        return Given(
            safe_indexing(self.X, rows),
            safe_indexing(self.target, rows),
            self.D[rows],
            weight,
            n_votes,
            [self.names[i] for i in rows],
            self.mean,
        )


def gather(
    model: Any, given: Given | None, rows: Rows, coverage: float, random_state: int
) -> Evidence:
    """Predictions of rows that the model has not seen.

    Parameters
    ----------
    model : estimator
        Fitted.
    given : Given or None
        The rows; None takes what AutoLDL has kept.
    rows : {"auto", "new", "training"}
        What the rows are to the model.
    coverage : float
        Of regions.
    random_state : int
        Seed of folds.

    Returns
    -------
    evidence : Evidence
    """
    if given is None:
        return _kept(model, coverage)
    if given.weight is not None and not given.weight.all():
        given = given.part(np.flatnonzero(given.weight))
    own = predictions_of_training_rows(model, given.D) is not None
    if rows == "auto":
        rows = "training" if own else "new"
    if rows == "new":
        return _new(model, given, coverage)
    return _out_of_fold(model, given, coverage) if own else _crossed(
        model, given, coverage, random_state
    )  # fmt: skip


def check_given(
    model: Any,
    X: Any,
    D: Any,
    *,
    sample_weight: Any,
    n_votes: Any,
    row_names: Any,
    mean: Any,
) -> Given | None:
    """Check what the caller gave; None if there are no rows."""
    if X is None and D is None:
        return None
    if X is None or D is None:
        raise ValueError("Give X and D, or neither of them.")
    check_label_names(D, model.classes_)
    degrees = check_distribution(D, name="D")
    check_consistent_length(X, degrees)
    count = len(degrees)
    names = _names(row_names, X, count)
    if len(names) != count:
        raise ValueError(f"row_names has {len(names)} names for {count} rows.")
    weight, votes = (
        None if v is None else check_sample_weight(v, degrees, dtype=np.float64)
        for v in (sample_weight, n_votes)
    )
    mean = None if mean is None else check_distribution([mean], name="mean")[0]
    return Given(X, D, degrees, weight, votes, names, mean)


def _names(row_names: Any, X: Any, count: int) -> list[str]:
    if row_names is not None:
        return [str(name) for name in row_names]
    index = getattr(X, "index", None)
    if index is not None and not callable(index) and index.dtype == object:
        return [str(name) for name in index]
    return [f"row {i}" for i in range(count)]


def predictions_of_training_rows(
    model: Any, D: Any
) -> tuple[IndexArray, FloatArray, str] | None:
    """Out-of-fold predictions, if AutoLDL was fitted on rows with these distributions.

    Parameters
    ----------
    model : estimator
        Fitted.
    D : array-like of shape (n_rows, n_labels)
        Distributions of the rows.

    Returns
    -------
    rows : ndarray of int
        Rows that have such a prediction.
    P : ndarray of shape (len(rows), n_labels)
        Their predictions, by models that were fitted without them.
    words : str
        A sentence that says so.

    Notes
    -----
    None is returned instead if the model does not know these rows. Only
    :class:`~skldl.auto.AutoLDL` knows the rows that it was fitted on.

    Examples
    --------
    >>> from skldl.datasets import make_toy_ldl
    >>> from skldl.ldl import AAkNN
    >>> from skldl.report import predictions_of_training_rows
    >>> X, D = make_toy_ldl(50, random_state=0)
    >>> predictions_of_training_rows(AAkNN().fit(X, D), D) is None
    True
    """
    rows = getattr(model, "oof_rows_", None)
    if rows is None or rows.max(initial=-1) >= len(D):
        return None
    if not np.array_equal(np.asarray(D)[rows], model.oof_target_):
        return None
    return rows, model.oof_prediction_, _auto_words(len(rows))


def _kept(model: Any, coverage: float) -> Evidence:
    if not hasattr(model, "oof_prediction_"):
        raise ValueError(
            f"{type(model).__name__} keeps no predictions of rows that it was not "
            "fitted on; give X and D."
        )
    D, P = model.oof_target_, model.oof_prediction_
    given = Given(None, D, D, None, None, [f"row {i}" for i in model.oof_rows_], None)
    return _evidence(given, P, model.classes_, _auto_words(len(D)), coverage)


def _auto_words(count: int) -> str:
    return (
        f"Judged on {count:,} rows of the training table by out-of-fold predictions: "
        "each row was predicted by models that were fitted without it, and pooled by "
        "weights that were chosen without it."
    )


def _out_of_fold(model: Any, given: Given, coverage: float) -> Evidence:
    given = given.part(model.oof_rows_)
    evidence = _evidence(
        given, model.oof_prediction_, model.classes_, _auto_words(len(given.D)),
        coverage,
    )  # fmt: skip
    words = (
        "the rows that it was fitted on, so columns that it has memorised look too "
        "important"
    )
    return replace(evidence, explained=Explained(model, given.X, given.D, words))


def _new(model: Any, given: Given, coverage: float) -> Evidence:
    P = np.asarray(model.predict(given.X))
    how = (
        f"Judged on {len(P):,} rows that were given for this. They must be new to the "
        "model: its scores on training rows would be too good."
    )
    regions = None
    if isinstance(model, ConformalDistribution) and not model.groups_:
        regions = model.predict_region(given.X, coverage=coverage)
    elif isinstance(model, AutoLDL):
        region_model = ConformalDistribution.from_fitted(model, coverage=coverage)
        regions = region_model.predict_region(given.X)
    evidence = _evidence(given, P, model.classes_, how, coverage, regions)
    explained = Explained(model, given.X, given.D, "these rows")
    return replace(evidence, explained=explained)


def _crossed(model: Any, given: Given, coverage: float, random_state: int) -> Evidence:
    """Out-of-fold predictions by clones of the model."""
    count = len(given.D)
    if count < _FEWEST:
        raise ValueError(
            f"A cross-validation needs at least {_FEWEST} rows, but there are {count}. "
            "Give rows that are new to the model."
        )
    inner = model.estimator if isinstance(model, ConformalDistribution) else model
    P = np.empty_like(given.D)
    folds = list(KFold(_FOLDS, shuffle=True, random_state=random_state).split(P))
    for train, test in folds:
        part = given.part(train)
        fitted = with_seed(clone(inner), random_state)
        keys = [] if part.weight is None else sample_weight_keys(fitted)
        fitted.fit(part.X, part.target, **dict.fromkeys(keys, part.weight))
        P[test] = fitted.predict(safe_indexing(given.X, test))
    how = (
        f"Judged on all {count:,} rows by a cross-validation of {_FOLDS} folds: each "
        "row was predicted by a model with the same settings that was fitted without "
        "it. The model itself was fitted on all rows and should be a little better."
    )
    evidence = _evidence(given, P, model.classes_, how, coverage)
    test = folds[-1][1]  # its model is still there, and has not seen them
    words = f"{len(test):,} rows, with a model that was fitted without them"
    explained = Explained(fitted, safe_indexing(given.X, test), given.D[test], words)
    return replace(evidence, explained=explained)


def _evidence(
    given: Given,
    P: FloatArray,
    classes: Any,
    how: str,
    coverage: float,
    regions: Regions | None = None,
) -> Evidence:
    names = label_names(given.target, P.shape[1])
    names = classes if getattr(given.target, "columns", None) is None else names
    return Evidence(
        given.D,
        P,
        _mean_rows(given),
        [str(name) for name in names],
        given.names,
        how,
        given.weight,
        given.n_votes,
        regions=regions or regions_of_rows(given.D, P, coverage=coverage),
    )


def _mean_rows(given: Given) -> FloatArray:
    """What the mean distribution predicts: of earlier rows, or of all other rows."""
    D = given.D
    if given.mean is not None:
        return np.broadcast_to(given.mean, D.shape)
    weight = np.ones(len(D)) if given.weight is None else given.weight
    total = weight @ D
    rest = weight.sum() - weight
    if len(D) < 2:
        return D
    return (total - weight[:, None] * D) / rest[:, None]
