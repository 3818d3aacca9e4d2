"""Partial dependence of every label's degree on one feature."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.stats.mstats import mquantiles
from sklearn.base import is_regressor

from skldl._typing import FloatArray
from skldl.plotting._embedding import palette


def plot_partial_dependence(
    model: Any,
    X: Any,
    feature: str | int,
    *,
    labels: Sequence[Any] | None = None,
    grid_resolution: int = 50,
    ax: Axes | None = None,
    cmap: str = "tab10",
    **line: Any,
) -> Axes:
    r"""Draw the mean predicted distribution against one feature, a line per label.

    The partial dependence of label l on feature s is

    .. math:: f_l(v) = \frac{1}{n} \sum_i p_l(x_i \text{ with } x_{is} = v),

    so the lines of all labels sum to 1 at every value.

    Parameters
    ----------
    model : fitted estimator
        A learner of this library, or a Pipeline or search with one.
    X : DataFrame or array-like of shape (n_samples, n_features)
        Samples over which predictions are averaged.
    feature : str or int
        Name of a column of a DataFrame, or its number.
    labels : sequence, default=None
        Which labels to draw, by their names in ``classes_``; None draws all.
    grid_resolution : int, default=50
        Number of values of a numeric feature, between its 5th and 95th percentile;
        text, and a feature with fewer different values, is drawn at each of these.
    ax : Axes, default=None
        Where to draw; None makes a figure.
    cmap : str, default="tab10"
        Colours of the labels.
    **line : optional
        For ``Axes.plot``.

    Returns
    -------
    ax : Axes

    Notes
    -----
    :func:`sklearn.inspection.partial_dependence` takes our learners as they are; row l
    of its result belongs to ``classes_[l]``.
    ``PartialDependenceDisplay.from_estimator`` does not take them when labels have
    names. It treats an estimator with ``classes_`` as a classifier first, so that
    ``target`` must be an entry of sorted ``classes_``, and then as a regressor, so that
    the same ``target`` must be a column number (scikit-learn 1.6 to 1.9). Both apply
    only for labels without names. Give it ``skldl.as_classifier(model)`` and the name
    of a label, or ``skldl.base.without_label_names(model)`` and a column number.

    References
    ----------
    J. H. Friedman. Greedy function approximation: a gradient boosting machine. Annals
    of Statistics, 2001.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import SABFGS
    >>> from skldl.plotting import plot_partial_dependence
    >>> X, D = make_ldl(100, 2, 3, random_state=0)
    >>> X = pd.DataFrame(X, columns=["age", "size"])
    >>> D = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    >>> ax = plot_partial_dependence(SABFGS().fit(X, D), X, "age")
    >>> [line.get_label() for line in ax.get_lines()]
    ['joy', 'fear', 'calm']
    """
    names = _label_names(model)
    chosen = _chosen(labels, names)
    X = X if hasattr(X, "iloc") else np.asarray(X)
    place = _place(X, feature)
    values = _values(pd.DataFrame(X).iloc[:, place], grid_resolution)
    degrees = _mean_degrees(model, X, place, values)
    if ax is None:
        ax = plt.subplots(layout="constrained")[1]
    places = values
    if not _is_number(values):
        places = np.arange(len(values))
        ax.set_xticks(places, [str(value) for value in values])
    colors = palette(len(names), cmap)
    marker = "o" if len(values) < 10 else ""
    for label in chosen:
        style = {"color": tuple(colors[label]), "marker": marker, **line}
        ax.plot(places, degrees[:, label], label=names[label], **style)
    ax.set(xlabel=_feature_name(X, feature), ylabel="mean predicted degree")
    ax.set_ylim(bottom=0.0)
    ax.legend(fontsize="small", framealpha=0.8)
    return ax


def _label_names(model: Any) -> list[str]:
    if not is_regressor(model) or not hasattr(model, "classes_"):
        raise ValueError(
            "model must be a fitted predictor of distributions, or a Pipeline or "
            f"search with one, got {type(model).__name__}."
        )
    return [str(name) for name in model.classes_]


def _chosen(labels: Sequence[Any] | None, names: list[str]) -> list[int]:
    if labels is None:
        return list(range(len(names)))
    wanted = [labels] if isinstance(labels, str) else [str(name) for name in labels]
    unknown = [name for name in wanted if name not in names]
    if unknown or not wanted:
        what = f"{unknown[0]!r} is not a label" if unknown else "labels is empty"
        raise ValueError(f"{what}; the model has {', '.join(names)}.")
    return [names.index(name) for name in wanted]


def _place(X: Any, feature: str | int) -> int:
    columns = [str(name) for name in getattr(X, "columns", [])]
    if isinstance(feature, str):
        if feature not in columns:
            known = f"it has {', '.join(columns[:10])}" if columns else "it has numbers"
            raise ValueError(f"feature {feature!r} is not a column of X; {known}.")
        return columns.index(feature)
    if not 0 <= feature < X.shape[1]:
        raise ValueError(f"feature is {feature}, but X has {X.shape[1]} columns.")
    return int(feature)


def _values(column: pd.Series, resolution: int) -> NDArray[Any]:
    """Where to measure: scikit-learn's grid, without missing values."""
    present = np.asarray(column.dropna())
    if not len(present):
        raise ValueError("feature has only missing values.")
    different = np.unique(present)
    if not _is_number(different) or len(different) < resolution:
        return different
    low, high = mquantiles(present.astype(np.float64), prob=(0.05, 0.95))
    return np.linspace(low, high, resolution)


def _is_number(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "fiu"


def _mean_degrees(model: Any, X: Any, place: int, values: NDArray[Any]) -> FloatArray:
    """Mean predicted degrees with one column set to each of the values."""
    changed = pd.DataFrame(X).copy()  # an array's column gets a type of its own
    name = changed.columns[place]
    rows = []
    for value in values:
        changed[name] = value
        given = changed if hasattr(X, "columns") else changed.to_numpy()
        rows.append(np.asarray(model.predict(given)).mean(axis=0))
    return np.array(rows)


def _feature_name(X: Any, feature: str | int) -> str:
    if isinstance(feature, str):
        return feature
    columns = getattr(X, "columns", None)
    return f"feature {feature}" if columns is None else str(columns[feature])
