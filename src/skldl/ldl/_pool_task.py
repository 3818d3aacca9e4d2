"""What a pool is to make best: losses of weights and biases, and their slopes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skldl._typing import FloatArray
from skldl.ldl._pool_slopes import LOSSES
from skldl.metrics import get_metric

#: A degree below this counts as this in a log-linear pool, so that one member's exact
#: zero is not a veto.
FLOOR = 1e-6


def logs(predictions: FloatArray) -> FloatArray:
    """Logarithms of degrees, none of them far below those of the others."""
    return np.log(np.maximum(predictions, FLOOR))


def largest_labels(D: FloatArray) -> FloatArray:
    """1 for the largest label of each sample (the first of several), 0 for others."""
    found = np.zeros_like(D)
    np.put_along_axis(found, D.argmax(axis=1)[:, None], 1.0, axis=1)
    return found


def _wrong_label(D: FloatArray, P: FloatArray) -> FloatArray:
    return (P.argmax(axis=1) != D.argmax(axis=1)).astype(np.float64)


def _missed_degree(D: FloatArray, P: FloatArray) -> FloatArray:
    return 1.0 - np.take_along_axis(D, P.argmax(axis=1)[:, None], axis=1)[:, 0]


_JUMPING = {"zero_one_loss": _wrong_label, "error_probability": _missed_degree}


@dataclass(frozen=True)
class Task:
    """Predictions, truth and what is to be made best.

    Attributes
    ----------
    predictions : ndarray of shape (n_members, n_samples, n_labels)
        Distributions of the members.
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    sample_weight : ndarray of shape (n_samples,)
        Weights of the samples.
    metric : str
        What to make best.
    pool : {"linear", "log"}
        How predictions are pooled.
    """

    predictions: FloatArray
    D: FloatArray
    sample_weight: FloatArray
    metric: str
    pool: str

    @cached_property
    def members(self) -> FloatArray:
        """Predictions, or for a log-linear pool their logarithms."""
        return logs(self.predictions) if self.pool == "log" else self.predictions

    @cached_property
    def shares(self) -> FloatArray:
        """Weights of the samples, with sum 1."""
        return self.sample_weight / self.sample_weight.sum()

    @property
    def is_smooth(self) -> bool:
        """Whether the loss has a slope that leads somewhere."""
        return self.metric in LOSSES

    def pooled(self, weights: FloatArray, bias: FloatArray | None) -> FloatArray:
        """The pool's distributions."""
        scores = np.tensordot(weights, self.members, 1)
        if self.pool == "log":
            scores = scores if bias is None else scores + bias
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    def losses(self, weights: FloatArray, bias: FloatArray | None) -> FloatArray:
        """One value per sample; less is better."""
        return self._loss(self.pooled(weights, bias))

    @cached_property
    def _loss(self) -> Callable[[FloatArray], FloatArray]:
        if self.is_smooth:
            return lambda P: LOSSES[self.metric](self.D, P)[0]
        if self.metric in _JUMPING:
            return lambda P: _JUMPING[self.metric](self.D, P)
        metric = get_metric(self.metric)
        sign = -1.0 if metric.greater_is_better else 1.0
        return lambda P: sign * metric.fn(self.D, P, average=None)

    def value(self, weights: FloatArray, bias: FloatArray | None = None) -> float:
        """The mean over samples."""
        return float(self.shares @ self.losses(weights, bias))

    def value_and_slopes(
        self, weights: FloatArray, bias: FloatArray | None
    ) -> tuple[float, FloatArray, FloatArray]:
        """The mean over samples, its slope by the weights and by the biases.

        The weights of a linear pool must have sum 1.
        """
        P = self.pooled(weights, bias)
        losses, slope = LOSSES[self.metric](self.D, P)
        slope *= self.shares[:, None]
        if self.pool == "log":
            slope = P * (slope - (slope * P).sum(axis=1, keepdims=True))
        by_weight = self.members.reshape(len(self.members), -1) @ slope.ravel()
        return float(self.shares @ losses), by_weight, slope.sum(axis=0)

    def shrinkage(self, weights: FloatArray, bias: FloatArray | None) -> float:
        """How far equal weights are as good as can be told."""
        equal = np.full(len(weights), 1 / len(weights))
        gains = self.losses(equal, None) - self.losses(weights, bias)
        gain = float(self.shares @ gains)
        if gain <= 0:
            return 1.0
        spread = float(self.shares @ (gains - gain) ** 2)
        return spread / (spread + self.sample_weight.sum() * gain**2)
