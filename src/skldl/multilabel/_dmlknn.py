"""DML-kNN: ML-kNN that looks at the counts of all labels."""

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from skldl._sklearn import Interval
from skldl._typing import FloatArray, IndexArray
from skldl.multilabel._base import NeighborCounter
from skldl.multilabel._mlknn import posterior, smoothed_prior

_CHUNK = 1 << 24  # comparisons held at once


class DMLkNN(NeighborCounter):
    r"""Dependent multi-label neighbours: :class:`MLkNN` among similar count vectors.

    A label's likelihood is estimated from the training samples whose counts of **all**
    labels are within :math:`\delta` of the sample's, and whose count of the label
    itself is equal:

    .. math:: P(l \mid c) \propto \pi_l \, \frac{s + V_l}{s (k + 1) + n_l},

    with :math:`V_l` the number of those samples that have the label, and the
    counterpart for those that do not.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours, k.
    max_difference : int, default=6
        Largest difference of counts, :math:`\delta`.
    smoothing : float, default=1.0
        Smoothing s.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        :math:`\pi`.
    counts_ : ndarray of shape (n_vectors, n_labels)
        Different count vectors of the training samples.
    label_counts_ : ndarray of shape (n_vectors, n_labels)
        Samples with each vector that have each label.
    sizes_ : ndarray of shape (n_vectors,)
        Samples with each vector.
    n_neighbors_ : int
        Neighbours that were used in fit, and are in predictions.
    classes_ : ndarray of shape (n_labels,)
        Label names, or classes if the target was a vector.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    Notes
    -----
    Mulan's code smooths by s times the number of labels in place of s (k + 1), and
    sets :math:`\delta` to 6 whatever was asked; here both are as published. With
    ``max_difference`` of ``n_neighbors`` or more all training samples compare, and the
    scores are those of MLkNN.

    Predicting compares every sample with every different count vector of the training
    samples, so time grows with both.

    References
    ----------
    .. [1] Z. Younes, F. Abdallah, T. Denoeux, H. Snoussi, "A dependent multilabel
       classification method derived from the k-nearest neighbor rule", EURASIP
       Journal on Advances in Signal Processing, 2011.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from skldl.multilabel import DMLkNN
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> DMLkNN(max_difference=2).fit(X, Y).predict_proba(X[:2]).shape
    (2, 5)
    """

    _parameter_constraints: dict = {
        **NeighborCounter._counter_constraints,
        "max_difference": [Interval(Integral, 0, None, closed="left")],
        "smoothing": NeighborCounter._smoothing,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        max_difference: int = 6,
        smoothing: float = 1.0,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.max_difference = max_difference
        self.smoothing = smoothing
        self.engine = engine
        self.n_jobs = n_jobs

    def _learn(self, counts: IndexArray, Y: Any) -> None:
        self.counts_, group, self.sizes_ = np.unique(
            counts, axis=0, return_inverse=True, return_counts=True
        )
        members = sp.csr_array(
            (np.ones(len(counts)), (group.ravel(), np.arange(len(counts)))),
            shape=(len(self.counts_), len(counts)),
        )
        self.label_counts_ = (members @ Y).toarray()
        self.prior_ = smoothed_prior(Y, self.smoothing)

    def _scores(self, counts: IndexArray) -> FloatArray:
        scores = np.empty(counts.shape)
        step = max(1, _CHUNK // len(self.counts_))
        for start in range(0, len(counts), step):
            rows = slice(start, start + step)
            scores[rows] = self._score_rows(counts[rows])
        return scores

    def _score_rows(self, counts: IndexArray) -> FloatArray:
        n_queries, n_labels = counts.shape
        near = np.ones((n_queries, len(self.counts_)), dtype=bool)
        for label in range(n_labels):
            gap = np.abs(counts[:, label, None] - self.counts_[:, label])
            near &= gap <= self.max_difference
        having, everyone = np.empty((2, n_queries, n_labels))
        for label in range(n_labels):
            same = near & (counts[:, label, None] == self.counts_[:, label])
            having[:, label] = same @ self.label_counts_[:, label]
            everyone[:, label] = same @ self.sizes_
        owned = self.label_counts_.sum(axis=0)
        places = float(self.smoothing) * (self.n_neighbors_ + 1)
        return posterior(
            self.prior_,
            (self.smoothing + having) / (places + owned),
            (self.smoothing + everyone - having) / (places + self.sizes_.sum() - owned),
        )
