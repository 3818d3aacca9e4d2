"""Charts with two axes: points and lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from skldl.report._axes import Axis, axis, near
from skldl.report._fragments import breakable
from skldl.report._marks import canvas, line_at, mark_at, text_at
from skldl.report._strips import framed

_ROOM = 10  # pixels above and below the values
# circle, square, triangle, diamond around the origin
_DOTS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
    "M-3 -3h6v6h-6z",
    "M0 -4l4 7h-8z",
    "M0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z",
)
LINES = 8  # colours and dashes of the page's style


@dataclass(frozen=True)
class Curve:
    """A line of a chart.

    Attributes
    ----------
    name : str
        What it shows.
    x, y : sequence of float
        Its points.
    kind : int
        Which colour and dashes, from 0 to 7.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    kind: int = 0


def _plot(
    upright: Axis, parts: Sequence[Markup], height: float, foot: Sequence[Markup]
) -> Markup:
    """Ticks on the left, the field on the right, ticks below."""
    ticks = upright.ticks()
    side = canvas(
        height, [text_at(100, upright(t) + 4, f"{t:g}", "end") for t in ticks], "side"
    )
    lines = [line_at(0, upright(t), 100, upright(t), "grid") for t in ticks]
    field = canvas(height, [*lines, *parts], "field")
    return Markup('<div class="plot">{}{}<div></div>{}</div>').format(
        side, field, canvas(18, foot, "field")
    )


def scatter_chart(
    points: pd.DataFrame,
    alt: str,
    *,
    xlabel: str,
    ylabel: Any,
    down: bool,
    height: int = 300,
) -> Markup:
    """Numbered points with a list of their names; the axis across is logarithmic.

    Parameters
    ----------
    points : DataFrame
        Indexed by name, in the order of the numbers; columns x (positive) and y.
    alt : str
        What the chart shows, in words.
    xlabel : str
        Name of the values across.
    ylabel : str or Markup
        Name of the upright values.
    down : bool
        Whether small y are better and stand on top.
    height : int, default=300
        Of the field, in pixels.

    Returns
    -------
    html : Markup
    """
    across = axis(points["x"], log=True)
    kept = near(points["y"], greater_is_better=not down)
    ends = (_ROOM, height - _ROOM) if down else (height - _ROOM, _ROOM)
    upright = axis(points["y"][kept], *ends)
    front = _front(points, down)
    parts: list[Markup] = []
    items = []
    taken = [(across(x), upright(y)) for x, y in points[["x", "y"]].to_numpy()]
    for number, (name, x, y) in enumerate(points.itertuples(), 1):
        place = across(x), upright(y)
        words = f"{number}. {name}: {y:.4g}, {x:.3g} s"
        best = name in front
        parts.append(mark_at(*place, 1 if best else 0, 5, words))
        parts.append(_number_at(*place, number, taken))
        far = "" if kept[number - 1] else " (past the end of the axis)"
        items.append(
            Markup("<li{}>{} <span>{:.4g}, {:.3g} s{}</span></li>").format(
                Markup(' class="front"' if best else ""), breakable(name), y, x, far
            )
        )
    foot = [text_at(across(t), 13, f"{t:g}") for t in across.ticks()]
    body = Markup('<div class="label up">{}</div>{}<div class="label">{}</div>').format(
        ylabel, _plot(upright, parts, height, foot), xlabel
    )
    names = Markup('<ol class="names">{}</ol>').format(Markup("").join(items))
    return Markup('<div class="beside">{}{}</div>').format(framed(body, alt), names)


def _number_at(
    x: float, y: float, number: int, taken: list[tuple[float, float]]
) -> Markup:
    """A number beside its point, away from what is there already."""
    sides = ((1, -7, "start"), (1, 15, "start"), (-1, -7, "end"), (-1, 15, "end"))
    ways = [(x + 1.0 * sign, y + dy, anchor) for sign, dy, anchor in sides]

    def room(way: tuple[float, float, str]) -> float:
        middle = way[0] + (1.2 if way[2] == "start" else -1.2), way[1] - 4
        # a per cent of the width is about six pixels
        return min(np.hypot(6 * (a - middle[0]), b - middle[1]) for a, b in taken)

    best = next((way for way in ways if room(way) > 9), max(ways, key=room))
    taken.append((best[0] + (1.2 if best[2] == "start" else -1.2), best[1] - 4))
    return text_at(best[0], best[1], f"{number}", best[2])


