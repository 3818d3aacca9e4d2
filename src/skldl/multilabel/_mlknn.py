"""ML-kNN: labels from the posterior of neighbour counts."""

from typing import Any

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.multilabel._base import NeighborCounter


class MLkNN(NeighborCounter):
    r"""Multi-label nearest neighbours: the posterior of each label given its count.

    .. math:: P(l \mid c_l = r) \propto \pi_l \,
       \frac{s + \kappa_l[r]}{s (k + 1) + \sum_j \kappa_l[j]},
       \qquad \pi_l = \frac{s + n_l}{2 s + n},

    with :math:`c_l` the number of neighbours that have label l, :math:`\kappa_l[r]` the
    number of training samples with the label that have r such neighbours, and the
    counterpart for samples without it.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours, k.
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
    likelihood_ : ndarray of shape (2, n_labels, n_neighbors + 1)
        Chance of each count without and with the label.
    n_neighbors_ : int
        Neighbours that were used in fit, and are in predictions.
    classes_ : ndarray of shape (n_labels,)
        Label names, or classes if the target was a vector.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if X had string column names.

    See Also
    --------
    DMLkNN : Counts of all labels together.

    Notes
    -----
    A training sample is never its own neighbour, not even among duplicates. Libraries
    that count it, or that drop the nearest neighbour of new samples too, rank worse.
    Scale the features first; Mulan's versions scale them to their ranges inside.

    References
    ----------
    .. [1] M.-L. Zhang, Z.-H. Zhou, "ML-KNN: A lazy learning approach to multi-label
       learning", Pattern Recognition 40(7), 2007.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from skldl.multilabel import MLkNN
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> model = MLkNN().fit(X, Y)
    >>> model.predict(X[:2]).shape, model.predict_proba(X[:2]).shape
    ((2, 5), (2, 5))
    """

    _parameter_constraints: dict = {
        **NeighborCounter._counter_constraints,
        "smoothing": NeighborCounter._smoothing,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        smoothing: float = 1.0,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.engine = engine
        self.n_jobs = n_jobs

    def _learn(self, counts: IndexArray, Y: Any) -> None:
        n_labels = counts.shape[1]
        places = self.n_neighbors + 1
        # one histogram over (label, count), of all samples and of those with the label
        cell = np.arange(n_labels) * places + counts
        everyone = np.bincount(cell.ravel(), minlength=n_labels * places)
        entries = Y.tocoo()
        owners = cell[entries.row, entries.col]
        having = np.bincount(owners, weights=entries.data, minlength=n_labels * places)
        tables = np.stack([everyone - having, having]).reshape(2, n_labels, places)
        total = tables.sum(axis=2, keepdims=True)
        self.likelihood_ = (self.smoothing + tables) / (self.smoothing * places + total)
        self.prior_ = smoothed_prior(Y, self.smoothing)

    def _scores(self, counts: IndexArray) -> FloatArray:
        label = np.arange(counts.shape[1])
        without, having = (self.likelihood_[i, label, counts] for i in (0, 1))
        return posterior(self.prior_, having, without)


def smoothed_prior(Y: Any, smoothing: float) -> FloatArray:
    """Smoothed share of the samples that have each label."""
    owned = np.asarray(Y.sum(axis=0)).ravel()
    return (smoothing + owned) / (2 * smoothing + Y.shape[0])


def posterior(prior: FloatArray, having: FloatArray, without: FloatArray) -> FloatArray:
    """Bayes' rule for one label against its absence."""
    relevant, other = prior * having, (1 - prior) * without
    return relevant / (relevant + other)
