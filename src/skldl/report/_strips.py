"""Charts of named rows: the browser lays out the names, so that none is cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from skldl.report._axes import Axis, axis, near
from skldl.report._fragments import Cell, breakable
from skldl.report._marks import (
    bar_at,
    canvas,
    edge_mark,
    grid_lines,
    line_at,
    mark_at,
    tick_texts,
)

_HEIGHT = 22  # of a row
_LONG = 16  # letters from which names stand above their row on a phone


@dataclass(frozen=True)
class Row:
    """One row of a chart.

    Attributes
    ----------
    name : str
        On the left.
    shapes : sequence of Markup
        What is drawn, in a field of 22 pixels of height.
    value : str or Markup
        On the right.
    title : str
        Words for a pointer that rests on the row.
    """

    name: str
    shapes: Sequence[Markup] = field(default_factory=list)
    value: Any = ""
    title: str = ""


def named_rows(names: Sequence[Any], title: str) -> pd.Index:
    """Names of rows of a table, which may go on in the next line.

    Parameters
    ----------
    names : sequence
        Names.
    title : str
        Heading of the names.

    Returns
    -------
    index : Index of Cell
    """
    cells = [Cell(breakable(name), str(name)) for name in names]
    return pd.Index(cells, name=title, dtype=object)


def strips(
    rows: Sequence[Row],
    scale: Axis,
    alt: str,
    *,
    label: Any = "",
    caption: Any = "",
    title: Any = "",
    height: int = _HEIGHT,
) -> Markup:
    """Rows above each other on one scale.

    Parameters
    ----------
    rows : sequence of Row
        From top to bottom.
    scale : Axis
        In per cent of the width.
    alt : str
        What the chart shows, in words.
    label : str or Markup, default=""
        Name of the values.
    caption : str or Markup, default=""
        A line below.
    title : str or Markup, default=""
        Above the chart.
    height : int, default=22
        Of a row, in pixels.

    Returns
    -------
    html : Markup
    """
    behind = grid_lines(scale, height)
    lines = [
        Markup('<div class="name">{}</div>{}<div class="value">{}</div>').format(
            breakable(row.name), _strip(row, behind, height), row.value
        )
        for row in rows
    ]
    foot = Markup('<div class="foot"></div>{}<div class="foot"></div>').format(
        canvas(18, tick_texts(scale, 13), "strip")
    )
    if label:
        foot += Markup('<div class="foot"></div><div class="label">{}</div>').format(
            label
        ) + Markup('<div class="foot"></div>')
    longest = max((len(row.name) for row in rows), default=0)
    body = Markup('<div class="strips{}">{}{}</div>').format(
        " long" if longest > _LONG else "", Markup("").join(lines), foot
    )
    return framed(body, alt, caption=caption, title=title)


def _strip(row: Row, behind: list[Markup], height: int) -> Markup:
    said = Markup("<title>{}</title>").format(row.title) if row.title else Markup("")
    return canvas(height, [said, *behind, *row.shapes], "strip")


def framed(body: Markup, alt: str, *, caption: Any = "", title: Any = "") -> Markup:
    """A chart with its words."""
    above = Markup('<div class="title">{}</div>').format(title) if title else ""
    below = Markup("<figcaption>{}</figcaption>").format(caption) if caption else ""
    return Markup(
        '<figure class="drawn">{}<div role="img" aria-label="{}">{}</div>{}</figure>'
    ).format(above, alt, body, below)


def box_chart(
    groups: Mapping[str, Any],
    alt: str,
    *,
    label: Any,
    title: Any = "",
    line: str | None = None,
    greater_is_better: bool = False,
) -> Markup:
    """Boxes of values, one row per name.

    Parameters
    ----------
    groups : mapping of str to array-like
        Values by name, from top to bottom.
    alt : str
        What the chart shows, in words.
    label : str or Markup
        Name of the values.
    title : str or Markup, default=""
        Above the chart.
    line : str, default=None
        Name whose median is drawn through all rows.
    greater_is_better : bool, default=False
        Direction; values that are far on the bad side do not stretch the axis.

    Returns
    -------
    html : Markup
    """
    values = {name: np.asarray(v, dtype=float) for name, v in groups.items()}
    middle = {name: float(np.median(v)) for name, v in values.items()}
    kept = near(list(middle.values()), greater_is_better=greater_is_better)
    inside = [v for v, is_near in zip(values.values(), kept, strict=True) if is_near]
    scale = axis(np.concatenate(inside))
    rows = []
    for name, numbers in values.items():
        shapes = []
        if line in middle:
            x = scale(middle[line])
            shapes.append(line_at(x, 0, x, _HEIGHT, "mark"))
        shapes += _box(scale, numbers)
        words = f"{name}: median {middle[name]:.4f}, {len(numbers)} folds"
        rows.append(Row(name, shapes, f"{middle[name]:.3f}", words))
    far = [name for name, is_near in zip(values, kept, strict=True) if not is_near]
    caption = f"Past the end of the axis: {', '.join(far)}." if far else ""
    return strips(rows, scale, alt, label=label, caption=caption, title=title)


def _box(scale: Axis, values: np.ndarray) -> list[Markup]:
    """Quartiles, median and whiskers; few values are dots."""
    y = _HEIGHT / 2
    if scale.beyond(float(np.median(values))):
        return [edge_mark(scale, float(np.median(values)), y)]
    if len(values) < 5:
        return [mark_at(scale(v), y, 0, 3) for v in values]
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    outside = values[(values < low - reach) | (values > high + reach)]
    return [
        line_at(scale(inside.min()), y, scale(low), y, "thin"),
        line_at(scale(high), y, scale(inside.max()), y, "thin"),
        bar_at(scale(low), max(scale(high), scale(low) + 0.2), y - 6, 12, "box"),
        line_at(scale(middle), y - 6, scale(middle), y + 6, "thick"),
        *(mark_at(scale(v), y, 0, 3) for v in outside),
    ]


def degree_chart(
    labels: Sequence[str],
    bars: Any,
    marks: Sequence[Any],
    alt: str,
    *,
    title: Any,
    top: float,
    spans: Any = None,
    note: Any = "",
) -> Markup:
    """A distribution as bars, others as marks, and intervals.

    Parameters
    ----------
    labels : sequence of str
        From top to bottom.
    bars : array-like of shape (n_labels,)
        Degrees drawn as bars.
    marks : sequence of array-like of shape (n_labels,) or None
        Degrees drawn as marks, a shape for each array; None skips a shape.
    alt : str
        What the chart shows, in words.
    title : str or Markup
        Above the chart.
    top : float
        End of the scale, the same for charts that are to be compared.
    spans : pair of array-like of shape (n_labels,), default=None
        Lower and upper ends of the intervals.
    note : str or Markup, default=""
        A line below.

    Returns
    -------
    html : Markup
    """
    scale = Axis(0.0, top)
    height = _HEIGHT if len(labels) < 12 else 17
    y = height / 2
    rows = []
    for j, name in enumerate(labels):
        shapes = [bar_at(scale(0), scale(bars[j]), 3, height - 6, "bar")]
        words = f"{name}: {bars[j]:.3f}"
        if spans is not None:
            low, high = scale(spans[0][j]), scale(spans[1][j])
            shapes.append(line_at(low, y, high, y, "span"))
            shapes += [line_at(x, y - 4, x, y + 4, "span") for x in (low, high)]
            words += f" ({spans[0][j]:.3f} to {spans[1][j]:.3f})"
        for kind, values in enumerate(marks, 1):
            if values is not None:
                shapes.append(mark_at(scale(values[j]), y, kind))
                words += f"; {values[j]:.3f}"
        rows.append(Row(str(name), shapes, "", words))
    return strips(rows, scale, alt, title=title, caption=note, height=height)
