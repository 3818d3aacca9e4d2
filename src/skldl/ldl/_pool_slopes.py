"""Losses of predicted distributions with their slopes, for the search of weights.

Each function takes true distributions D and predicted ones P, both of shape (n_samples,
n_labels), and gives the loss of every sample (less is better, so similarities change
their sign) and its derivative by P, which is a subgradient where there is a kink. The
values are those of :mod:`skldl.metrics`.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import rel_entr

from skldl._typing import FloatArray

#: Float64's machine epsilon: where the metrics cut degrees off, too.
EPS = float(np.finfo(np.float64).eps)

LossAndSlope = tuple[FloatArray, FloatArray]


def _chebyshev(D: FloatArray, P: FloatArray) -> LossAndSlope:
    gaps = P - D
    largest = np.abs(gaps).argmax(axis=1)[:, None]
    at = np.take_along_axis(gaps, largest, axis=1)
    slope = np.zeros_like(P)
    np.put_along_axis(slope, largest, np.sign(at), axis=1)
    return np.abs(at[:, 0]), slope


def _clark(D: FloatArray, P: FloatArray) -> LossAndSlope:
    D, P = np.maximum(D, EPS), np.maximum(P, EPS)
    shares = (P - D) / (P + D)
    values = np.linalg.norm(shares, axis=1)
    steps = shares / np.maximum(values, EPS)[:, None]
    return values, steps * 2 * D / (P + D) ** 2


def _canberra(D: FloatArray, P: FloatArray) -> LossAndSlope:
    D, P = np.maximum(D, EPS), np.maximum(P, EPS)
    shares = (P - D) / (P + D)
    return np.abs(shares).sum(axis=1), np.sign(shares) * 2 * D / (P + D) ** 2


def _kl_divergence(D: FloatArray, P: FloatArray) -> LossAndSlope:
    D, P = np.maximum(D, EPS), np.maximum(P, EPS)
    return (D * np.log(D / P)).sum(axis=1), -D / P


def _cosine(D: FloatArray, P: FloatArray) -> LossAndSlope:
    sizes = np.linalg.norm(P, axis=1, keepdims=True)
    directions = D / np.linalg.norm(D, axis=1, keepdims=True)
    values = (directions * P).sum(axis=1, keepdims=True) / sizes
    return -values[:, 0], (values * P / sizes - directions) / sizes


def _intersection(D: FloatArray, P: FloatArray) -> LossAndSlope:
    return -np.minimum(D, P).sum(axis=1), -(P < D).astype(np.float64)


def _euclidean(D: FloatArray, P: FloatArray) -> LossAndSlope:
    values = np.linalg.norm(P - D, axis=1)
    return values, (P - D) / np.maximum(values, EPS)[:, None]


def _sorensen(D: FloatArray, P: FloatArray) -> LossAndSlope:
    total = (D + P).sum(axis=1, keepdims=True)
    values = np.abs(P - D).sum(axis=1, keepdims=True) / total
    return values[:, 0], (np.sign(P - D) - values) / total


def _squared_chi2(D: FloatArray, P: FloatArray) -> LossAndSlope:
    total = np.maximum(D + P, EPS)
    shares = (P - D) / total
    return (shares * (P - D)).sum(axis=1), shares * (P + 3 * D) / total


def _fidelity(D: FloatArray, P: FloatArray) -> LossAndSlope:
    slope = -np.sqrt(D / np.maximum(P, EPS)) / 2
    return -np.sqrt(D * P).sum(axis=1), slope


def _jensen_shannon(D: FloatArray, P: FloatArray) -> LossAndSlope:
    middle = (D + P) / 2
    values = (rel_entr(D, middle) + rel_entr(P, middle)).sum(axis=1) / 2
    return values, np.log(np.maximum(P, EPS) / np.maximum(middle, EPS)) / 2


def _emd(D: FloatArray, P: FloatArray) -> LossAndSlope:
    moved = np.cumsum(P - D, axis=1)
    moved[:, -1] = 0.0
    slope = np.cumsum(np.sign(moved)[:, ::-1], axis=1)[:, ::-1]
    return np.abs(moved).sum(axis=1), slope


#: Losses by the name of the metric.
LOSSES: dict[str, Callable[[FloatArray, FloatArray], LossAndSlope]] = {
    "chebyshev": _chebyshev,
    "clark": _clark,
    "canberra": _canberra,
    "kl_divergence": _kl_divergence,
    "cosine": _cosine,
    "intersection": _intersection,
    "euclidean": _euclidean,
    "sorensen": _sorensen,
    "squared_chi2": _squared_chi2,
    "fidelity": _fidelity,
    "jensen_shannon": _jensen_shannon,
    "emd": _emd,
}
