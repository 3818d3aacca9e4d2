"""Kinds of target: which one a method learns from, and what it is judged by."""

from typing import Any

from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from skldl.datasets import Dataset
from skldl.metrics import METRICS, Metric
from skldl.validation import TargetKind

_KINDS = {
    "distribution": ("distribution", "classification"),
    "indicator": ("multilabel",),
    "classes": ("classes",),
}


def target_kind(estimator: Any) -> TargetKind | None:
    """Kind of target that a method learns from.

    Parameters
    ----------
    estimator : estimator
        A pipeline is asked by its last step.

    Returns
    -------
    kind : {"distribution", "indicator", "classes"} or None
        None for a projection, which may take several kinds.

    Examples
    --------
    >>> from skldl.methods import target_kind
    >>> from skldl.multilabel import MLkNN
    >>> target_kind(MLkNN())
    'indicator'
    """
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    # scikit-learn's tags say that a classifier can learn label sets, not that it is
    # made for them: KNeighborsClassifier has the same tags as MLkNN
    declared: TargetKind | None = getattr(last, "_target_kind", None)
    if declared is not None:
        return declared
    if is_classifier(last):
        return "classes"
    return "distribution" if hasattr(last, "predict") else None


def metrics_for(dataset: Dataset) -> list[Metric]:
    """Every metric that fits a data set's kind of target.

    Parameters
    ----------
    dataset : Dataset
        Only its kind is asked, and whether its labels are in order.

    Returns
    -------
    metrics : list of Metric

    Examples
    --------
    >>> from skldl.datasets import load
    >>> from skldl.methods import metrics_for
    >>> "kl_divergence" in {metric.name for metric in metrics_for(load("toy"))}
    True
    """
    return [
        metric
        for metric in METRICS.values()
        if metric.kind in _KINDS[dataset.kind]
        and (dataset.ordered or not metric.ordered)
    ]
