"""How rows become figures: curves, bars, points, maps, examples, faces, ranks."""

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import (
    FixedLocator,
    LogLocator,
    MaxNLocator,
    NullLocator,
    ScalarFormatter,
    StrMethodFormatter,
)

from skldl.plotting import class_image, label_colors
from skldl.reproduce.figures._looks import Look, looks_of

MOST_WIDTH = 10.0  # inches; a page shrinks what is wider, and its text
PANEL_WIDTH, PANEL_HEIGHT = 3.3, 2.7
_COLUMNS = 3
_FEW_TICKS = 7
_FEW_DECADES = 3
_BETWEEN = 0.1  # inches above and below a panel, so that titles belong to their own
_DODGE = 0.5  # of the room between neighbouring x, for all series together
_MANY = 40
_NEUTRAL = 0.05  # above the uniform share; less is no emotion
_LABEL_MARKERS = "osDPX*ph8d"  # no triangles, which mark what is outside
_ROUNDING = 1e-9
_OUTSIDE = "outside of the frame"


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
        ax.set(xlabel=xlabel, ylabel=ylabel if _leftmost(ax) else "")
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


def _leftmost(ax: Axes) -> bool:
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
        values = values[::2]
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
        ax.set(title=str(panel), ylabel=ylabel if _leftmost(ax) else "")
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


def draw_points(rows: pd.DataFrame) -> Figure:
    """Draw points in the plane, coloured by their distributions.

    Few points that are far from all others would hide them: they are open triangles at
    the edge, and the title counts them.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, x, y and one per label. Three labels mix red, green and blue,
        otherwise the largest one gives colour and marker, and flat distributions are
        black.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    labels = [name for name in rows.columns if name not in ("panel", "x", "y")]
    drawing, axes = panel_grid(len(panels), height=3.1 if len(labels) == 3 else 4.0)
    n_far = 0
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        points, D = part[["x", "y"]].to_numpy(), part[labels].to_numpy()
        points = _framed(points)
        far = np.abs(points - 0.5).max(axis=1) > 0.5
        _scatter(ax, points, D / D.sum(axis=1, keepdims=True), far)
        counted = f"{far.sum()} of {len(part)} are {_OUTSIDE}"
        ax.set(title=f"{panel}\n{counted}" if far.any() else str(panel))
        n_far += int(far.sum())
        ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
        ax.grid(visible=False)
        ax.spines[:].set_visible(True)
        ax.spines[:].set_color("0.7")
    if len(labels) > 3:
        _label_legend(drawing, labels, with_far=n_far > 0)
    return drawing


def _scatter(ax: Axes, points: np.ndarray, D: np.ndarray, far: np.ndarray) -> None:
    """Draw points by the largest label, and what is outside at the edge."""
    colors = label_colors(D, neutral=_NEUTRAL)
    many = len(points) > 1000  # so many points are smaller as pixels than as shapes
    kinds = np.zeros(len(D), dtype=int)
    if D.shape[1] > 3:
        kinds = D.argmax(axis=1)
        kinds[D.max(axis=1) - 1.0 / D.shape[1] < _NEUTRAL] = -1
    for kind in np.unique(kinds):
        near, marker = ~far & (kinds == kind), _label_marker(kind)
        size = 5 if many else 50 if marker == "*" else 26  # stars are thin
        ax.scatter(
            points[near, 0], points[near, 1], c=colors[near], s=size, linewidths=0,
            marker=marker, rasterized=many,
        )  # fmt: skip
    if far.any():
        _scatter_at_edge(ax, points[far], colors[far])


def _scatter_at_edge(ax: Axes, points: np.ndarray, colors: np.ndarray) -> None:
    """Open triangles that point to where the samples are."""
    edge = np.clip(points, 0, 1)
    side = np.hstack([-points, points - 1]).argmax(axis=1)
    for place, marker in enumerate("<v>^"):
        there = side == place
        ax.scatter(
            edge[there, 0], edge[there, 1], s=26, marker=marker, facecolors="none",
            edgecolors=colors[there], clip_on=False, zorder=3,
        )  # fmt: skip


def _label_marker(kind: int) -> str:
    return "o" if kind < 0 else _LABEL_MARKERS[kind % len(_LABEL_MARKERS)]


def _framed(points: np.ndarray) -> np.ndarray:
    """Stretch what is near the middle eighty per cent to the frame from 0 to 1.

    A coordinate that is constant but for rounding is in the middle.
    """
    low, high = np.quantile(points, [0.1, 0.9], axis=0)
    reach = 1.5 * (high - low)
    near = ((points >= low - reach) & (points <= high + reach)).all(axis=1)
    first, last = points[near].min(axis=0), points[near].max(axis=0)
    flat = last - first <= _ROUNDING * np.abs(points).max(axis=0)
    pad = 0.04 * np.where(flat, 1.0, last - first)
    framed = (points - first + pad) / (last - first + 2 * pad)
    return np.asarray(np.where(flat, 0.5, framed))


def _label_legend(drawing: Figure, labels: Sequence[str], *, with_far: bool) -> None:
    shown = mpl.colormaps["tab10"](np.arange(len(labels)))
    kinds = [(_label_marker(kind), color) for kind, color in enumerate(shown)]
    names = [*labels, "neutral (nearly uniform)"]
    kinds.append((_label_marker(-1), "0.1"))
    handles = [
        Line2D(
            [],
            [],
            color=color,
            marker=marker,
            linestyle="",
            markeredgewidth=0,
            markersize=8 if marker == "*" else 5.5,
        )
        for marker, color in kinds
    ]
    if with_far:
        names.append(_OUTSIDE)
        handles.append(
            Line2D([], [], color="0.3", marker="^", linestyle="", fillstyle="none")
        )
    legend_below(drawing, handles, names)


def draw_maps(rows: pd.DataFrame, image: np.ndarray | None = None) -> Figure:
    """Draw maps of classes: the truth, then the predictions of each method.

    Parameters
    ----------
    rows : DataFrame
        Columns row, column, test (1 for test pixels), truth, and one per method.
    image : ndarray of shape (n_rows, n_columns, 3), default=None
        The scene in false colours, as a first panel.

    Returns
    -------
    drawing : Figure
    """
    methods = list(rows.columns[rows.columns.get_loc("truth") :])
    shape = (int(rows["row"].max()) + 1, int(rows["column"].max()) + 1)
    if image is not None:
        shape = image.shape[:2]
    classes = np.unique(rows["truth"].astype(str))
    pixels, test = rows[["row", "column"]].to_numpy(), rows[rows["test"] == 1]
    panels = {} if image is None else {"false colour": image}
    for method in methods:
        right = (test[method] == test["truth"]).mean()
        title = "ground truth" if method == "truth" else f"{method}: {right:.1%}"
        panels[title] = class_image(rows[method].astype(str), pixels, shape, classes)
    drawing, axes = panel_grid(len(panels), columns=4)
    lines = -(-len(panels) // 4)
    drawing.set_size_inches(2.45 * min(len(panels), 4), 2.65 * lines + 1.4)
    drawing.set_layout_engine("constrained", w_pad=0.02, h_pad=0.06, wspace=0, hspace=0)
    for ax, (title, panel) in zip(axes, panels.items(), strict=True):
        ax.imshow(panel)
        ax.set(title=title, xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.grid(visible=False)
    _class_legend(drawing, classes)
    return drawing


def _class_legend(drawing: Figure, classes: np.ndarray) -> None:
    colors = class_image(
        classes, [[0, i] for i in range(len(classes))], (1, len(classes)), classes
    )[0]
    handles = [Patch(color=tuple(color)) for color in colors]
    legend_below(drawing, handles, [str(name) for name in classes])


def draw_examples(rows: pd.DataFrame) -> Figure:
    """Draw the degrees of a sample as given and as predicted, one panel each.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, series (the first one is as given), x (label), y (degree) and
        loss (of the series).

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    names = list(dict.fromkeys(rows["series"]))
    drawing, axes = panel_grid(len(panels), columns=2, height=2.9)
    drawing.set_figwidth(4.6 * min(len(panels), 2))
    looks, bars = looks_of(names), {}
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        for place, name in enumerate(names):
            own = part[part["series"] == name]
            x = own["x"] + (place - 1) * 0.27
            bars[name] = ax.bar(x, own["y"], 0.27, color=looks[name].color)
            top = own["y"].to_numpy().argmax()
            ax.plot(x.iloc[top], own["y"].iloc[top] * 1.03, "v", color="k", ms=5)
        losses = part.groupby("series", sort=False)["loss"].first()[names[1:]]
        ax.set_title(f"{panel}\nabsolute error: {_told_apart(losses)}")
        ax.set(xlabel="label", ylabel="degree" if _leftmost(ax) else "")
        ax.set_xticks(sorted(set(part["x"])))
    legend_below(drawing, [bars[name] for name in names], names)
    return drawing


