"""Classifiers that scikit-learn does not have, and learners viewed as classifiers."""

from skldl.classifiers._ccf import CanonicalCorrelationForestClassifier
from skldl.classifiers._view import as_classifier

__all__ = ["CanonicalCorrelationForestClassifier", "as_classifier"]
