"""Metrics of predicted classes, under the signature of all our metrics."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score
from sklearn.utils import check_consistent_length, column_or_1d

from skldl._typing import FloatArray
from skldl.metrics._wrap import check_weights, metric
from skldl.validation import check_class_vector


def _check_classes(y: Any, p: Any) -> tuple[Any, Any]:
    for name, side in (("y", y), ("p", p)):
        check_class_vector(side, name=name)
        if not len(side):
            raise ValueError(f"{name} is empty; give a class for each sample.")
    check_consistent_length(y, p)
    return column_or_1d(y), column_or_1d(p)


def _check_weighted(y: Any, p: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    y, p = _check_classes(y, p)
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, len(y))
    return y, p, sample_weight


_of_classes = partial(
    metric,
    check=_check_classes,
    parameters="""
    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True classes.
    p : array-like of shape (n_samples,)
        Predicted classes.""",
)


@_of_classes
def accuracy(y: Any, p: Any) -> FloatArray:
    """Share of samples whose class is predicted (overall accuracy); ideal 1.

    Examples
    --------
    >>> from skldl.metrics import accuracy
    >>> accuracy(["a", "b"], ["a", "a"])
    0.5
    """
    return np.asarray(y == p, dtype=np.float64)


def balanced_accuracy(y: Any, p: Any, *, sample_weight: Any = None) -> float:
    """Mean accuracy over the classes (average accuracy); ideal 1.

    Parameters
    ----------
    y, p : array-like of shape (n_samples,)
        True and predicted classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    value : float

    Examples
    --------
    >>> from skldl.metrics import balanced_accuracy
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    y, p, weights = _check_weighted(y, p, sample_weight)
    return float(balanced_accuracy_score(y, p, sample_weight=weights))


def cohen_kappa(y: Any, p: Any, *, sample_weight: Any = None) -> float:
    """Agreement beyond chance, Cohen's kappa; ideal 1.

    Parameters
    ----------
    y, p : array-like of shape (n_samples,)
        True and predicted classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    value : float
        1 when all samples have one and the same class on both sides.

    Examples
    --------
    >>> from skldl.metrics import cohen_kappa
    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """
    y, p, weights = _check_weighted(y, p, sample_weight)
    if len(np.unique(np.concatenate([y, p]))) == 1:
        return 1.0
    return float(cohen_kappa_score(y, p, sample_weight=weights))