def _told_apart(losses: pd.Series) -> str:
    """Names and numbers, with as many decimals as tell the numbers apart."""
    digits = 2
    while digits < 5 and losses.round(digits).nunique() < losses.nunique():
        digits += 1
    return ", ".join(f"{name} {loss:.{digits}f}" for name, loss in losses.items())


def draw_faces(rows: pd.DataFrame, shape: tuple[int, int] = (32, 32)) -> Figure:
    """Draw directions as images, each stretched on its own.

    Parameters
    ----------
    rows : DataFrame
        Column panel, then one per pixel, row by row.
    shape : (int, int), default=(32, 32)
        Rows and columns of an image.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    columns = 10
    size = (columns, sum(-(-(rows["panel"] == p).sum() // columns) for p in panels))
    size = (size[0], size[1] + 0.3 * len(panels))
    drawing = Figure(figsize=size, layout="constrained")
    parts: Any = np.atleast_1d(drawing.subfigures(len(panels), 1))  # type: ignore[arg-type]
    for part, panel in zip(parts, panels, strict=True):
        images = rows[rows["panel"] == panel].drop(columns="panel").to_numpy()
        part.suptitle(str(panel), x=0.01, ha="left", weight="bold")
        axes = part.subplots(-(-len(images) // columns), columns, squeeze=False)
        for ax in axes.ravel():
            ax.axis("off")
        for ax, image in zip(axes.ravel(), images, strict=False):
            ax.imshow(image.reshape(shape), cmap="gray")
    return drawing
