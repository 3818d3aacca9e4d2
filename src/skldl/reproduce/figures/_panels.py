"""How rows become curves and bars, in panels of one size."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import (
    FixedLocator,
    LogLocator,
    MaxNLocator,
    NullLocator,
    ScalarFormatter,
    StrMethodFormatter,
)

from skldl.reproduce.figures._looks import Look, looks_of

MOST_WIDTH = 10.0  # inches; a page shrinks what is wider, and its text
PANEL_WIDTH, PANEL_HEIGHT = 3.3, 2.7
_COLUMNS = 3
_FEW_TICKS = 7
_FEW_DECADES = 3
_BETWEEN = 0.1  # inches above and below a panel, so that titles belong to their own
_DODGE = 0.5  # of the room between neighbouring x, for all series together
_MANY = 40


def panel_grid(
    n_panels: int, *, height: float = PANEL_HEIGHT, columns: int = _COLUMNS
) -> tuple[Figure, list[Axes]]:
    """Make a figure for a number of panels, three in a row."""
    columns = min(n_panels, columns)
    if n_panels == columns + 1 > 3:
        columns -= 1  # two and two, in place of three and one
    lines = -(-n_panels // columns)
    size = (max(PANEL_WIDTH * columns, 5.0), height * lines)
    engine = ConstrainedLayoutEngine(h_pad=_BETWEEN if lines > 1 else None)
    drawing = Figure(figsize=size, layout=engine)
    axes = list(drawing.subplots(lines, columns, squeeze=False).ravel())
    for ax in axes[n_panels:]:
        ax.remove()
    return drawing, axes[:n_panels]


def legend_below(drawing: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """One legend for all panels, outside of them."""
    width = float(drawing.get_size_inches()[0])
    widest = max(map(len, names), default=1)
    columns = max(1, min(len(names), int(width / (0.5 + 0.085 * widest))))
    drawing.legend(handles, names, loc="outside lower center", ncols=columns)


def draw_curves(
    rows: pd.DataFrame,
    *,
    xlabel: str,
    ylabel: str,
    logx: bool = False,
    logy: bool = False,
    dodge: bool = False,
) -> Figure:
    """Draw lines: one panel per ``panel``, one line per ``series``.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, series, x, y and perhaps error.
    xlabel, ylabel : str
        Names of the axes; an empty ``ylabel`` is for panels that name what they show.
    logx, logy : bool, default=False
        Whether an axis is logarithmic.
    dodge : bool, default=False
        Whether points of the same x are drawn beside each other, where lines would
        hide each other's bars.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    names = list(dict.fromkeys(rows["series"]))
    drawing, axes = panel_grid(len(panels))
    marked = rows.groupby(["panel", "series"]).size().max() < _MANY
    looks, lines = looks_of(names), {}
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        for series, line in part.groupby("series", sort=False):
            if dodge and len(names) > 1:
                beside = names.index(series) - (len(names) - 1) / 2
                share = beside / max(len(names), 3)
                line = line.assign(x=_moved(line["x"], part["x"], share, logx))
            lines[series] = _draw_line(ax, line, looks[series], marked)
        ax.set_title(str(panel))
        ax.set_yscale("log" if logy else "linear")
        _set_ticks(ax, part["x"], logx)
        if logy:
            _name_log_ticks(ax, part["y"])
    for ax in axes:
        ax.set(xlabel=xlabel, ylabel=ylabel if leftmost(ax) else "")
    if len(names) > 1:
        legend_below(drawing, [lines[name] for name in names], names)
    return drawing


def _moved(
    x: pd.Series, all_x: pd.Series, share: float, logarithmic: bool
) -> pd.Series:
    """Move points by a share of what the smallest step leaves for all series."""
    known = np.unique(all_x.to_numpy(dtype=np.float64))
    if len(known) < 2:
        return x
    if logarithmic:
        step = np.diff(np.log(known)).min()
        return x * float(np.exp(share * _DODGE * step))
    return x + share * _DODGE * float(np.diff(known).min())


def _name_log_ticks(ax: Axes, y: pd.Series) -> None:
    """Write 1, 2 and 5 of each decade where powers of ten alone would be too few."""
    if np.log10(y.max() / y.min()) < _FEW_DECADES:
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_locator(NullLocator())


