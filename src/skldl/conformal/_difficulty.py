"""How hard samples are to predict, so that easy ones get small regions."""

from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from skldl._typing import FloatArray

_RANGE = 10.0  # easiest and hardest samples, relative to the middle
_ZERO = 1e-3  # what is added to scores before logarithms, relative to their mean


class Difficulty:
    r"""A positive estimate of the score, :math:`\sigma(x) = e^{h(x)}`.

    The regression h is fitted to logarithms of scores. Estimates are kept within a
    factor of the median score, so that a wild one cannot make a region useless.

    Parameters
    ----------
    regressor : estimator or None
        Not fitted; None takes a ridge on the predicted distribution.
    """

    def __init__(self, regressor: Any = None) -> None:
        self.regressor = regressor

    def fit(self, X: Any, P: FloatArray, scores: FloatArray) -> "Difficulty":
        """Learn from samples, predictions that did not see them, and their scores."""
        self.middle_ = float(np.median(scores)) or float(scores.mean()) or 1.0
        logs = np.log(scores + _ZERO * self.middle_) - np.log(self.middle_)
        self.own_ = self.regressor is None
        model = _ridge() if self.own_ else self.regressor
        self.model_ = model.fit(_features(P) if self.own_ else X, logs)
        return self

    def estimate(self, X: Any, P: FloatArray) -> FloatArray:
        """Difficulty of samples, about 1 in the middle."""
        found = self.model_.predict(_features(P) if self.own_ else X)
        found = np.asarray(found, dtype=np.float64).reshape(-1)
        limit = np.log(_RANGE)
        return np.exp(np.clip(found, -limit, limit))


def _ridge() -> Any:
    alphas = np.logspace(-2, 4, 7)
    return Pipeline([("scale", StandardScaler()), ("ridge", RidgeCV(alphas))])


def _features(P: FloatArray) -> FloatArray:
    """The prediction, and how spread out it is."""
    logs = np.log(np.where(P > 0, P, 1.0))
    ranked = np.sort(P, axis=1)[:, ::-1]
    second = ranked[:, min(1, P.shape[1] - 1)]
    spread = [-(P * logs).sum(axis=1), ranked[:, 0], ranked[:, 0] - second]
    return np.column_stack([P, np.sqrt(P), *spread])
