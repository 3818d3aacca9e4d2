"""Projections before neighbours, with everything chosen that the MSLP paper chooses."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA, KernelPCA
from sklearn.model_selection import KFold, ShuffleSplit

from skldl.base import DistributionPredictorMixin
from skldl.graphs import NeighborIndex
from skldl.ldl import AAkNN
from skldl.metrics import get_metric
from skldl.projection import CCA, LPP, NPE
from skldl.validation import check_fit_data

SHARES = tuple(
    tenth / 10 for tenth in range(1, 11)
)  # u: directions as a share of the features
NEIGHBORS = (5, 10, 15)  # of the graph, and of the decoder
KERNELS = (None, "rbf")
#: With more training rows, settings are chosen on one part of so many of them.
MOST_ROWS = 1000


class Choice(NamedTuple):
    """A setting: kernel, neighbours of the graph, share of directions, decoder's k."""

    kernel: str | None
    n_neighbors: int
    share: float
    k: int


class TunedPeer(DistributionPredictorMixin, BaseEstimator):
    """A projection followed by an average of neighbours, chosen by folds.

    All shares of the directions come from one projection, because its directions are
    in order, and all numbers of neighbours of the average from one search.

    Parameters
    ----------
    projection : {"PCA", "LPP", "NPE", "CCA"}, default="PCA"
        Which one.
    metric : str, default="kl_divergence"
        What is made best.
    n_splits : int, default=5
        Folds of the training part; of more than 1,000 rows one random part of 1,000
        trains and the rest tests.
    """

    def __init__(
        self,
        projection: str = "PCA",
        metric: str = "kl_divergence",
        n_splits: int = 5,
    ) -> None:
        self.projection = projection
        self.metric = metric
        self.n_splits = n_splits

    def fit(self, X: Any, y: Any) -> Self:
        """Choose, then fit on everything."""
        X, D = check_fit_data(self, X, y)
        totals: dict[Choice, float] = {}
        for train, test in self._folds(len(X)):
            for choice, loss in self._losses(X[train], D[train], X[test], D[test]):
                totals[choice] = totals.get(choice, 0.0) + loss
        best = min(totals, key=totals.__getitem__)
        self.best_params_ = best._asdict()
        self.model_ = self._projection(best.kernel, best.n_neighbors, X, D)
        self.size_ = size_of(best.share, X.shape[1])
        self.average_ = AAkNN(best.k).fit(self._embed(X), D)
        return self

    def predict(self, X: Any) -> Any:
        """Average the distributions of the neighbours in the projection."""
        return self.average_.predict(self._embed(np.asarray(X, dtype=np.float64)))

    def _embed(self, X: Any) -> Any:
        return self.model_.transform(X)[:, : self.size_]

    def _folds(self, n_samples: int) -> Iterator[tuple[Any, Any]]:
        if n_samples <= MOST_ROWS:
            yield from KFold(self.n_splits, shuffle=True, random_state=0).split(
                np.empty(n_samples)
            )
            return
        split = ShuffleSplit(1, train_size=MOST_ROWS, random_state=0)
        yield from split.split(np.empty(n_samples))

    def _losses(
        self, X: Any, D: Any, X_test: Any, D_test: Any
    ) -> Iterator[tuple[Choice, float]]:
        metric = get_metric(self.metric)
        sign = -1.0 if metric.greater_is_better else 1.0
        for kernel in KERNELS:
            for n_neighbors in self._graphs():
                model = self._projection(kernel, n_neighbors, X, D)
                Z, Z_test = model.transform(X), model.transform(X_test)
                for share in self._shares():
                    size = size_of(share, X.shape[1])
                    means = neighbor_means(Z[:, :size], D, Z_test[:, :size])
                    for k, P in means:
                        choice = Choice(kernel, n_neighbors, share, k)
                        yield choice, sign * float(metric.fn(D_test, P))

    def _graphs(self) -> tuple[int, ...]:
        return NEIGHBORS if self.projection in ("LPP", "NPE") else NEIGHBORS[:1]

    def _shares(self) -> tuple[float, ...]:
        # CCA has as many directions as the labels allow
        return SHARES[-1:] if self.projection == "CCA" else SHARES

    def _projection(self, kernel: str | None, n_neighbors: int, X: Any, D: Any) -> Any:
        """All directions of a projection, fitted."""
        if self.projection == "PCA" and kernel is None:
            return PCA(svd_solver="full").fit(X)
        if self.projection == "PCA":
            return kernel_pca(X)
        if self.projection == "CCA":
            return CCA(kernel=kernel).fit(X, D)
        made = {"LPP": LPP, "NPE": NPE}[self.projection]
        return made(None, n_neighbors=n_neighbors, kernel=kernel).fit(X)


def kernel_pca(X: Any) -> KernelPCA:
    """Principal features of the rbf kernel whose width is the mean distance."""
    mean = float(pdist(X).mean())
    gamma = 1 / (2 * mean**2)
    return KernelPCA(min(X.shape), kernel="rbf", gamma=gamma).fit(X)


def size_of(share: float, n_features: int) -> int:
    """Directions of a share of the features, at least one."""
    return max(1, round(share * n_features))


def neighbor_means(Z: Any, D: Any, Z_test: Any) -> Iterator[tuple[int, Any]]:
    """Means of the nearest distributions for each number of them, by one search."""
    graph = NeighborIndex().fit(Z).query(Z_test, NEIGHBORS[-1])
    sums = np.cumsum(D[graph.indices], axis=1)
    for k in NEIGHBORS:
        yield k, sums[:, k - 1] / k
