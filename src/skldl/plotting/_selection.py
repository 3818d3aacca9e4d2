"""Performance against the number of selected features."""

from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from skldl.metrics import get_metric


def plot_selection_curve(
    table: pd.DataFrame,
    metric: str = "clark",
    *,
    ax: Axes | None = None,
    label: str | None = None,
    title: str = "",
    **line: Any,
) -> Axes:
    """Draw a metric against the share of selected features.

    Parameters
    ----------
    table : DataFrame
        What :func:`skldl.ldl.selection_curve` gave.
    metric : str, default="clark"
        Which of its metrics.
    ax : Axes, default=None
        Where to draw; None makes a figure. Several curves may go on one.
    label : str, default=None
        Name of the curve for a legend.
    title : str, default=""
        Title.
    **line : optional
        For ``Axes.plot``.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from skldl.datasets import make_ldl
    >>> from skldl.ldl import LSELDL, selection_curve
    >>> from skldl.plotting import plot_selection_curve
    >>> X, D = make_ldl(100, n_features=10, random_state=0)
    >>> ax = plot_selection_curve(selection_curve(LSELDL(), X, D), "clark")
    >>> ax.get_ylabel()
    'clark ↓'
    """
    part = table[table["metric"] == metric].sort_values("share")
    if part.empty:
        known = ", ".join(dict.fromkeys(table["metric"]))
        raise ValueError(f"The table has no metric {metric!r}; it has {known}.")
    if ax is None:
        ax = plt.subplots(layout="constrained")[1]
    percent, mean = 100 * part["share"], part["mean"]
    drawn = ax.plot(percent, mean, label=label, **{"marker": "o", **line})[0]
    deviation = part["std"].fillna(0.0)
    ax.fill_between(
        percent, mean - deviation, mean + deviation, color=drawn.get_color(), alpha=0.15
    )
    ax.set(
        xlabel="selected features in %", ylabel=get_metric(metric).label, title=title
    )
    if label is not None:
        ax.legend()
    return ax
