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
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags
from sklearn.utils.validation import (
    check_is_fitted,
    has_fit_parameter,
)

from skldl._threads import ThreadLimitMixin
from skldl._typing import FloatArray
from skldl.metrics import intersection
from skldl.validation import check_features, check_label_names

__all__ = [
    "DistributionPredictorMixin",
    "LinearProjectionMixin",
    "classify",
    "sample_weight_keys",
    "to_frame",
    "without_label_names",
]

# models that hand the weights on to the model inside
_AROUND = (GridSearchCV, RandomizedSearchCV, MultiOutputRegressor)


class DistributionPredictorMixin(ThreadLimitMixin, RegressorMixin):
    """``fit(X, D)``, ``predict(X)`` with rows on the simplex.

    Stands left of ``BaseEstimator``. The argument for D is called ``y``, the name
    that scikit-learn's tools and metadata routing pass it by. Label names live in
    ``classes_``, because ``Pipeline`` and ``GridSearchCV`` forward that name and no
    other. Few tools of scikit-learn take ``classes_`` for the mark of a classifier;
    :func:`without_label_names` is for these.
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


class LinearProjectionMixin(
    ThreadLimitMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
):
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
        return check_features(self, X, reset=False, dtype=np.float64)

    def _project(self, X: FloatArray) -> FloatArray:
        """Project rows that are known to be good."""
        return (X if self.mean_ is None else X - self.mean_) @ self.components_.T


def classify(model: Any, X: Any) -> NDArray[Any]:
    """Name the label with the largest predicted degree of each sample.

    The method of the same name belongs to learners alone; this function also works
    through a Pipeline and a search.

    Parameters
    ----------
    model : fitted estimator
        A learner of this library, or a Pipeline or search with one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Entries of ``classes_``; the first one on ties.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skldl import classify
    >>> from skldl.ldl import AAkNN
    >>> X, D = [[0.0], [1.0]], pd.DataFrame({"joy": [0.7, 0.2], "fear": [0.3, 0.8]})
    >>> classify(make_pipeline(StandardScaler(), AAkNN(1)).fit(X, D), X).tolist()
    ['joy', 'fear']
    """
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise ValueError(
            "model must be a predictor of distributions, or a Pipeline or search with "
            f"one, got {type(model).__name__}, which has no classes_."
        )
    P = np.asarray(model.predict(X))
    if P.ndim != 2:
        raise ValueError(
            f"{type(model).__name__} predicts labels already; use its predict."
        )
    return np.asarray(model.classes_)[P.argmax(axis=1)]


def to_frame(P: Any, estimator: Any, index: Any = None) -> pd.DataFrame:
    """Label predicted distributions with the names of the labels.

    Parameters
    ----------
    P : array-like of shape (n_samples, n_labels)
        Predictions of the estimator.
    estimator : fitted estimator
        Anything with ``classes_``: a predictor, a Pipeline, a search.
    index : array-like or DataFrame, default=None
        Row names, or a DataFrame whose index to take (the X predicted on). Any other
        table, such as a polars DataFrame or a matrix, has no row names; its rows are
        numbered.

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
    names = np.asarray(estimator.classes_).tolist()
    return pd.DataFrame(np.asarray(P), columns=names, index=_row_names(index))


def _row_names(index: Any) -> Any:
    """The index of a pandas object, the names given, or None for other tables."""
    rows = getattr(index, "index", index)
    if callable(rows):  # a list has a method of that name
        rows = index
    return None if len(getattr(rows, "shape", ())) > 1 else rows


class _Unnamed(FrozenEstimator):
    """A fitted model as a plain regressor with several outputs."""

    def __getattr__(self, name: str) -> Any:
        if name == "classes_":
            raise AttributeError(
                "This view of a model has no classes_: label names are left out."
            )
        return super().__getattr__(name)


def without_label_names(model: Any) -> Any:
    """View a fitted model as a plain regressor, without ``classes_``.

    For tools of scikit-learn that take anything with ``classes_`` for a classifier.
    ``PartialDependenceDisplay.from_estimator`` is one: with named labels it refuses
    both names and column numbers as ``target``. Of the view it takes the number of a
    column.

    Parameters
    ----------
    model : fitted estimator
        A learner of this library, or a Pipeline or search with one.

    Returns
    -------
    view : estimator
        Predicts as the model does. It is frozen: ``fit`` and ``clone`` do nothing.

    See Also
    --------
    skldl.plotting.plot_partial_dependence : A line per label, with names.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.inspection import PartialDependenceDisplay
    >>> from skldl.base import without_label_names
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import SABFGS
    >>> X, D = make_ldl(100, 2, 3, random_state=0)
    >>> D = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    >>> model = SABFGS().fit(X, D)
    >>> display = PartialDependenceDisplay.from_estimator(
    ...     without_label_names(model), X, [0], target=list(D).index("fear")
    ... )
    >>> display.target_idx
    1
    """
    return _Unnamed(model)


def sample_weight_keys(model: Any) -> list[str]:
    """Find what a model's ``fit`` calls the weights of samples.

    Parameters
    ----------
    model : estimator
        Also a search, or a Pipeline: if its last step takes weights, all steps that
        take them get them, so that a scaler weighs samples as the learner does.

    Returns
    -------
    keys : list of str
        Names of arguments of ``fit``; empty if the model does not take weights.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skldl.base import sample_weight_keys
    >>> from skldl.ldl import SABFGS
    >>> sample_weight_keys(make_pipeline(StandardScaler(), SABFGS()))
    ['standardscaler__sample_weight', 'sabfgs__sample_weight']
    >>> sample_weight_keys(make_pipeline(StandardScaler(), KNeighborsRegressor()))
    []
    """
    if isinstance(model, Pipeline):
        if not sample_weight_keys(model.steps[-1][1]):
            return []
        return [
            f"{name}__{key}"
            for name, step in model.steps
            for key in sample_weight_keys(step)
        ]
    if isinstance(model, _AROUND):
        return sample_weight_keys(model.estimator)
    takes = getattr(model, "_takes_sample_weight", None)
    if model is None or isinstance(model, str) or (takes is not None and not takes()):
        return []
    return ["sample_weight"] if has_fit_parameter(model, "sample_weight") else []
