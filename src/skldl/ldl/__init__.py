"""Label distribution learners: ``fit(X, D)``, ``predict(X)``."""

from skldl.ldl._baseline import MeanDistribution
from skldl.ldl._knn import AAkNN
from skldl.ldl._margin_knn import LDkNN, LWkNN
from skldl.ldl._neighbor_search import NeighborSearchCV, neighbor_path

__all__ = [
    "AAkNN",
    "LDkNN",
    "LWkNN",
    "MeanDistribution",
    "NeighborSearchCV",
    "neighbor_path",
]
