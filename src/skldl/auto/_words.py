"""Results in words."""

import numpy as np

from skldl._typing import FloatArray

_ROUNDING = 1e-9  # gains below this are not gains


def misplaced(D: FloatArray, P: FloatArray, weight: FloatArray) -> float:
    """Share of the votes that predictions put on wrong labels, from 0 to 1."""
    return float(np.average(np.abs(D - P).sum(axis=1) / 2, weights=weight))


def verdict(model: float, mean: float, gain: float, error: float) -> str:
    """Say in two sentences how good a model is.

    Parameters
    ----------
    model, mean : float
        Shares of misplaced votes, of the model and of the mean distribution.
    gain : float
        How much better than the mean distribution the model is, in the metric.
    error : float
        Standard error of the gain.

    Returns
    -------
    text : str
    """
    text = (
        f"On average {_votes(model)} of 100 votes are put on the wrong label; the "
        f"average of all votes would put {_votes(mean)} wrong."
    )
    if gain <= 2 * error + _ROUNDING:
        text += (
            " Nothing beats that average beyond noise: these features say little about "
            "the votes, or there are too few rows."
        )
    return text


def _votes(share: float) -> str:
    percent = 100 * share
    return f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}"
