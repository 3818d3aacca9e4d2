"""Label distribution learners: ``fit(X, D)``, ``predict(X)``."""

from skldl.ldl._baseline import MeanDistribution
from skldl.ldl._knn import AAkNN
from skldl.ldl._margin_knn import LDkNN, LWkNN
from skldl.ldl._margin_knn_cv import MarginKNNCV, margin_knn_path

__all__ = [
    "AAkNN",
    "LDkNN",
    "LWkNN",
    "MarginKNNCV",
    "MeanDistribution",
    "margin_knn_path",
]
