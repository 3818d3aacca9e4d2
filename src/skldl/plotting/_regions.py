"""Regions around predicted distributions: bars with intervals, triangles, coverage."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.tri import Triangulation

from skldl.conformal import Regions
from skldl.validation import check_distribution, label_names

_STEPS = 200  # points along an edge of the triangle
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def plot_regions(
    regions: Regions,
    D: Any = None,
    *,
    samples: Sequence[int] | int = 3,
    labels: Sequence[Any] | None = None,
    axes: Axes | Sequence[Axes] | None = None,
) -> list[Axes]:
    """Bars of predicted degrees with their intervals.

    Labels that may be the largest have dark bars.

    Parameters
    ----------
    regions : Regions
        What :meth:`~skldl.conformal.ConformalDistribution.predict_region` gave.
    D : array-like of shape (n_samples, n_labels), default=None
        True distributions, drawn as points: hollow outside of the region.
    samples : sequence of int or int, default=3
        Row numbers to show; a number n shows the first n.
    labels : sequence, default=None
        Label names; None takes those of the regions.
    axes : Axes or sequence of Axes, default=None
        One per sample; None makes a figure.

    Returns
    -------
    axes : list of Axes

    Examples
    --------
    >>> from skldl.conformal import ConformalDistribution
    >>> from skldl.datasets import make_ldl
    >>> from skldl.plotting import plot_regions
    >>> X, D = make_ldl(200, n_labels=4, random_state=0)
    >>> model = ConformalDistribution(random_state=0).fit(X[:150], D[:150])
    >>> axes = plot_regions(model.predict_region(X[150:]), D[150:], samples=[0, 1])
    >>> len(axes)
    2
    """
    count = len(regions)
    rows = list(range(min(samples, count)) if isinstance(samples, int) else samples)
    wrong = [row for row in rows if not 0 <= row < count]
    if wrong or not rows:
        raise ValueError(f"samples must be rows from 0 to {count - 1}, got {rows}.")
    names = [str(name) for name in (regions.classes if labels is None else labels)]
    if len(names) != len(regions.classes):
        raise ValueError(
            f"labels has {len(names)} names for {len(regions.classes)} labels."
        )
    true = None if D is None else check_distribution(D, on_unnormalized="normalize")
    inside = None if D is None else regions.contains(D)
    if axes is None:
        width = 2.0 + 0.3 * len(names)
        _, grid = plt.subplots(
            1, len(rows), figsize=(width * len(rows), 3.2), squeeze=False,
            sharey=True, layout="constrained",
        )  # fmt: skip
        axes = list(grid[0])
    axes = [axes] if isinstance(axes, Axes) else list(axes)
    if len(axes) != len(rows):
        raise ValueError(f"axes has {len(axes)} entries for {len(rows)} samples.")
    for ax, row in zip(axes, rows, strict=True):
        _draw_bars(ax, regions, row, names)
        if true is not None and inside is not None:
            _draw_truth(ax, true[row], bool(inside[row]))
        ax.set_title(f"sample {row}")
    axes[0].set_ylabel(f"degree, {100 * regions.coverage:g} % region")
    if true is not None:
        axes[0].legend()
    return axes


def _draw_bars(ax: Axes, regions: Regions, row: int, names: list[str]) -> None:
    places = np.arange(len(names))
    center = regions.center[row]
    colors = np.where(regions.labels[row], "C0", "lightsteelblue")
    ax.bar(places, center, 0.7, color=list(colors))
    low, high = regions.lower[row], regions.upper[row]
    ax.vlines(places, low, high, color="0.2", lw=1.5)
    for ends in (low, high):
        ax.hlines(ends, places - 0.15, places + 0.15, color="0.2", lw=1.5)
    ax.set_xticks(places, names, rotation=90 if max(map(len, names)) > 2 else 0)
    ax.set_ylim(0, min(1.0, 1.08 * float(regions.upper.max()) + 0.01))


def _draw_truth(ax: Axes, degrees: Any, inside: bool) -> None:
    face = "C1" if inside else "none"
    ax.plot(
        np.arange(len(degrees)), degrees, "o", color="C1", markerfacecolor=face,
        ms=5, label="true" if inside else "true, outside", zorder=3,
    )  # fmt: skip


def plot_ternary(
    regions: Any,
    D: Any = None,
    *,
    samples: Sequence[int] | None = None,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Distributions of three labels in a triangle, with the borders of their regions.

    Parameters
    ----------
    regions : Regions or array-like of shape (n_samples, 3)
        Regions, or distributions alone.
    D : array-like of shape (n_samples, 3), default=None
        True distributions, joined to the centres by lines.
    samples : sequence of int, default=None
        Row numbers to show; None shows all.
    labels : sequence, default=None
        Names of the corners; None takes those of the regions or columns.
    ax : Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from skldl.plotting import plot_ternary
    >>> ax = plot_ternary([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]])
    >>> ax.get_aspect()
    1.0
    """
    is_region = isinstance(regions, Regions)
    P = regions.center if is_region else check_distribution(regions, name="regions")
    if P.shape[1] != 3:
        raise ValueError(f"A triangle has 3 labels, but there are {P.shape[1]}.")
    names: Any = labels
    if labels is None:
        names = regions.classes if is_region else label_names(regions, 3)
    rows = list(range(len(P)) if samples is None else samples)
    if ax is None:
        ax = plt.subplots(figsize=(4.5, 4.2), layout="constrained")[1]
    _draw_triangle(ax, [str(name) for name in names])
    if is_region:
        _draw_borders(ax, regions, rows)
    points = P[rows] @ _CORNERS
    if D is not None:
        true = check_distribution(D, on_unnormalized="normalize")[rows] @ _CORNERS
        for start, end in zip(points, true, strict=True):
            ax.plot(*zip(start, end, strict=True), color="0.6", lw=0.8, zorder=2)
        ax.plot(*true.T, "o", color="C1", ms=4, label="true", zorder=3)
    ax.plot(*points.T, "s", color="C0", ms=4, label="predicted", zorder=3)
    if D is not None:
        ax.legend(loc="upper right")
    return ax


