"""A metric is a value: name, function, direction and ideal."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from difflib import get_close_matches
from types import ModuleType
from typing import Any, Literal, get_args

from sklearn.metrics import make_scorer

from skldl.metrics import _classes, _classification, _distribution, _multilabel
from skldl.metrics._names import metric_title, plain_metric
from skldl.validation import check_distribution_pair

Kind = Literal["distribution", "classification", "multilabel", "classes"]


@dataclass(frozen=True)
class Metric:
    """What tables, scorers and statistics need to know about a metric.

    Attributes
    ----------
    name : str
        Name in tables and for :func:`get_scorer`.
    fn : callable
        ``fn(true, predicted) -> float``.
    greater_is_better : bool
        Direction.
    ideal : float or None
        Value of a perfect prediction; None where it depends on the data.
    kind : {"distribution", "classification", "multilabel", "classes"}
        What it judges: predicted distributions, the largest label of such, label
        rankings, or predicted classes.
    response : str
        The estimator's method that gives the second argument.
    ordered : bool
        Whether it needs labels whose order means something.
    meaning : str
        What it measures, in one sentence.
    """

    name: str
    fn: Callable[..., Any]
    greater_is_better: bool
    ideal: float | None
    kind: Kind
    response: str
    ordered: bool
    meaning: str

    @property
    def label(self) -> str:
        """Name with an arrow that points to the better side."""
        return f"{self.name} {self.arrow}"

    @property
    def arrow(self) -> str:
        """Points to the better side."""
        return "↑" if self.greater_is_better else "↓"

    @property
    def title(self) -> str:
        """Name as a heading of a table, as papers write it."""
        return metric_title(self.name)


_DISTRIBUTION: list[tuple[str, bool, float]] = [  # name, greater is better, ideal
    ("chebyshev", False, 0.0),
    ("clark", False, 0.0),
    ("canberra", False, 0.0),
    ("kl_divergence", False, 0.0),
    ("cosine", True, 1.0),
    ("intersection", True, 1.0),
    ("euclidean", False, 0.0),
    ("sorensen", False, 0.0),
    ("squared_chi2", False, 0.0),
    ("fidelity", True, 1.0),
    ("jensen_shannon", False, 0.0),
    ("emd", False, 0.0),
    ("spearman", True, 1.0),
    ("kendall", True, 1.0),
]
_CLASSIFICATION = [("zero_one_loss", False, 0.0), ("error_probability", False, None)]
_MULTILABEL = [
    ("ranking_loss", False, 0.0),
    ("coverage", False, None),
    ("average_precision", True, 1.0),
    ("one_error", False, 0.0),
    ("hamming_loss", False, 0.0),
]
_CLASSES = [
    ("accuracy", True, 1.0),
    ("balanced_accuracy", True, 1.0),
    ("cohen_kappa", True, 1.0),
]
_MEANING = {
    "chebyshev": "The largest difference between a true and a predicted degree.",
    "clark": "Root of the summed squared relative differences of the degrees; small "
    "degrees count as much as large ones.",
    "canberra": "Sum of the relative differences of the degrees; small degrees count "
    "as much as large ones.",
    "kl_divergence": "Information that is lost when the prediction is taken for the "
    "true distribution (Kullback-Leibler divergence).",
    "cosine": "Cosine of the angle between the true and the predicted distribution.",
    "intersection": "Share of the votes that the true and the predicted distribution "
    "have in common.",
    "euclidean": "Root of the summed squared differences of the degrees.",
    "sorensen": "Share of the votes that the prediction puts on the wrong label.",
    "squared_chi2": "Squared differences of the degrees, relative to their sums.",
    "fidelity": "Overlap of the two distributions, by the roots of their products.",
    "jensen_shannon": "Symmetric version of the Kullback-Leibler divergence, which is "
    "never infinite.",
    "emd": "How far votes must be moved along the ordered labels, times how many.",
    "spearman": "Whether the labels of a sample are in the right order, by ranks.",
    "kendall": "Whether the labels of a sample are in the right order, by pairs.",
    "zero_one_loss": "Share of samples whose largest predicted label is not the "
    "largest true one.",
    "error_probability": "Probability that a random vote is not for the largest "
    "predicted label.",
    "ranking_loss": "Share of pairs of a relevant and an irrelevant label that are in "
    "the wrong order.",
    "coverage": "How far down the ranking the last relevant label is.",
    "average_precision": "Share of relevant labels among those ranked at least as "
    "high, averaged over the relevant ones.",
    "one_error": "Share of samples whose first label is not relevant.",
    "hamming_loss": "Share of labels that are predicted wrongly.",
    "accuracy": "Share of samples whose class is predicted.",
    "balanced_accuracy": "Accuracy of each class, averaged over the classes.",
    "cohen_kappa": "Agreement with the true classes beyond chance.",
}
_NEEDS_ORDER = {"emd"}
_NEEDS_SCORES = {"ranking_loss", "coverage", "average_precision", "one_error"}


def _metrics(module: ModuleType, kind: Kind, rows: Iterable[Any]) -> dict[str, Metric]:
    return {
        name: Metric(
            name=name,
            fn=getattr(module, name),
            greater_is_better=greater,
            ideal=ideal,
            kind=kind,
            response="predict_proba" if name in _NEEDS_SCORES else "predict",
            ordered=name in _NEEDS_ORDER,
            meaning=_MEANING[name],
        )
        for name, greater, ideal in rows
    }


#: Every metric by name.
METRICS: dict[str, Metric] = {
    **_metrics(_distribution, "distribution", _DISTRIBUTION),
    **_metrics(_classification, "classification", _CLASSIFICATION),
    **_metrics(_multilabel, "multilabel", _MULTILABEL),
    **_metrics(_classes, "classes", _CLASSES),
}

#: scikit-learn scorers by metric name; errors and distances come negated.
SCORERS = {
    name: make_scorer(
        metric.fn,
        greater_is_better=metric.greater_is_better,
        response_method=metric.response,
    )
    for name, metric in METRICS.items()
}


def _lookup(name: str, table: dict[str, Any]) -> Any:
    try:
        return table[plain_metric(name)]
    except (KeyError, TypeError):
        close = get_close_matches(str(name).lower(), table, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"Unknown metric {name!r}.{hint} Choose from {', '.join(table)}."
        ) from None


def get_metric(name: str) -> Metric:
    """Look a metric up by name.

    Parameters
    ----------
    name : str
        One of the keys of ``METRICS``, or as papers write it, such as ``"KL"``. Case,
        hyphens and underscores do not matter.

    Returns
    -------
    metric : Metric

    Examples
    --------
    >>> from skldl.metrics import get_metric
    >>> get_metric("cosine").greater_is_better
    True
    """
    return _lookup(name, METRICS)


def get_scorer(name: str) -> Callable[..., float]:
    """Give a scikit-learn scorer by metric name, for ``scoring=``.

    Parameters
    ----------
    name : str
        As for :func:`get_metric`. Greater is better for every scorer: distances and
        losses come negated, as in scikit-learn.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, D) -> float``.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN
    >>> from skldl.metrics import get_scorer
    >>> X, D = make_ldl(60, random_state=0)
    >>> cross_val_score(AAkNN(), X, D, scoring=get_scorer("clark")).shape
    (5,)
    """
    return deepcopy(_lookup(name, SCORERS))


def scorers(names: str | Iterable[str]) -> dict[str, Callable[..., float]]:
    """Give several scikit-learn scorers, for ``scoring=`` with several metrics.

    Parameters
    ----------
    names : iterable of str or str
        Names as for :func:`get_metric`, or a kind of metric: "distribution",
        "classification", "multilabel" or "classes". A kind gives all its metrics that
        do not need ordered labels.

    Returns
    -------
    scorers : dict of str to callable
        By the names given, or by the names of the metrics of the kind.

    Examples
    --------
    >>> from sklearn.model_selection import cross_validate
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import AAkNN
    >>> from skldl.metrics import scorers
    >>> X, D = make_ldl(60, random_state=0)
    >>> scores = cross_validate(AAkNN(), X, D, scoring=scorers(["clark", "KL"]))
    >>> [name for name in scores if name.startswith("test")]
    ['test_clark', 'test_KL']
    """
    if isinstance(names, str):
        names = _names_of_kind(names)
    found = {name: get_scorer(name) for name in names}
    if not found:
        raise ValueError("names is empty; name at least one metric.")
    return found


def _names_of_kind(kind: str) -> list[str]:
    kinds = list(get_args(Kind))
    if kind not in kinds:
        raise ValueError(
            f"names is {kind!r}; give a list of metrics, as in [{kind!r}], or a kind: "
            f"{', '.join(kinds)}."
        )
    return [m.name for m in METRICS.values() if m.kind == kind and not m.ordered]


def evaluate(
    D: Any,
    P: Any,
    *,
    metrics: Iterable[str] | None = None,
    ordered: bool = False,
    sample_weight: Any = None,
    average: Literal["mean"] | None = "mean",
) -> dict[str, Any]:
    """Judge predicted distributions by many metrics at once.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        True distributions.
    P : array-like of shape (n_samples, n_labels)
        Predicted distributions.
    metrics : iterable of str, default=None
        Names of metrics; None takes all that compare distributions or judge
        the induced classifier.
    ordered : bool, default=False
        Whether the labels are ordered, so that metrics such as ``emd`` make
        sense; only matters when ``metrics`` is None.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples in the means.
    average : {"mean"} or None, default="mean"
        None gives one value per sample, for deviations over instances.

    Returns
    -------
    values : dict
        Metric name to value.

    Examples
    --------
    >>> from skldl.metrics import evaluate
    >>> evaluate([[0.5, 0.5]], [[1.0, 0.0]], metrics=["intersection", "chebyshev"])
    {'intersection': 0.5, 'chebyshev': 0.5}
    """
    if isinstance(metrics, str):
        metrics = [metrics]
    elif metrics is None:
        D, P = check_distribution_pair(D, P)  # once for all
        metrics = [
            metric.name
            for metric in METRICS.values()
            if metric.kind in ("distribution", "classification")
            and (ordered or not metric.ordered)
        ]
    return {
        name: get_metric(name).fn(D, P, sample_weight=sample_weight, average=average)
        for name in metrics
    }