def _front(points: pd.DataFrame, down: bool) -> set[Any]:
    """Points that no other point beats in both."""
    found, best = set(), np.inf
    for name, _, y in points.sort_values(["x", "y"]).itertuples():
        loss = y if down else -y
        if loss < best:
            found.add(name)
            best = loss
    return found


def line_chart(
    curves: Sequence[Curve],
    alt: str,
    *,
    title: Any,
    across: Axis,
    upright: tuple[float, float],
    ticks: Sequence[tuple[float, str]] | None = None,
    bands: Sequence[Markup] = (),
    dots: bool = False,
    height: int = 170,
    note: Any = "",
) -> Markup:
    """Lines over a common axis.

    Parameters
    ----------
    curves : sequence of Curve
        What is drawn.
    alt : str
        What the chart shows, in words.
    title : str or Markup
        Above the chart.
    across : Axis
        In per cent of the width.
    upright : pair of float
        Lowest and highest value.
    ticks : two pairs of (float, str), default=None
        The ends of the axis and what stands there, for what is not a number; None
        takes round values.
    bands : sequence of Markup, default=()
        What is drawn behind the lines.
    dots : bool, default=False
        Whether points are marked.
    height : int, default=170
        Of the field, in pixels.
    note : str or Markup, default=""
        A line below.

    Returns
    -------
    html : Markup
    """
    scale = Axis(*upright, height - _ROOM, _ROOM)
    parts = [*bands]
    for curve in curves:
        points = " ".join(
            f"{across(x):.2f},{scale(y):.1f}"
            for x, y in zip(curve.x, curve.y, strict=True)
        )
        parts.append(
            Markup(
                '<svg viewBox="0 0 100 {0}" width="100%" height="{0}" '
                'preserveAspectRatio="none"><title>{1}</title><polyline points="{2}" '
                'class="line l{3}"/></svg>'
            ).format(height, curve.name, points, curve.kind % LINES)
        )
        if dots:
            parts += [
                curve_dot(across(x), scale(y), curve.kind, f"{curve.name}: {y:.3f}")
                for x, y in zip(curve.x, curve.y, strict=True)
            ]
    if ticks is None:
        foot = [text_at(across(t), 13, f"{t:g}") for t in across.ticks(5)]
    else:
        foot = [
            text_at(across(place), 13, words, anchor)
            for (place, words), anchor in zip(ticks, ("start", "end"), strict=True)
        ]
    body = _plot(scale, parts, height, foot)
    return framed(body, alt, title=title, caption=note)


def curve_dot(x: float, y: float, kind: int, title: str) -> Markup:
    """A point of a line."""
    return Markup(
        '<svg x="{:.2f}%" y="{:.1f}" class="at"><title>{}</title><path d="{}" '
        'class="dot l{}"/></svg>'
    ).format(x, y, title, _DOTS[kind % len(_DOTS)], kind % LINES)


def curve_shape(kind: int) -> Markup:
    """A line and its point, for a key."""
    line = Markup('<line x1="0" y1="8" x2="16" y2="8" class="line l{}"/>')
    return line.format(kind % LINES) + curve_dot(50, 8, kind, "")


def diagonal(across: Axis, upright: tuple[float, float], height: int = 170) -> Markup:
    """The line on which both values agree."""
    scale = Axis(*upright, height - _ROOM, _ROOM)
    low, high = max(across.low, upright[0]), min(across.high, upright[1])
    return line_at(across(low), scale(low), across(high), scale(high), "mark")


def error_bar(
    across: Axis, upright: tuple[float, float], x: float, ends: Any, height: int = 170
) -> Markup:
    """An upright line between two values."""
    scale = Axis(*upright, height - _ROOM, _ROOM)
    return line_at(across(x), scale(ends[0]), across(x), scale(ends[1]), "span")
