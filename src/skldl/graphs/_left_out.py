"""The number of neighbours that predicts left-out samples best, from one search."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from skldl._typing import FloatArray, IndexArray
from skldl.graphs._average import neighbor_mean
from skldl.graphs._neighbors import NeighborGraph, NeighborIndex

#: Numbers of neighbours that are tried, each about half as many again as the last.
NEIGHBOR_COUNTS = (3, 5, 7, 10, 15, 22, 33, 50, 75, 110, 165, 250)
_MOST_ROWS = 5000  # so that the search costs no more than so many predictions


@dataclass(frozen=True)
class LeftOutNeighbors:
    """Neighbours of indexed samples among the others, and how many of them to try.

    Attributes
    ----------
    graph : NeighborGraph
        One row per sample that is left out.
    rows : ndarray of shape (n_rows,)
        Numbers of these samples.
    counts : sequence of int
        Numbers of neighbours to try, ascending.
    """

    graph: NeighborGraph
    rows: IndexArray
    counts: Sequence[int]

    def best_count(
        self,
        means: Iterable[FloatArray],
        values: FloatArray,
        loss: Callable[[FloatArray, FloatArray], FloatArray],
        sample_weight: FloatArray | None = None,
    ) -> int:
        """Give the number of neighbours with the smallest mean loss.

        Parameters
        ----------
        means : iterable of ndarray of shape (n_rows, n_values)
            Predictions of the left-out samples, for each of the counts.
        values : ndarray of shape (n_samples, n_values)
            What is predicted, of all samples.
        loss : callable
            True and predicted values to a loss per row.
        sample_weight : ndarray of shape (n_samples,), default=None
            Weights of the samples in the mean.

        Returns
        -------
        n_neighbors : int
            The smallest of equally good ones.
        """
        truth = values[self.rows]
        weights = None if sample_weight is None else sample_weight[self.rows]
        losses = [np.average(loss(truth, P), weights=weights) for P in means]
        return self.counts[int(np.argmin(losses))]


def left_out_neighbors(index: NeighborIndex) -> LeftOutNeighbors | None:
    """Find the neighbours of indexed samples that a choice of their number needs.

    Up to 5000 samples are left out, one at a time; of more samples, 5000 evenly spaced
    ones.

    Parameters
    ----------
    index : NeighborIndex
        The samples.

    Returns
    -------
    left_out : LeftOutNeighbors or None
        None for a single sample, which has no others.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.graphs import NeighborIndex, left_out_neighbors
    >>> left_out = left_out_neighbors(NeighborIndex().fit(np.arange(9.0)[:, None]))
    >>> left_out.counts, left_out.graph.indices.shape
    ([3, 5, 7], (9, 7))
    """
    n_samples = index.rows_.shape[0]
    if n_samples < 2:
        return None
    counts = [k for k in NEIGHBOR_COUNTS if k < n_samples] or [n_samples - 1]
    if n_samples <= _MOST_ROWS:
        return LeftOutNeighbors(index.graph(counts[-1]), np.arange(n_samples), counts)
    rows = np.linspace(0, n_samples - 1, _MOST_ROWS).astype(np.intp)
    return LeftOutNeighbors(index.graph(counts[-1], rows), rows, counts)


def cumulative_means(
    values: FloatArray,
    indices: IndexArray,
    weights: FloatArray | None,
    counts: Iterable[int],
) -> Iterator[FloatArray]:
    """Weighted means of the nearest neighbours, for growing numbers of them.

    Each neighbour is added once, whatever the number of counts.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_values)
        One row per sample that the indices name.
    indices : ndarray of shape (n_queries, n_neighbors)
        Neighbours of each query, nearest first.
    weights : ndarray of shape (n_queries, n_neighbors) or None
        Weights, of any sum; None averages plainly.
    counts : iterable of int
        Numbers of neighbours, ascending.

    Yields
    ------
    means : ndarray of shape (n_queries, n_values)

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.graphs import cumulative_means
    >>> values, indices = np.array([[0.0], [2.0], [7.0]]), np.array([[0, 1, 2]])
    >>> [float(mean[0, 0]) for mean in cumulative_means(values, indices, None, [2, 3])]
    [1.0, 3.0]
    """
    if weights is None:
        weights = np.ones(indices.shape)
    totals = np.zeros((len(indices), values.shape[1]))
    mass, done = np.zeros((len(indices), 1)), 0
    for count in counts:
        new = slice(done, count)
        totals += neighbor_mean(values, indices[:, new], weights[:, new])
        mass += weights[:, new].sum(axis=1, keepdims=True)
        done = count
        yield totals / mass
