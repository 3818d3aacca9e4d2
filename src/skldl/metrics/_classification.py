"""Judge the label with the largest predicted degree."""

from typing import Literal

import numpy as np

from skldl._typing import FloatArray
from skldl.metrics._wrap import metric


def _degree_of_chosen(D: FloatArray, P: FloatArray) -> FloatArray:
    return np.take_along_axis(D, P.argmax(axis=1)[:, None], axis=1)[:, 0]


@metric
def error_probability(D: FloatArray, P: FloatArray) -> FloatArray:
    r"""Expected error of the induced classifier, :math:`1 - d_{\arg\max p}`.

    The best value depends on the data: one minus the mean largest degree.

    Examples
    --------
    >>> from skldl.metrics import error_probability
    >>> error_probability([[0.75, 0.25]], [[0.4, 0.6]])
    0.75
    """
    return 1.0 - _degree_of_chosen(D, P)


@metric
def zero_one_loss(
    D: FloatArray, P: FloatArray, *, ties: Literal["first", "any"] = "first"
) -> FloatArray:
    """Share of samples whose largest predicted label is not the largest true one.

    Of several largest predicted labels the first counts.

    Parameters
    ----------
    ties : {"first", "any"}, default="first"
        Which of several largest *true* labels are right: the first, as in the
        published tables, or any of them, which gives lower numbers.

    Examples
    --------
    >>> from skldl.metrics import zero_one_loss
    >>> D, P = [[0.5, 0.5], [0.2, 0.8]], [[0.4, 0.6], [0.4, 0.6]]
    >>> zero_one_loss(D, P), zero_one_loss(D, P, ties="any")
    (0.5, 0.0)
    """
    if ties == "first":
        wrong = P.argmax(axis=1) != D.argmax(axis=1)
    elif ties == "any":
        wrong = _degree_of_chosen(D, P) < D.max(axis=1)
    else:
        raise ValueError(f"ties must be 'first' or 'any', got {ties!r}.")
    return wrong.astype(float)
