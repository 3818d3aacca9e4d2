"""Answers of a saved model are looked at before they leave."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from skldl.models._header import ModelHeader
from skldl.models._trust import ModelFileError

_SLACK = 1e-6  # of sums of degrees
#: What code raises when the numbers that it was fitted with do not fit together.
_MISFIT = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
)
_ADVICE = (
    "Its file is damaged, or another version wrote it: get it again, or fit it again."
)


@contextmanager
def usable_model(name: str) -> Iterator[None]:
    """Turn what a model raises that does not fit together into a clear error.

    Parameters
    ----------
    name : str
        What messages call the model.
    """
    try:
        with np.errstate(all="ignore"):  # the answers are looked at
            yield
    except _MISFIT as error:
        raise ModelFileError(
            f"The model {name} cannot predict ({type(error).__name__}: "
            f"{str(error)[:100]}). {_ADVICE}"
        ) from error


def check_answer(answer: Any, method: str, header: ModelHeader) -> None:
    """Refuse numbers that are not finite, and distributions off the simplex.

    Parameters
    ----------
    answer : ndarray or Regions
        What the model said.
    method : str
        What it was asked.
    header : ModelHeader
        What it should predict.
    """
    if method == "predict_region":
        for numbers in (answer.center, answer.lower, answer.upper):
            _require_finite(np.asarray(numbers), header)
        answer = answer.center
    numbers = np.asarray(answer)
    if numbers.dtype.kind in "fc":
        _require_finite(numbers, header)
    if method != "transform" and header.target == "distribution":
        _require_simplex(numbers, header)


def _require_finite(numbers: Any, header: ModelHeader) -> None:
    if np.isfinite(numbers).all():
        return
    row = np.argwhere(~np.isfinite(numbers))[0][0]
    raise ModelFileError(
        f"The model {header.method} predicts numbers that are not finite for row "
        f"{row}. {_ADVICE} If the features of the row are far outside those of "
        "the training rows, scale them."
    )


def _require_simplex(numbers: Any, header: ModelHeader) -> None:
    shape = (len(numbers), len(header.label_names))
    good = numbers.shape == shape and numbers.dtype.kind == "f"
    if good and (not numbers.size or _is_simplex(numbers)):
        return
    raise ModelFileError(
        f"The model {header.method} returns predictions that are not "
        f"distributions of {shape[1]} labels. {_ADVICE}"
    )


def _is_simplex(numbers: Any) -> bool:
    sums = np.abs(numbers.sum(axis=1) - 1).max()
    return bool(numbers.min() >= -_SLACK and sums <= _SLACK)