def leftmost(ax: Axes) -> bool:
    place = ax.get_subplotspec()
    return place is None or place.is_first_col()


def _draw_line(ax: Axes, line: pd.DataFrame, look: Look, marked: bool) -> Any:
    errors = line.get("error")
    if errors is not None and errors.isna().all():
        errors = None
    return ax.errorbar(
        line["x"],
        line["y"],
        yerr=errors,
        color=look.color,
        marker=look.marker if marked else "",
        markerfacecolor=look.face,
        linestyle=look.line,
        label=str(line["series"].iloc[0]),
    )


def _set_ticks(ax: Axes, x: pd.Series, logarithmic: bool) -> None:
    """Ticks at the values that were measured, as far as there is room for them."""
    values = sorted(set(x))
    ax.set_xscale("log" if logarithmic else "linear")
    if len(values) > 12:
        return
    if len(values) > _FEW_TICKS:
        values = values[::-2][::-1]  # the last one keeps its tick
    ax.xaxis.set_major_locator(FixedLocator(values))
    if logarithmic:
        ax.xaxis.set_minor_locator(NullLocator())
        if min(values) >= 1:
            ax.xaxis.set_major_formatter(ScalarFormatter())


def curves(xlabel: str, ylabel: str, **options: Any) -> Callable[..., Figure]:
    """Give a function that draws rows as curves."""

    def draw(rows: pd.DataFrame) -> Figure:
        return draw_curves(rows, xlabel=xlabel, ylabel=ylabel, **options)

    return draw


def draw_bars(
    rows: pd.DataFrame, *, ylabel: str, columns: int = 1, points: bool = False
) -> Figure:
    """Draw groups of bars with error bars: one panel per ``panel``.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, group, series, y and error.
    ylabel : str
        Name of the axis.
    columns : int, default=1
        Panels beside each other.
    points : bool, default=False
        Whether to draw points, for numbers that are not to be seen from 0.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    names = list(dict.fromkeys(rows["series"]))
    drawing, axes = panel_grid(len(panels), height=3.0, columns=columns)
    widest = max(_group_width(rows[rows["panel"] == p], len(names)) for p in panels)
    drawing.set_figwidth(min(MOST_WIDTH, min(columns, len(panels)) * widest))
    looks = looks_of(names)
    draw = _draw_points_of if points else _draw_bars_of
    marks: dict[str, Any] = {}
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        groups = list(dict.fromkeys(part["group"]))
        own_names = [name for name in names if name in set(part["series"])]
        width = 0.8 / len(own_names)
        for place, name in enumerate(own_names):
            own = part[part["series"] == name].set_index("group").reindex(groups)
            x = np.arange(len(groups)) + (place - (len(own_names) - 1) / 2) * width
            marks[name] = draw(ax, x, own, looks[name], width)
        ax.set_xticks(range(len(groups)), groups)
        ax.set(title=str(panel), ylabel=ylabel if leftmost(ax) else "")
        if (part["y"] % 1 == 0).all():  # counts
            ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    if len(names) > 1:
        legend_below(drawing, [marks[name] for name in names], names)
    return drawing


def _group_width(part: pd.DataFrame, n_series: int) -> float:
    """Room for the marks and for the names below them, in inches."""
    groups = set(part["group"])
    names = len(groups) * (0.085 * max(len(str(group)) for group in groups) + 0.15)
    return max(PANEL_WIDTH, 0.2 * len(groups) * (1 + n_series), names + 0.6)


def _draw_bars_of(
    ax: Axes, x: np.ndarray, own: pd.DataFrame, look: Look, width: float
) -> Any:
    errors = own["error"] if own["error"].notna().any() else None
    bars = {"elinewidth": 0.8, "ecolor": "0.35"}
    return ax.bar(x, own["y"], width, yerr=errors, color=look.color, error_kw=bars)


def _draw_points_of(
    ax: Axes, x: np.ndarray, own: pd.DataFrame, look: Look, width: float
) -> Any:
    return ax.errorbar(
        x, own["y"], own["error"], color=look.color, marker=look.marker, linestyle="",
    )  # fmt: skip
