"""Comparisons of methods over data sets: ranks, heat maps, pairs."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from skldl.benchmark import read_rows, score_table, select_comparison, stats
from skldl.metrics import Metric, get_metric
from skldl.plotting._point_names import name_points

_WRITTEN = 200  # cells up to which the numbers are written into a heat map


def plot_critical_difference(
    results: Any,
    metric: str | None = None,
    *,
    cd: float | None = None,
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks on a ruler; a bar joins methods that do not differ.

    Parameters
    ----------
    results : Store, str, Path, DataFrame or Series
        A store of a comparison, the path of one or its rows; or average ranks by
        method, which need ``cd``.
    metric : str, default=None
        By which metric to rank; needed unless ``results`` are ranks.
    cd : float, default=None
        Critical difference of average ranks; None takes Nemenyi's, see
        :func:`skldl.benchmark.stats.critical_difference`.
    alpha : float, default=0.05
        Level of Nemenyi's test.
    ax : Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : Axes
        Rank 1, the best, is on the left.

    References
    ----------
    .. [1] J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets",
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.plotting import plot_critical_difference
    >>> ranks = pd.Series({"MSLP": 1.4, "AAkNN": 2.1, "SAIIS": 2.5})
    >>> ax = plot_critical_difference(ranks, cd=0.9)
    >>> [text.get_text() for text in ax.texts][-3:]
    ['MSLP (1.40)', 'AAkNN (2.10)', 'SAIIS (2.50)']
    """
    if isinstance(results, pd.Series):
        ranks = results
        if cd is None:
            raise ValueError(
                "cd is needed with average ranks; use stats.critical_difference."
            )
    else:
        table, found = _scores_of(results, metric)
        outcome = stats.average_ranks(table, greater_is_better=found.greater_is_better)
        ranks = outcome
        if cd is None:
            n_blocks = len(table) - len(outcome.attrs["dropped"])
            cd = stats.critical_difference(len(ranks), n_blocks, alpha=alpha)
    ordered = ranks.sort_values(kind="stable")
    groups = stats.cd_groups(ordered, cd)
    height = 1.1 + 0.12 * len(groups) + 0.25 * ((len(ordered) + 1) // 2)
    if ax is None:
        width = 4.5 + 0.17 * max(len(str(name)) for name in ordered.index)
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    _draw_ruler(ax, len(ordered), cd)
    for level, group in enumerate(groups):
        ends = ordered[group[0]] - 0.03, ordered[group[-1]] + 0.03
        ax.plot(ends, [-0.45 - 0.3 * level] * 2, color="0.2", lw=4, gid="group")
    _draw_names(ax, ordered, top=-0.9 - 0.3 * len(groups))
    return ax


def _draw_ruler(ax: Axes, n_methods: int, cd: float) -> None:
    """A line with a tick per rank, and the critical difference above it."""
    ax.set_axis_off()
    ax.plot([1, n_methods], [0, 0], color="0.2", lw=1)
    for rank in range(1, n_methods + 1, max(1, n_methods // 12)):
        ax.plot([rank, rank], [0, 0.2], color="0.2", lw=1)
        ax.text(rank, 0.3, str(rank), ha="center", va="bottom", fontsize="small")
    shown = min(cd, n_methods - 1)
    ax.plot([1, 1 + shown], [1.3, 1.3], color="0.2", lw=2, marker="|", gid="cd")
    ax.text(1 + shown / 2, 1.4, f"CD = {cd:.2f}", ha="center", va="bottom")


def _draw_names(ax: Axes, ordered: pd.Series, top: float) -> None:
    """The better half on the left, the rest on the right."""
    n_methods = len(ordered)
    n_left = (n_methods + 1) // 2
    reach = 0.05 * max(1, n_methods - 1)
    for place, (name, rank) in enumerate(ordered.items()):
        left = place < n_left
        row = place if left else n_methods - 1 - place
        y = top - 0.6 * row
        edge = 1 - reach if left else n_methods + reach
        ax.plot([rank, rank, edge], [0, y, y], color="0.2", lw=0.8)
        ax.text(
            edge - reach / 4 if left else edge + reach / 4,
            y,
            f"{name} ({rank:.2f})",
            ha="right" if left else "left",
            va="center",
        )
    ax.set_xlim(1 - reach, n_methods + reach)  # the layout makes room for the names


def plot_score_heatmap(
    results: Any,
    metric: str,
    *,
    show: Literal["rank", "score"] = "rank",
    ax: Axes | None = None,
    cmap: str = "viridis_r",
) -> Axes:
    """Draw methods x data sets, the best methods on top.

    Parameters
    ----------
    results : Store, str, Path or DataFrame
        A store of a comparison, the path of one or its rows.
    metric : str
        Which metric.
    show : {"rank", "score"}, default="rank"
        Whether colours are ranks on each data set, or mean scores. Scores of different
        data sets rarely compare; ranks do.
    ax : Axes, default=None
        Where to draw; None makes a figure.
    cmap : str, default="viridis_r"
        Colours, of the best first.

    Returns
    -------
    ax : Axes
        A method that failed in a fold of a data set has a blank cell there.

    Examples
    --------
    >>> from skldl.benchmark import Plan, Split, run
    >>> from skldl.plotting import plot_score_heatmap
    >>> plan = Plan(["toy", "synthetic"], ["AAkNN"], Split(n_splits=2))
    >>> ax = plot_score_heatmap(run(plan, engine="serial"), "clark")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['AAkNN', 'MeanDistribution']
    """
    if show not in ("rank", "score"):
        raise ValueError(f"show must be 'rank' or 'score', got {show!r}.")
    table, found = _scores_of(results, metric)
    ranks = stats.rank_rows(table, greater_is_better=found.greater_is_better)
    values = (ranks if show == "rank" else table).T
    values = values.loc[ranks.mean().sort_values(kind="stable").index]
    if ax is None:
        size = (2.5 + 0.8 * values.shape[1], 1.2 + 0.32 * values.shape[0])
        _, ax = plt.subplots(figsize=size, layout="constrained")
    turn = show == "score" and found.greater_is_better
    colours = plt.get_cmap(cmap).reversed() if turn else plt.get_cmap(cmap)
    ax.set_facecolor("0.9")  # blank is not a colour of the map
    image = ax.imshow(
        np.ma.masked_invalid(values.to_numpy(float)), cmap=colours, aspect="auto"
    )
    if values.size <= _WRITTEN:
        _write_cells(ax, values, image, digits=1 if show == "rank" else 3)
    ax.set_xticks(range(values.shape[1]), values.columns, rotation=45, ha="right")
    ax.set_yticks(range(values.shape[0]), values.index)
    title = f"{found.title} {found.arrow}"
    ax.set_title(f"rank by {title}" if show == "rank" else title)
    return ax


def _write_cells(ax: Axes, values: pd.DataFrame, image: Any, digits: int) -> None:
    for i, j in zip(*np.nonzero(values.notna().to_numpy()), strict=True):
        value = values.iat[i, j]
        dark = np.dot(image.cmap(image.norm(value))[:3], [0.3, 0.6, 0.1]) < 0.5
        color = "white" if dark else "black"
        text = f"{value:.{digits}f}".removesuffix(".0")
        ax.text(j, i, text, ha="center", va="center", color=color, fontsize="small")


def plot_pairwise_scores(
    results: Any,
    metric: str,
    first: str,
    second: str,
    *,
    names: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of two methods against each other, a point per data set.

    Parameters
    ----------
    results : Store, str, Path or DataFrame
        A store of a comparison, the path of one or its rows.
    metric : str
        Which metric.
    first, second : str
        The methods on the horizontal and vertical axis.
    names : bool, default=True
        Whether to write the names of the data sets beside the points.
    ax : Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : Axes
        Points off the diagonal are on the side of the better method, which the title
        counts. Data sets without a score of both are left out.

    Examples
    --------
    >>> from skldl.benchmark import Plan, Split, run
    >>> from skldl.plotting import plot_pairwise_scores
    >>> plan = Plan(["toy", "synthetic"], ["AAkNN"], Split(n_splits=2))
    >>> rows = run(plan, engine="serial")
    >>> ax = plot_pairwise_scores(rows, "clark", "AAkNN", "MeanDistribution")
    >>> ax.get_title()
    'Clark ↓: AAkNN better on 2, equal on 0, MeanDistribution better on 0'
    """
    table, found = _scores_of(results, metric)
    unknown = [name for name in (first, second) if name not in table.columns]
    if unknown:
        known = ", ".join(map(str, table.columns))
        raise ValueError(f"{unknown[0]!r} is not among the methods: {known}.")
    both = table[[first, second]].dropna()
    if both.empty:
        raise ValueError(f"No data set has a score of both {first} and {second}.")
    x, y = both[first].to_numpy(), both[second].to_numpy()
    if ax is None:
        _, ax = plt.subplots(figsize=(5.0, 5.0), layout="constrained")
    ax.scatter(x, y, color="C0", zorder=3)
    room = 0.05 * (max(x.max(), y.max()) - min(x.min(), y.min())) or 0.05
    ends = min(x.min(), y.min()) - room, max(x.max(), y.max()) + room
    ax.plot(ends, ends, color="0.6", lw=1, zorder=1)
    ax.set(xlim=ends, ylim=ends, xlabel=first, ylabel=second, aspect="equal")
    if names:
        name_points(ax, x, y, list(both.index))
    gain = x - y if found.greater_is_better else y - x
    ax.set_title(
        f"{found.title} {found.arrow}: {first} better on {(gain > 0).sum()}, equal on "
        f"{(gain == 0).sum()}, {second} better on {(gain < 0).sum()}",
        fontsize="medium",
        wrap=True,
    )
    return ax


def _scores_of(results: Any, metric: str | None) -> tuple[pd.DataFrame, Metric]:
    """Mean scores by data set and method, without those that have none."""
    if metric is None:
        raise ValueError("metric is needed: name the metric of the comparison.")
    found = get_metric(metric)
    rows, _ = select_comparison(read_rows(results), {})
    fitting = rows.loc[rows["metric"] == found.name, "dataset"].unique()
    if not len(fitting):
        raise ValueError(f"There are no results of {found.name}.")
    table = score_table(rows[rows["dataset"].isin(fitting)], found.name)
    return table.dropna(how="all").dropna(axis=1, how="all"), found
