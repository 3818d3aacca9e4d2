"""Mixins that give every estimator of a family its scikit-learn manners."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import (
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from skldl._typing import FloatArray
from skldl.metrics import intersection
from skldl.validation import check_label_names

__all__ = [
    "DistributionPredictorMixin",
    "LinearProjectionMixin",
    "renamed_state",
    "to_frame",
]


class DistributionPredictorMixin(RegressorMixin):
    """``fit(X, D)``, ``predict(X)`` with rows on the simplex.

    Stands left of ``BaseEstimator``. The argument for D is called ``y``, the name
    that scikit-learn's tools and metadata routing pass it by. Label names live in
    ``classes_``, because ``Pipeline`` and ``GridSearchCV`` forward that name and no
    other.
    """

    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.target_tags.positive_only = True
        return tags

    def classify(self, X: Any) -> NDArray[Any]:
        """Name the label with the largest predicted degree of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Entries of ``classes_``; the first one on ties.
        """
        return self.classes_[self.predict(X).argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean intersection of true and predicted distributions, in [0, 1].

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples, n_labels)
            Their true distributions, D.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            One minus the mean total variation distance.
        """
        predicted = self.predict(X)
        check_label_names(y, self.classes_)
        return intersection(y, predicted, sample_weight=sample_weight)


class LinearProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """``transform(X)`` by ``components_`` (rows), after subtracting ``mean_``.

    Stands left of ``BaseEstimator``; ``fit`` sets ``components_`` of shape
    (n_components, n_features) and, where the method centres, ``mean_``.
    """

    components_: FloatArray
    mean_: FloatArray | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def transform(self, X: Any) -> FloatArray:
        """Project samples on the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        return self._project(self._check(X))

    def _check(self, X: Any) -> FloatArray:
        return validate_data(self, X, reset=False, dtype=np.float64)

    def _project(self, X: FloatArray) -> FloatArray:
        """Project rows that are known to be good."""
        return (X if self.mean_ is None else X - self.mean_) @ self.components_.T


def renamed_state(state: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Give the state of an earlier version's model the names of today.

    Parameters
    ----------
    state : dict
        What ``__setstate__`` was given.
    names : dict of str to str
        Old name to new name of each attribute.

    Returns
    -------
    state : dict
        A copy; a state that has one of the new names stays as it is.
    """
    if any(new in state for new in names.values()):
        return dict(state)
    return {names.get(key, key): value for key, value in state.items()}


def to_frame(P: Any, estimator: Any, index: Any = None) -> pd.DataFrame:
    """Label predicted distributions with the names of the labels.

    Parameters
    ----------
    P : array-like of shape (n_samples, n_labels)
        Predictions of the estimator.
    estimator : fitted estimator
        Anything with ``classes_``: a predictor, a Pipeline, a search.
    index : array-like or DataFrame, default=None
        Row names, or a DataFrame whose index to take (the X predicted on).

    Returns
    -------
    frame : DataFrame of shape (n_samples, n_labels)

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl import to_frame
    >>> from skldl.ldl import AAkNN
    >>> X = pd.DataFrame({"x": [0.0, 1.0]}, index=["a", "b"])
    >>> D = pd.DataFrame({"joy": [0.75, 0.25], "fear": [0.25, 0.75]})
    >>> model = AAkNN(n_neighbors=1).fit(X, D)
    >>> to_frame(model.predict(X), model, X)
        joy  fear
    a  0.75  0.25
    b  0.25  0.75
    """
    rows = getattr(index, "index", index)
    if callable(rows):  # a list has a method of that name
        rows = index
    return pd.DataFrame(np.asarray(P), columns=list(estimator.classes_), index=rows)
