"""BR-kNN: every label by the share of neighbours that have it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skldl._sklearn import StrOptions
from skldl._typing import FloatArray, IndexArray
from skldl.multilabel._base import NeighborCounter


class BRkNN(NeighborCounter):
    r"""Binary relevance neighbours: score a label by the share of neighbours.

    .. math:: S_l(x) = \frac{c_l(x) + 1/n}{k + 2/n}

    with :math:`c_l` the number of neighbours that have label l and n the number of
    training samples.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours, k.
    extension : {"a", "b"} or None, default=None
        None predicts the labels with a score of at least 0.5; ``"a"`` the best label
        where there are none; ``"b"`` as many best labels as the neighbours have on
        average.
    engine : {"auto", "exact", "pynndescent"} or object, default="auto"
        Neighbour search, see :class:`skldl.graphs.NeighborIndex`.
    n_jobs : int or None, default=None
        Threads of the search.

    Attributes
    ----------
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
    The term 1/n keeps scores off 0 and 1 and changes no order. They take only k + 1
    values, so ties are many, and the rule for ties in a ranking
    metric matters much: state it beside the number.

    References
    ----------
    .. [1] E. Spyromitros, G. Tsoumakas, I. Vlahavas, "An Empirical Study of Lazy
       Multilabel Classification Algorithms", Hellenic Conference on Artificial
       Intelligence (SETN), 2008.

    Examples
    --------
    >>> from skldl.multilabel import BRkNN
    >>> X, Y = [[0.0], [1.0], [2.0], [9.0]], [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> BRkNN(2).fit(X, Y).predict_proba([[0.6], [8.0]]).round(1)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """

    _parameter_constraints: dict = {
        **NeighborCounter._counter_constraints,
        "extension": [StrOptions({"a", "b"}), None],
    }

    _learns_from_neighbors = False

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        extension: str | None = None,
        engine: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.extension = extension
        self.engine = engine
        self.n_jobs = n_jobs

    def _scores(self, counts: IndexArray) -> FloatArray:
        little = 1.0 / self._labels.shape[0]
        return (counts + little) / (self.n_neighbors_ + 2 * little)

    def _choose(self, scores: FloatArray) -> NDArray[Any]:
        chosen = scores >= 0.5
        if self.extension == "a":
            empty = ~chosen.any(axis=1)
            chosen[empty, scores[empty].argmax(axis=1)] = True
        elif self.extension == "b":
            little = 1.0 / self._labels.shape[0]
            counts = scores * (self.n_neighbors_ + 2 * little) - little
            wanted = np.floor(np.rint(counts).sum(axis=1) / self.n_neighbors_ + 0.5)
            place = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
            chosen = place < wanted[:, None]
        return chosen
