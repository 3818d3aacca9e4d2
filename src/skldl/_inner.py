"""Models inside models: their data, weights and tags."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import InputTags, check_consistent_length, get_tags
from sklearn.utils.validation import (
    check_is_fitted,
)

from skldl._sklearn import check_sample_weight
from skldl._typing import FloatArray
from skldl.base import sample_weight_keys
from skldl.validation import (
    check_distribution,
    check_features,
    label_names,
    require_range,
)

_SEARCHES = (GridSearchCV, RandomizedSearchCV)
# takes several outputs, though its tags do not say so
_SEVERAL_OUTPUTS = (MLPRegressor,)


def check_inner_data(
    estimator: BaseEstimator, X: Any, y: Any, *, sparse: bool
) -> tuple[Any, FloatArray]:
    """Validate what a model around other models was given in ``fit``.

    A DataFrame stays one, because a model inside may choose columns by name, and the
    models inside are the judges of missing values.

    Parameters
    ----------
    estimator : estimator
        The outer model; gets ``n_features_in_``, ``feature_names_in_``, ``classes_``.
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples, n_labels)
        Label distributions.
    sparse : bool
        Whether the models inside take sparse features.

    Returns
    -------
    X : ndarray, DataFrame or CSR matrix of shape (n_samples, n_features)
    D : ndarray of shape (n_samples, n_labels)
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is "
            "None: give the label distributions D, one row per sample."
        )
    X = _door(estimator, X, sparse, reset=True)
    columns = getattr(y, "columns", None)
    if columns is not None:
        label_names(y, len(columns))  # their faults have clearer words than others
    D = check_distribution(y, name="y")
    check_consistent_length(X, D)
    estimator.classes_ = label_names(y, D.shape[1])
    return X, D


def check_inner_samples(estimator: BaseEstimator, X: Any, *, sparse: bool) -> Any:
    """Validate what a fitted model around other models shall predict.

    Parameters
    ----------
    estimator : estimator
        The outer model.
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        Features.
    sparse : bool
        Whether the models inside take sparse features.

    Returns
    -------
    X : ndarray, DataFrame or CSR matrix of shape (n_samples, n_features)
        A DataFrame if the models inside were fitted on one.
    """
    check_is_fitted(estimator)
    X = _door(estimator, X, sparse, reset=False)
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and isinstance(X, np.ndarray):
        # the outer model has warned; the inner ones would all warn again
        return pd.DataFrame(X, columns=names)
    return X


def _door(estimator: BaseEstimator, X: Any, sparse: bool, *, reset: bool) -> Any:
    if hasattr(X, "columns"):
        return check_features(estimator, X, reset=reset, skip_check_array=True)
    return check_features(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr" if sparse else False,
        ensure_all_finite=False,
    )


def require_instance(model: Any, name: str) -> None:
    """Refuse a class in place of a model."""
    if isinstance(model, type):
        raise ValueError(
            f"{name} must be an instance, such as {model.__name__}(), not a class."
        )


def named_target(D: FloatArray, classes: Any) -> Any:
    """The target with the labels' names, for models that keep them."""
    if np.array_equal(classes, np.arange(D.shape[1])):
        return D
    return pd.DataFrame(D, columns=list(classes))


def check_weights(sample_weight: Any, D: FloatArray) -> FloatArray | None:
    """Weights of samples, none negative, with a positive sum; None stays None."""
    if sample_weight is None:
        return None
    weights = check_sample_weight(
        sample_weight, D, dtype=np.float64, ensure_non_negative=True
    )
    if weights.sum() <= 0:
        raise ValueError(
            "sample_weight must have a positive sum: all weights are zero."
        )
    return weights


def fit_inner(model: Any, X: Any, y: Any, sample_weight: FloatArray | None) -> Any:
    """Fit a model, with weights if there are any and it takes them."""
    keys = [] if sample_weight is None else sample_weight_keys(model)
    try:
        return model.fit(X, y, **dict.fromkeys(keys, sample_weight))
    except (ValueError, ArithmeticError):
        numbers = isinstance(X, np.ndarray) and X.dtype.kind == "f"
        if numbers and np.isfinite(X).all():
            require_range(model, X)  # clearer words, if that is the reason
        raise


def require_weights(model: Any, owner: str, advice: str) -> None:
    """Refuse a model that takes no weights of samples."""
    if not sample_weight_keys(model):
        raise ValueError(
            f"{owner} cannot use weights of samples, because "
            f"{type(model).__name__} does not take sample_weight in fit. {advice}"
        )


def fresh_regressor(regressor: Any, n_outputs: int, n_jobs: int | None) -> Any:
    """A clone that takes several outputs: the regressor itself, or one per output."""
    model = clone(regressor)
    if n_outputs == 1 or _takes_several(model):
        return model
    return MultiOutputRegressor(model, n_jobs=n_jobs)


def _takes_several(model: Any) -> bool:
    if isinstance(model, Pipeline):
        return _takes_several(model.steps[-1][1])
    if isinstance(model, _SEARCHES):
        return _takes_several(model.estimator)
    if isinstance(model, _SEVERAL_OUTPUTS):
        return True
    tags = _tags(model)
    return tags is not None and tags.target_tags.multi_output


def needs_matrix(model: Any) -> bool:
    """Whether a target of one column must stay a matrix."""
    tags = _tags(model)
    return tags is not None and not tags.target_tags.single_output


def inner_tags(models: Sequence[Any]) -> InputTags:
    """Tags of the input that all models take.

    Parameters
    ----------
    models : sequence of estimators
        Not fitted.

    Returns
    -------
    tags : InputTags
    """
    found = [_input_tags(model) for model in models]
    tags = found[0] if len(found) == 1 else InputTags()
    tags.sparse = all(t.sparse for t in found)
    tags.allow_nan = all(t.allow_nan for t in found)
    tags.pairwise = all(t.pairwise for t in found)
    return tags


def _input_tags(model: Any) -> InputTags:
    tags = _tags(model)
    inputs = InputTags() if tags is None else tags.input_tags
    if isinstance(model, Pipeline):  # whose tags do not speak of missing values
        inputs.allow_nan = _input_tags(model.steps[0][1]).allow_nan
    elif isinstance(model, _SEARCHES):
        inputs.allow_nan = _input_tags(model.estimator).allow_nan
    return inputs


def _tags(model: Any) -> Any:
    """Tags of a model; None for models of others that have none."""
    try:
        return get_tags(model)
    except (AttributeError, TypeError, ValueError):
        return None
