"""Small networks whose output is a softmax, with gradients by hand."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils import gen_batches

from skldl._typing import FloatArray
from skldl.objectives._base import Objective

_ROWS = 300  # samples at once, so that their hidden units stay near the processor
_STEEPEST = 200.0  # of slope times label; exponentials of three times it are finite


class Network:
    r"""A loss of the scores of a feed-forward network as a function of its weights.

    Hidden layers are :math:`\tanh(h W + b)`, the last one is linear. The argument is
    one vector: for each layer W in rows, then b.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    sizes : sequence of int
        Units of every layer: features, hidden ones, labels.
    loss : objective
        Of the scores.
    """

    def __init__(self, X: Any, sizes: Sequence[int], loss: Objective) -> None:
        self.X = X
        self.sizes = tuple(sizes)
        self.loss = loss
        self.n_weights = sum(
            (a + 1) * b for a, b in zip(self.sizes[:-1], self.sizes[1:], strict=True)
        )

    def layers(self, x: FloatArray) -> list[FloatArray]:
        """Take a vector apart.

        Parameters
        ----------
        x : ndarray of shape (n_weights,)
            All weights.

        Returns
        -------
        layers : list of ndarray of shape (n_inputs + 1, n_outputs)
            Weights with the intercepts as last row; views of x.
        """
        layers, start = [], 0
        for a, b in zip(self.sizes[:-1], self.sizes[1:], strict=True):
            layers.append(x[start : start + (a + 1) * b].reshape(a + 1, b))
            start += (a + 1) * b
        return layers

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_weights,)
            All weights.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        layers = self.layers(x)
        inputs = forward(self.X, layers[:-1])
        value, delta = self.loss.value_and_grad(
            inputs[-1] @ layers[-1][:-1] + layers[-1][-1]
        )
        gradients = []
        for layer, h in zip(reversed(layers), reversed(inputs), strict=True):
            gradients.append(np.vstack([h.T @ delta, delta.sum(axis=0)]))
            if h is not self.X:
                delta = (delta @ layer[:-1].T) * (1 - h * h)
        return value, np.concatenate([g.ravel() for g in reversed(gradients)])


def forward(X: Any, hidden: Sequence[FloatArray]) -> list[Any]:
    """Outputs of the input layer and of every hidden layer.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    hidden : sequence of ndarray of shape (n_inputs + 1, n_outputs)
        Weights with the intercepts as last row.

    Returns
    -------
    outputs : list of ndarray
        X itself first.
    """
    outputs = [X]
    for layer in hidden:
        outputs.append(np.tanh(outputs[-1] @ layer[:-1] + layer[-1]))
    return outputs


class SquaredError:
    r"""Half the sum of squared errors.

    :math:`\frac12 \sum_i w_i \sum_l (p_{il} - d_{il})^2`

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`w`; None is 1 for every sample.
    """

    def __init__(self, D: FloatArray, sample_weight: FloatArray | None = None) -> None:
        self.D = D
        self.sample_weight = sample_weight

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        error = x - self.D
        gradient = error
        if self.sample_weight is not None:
            gradient = error * self.sample_weight[:, None]
        return 0.5 * float(np.vdot(error, gradient)), gradient


class CPNNNetwork:
    r"""A loss of scores that one network gives to every pair of sample and label.

    The score of label l is :math:`v^T \sigma(U x + l a + b)` with the logistic
    :math:`\sigma` and the number l of the label, from 1. The argument is a matrix with
    a column for each hidden unit and, in rows, U (a row per feature), a, b and v.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features.
    n_labels : int
        Number of labels.
    loss : objective
        Of the scores.
    """

    def __init__(self, X: Any, n_labels: int, loss: Objective) -> None:
        self.X = X
        self.n_labels = n_labels
        self.loss = loss
        self._transposed = X.T

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape (n_features + 3, n_hidden)
            All weights.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        U, slope, v = x[:-3], x[-3], x[-1]
        base = self.X @ U + x[-2]
        scores = cpnn_scores(base, slope, v, self.n_labels)
        value, residual = self.loss.value_and_grad(scores)
        gradient = np.zeros_like(x)
        total = np.zeros_like(base)
        # hidden units once more: memory for some samples and one label at a time
        for rows in gen_batches(len(base), _ROWS):
            part = _hidden_units(base[rows], slope, self.n_labels)
            for label, hidden in enumerate(part):
                column = residual[rows, label]
                gradient[-1] += column @ hidden
                bend = hidden * hidden
                np.subtract(hidden, bend, out=bend)
                gradient[-3] += (label + 1) * (column @ bend)
                bend *= column[:, None]
                total[rows] += bend
        total *= v
        gradient[-3] *= v
        gradient[:-3] = self._transposed @ total
        gradient[-2] = total.sum(axis=0)
        return value, gradient


def _hidden_units(
    base: FloatArray, slope: FloatArray, n_labels: int
) -> Iterator[FloatArray]:
    """Logistic of base plus slope times the label's number, label by label.

    An exponential of a sum is a product, so one exponential serves all labels; not
    where the slopes are so steep that a factor would overflow.
    """
    if np.max(np.abs(slope), initial=0.0) * n_labels > _STEEPEST:
        for label in range(n_labels):
            yield expit(base + (label + 1) * slope)
        return
    # beyond these limits the logistic is 0 or 1 for every label
    powers = np.exp(-np.clip(base, -2 * _STEEPEST, 2 * _STEEPEST))
    factor = np.exp(-slope)
    for _ in range(n_labels):
        powers *= factor
        hidden = 1.0 + powers
        yield np.divide(1.0, hidden, out=hidden)


def cpnn_scores(
    base: FloatArray, slope: FloatArray, v: FloatArray, n_labels: int
) -> FloatArray:
    """Scores of :class:`CPNNNetwork`.

    Parameters
    ----------
    base : ndarray of shape (n_samples, n_hidden)
        What the features give to the hidden units, b included.
    slope, v : ndarray of shape (n_hidden,)
        Weights of the label's number, and of the hidden units in the score.
    n_labels : int
        Number of labels.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_labels)
    """
    scores = np.empty((len(base), n_labels))
    for rows in gen_batches(len(base), _ROWS):
        for label, hidden in enumerate(_hidden_units(base[rows], slope, n_labels)):
            scores[rows, label] = hidden @ v
    return scores
