"""Metrics between distributions, of the induced classifier, and of rankings."""

from skldl.metrics._classes import accuracy, balanced_accuracy, cohen_kappa
from skldl.metrics._classification import error_probability, zero_one_loss
from skldl.metrics._distribution import (
    canberra,
    chebyshev,
    clark,
    cosine,
    emd,
    euclidean,
    fidelity,
    intersection,
    jensen_shannon,
    kendall,
    kl_divergence,
    sorensen,
    spearman,
    squared_chi2,
)
from skldl.metrics._multilabel import (
    average_precision,
    coverage,
    hamming_loss,
    one_error,
    ranking_loss,
)
from skldl.metrics._registry import (
    METRICS,
    SCORERS,
    Metric,
    evaluate,
    get_metric,
    get_scorer,
)

__all__ = [
    "METRICS",
    "SCORERS",
    "Metric",
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "canberra",
    "chebyshev",
    "clark",
    "cohen_kappa",
    "cosine",
    "coverage",
    "emd",
    "error_probability",
    "euclidean",
    "evaluate",
    "fidelity",
    "get_metric",
    "get_scorer",
    "hamming_loss",
    "intersection",
    "jensen_shannon",
    "kendall",
    "kl_divergence",
    "one_error",
    "ranking_loss",
    "sorensen",
    "spearman",
    "squared_chi2",
    "zero_one_loss",
]
