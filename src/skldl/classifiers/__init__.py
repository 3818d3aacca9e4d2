"""Classifiers that scikit-learn does not have: ``fit(X, y)``, ``predict(X)``."""

from skldl.classifiers._ccf import CanonicalCorrelationForestClassifier

__all__ = ["CanonicalCorrelationForestClassifier"]
