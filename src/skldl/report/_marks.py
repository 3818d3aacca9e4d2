"""Shapes of charts that follow the width of the page.

Places along the width are in per cent, everything else is in pixels: the browser
stretches a chart, but never its text or its marks.
"""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from skldl.report._axes import Axis
from skldl.report._fragments import breakable

MARKS = 5  # shapes and colours of the page's style


def text_at(x: float, y: float, content: Any, anchor: str = "middle") -> Markup:
    """Words at a place."""
    return Markup('<text x="{:.2f}%" y="{:.1f}" text-anchor="{}">{}</text>').format(
        x, y, anchor, content
    )


def line_at(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return Markup(
        '<line x1="{:.2f}%" y1="{:.1f}" x2="{:.2f}%" y2="{:.1f}" class="{}"/>'
    ).format(x1, y1, x2, y2, kind)


def bar_at(x1: float, x2: float, y: float, height: float, kind: str) -> Markup:
    """A lying bar."""
    return Markup(
        '<rect x="{:.2f}%" y="{:.1f}" width="{:.2f}%" height="{:.1f}" class="{}"/>'
    ).format(min(x1, x2), y, abs(x2 - x1), height, kind)


def mark_at(
    x: float, y: float, kind: int, size: float = 3.5, title: str = ""
) -> Markup:
    """A mark; its shape tells as much as its colour."""
    kind %= MARKS
    s = 1.25 * size
    shapes = {
        2: f"{-size:.1f},{-size:.1f} {size:.1f},{-size:.1f} {size:.1f},{size:.1f} "
        f"{-size:.1f},{size:.1f}",
        3: f"0,{-s:.1f} {s:.1f},{size:.1f} {-s:.1f},{size:.1f}",
        4: f"0,{-s:.1f} {s:.1f},0 0,{s:.1f} {-s:.1f},0",
    }
    said = Markup("<title>{}</title>").format(title) if title else Markup("")
    if kind in shapes:
        return Markup(
            '<svg x="{:.2f}%" y="{:.1f}" class="at">{}<polygon points="{}" '
            'class="c{}"/></svg>'
        ).format(x, y, said, shapes[kind], kind)
    return Markup(
        '<circle cx="{:.2f}%" cy="{:.1f}" r="{}" class="c{}">{}</circle>'
    ).format(x, y, size, kind, said)


def edge_mark(scale: Axis, value: float, y: float) -> Markup:
    """An arrow at the end of an axis for a value that is past it."""
    right = value > scale.high
    points = "0,-5 7,0 0,5" if right else "0,-5 -7,0 0,5"
    return Markup(
        '<svg x="{:.2f}%" y="{:.1f}" class="at"><polygon points="{}" class="far"/>'
        "</svg>"
    ).format(scale(value) - (1 if right else -1), y, points)


def canvas(height: float, parts: Sequence[Markup], kind: str = "strip") -> Markup:
    """A drawing as wide as its place."""
    return Markup(
        '<svg class="chart {}" width="100%" height="{:.0f}" aria-hidden="true">{}</svg>'
    ).format(kind, height, Markup("").join(parts))


def grid_lines(scale: Axis, height: float) -> list[Markup]:
    """Thin upright lines at the ticks."""
    return [line_at(scale(t), 0, scale(t), height, "grid") for t in scale.ticks(5)]


def tick_texts(scale: Axis, y: float) -> list[Markup]:
    """Values at the ticks."""
    return [text_at(scale(t), y, f"{t:g}") for t in scale.ticks(5)]


def key_of(entries: Sequence[tuple[str, Markup]]) -> Markup:
    """What the marks of charts stand for.

    Parameters
    ----------
    entries : sequence of (str, Markup)
        Words and a shape in a field of 16 x 16.

    Returns
    -------
    html : Markup
    """
    items = Markup("").join(
        Markup(
            '<li><svg class="chart" width="16" height="16" aria-hidden="true">{}</svg> '
            "{}</li>"
        ).format(shape, breakable(words))
        for words, shape in entries
    )
    return Markup('<ul class="key">{}</ul>').format(items)


def mark_shape(kind: int) -> Markup:
    """A mark for :func:`key_of`."""
    return mark_at(50, 8, kind, 4)


def bar_shape(kind: str) -> Markup:
    """A bar for :func:`key_of`."""
    return Markup('<rect x="1" y="4" width="14" height="8" class="{}"/>').format(kind)


def line_shape(kind: str) -> Markup:
    """A line for :func:`key_of`."""
    return Markup('<line x1="0" y1="8" x2="16" y2="8" class="{}"/>').format(kind)
