"""Tables about selected features: how they rank, and how many are needed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from skldl._sklearn import safe_indexing
from skldl.ldl._lse_start import resolve_selected
from skldl.metrics import evaluate, get_metric
from skldl.validation import check_distribution, check_folds

SHARES = tuple(round(0.1 * i, 1) for i in range(1, 11))
_METRICS = (
    "chebyshev",
    "clark",
    "canberra",
    "kl_divergence",
    "cosine",
    "intersection",
)


def ranked_features(estimator: Any) -> pd.DataFrame:
    """Features of a fitted selector, the most important first.

    Parameters
    ----------
    estimator : LSELDL, a search of it, or Pipeline that ends in one
        Fitted.

    Returns
    -------
    table : DataFrame
        Indexed by rank from 1, with the columns ``feature`` (its name, or its number),
        ``score``, ``share`` of the sum of scores, and ``selected``.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDL, ranked_features
    >>> X, D = make_ldl(100, n_features=3, random_state=0)
    >>> model = LSELDL().fit(pd.DataFrame(X, columns=["age", "height", "weight"]), D)
    >>> list(ranked_features(model).columns)
    ['feature', 'score', 'share', 'selected']
    """
    check_is_fitted(estimator)
    if isinstance(estimator, Pipeline):
        given = estimator[:-1].get_feature_names_out() if len(estimator) > 1 else None
        table = ranked_features(estimator[-1])
        if given is not None and table["feature"].dtype.kind in "iu":
            table["feature"] = np.asarray(given)[table["feature"].to_numpy()]
        return table
    if hasattr(estimator, "best_estimator_"):
        return ranked_features(estimator.best_estimator_)
    names = getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))
    order, scores = estimator.ranking_, estimator.feature_scores_
    return pd.DataFrame(
        {
            "feature": names[order],
            "score": scores[order],
            "share": estimator.feature_importances_[order],
            "selected": estimator.get_support()[order],
        },
        index=pd.RangeIndex(1, len(order) + 1, name="rank"),
    )


def selection_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    shares: Sequence[float] = SHARES,
    metrics: Sequence[str] = _METRICS,
    cv: Any = 5,
) -> pd.DataFrame:
    """Performance against the share of selected features, by cross-validation.

    One fit per fold serves all shares.

    Parameters
    ----------
    estimator : LSELDL, a search of it, or Pipeline that ends in one
        What to fit; not fitted itself.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples, n_labels)
        Their distributions, D.
    shares : sequence of float, default=(0.1, 0.2, ..., 1.0)
        Shares of the features, above 0 and up to 1.
    metrics : sequence of str, default: six of the distribution metrics
        Names, see :mod:`skldl.metrics`.
    cv : int, splitter or iterable, default=5
        Folds; an integer gives plain folds without shuffling.

    Returns
    -------
    table : DataFrame
        One row per share and metric: ``share``, ``n_features`` (the most over folds),
        ``metric``, and over folds ``mean`` and ``std``.

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDL, selection_curve
    >>> X, D = make_ldl(100, n_features=10, random_state=0)
    >>> table = selection_curve(LSELDL(), X, D, shares=[0.5, 1.0], metrics=["clark"])
    >>> table["n_features"].tolist()
    [5, 10]
    """
    D = check_distribution(y)
    check_consistent_length(X, D)
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    shares = [float(share) for share in shares]
    if not shares or not all(0 < share <= 1 for share in shares):
        raise ValueError(f"shares must be above 0 and at most 1, got {shares}.")
    for name in metrics:
        get_metric(name)
    rows = []
    for fold, (train, test) in enumerate(check_folds(cv, X, D)):
        model = clone(estimator).fit(safe_indexing(X, train), D[train])
        last, new = _last_step(model, safe_indexing(X, test))
        for share, P in zip(shares, last.predict_path(new, shares), strict=True):
            values = evaluate(D[test], P, metrics=list(metrics))
            count = resolve_selected(share, last.n_features_in_)
            rows += [(share, count, name, fold, v) for name, v in values.items()]
    columns = ["share", "n_features", "metric", "fold", "value"]
    groups = pd.DataFrame(rows, columns=columns).groupby(["share", "metric"])
    table = groups.agg(
        n_features=("n_features", "max"), mean=("value", "mean"), std=("value", "std")
    ).reset_index()
    table = table[["share", "n_features", "metric", "mean", "std"]]
    return table.sort_values(["metric", "share"], kind="stable", ignore_index=True)


def _last_step(model: Any, X: Any) -> tuple[Any, Any]:
    """The selector, and samples as it sees them."""
    model = getattr(model, "best_estimator_", model)
    if isinstance(model, Pipeline):
        X = model[:-1].transform(X) if len(model) > 1 else X
        return _last_step(model[-1], X)
    if not hasattr(model, "predict_path"):
        raise ValueError(
            f"{type(model).__name__} does not predict from chosen numbers of features; "
            "use LSELDL, a search of it, or a Pipeline that ends in one."
        )
    return model, X
