"""Small charts as plain SVG text, in the colours of the page.

They are many: drawn by hand, hundreds take a second and stay sharp, light and dark.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup, escape
from matplotlib.ticker import MaxNLocator

_LETTER = 7.3  # width of a letter at the size of the charts
_LONGEST = 38  # letters of a name
_MARKS = 5  # colours and shapes of the page's style


@dataclass(frozen=True)
class Axis:
    """Where values lie on the paper."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Place of a value."""
        low, high, value = (
            (math.log10(v) if self.log else v) for v in (self.low, self.high, value)
        )
        share = (value - low) / ((high - low) or 1.0)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values between the ends."""
        if not self.log:
            inside = list(
                MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
            )
        else:
            decades = range(
                math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1
            )
            steps = (1, 3) if len(decades) < 5 else (1,)
            inside = [s * 10.0**d for d in decades for s in steps]
        slack = 1e-9 * (self.high - self.low)
        return [float(t) for t in inside if self.low - slack <= t <= self.high + slack]


def axis(values: Any, start: float, end: float, *, log: bool = False) -> Axis:
    """An axis with a little room around the values."""
    low, high = float(np.min(values)), float(np.max(values))
    if log:
        return Axis(low / 1.4, high * 1.4, start, end, log=True)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 0.5
    return Axis(low - room, high + room, start, end)


def short(name: Any) -> str:
    """A name that fits beside a chart."""
    text = str(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _text(x: float, y: float, content: Any, anchor: str = "middle") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        x, y, anchor, content
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup(
        '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>'
    ).format(x1, y1, x2, y2, kind)


def _svg(width: float, height: float, parts: Sequence[Markup]) -> str:
    return (
        f'<svg class="chart" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">{Markup("").join(parts)}</svg>'
    )


def _across(scale: Axis, top: float, bottom: float, label: str) -> list[Markup]:
    """Ticks and name of a horizontal axis, with lines up through the chart."""
    parts = []
    for tick in scale.ticks():
        x = scale(tick)
        parts += [_line(x, top, x, bottom, "grid"), _text(x, bottom + 15, f"{tick:g}")]
    parts.append(_text((scale.start + scale.end) / 2, bottom + 34, label))
    return parts


def box_chart(groups: Mapping[str, Any], label: str, *, line: str | None = None) -> str:
    """Boxes of values side by side, one row per name.

    Parameters
    ----------
    groups : mapping of str to array-like
        Values by name, from top to bottom.
    label : str
        Name of the values.
    line : str, default=None
        Name whose median is drawn through all rows.

    Returns
    -------
    svg : str
    """
    values = {name: np.asarray(v, dtype=float) for name, v in groups.items()}
    left = 14 + _LETTER * max(len(short(name)) for name in values)
    width, row, top = left + 440, 22, 6
    bottom = top + row * len(values)
    scale = axis(np.concatenate(list(values.values())), left, width - 14)
    parts = _across(scale, top, bottom, label)
    if line in values:
        x = scale(float(np.median(values[line])))
        parts.append(_line(x, top, x, bottom, "mark"))
    for place, (name, numbers) in enumerate(values.items()):
        y = top + row * (place + 0.5)
        parts.append(_text(left - 8, y + 4, short(name), "end"))
        parts += _box(scale, y, numbers)
    return _svg(width, bottom + 42, parts)


def _box(scale: Axis, y: float, values: np.ndarray) -> list[Markup]:
    """Quartiles, median and whiskers; few values are dots."""
    if len(values) < 5:
        return [_dot(scale(v), y, 0) for v in values]
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    ends = scale(inside.min()), scale(inside.max())
    parts = [
        _line(ends[0], y, scale(low), y, "thin"),
        _line(scale(high), y, ends[1], y, "thin"),
        Markup(
            '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" class="box"/>'
        ).format(scale(low), y - 6, max(1.0, scale(high) - scale(low))),
        _line(scale(middle), y - 6, scale(middle), y + 6, "thick"),
    ]
    outside = values[(values < low - reach) | (values > high + reach)]
    return parts + [_dot(scale(v), y, 0) for v in outside]


def _dot(x: float, y: float, kind: int, size: float = 3.0) -> Markup:
    """A mark; its shape tells as much as its colour."""
    kind %= _MARKS
    s = 1.25 * size
    shapes = {
        2: f"{x - size:.1f},{y - size:.1f} {x + size:.1f},{y - size:.1f} "
        f"{x + size:.1f},{y + size:.1f} {x - size:.1f},{y + size:.1f}",
        3: f"{x:.1f},{y - s:.1f} {x + s:.1f},{y + size:.1f} {x - s:.1f},{y + size:.1f}",
        4: f"{x:.1f},{y - s:.1f} {x + s:.1f},{y:.1f} {x:.1f},{y + s:.1f} "
        f"{x - s:.1f},{y:.1f}",
    }
    if kind in shapes:
        return Markup('<polygon points="{}" class="c{}"/>').format(shapes[kind], kind)
    return Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{}" class="c{}"/>').format(
        x, y, size, kind
    )


def scatter_chart(points: pd.DataFrame, xlabel: str, ylabel: str, *, down: bool) -> str:
    """Named points; the horizontal axis is logarithmic.

    Parameters
    ----------
    points : DataFrame
        Indexed by name; columns x (positive) and y.
    xlabel, ylabel : str
        Names of the axes.
    down : bool
        Whether small y are better and stand on top.

    Returns
    -------
    svg : str
    """
    left, top, width, bottom = 64, 12, 700, 380
    names = [short(name) for name in points.index]
    across = axis(points["x"], left + 10, width - 30, log=True)
    ends = (top + 10, bottom - 10) if down else (bottom - 10, top + 10)
    upright = axis(points["y"], *ends)
    parts = _across(across, top, bottom, xlabel)
    for tick in upright.ticks():
        y = upright(tick)
        parts.append(_line(left, y, width - 10, y, "grid"))
        parts.append(_text(left - 6, y + 4, f"{tick:g}", "end"))
    parts.append(
        Markup(
            '<text transform="translate(14 {:.0f}) rotate(-90)" '
            'text-anchor="middle">{}</text>'
        ).format((top + bottom) / 2, ylabel)
    )
    places = [(across(x), upright(y)) for x, y in points[["x", "y"]].to_numpy()]
    for name, (x, y) in zip(points.index, places, strict=True):
        parts.append(
            Markup("<g><title>{}</title>{}</g>").format(name, _dot(x, y, 1, 4.5))
        )
    parts += _labels(names, places, (left, top, width, bottom))
    return _svg(width, bottom + 42, parts)


def _labels(
    names: list[str],
    places: list[tuple[float, float]],
    frame: tuple[float, float, float, float],
) -> list[Markup]:
    """Names beside their points, where there is room; the others have a tooltip."""
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    parts = []
    for name, (x, y) in zip(names, places, strict=True):
        size = _LETTER * len(name)
        for dx, dy, anchor in ((9, 4, "start"), (-9, 4, "end"), (0, -9, "middle"),
                               (0, 17, "middle"), (7, -6, "start"), (7, 14, "start"),
                               (-7, -6, "end"), (-7, 14, "end")):  # fmt: skip
            start = x + dx - {"start": 0, "middle": size / 2, "end": size}[anchor]
            box = (start, y + dy - 10, start + size, y + dy + 2)
            inside = box[0] > frame[0] and box[2] < frame[2] and box[1] > frame[1] - 8
            if inside and not any(_meet(box, other) for other in taken):
                taken.append(box)
                parts.append(_text(x + dx, y + dy, name, anchor))
                break
    return parts


def _meet(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def degree_chart(true: pd.Series, predicted: pd.DataFrame, title: str) -> str:
    """True degrees as bars, predictions of some methods as marks.

    Parameters
    ----------
    true : Series
        Degrees by label.
    predicted : DataFrame
        Degrees by label, one column per method, at most four.
    title : str
        Above the chart.

    Returns
    -------
    svg : str
    """
    count = len(true)
    step = max(8.0, min(44.0, 560 / count))
    room = 20 + _LETTER * min(16, max(len(str(name)) for name in true.index))
    left, top, bottom = 46, 26, 176
    width = left + step * count + 14
    upright = Axis(0.0, _top(true, predicted), bottom, top)
    parts = [_text(left, 14, title, "start")]
    for tick in upright.ticks():
        y = upright(tick)
        parts += [_line(left, y, width - 8, y, "grid")]
        parts += [_text(left - 6, y + 4, f"{tick:g}", "end")]
    for place, (label, degree) in enumerate(true.items()):
        x = left + step * (place + 0.5)
        parts.append(_bar(x, upright(degree), 0.72 * step, bottom))
        parts.append(_upright_text(x, bottom + 6, str(label)[:16]))
    size = 3.6 if step > 20 else 2.4
    for number, method in enumerate(predicted.columns):
        shift = (number - (predicted.shape[1] - 1) / 2) * 0.13 * step
        for place, degree in enumerate(predicted[method]):
            x = left + step * (place + 0.5) + shift
            parts.append(_dot(x, upright(degree), number + 1, size))
    return _svg(max(width, 30 + _LETTER * len(title)), bottom + room, parts)


def _top(true: pd.Series, predicted: pd.DataFrame) -> float:
    highest = max(float(true.max()), float(predicted.to_numpy().max()))
    return 1.06 * highest


def _bar(x: float, y: float, width: float, bottom: float) -> Markup:
    return Markup(
        '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="bar"/>'
    ).format(x - width / 2, y, width, bottom - y)


def _upright_text(x: float, y: float, content: str) -> Markup:
    return Markup(
        '<text transform="translate({:.1f} {:.1f}) rotate(-90)" text-anchor="end">{}'
        "</text>"
    ).format(x + 4, y, content)


def key_of_marks(names: Sequence[str]) -> Markup:
    """What the bars and marks of degree charts stand for."""
    bar = Markup('<rect x="2" y="2" width="10" height="12" class="bar"/>')
    entries = [("true", bar)]
    entries += [(name, _dot(8, 8, i + 1, 4)) for i, name in enumerate(names)]
    items = Markup("").join(
        Markup(
            '<li><svg class="chart" width="16" height="16" aria-hidden="true">{}</svg> '
            "{}</li>"
        ).format(mark, escape(name))
        for name, mark in entries
    )
    return Markup('<ul class="key">{}</ul>').format(items)
