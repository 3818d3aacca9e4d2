"""How rows become points in the plane, maps, single samples and faces."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from skldl.plotting import class_image, label_colors
from skldl.reproduce.figures._looks import looks_of
from skldl.reproduce.figures._panels import leftmost, legend_below, panel_grid

_NEUTRAL = 0.05  # above the uniform share; less is no emotion
_LABEL_MARKERS = "osDPX*ph8d"  # no triangles, which mark what is outside
_ROUNDING = 1e-9
_OUTSIDE = "outside of the frame"


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
    drawing.set_layout_engine("constrained", w_pad=0.02, h_pad=0.1, wspace=0, hspace=0)
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
        ax.set(xlabel="label", ylabel="degree" if leftmost(ax) else "")
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