def _draw_triangle(ax: Axes, names: list[str]) -> None:
    ax.fill(*_CORNERS.T, facecolor="none", edgecolor="0.3", lw=1)
    for share in (0.25, 0.5, 0.75):
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            ends = share * _CORNERS[a] + (1 - share) * _CORNERS[[b, c]]
            ax.plot(*ends.T, color="0.9", lw=0.6, zorder=0)
    shifts = ((0, -0.03, "top"), (0, -0.03, "top"), (0, 0.02, "bottom"))
    for (x, y), (dx, dy, va), name in zip(_CORNERS, shifts, names, strict=True):
        ax.text(x + dx, y + dy, name, ha="center", va=va)
    ax.set(xlim=(-0.1, 1.1), ylim=(-0.1, 0.98), aspect="equal")
    ax.set_axis_off()


def _draw_borders(ax: Axes, regions: Regions, rows: list[int]) -> None:
    """Contour lines of the distance, where it is the radius."""
    a, b = np.meshgrid(np.arange(_STEPS + 1), np.arange(_STEPS + 1))
    keep = a + b <= _STEPS
    grid = np.column_stack([a[keep], b[keep], _STEPS - (a + b)[keep]]) / _STEPS
    net = Triangulation(*(grid @ _CORNERS).T)
    for row in rows:
        distance = regions.distances(grid, row)
        radius = float(regions.radius[row])
        levels = [-1.0, min(radius, float(distance.max()) + 1)]
        ax.tricontourf(net, distance, levels=levels, colors=["C0"], alpha=0.12)
        if distance.max() > radius:
            ax.tricontour(net, distance, levels=[radius], colors=["C0"], linewidths=1)


def plot_coverage(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Coverage found on new samples against the coverage asked for.

    Parameters
    ----------
    table : DataFrame
        What :func:`skldl.conformal.coverage_table` gave.
    ax : Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : Axes
        A line for all samples and one per group, thin lines for the labels. The band is
        where the coverage of all samples is by chance.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.plotting import plot_coverage
    >>> row = {"level": 0.9, "kind": "all", "part": "all", "n_samples": 100}
    >>> row |= {"coverage": 0.92, "low": 0.8, "high": 0.98, "size": 0.3}
    >>> plot_coverage(pd.DataFrame([row])).get_xlabel()
    'coverage asked for'
    """
    if ax is None:
        ax = plt.subplots(figsize=(4.8, 4.0), layout="constrained")[1]
    levels = np.sort(table["level"].unique())
    ends = [max(0.0, levels[0] - 0.05), min(1.0, levels[-1] + 0.03)]
    ax.plot(ends, ends, "--", color="0.5", lw=1, label="asked for")
    order = {"all": 0, "group": 1, "label": 2}
    parts = sorted(
        table.groupby(["kind", "part"], sort=False), key=lambda p: order[p[0][0]]
    )
    for number, ((kind, part), rows) in enumerate(parts):
        rows = rows.sort_values("level")
        thin = kind == "label"
        style = {"color": "0.7", "lw": 0.8} if thin else {"color": f"C{number}"}
        first = thin and parts[number - 1][0][0] != "label"
        name = "all samples" if kind == "all" else f"group {part}"
        name = ("single labels" if first else "_") if thin else name
        ax.plot(rows["level"], rows["coverage"], "o-", ms=4, label=name, **style)
        if kind == "all" and rows["low"].notna().all():
            band = (rows["level"], rows["low"], rows["high"])
            ax.fill_between(*band, color="C0", alpha=0.15, label="by chance")
    ax.set(xlabel="coverage asked for", ylabel="coverage found")
    ax.legend()
    return ax
