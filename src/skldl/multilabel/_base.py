"""What the neighbour rankers share: validation, counts, predictions."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import HasMethods, Interval, StrOptions, fit_context
from skldl._threads import ThreadLimitMixin
from skldl._typing import FloatArray, IndexArray
from skldl.graphs import NeighborIndex
from skldl.validation import (
    check_class_vector,
    check_features,
    check_indicator,
    is_single_indicator,
    label_names,
    ndim,
)

_DTYPES = (np.float64, np.float32)
_PREDICT_ROWS = 1 << 15


class NeighborCounter(ThreadLimitMixin, ClassifierMixin, BaseEstimator):
    """Learns from how many neighbours of a sample have each label.

    Subclasses set ``n_neighbors``, ``engine``, ``n_jobs`` and give ``_learn(counts,
    Y)`` and ``_scores(counts)``.
    """

    _counter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "engine": [
            StrOptions({"auto", "exact", "pynndescent"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "n_jobs": [Integral, None],
    }
    _smoothing: list = [Interval(Real, 0, None, closed="neither")]
    _grids: dict = {"default": {"n_neighbors": [5, 10, 15, 20, 30]}}

    # label sets, though a vector of classes is taken as well
    _target_kind = "indicator"
    # whether fit must search the neighbours of the training samples
    _learns_from_neighbors = True

    n_neighbors: int
    engine: Any
    n_jobs: int | None
    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Count the labels of every sample's neighbours, and learn from the counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like or sparse matrix of shape (n_samples, n_labels)
            Label indicators, Y; a vector of classes counts as one label each.

        Returns
        -------
        self : estimator
        """
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None: give the label indicators Y, one row per sample."
            )
        X = check_features(self, X, accept_sparse="csr", dtype=_DTYPES)
        Y = self._check_labels(y)
        check_consistent_length(X, Y)
        others = Y.shape[0] - 1
        if self.n_neighbors > others:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the {others} other "
                f"samples of n_samples={others + 1}. Lower n_neighbors or add samples."
            )
        self._index = NeighborIndex(self.engine, n_jobs=self.n_jobs).fit(X)
        self.n_neighbors_ = self.n_neighbors
        self._labels = sp.csr_array(Y)
        if self._learns_from_neighbors:
            graph = self._index.graph(self.n_neighbors)
            self._learn(neighbor_counts(graph.indices, self._labels), self._labels)
        return self

    def _check_labels(self, y: Any) -> Any:
        """Indicators; remembers whether the target was a vector of classes."""
        if not sp.issparse(y) and np.shape(np.asarray(y))[1:] == (1,):
            y = y if is_single_indicator(y) else np.asarray(y)[:, 0]
        self._single_label = not sp.issparse(y) and ndim(y, "y") == 1
        if self._single_label:
            self.classes_, codes = check_class_vector(y)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"{type(self).__name__} needs at least two classes, got 1 class: "
                    f"{self.classes_[0]!r}."
                )
            return np.eye(len(self.classes_))[codes]
        Y = check_indicator(y, name="y", accept_sparse=True)
        self.classes_ = label_names(y, Y.shape[1])
        return Y

    def predict_proba(self, X: Any) -> FloatArray:
        """Score every label; larger for more relevant.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. A training sample counts as its own neighbour here.

        Returns
        -------
        S : ndarray of shape (n_samples, n_labels)
            Between 0 and 1; rows sum to 1 if the target was a vector of classes.
        """
        scores = self._score(X)
        if self._single_label:
            total = scores.sum(axis=1, keepdims=True)
            even = np.full_like(scores, 1.0 / scores.shape[1])
            return np.divide(scores, total, out=even, where=total > 0)
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Choose the labels of every sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels)
            0/1 indicators, or a vector if the target was a vector of classes.
        """
        scores = self._score(X)
        if self._single_label:
            return self.classes_[scores.argmax(axis=1)]
        return self._choose(scores).astype(np.int64)

    def _score(self, X: Any) -> FloatArray:
        check_is_fitted(self, "n_neighbors_")
        X = check_features(self, X, reset=False, accept_sparse="csr", dtype=_DTYPES)
        scores = np.empty((X.shape[0], len(self.classes_)))
        for start in range(0, len(scores), _PREDICT_ROWS):
            rows = slice(start, start + _PREDICT_ROWS)
            found = self._index.query(X[rows], self.n_neighbors_).indices
            scores[rows] = self._scores(neighbor_counts(found, self._labels))
        return scores

    def _choose(self, scores: FloatArray) -> NDArray[Any]:
        return scores >= 0.5

    def _learn(self, counts: IndexArray, Y: Any) -> None:
        raise NotImplementedError

    def _scores(self, counts: IndexArray) -> FloatArray:
        raise NotImplementedError


def neighbor_counts(indices: IndexArray, Y: Any) -> IndexArray:
    """How many neighbours of each row have each label.

    Parameters
    ----------
    indices : ndarray of shape (n_queries, n_neighbors)
        Neighbours.
    Y : CSR array of shape (n_samples, n_labels)
        Label indicators.

    Returns
    -------
    counts : ndarray of shape (n_queries, n_labels)
    """
    n_queries, k = indices.shape
    pointers = np.arange(0, n_queries * k + 1, k)
    links = sp.csr_array(
        (np.ones(indices.size), indices.ravel(), pointers),
        shape=(n_queries, Y.shape[0]),
    )
    return (links @ Y).toarray().astype(np.intp)
