"""What a fitted model takes in each of its columns: numbers, gaps, text.

The answer is in the fitted model itself: in scikit-learn's input tags, and in what
encoders and imputers have learned.
"""

from collections import UserList
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skldl.conformal import ConformalDistribution
from skldl.preprocessing import TableEncoder

#: Finite numbers; numbers or missing values; text or missing values; anything.
NUMBER, GAP, TEXT, ANY = "number", "gap", "text", "any"
#: Anything, best read as text; not looked at.
WORDS, UNUSED = "words", "unused"
# missing values go through this step, so the next one decides
_PASSED = "passed"


def feature_kinds(estimator: Any, names: Sequence[str]) -> list[str]:
    """Say what a fitted model takes in each column.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    names : sequence of str
        Its features.

    Returns
    -------
    kinds : list of {"number", "gap", "text", "any", "words", "unused"}
        Finite numbers; numbers or missing values; text or missing values; anything,
        so that the model judges; the same, but better read as text; not needed.
    """
    known = [str(n) for n in getattr(estimator, "feature_names_in_", names)]
    kinds = _taken(estimator, len(names), known)
    return [GAP if kind == _PASSED else kind for kind in kinds]


def learner_of(model: Any) -> Any:
    """The learner inside of regions; other models are their own."""
    return model.estimators_[0] if isinstance(model, ConformalDistribution) else model


def _taken(step: Any, width: int, names: Sequence[str] | None = None) -> list[str]:
    step = learner_of(step)
    if step is None or isinstance(step, str):
        return [ANY if step == "drop" else _PASSED] * width
    if isinstance(step, Pipeline):
        return _by_chain([part for _, part in step.steps], width, names)
    if isinstance(step, ColumnTransformer):
        return _by_parts(step, width, names)
    step = getattr(step, "encoder_", None) or step  # AutoLDL has one of its own
    if isinstance(step, TableEncoder):
        return _by_roles(step)
    return _by_step(step, width)


def _by_chain(
    steps: list[Any], width: int, names: Sequence[str] | None = None
) -> list[str]:
    kinds = _taken(steps[0], width, names)
    if len(steps) == 1 or not {_PASSED, ANY} & {*kinds}:
        return kinds
    later = _by_chain(steps[1:], getattr(steps[1], "n_features_in_", width))
    passed = NUMBER if {*later} <= {NUMBER} else _PASSED if _PASSED in later else GAP
    aligned = later if len(later) == width else [ANY] * width
    return [
        passed if kind == _PASSED else TEXT if (kind, after) == (ANY, TEXT) else kind
        for kind, after in zip(kinds, aligned, strict=True)
    ]


def _by_roles(step: TableEncoder) -> list[str]:
    """A table encoder has learned what each column is."""
    kinds = {"number": NUMBER if step.missing == "error" else GAP}
    for role in ("category", "text", "date"):
        kinds[role] = ANY
    found = [kinds.get(role, UNUSED) for role in step.roles_]
    both = zip(found, step.text_columns_, strict=True)
    return [WORDS if (kind, text) == (ANY, True) else kind for kind, text in both]


def _by_parts(
    step: ColumnTransformer, width: int, names: Sequence[str] | None
) -> list[str]:
    """Each column as the transformers want it that it goes to."""
    wanted: list[set[str]] = [set() for _ in range(width)]
    for _, part, columns in step.transformers_:
        places = _places(columns, width, names)
        for place, kind in zip(places, _taken(part, len(places)), strict=True):
            wanted[place].add(kind)
    order = (TEXT, NUMBER, _PASSED, GAP, WORDS, ANY, UNUSED)
    return [next((kind for kind in order if kind in kinds), ANY) for kinds in wanted]


def _places(columns: Any, width: int, names: Sequence[str] | None) -> list[int]:
    """Positions of columns that are given in one of scikit-learn's many ways."""
    if isinstance(columns, UserList):  # scikit-learn 1.6 to 1.8 warns when it is read
        columns = columns.data
    places = pd.Series(range(width), index=names)
    if isinstance(columns, slice):
        named = isinstance(columns.start or columns.stop, str)
        return (places.loc if named else places.iloc)[columns].tolist()
    chosen = [columns] if np.ndim(columns) == 0 else list(columns)
    if chosen and isinstance(chosen[0], str):
        return places.loc[chosen].tolist()
    return places.iloc[chosen].tolist()


def _by_step(step: Any, width: int) -> list[str]:
    tags = get_tags(step)
    if tags.input_tags.string and not tags.input_tags.two_d_array:
        return [TEXT] * width
    if tags.no_validation or tags.input_tags.string:
        return [ANY] * width
    learned = _learned(step)
    if len(learned) == width:
        return [_of_values(values, tags.input_tags.allow_nan) for values in learned]
    return [_PASSED if tags.input_tags.allow_nan else NUMBER] * width


def _learned(step: Any) -> list[Any]:
    """Values that a step has seen in each column, if it keeps them."""
    if hasattr(step, "categories_"):
        return list(step.categories_)
    if not hasattr(step, "statistics_"):
        return []
    filled = np.asarray(step.statistics_)
    if filled.dtype == object and getattr(step, "strategy", "") == "constant":
        return [[None]] * len(filled)  # the same in all columns, whatever they hold
    return list(filled.reshape(-1, 1))


def _of_values(values: Any, gaps: bool) -> str:
    values = np.asarray(values)
    if values.dtype.kind in "fiu":
        return GAP if gaps else NUMBER
    present = [value for value in values.tolist() if not pd.isna(value)]
    text = bool(present) and all(isinstance(value, str) for value in present)
    return TEXT if text else ANY
