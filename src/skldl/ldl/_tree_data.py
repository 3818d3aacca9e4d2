"""What the learners made of trees are fitted on."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length

from skldl._sklearn import all_threads, check_sample_weight
from skldl._threads import openmp_threads
from skldl._typing import FloatArray
from skldl.validation import check_distribution, check_features, label_names

# below so many numbers, threads cost more than they save
_SMALL = 200_000


def check_tree_samples(
    estimator: BaseEstimator, X: Any, *, reset: bool, dtype: Any, sparse: bool = False
) -> Any:
    """Samples that may have missing values, as NaN."""
    return check_features(
        estimator,
        X,
        reset=reset,
        dtype=dtype,
        accept_sparse="csr" if sparse else False,
        ensure_all_finite=True if sparse and hasattr(X, "tocsr") else "allow-nan",
    )


def check_tree_data(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    dtype: Any = np.float64,
    sparse: bool = False,
) -> tuple[Any, FloatArray, FloatArray | None]:
    """Validate what ``fit`` was given; samples of weight zero are left out.

    Parameters
    ----------
    estimator : estimator
        The estimator being fitted; learns its features and labels.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples. Numbers may be missing (NaN) if X is dense.
    y : array-like of shape (n_samples, n_labels)
        Their label distributions, D.
    sample_weight : array-like of shape (n_samples,) or None
        Weights.
    dtype : dtype, default=float64
        Of the samples.
    sparse : bool, default=False
        Whether the method takes sparse samples.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_kept, n_features)
    D : ndarray of shape (n_kept, n_labels)
    weights : ndarray of shape (n_kept,) or None
    """
    name = type(estimator).__name__
    if y is None:
        raise ValueError(
            f"{name} requires y to be passed, but the target y is None: give the label "
            "distributions D, one row per sample."
        )
    X = check_tree_samples(estimator, X, reset=True, dtype=dtype, sparse=sparse)
    columns = getattr(y, "columns", None)
    if columns is not None:
        label_names(y, len(columns))  # their faults have clearer words than others
    D = check_distribution(y, name="y")
    check_consistent_length(X, D)
    estimator.classes_ = label_names(y, D.shape[1])
    if sample_weight is None:
        return X, D, None
    weights = check_sample_weight(sample_weight, X, ensure_non_negative=True)
    kept = weights > 0
    if not kept.any():
        raise ValueError(
            "sample_weight must have a positive sum: all weights are zero."
        )
    return (X, D, weights) if kept.all() else (X[kept], D[kept], weights[kept])


def mean_distribution(D: FloatArray, weights: FloatArray | None) -> FloatArray:
    """The weighted mean of distributions."""
    return np.average(D, axis=0, weights=weights)


def count_threads(n_jobs: int | None, X: Any) -> int:
    """Threads for an array: those asked for, else one if it is small, else all."""
    if n_jobs is None and X.size < _SMALL:
        return 1
    return openmp_threads(all_threads(n_jobs))
