"""How rows become figures: curves, bars, points, maps, examples, faces, ranks."""

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from skldl.plotting import class_image, label_colors

PANEL_WIDTH, PANEL_HEIGHT = 3.5, 2.7
_COLUMNS = 3
_MARKERS = "osD^vPX*"
_FEW_TICKS = 7
_BETWEEN = 0.1  # inches above and below a panel, so that titles belong to their own
_DODGE = 0.07
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


def series_color(place: int) -> str:
    """Give a colour of the style sheet, which holds when the figure is saved later."""
    colors = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    return to_hex(colors[place % len(colors)])


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
        hide each other's bars; for a logarithmic x alone.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    names = list(dict.fromkeys(rows["series"]))
    drawing, axes = panel_grid(len(panels))
    marked = rows.groupby(["panel", "series"]).size().max() < _MANY
    lines = {}
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        for series, line in part.groupby("series", sort=False):
            place = names.index(series)
            beside = (place - (len(names) - 1) / 2) if dodge and logx else 0.0
            if beside:
                line = line.assign(x=line["x"] * (1 + _DODGE) ** beside)
            lines[series] = _draw_line(ax, line, place, marked)
        ax.set_title(str(panel))
        ax.set_yscale("log" if logy else "linear")
        _set_ticks(ax, part["x"], logx)
    for ax in axes:
        ax.set(xlabel=xlabel, ylabel=ylabel if _leftmost(ax) else "")
    if len(names) > 1:
        legend_below(drawing, [lines[name] for name in names], names)
    return drawing


def _leftmost(ax: Axes) -> bool:
    place = ax.get_subplotspec()
    return place is None or place.is_first_col()


def _draw_line(ax: Axes, line: pd.DataFrame, place: int, marked: bool) -> Any:
    errors = line.get("error")
    if errors is not None and errors.isna().all():
        errors = None
    return ax.errorbar(
        line["x"],
        line["y"],
        yerr=errors,
        color=series_color(place),
        marker=_MARKERS[place % len(_MARKERS)] if marked else "",
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
    drawing.set_figwidth(min(columns, len(panels)) * widest)
    marks: dict[str, Any] = {}
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        groups = list(dict.fromkeys(part["group"]))
        for place, name in enumerate(names):
            own = part[part["series"] == name].set_index("group").reindex(groups)
            offset = (place - (len(names) - 1) / 2) * 0.8 / len(names)
            draw = _draw_points_of if points else _draw_bars_of
            x = np.arange(len(groups)) + offset
            marks[name] = draw(ax, x, own, place, 0.8 / len(names))
        ax.set_xticks(range(len(groups)), groups)
        ax.set(title=str(panel), ylabel=ylabel if _leftmost(ax) else "")
    if len(names) > 1:
        legend_below(drawing, [marks[name] for name in names], names)
    return drawing


def _group_width(part: pd.DataFrame, n_series: int) -> float:
    """Room for the marks and for the names below them, in inches."""
    groups = set(part["group"])
    names = len(groups) * (0.085 * max(len(str(group)) for group in groups) + 0.15)
    return max(PANEL_WIDTH, 0.2 * len(groups) * (1 + n_series), names + 0.6)


def _draw_bars_of(
    ax: Axes, x: np.ndarray, own: pd.DataFrame, place: int, width: float
) -> Any:
    errors = own["error"] if own["error"].notna().any() else None
    looks = {"elinewidth": 0.8, "ecolor": "0.35"}
    color = series_color(place)
    return ax.bar(x, own["y"], width, yerr=errors, color=color, error_kw=looks)


def _draw_points_of(
    ax: Axes, x: np.ndarray, own: pd.DataFrame, place: int, width: float
) -> Any:
    return ax.errorbar(
        x, own["y"], own["error"], color=series_color(place),
        marker=_MARKERS[place % len(_MARKERS)], linestyle="",
    )  # fmt: skip


def draw_points(rows: pd.DataFrame) -> Figure:
    """Draw points in the plane, coloured by their distributions.

    Parameters
    ----------
    rows : DataFrame
        Columns panel, x, y and one per label. Three labels mix red, green and blue,
        otherwise the largest one gives the colour, and flat distributions are black.

    Returns
    -------
    drawing : Figure
    """
    panels = list(dict.fromkeys(rows["panel"]))
    labels = [name for name in rows.columns if name not in ("panel", "x", "y")]
    drawing, axes = panel_grid(len(panels), height=3.1)
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        D = part[labels].to_numpy()
        colors = label_colors(D / D.sum(axis=1, keepdims=True))
        many = len(part) > 1000  # so many points are smaller as pixels than as shapes
        ax.scatter(
            part["x"], part["y"], c=colors, s=5 if many else 16, linewidths=0,
            rasterized=many,
        )  # fmt: skip
        ax.set(title=str(panel), xticks=[], yticks=[])
        _cut_outliers(ax, part[["x", "y"]].to_numpy())
        ax.grid(visible=False)
        ax.spines[:].set_visible(True)
        ax.spines[:].set_color("0.7")
    if len(labels) > 3:
        _label_legend(drawing, labels)
    return drawing


def _cut_outliers(ax: Axes, points: np.ndarray) -> None:
    """Show what is near the middle eighty per cent: few far points would hide it."""
    low, high = np.quantile(points, [0.1, 0.9], axis=0)
    reach = 0.75 * (high - low)
    inside = (points >= low - reach) & (points <= high + reach)
    setters: list[Any] = [ax.set_xlim, ax.set_ylim]
    for axis, limits in enumerate(setters):
        shown = points[inside.all(axis=1), axis]
        pad = 0.04 * (shown.max() - shown.min() or 1.0)
        limits(shown.min() - pad, shown.max() + pad)


def _label_legend(drawing: Figure, labels: Sequence[str]) -> None:
    shown = mpl.colormaps["tab10"](np.arange(len(labels)))
    handles = [Patch(color=tuple(color)) for color in shown]
    names = [*labels, "neutral (nearly uniform)"]
    legend_below(drawing, [*handles, Patch(color="0.1")], names)


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
    drawing, axes = panel_grid(len(panels), height=2.6, columns=4)
    drawing.set_figwidth(2.5 * min(len(panels), 4))
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
    drawing, axes = panel_grid(len(panels), columns=4, height=2.9)
    bars = {}
    for ax, panel in zip(axes, panels, strict=True):
        part = rows[rows["panel"] == panel]
        words = []
        for place, name in enumerate(names):
            own = part[part["series"] == name]
            x = own["x"] + (place - 1) * 0.27
            color = series_color((6, 1, 0)[place])
            bars[name] = ax.bar(x, own["y"], 0.27, color=color)
            top = own["y"].to_numpy().argmax()
            ax.plot(x.iloc[top], own["y"].iloc[top] * 1.03, "v", color="k", ms=5)
            if place:
                words.append(f"{name.removesuffix('-LDL')} {own['loss'].iloc[0]:.2f}")
        ax.set_title(f"{panel}\nabsolute error: {', '.join(words)}", fontsize=9)
        ax.set(xlabel="label", ylabel="degree" if _leftmost(ax) else "")
        ax.set_xticks(sorted(set(part["x"])))
    legend_below(drawing, [bars[name] for name in names], names)
    return drawing


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
