"""Label distribution learners: ``fit(X, D)``, ``predict(X)``."""

from skldl.ldl._baseline import MeanDistribution
from skldl.ldl._knn import AAkNN

__all__ = ["AAkNN", "MeanDistribution"]
