"""Critical-difference diagrams as plain SVG text."""

from dataclasses import dataclass
from html import escape

import pandas as pd

from skldl.benchmark.stats import cd_groups

_RULER, _ROW, _LETTER = 360, 20, 7.3  # width of the ruler, of a row, of a letter
_STYLE = (
    "font-family:system-ui,sans-serif;font-size:13px;"
    "fill:currentColor;stroke:currentColor"
)


def cd_diagram(ranks: pd.Series, cd: float, *, title: str = "") -> str:
    """Draw average ranks on a ruler; a bar joins methods that do not differ.

    Parameters
    ----------
    ranks : Series
        Average ranks by method.
    cd : float
        Critical difference, see :func:`skldl.benchmark.stats.critical_difference`.
    title : str, default=""
        Text for readers who cannot see the picture.

    Returns
    -------
    svg : str
        A complete SVG element in the colour of the surrounding text.

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.benchmark import cd_diagram
    >>> cd_diagram(pd.Series({"a": 1.2, "b": 1.8}), 1.0)[:4]
    '<svg'
    """
    ordered = ranks.sort_values(kind="stable")
    texts = [f"{method} ({rank:.2f})" for method, rank in ordered.items()]
    margin = 30 + _LETTER * max(map(len, texts))
    scale = _Scale(len(ordered), margin)
    groups = cd_groups(ordered, cd)
    ruler, bars = 62, 74
    names = bars + 10 * len(groups) + 14
    height = names + _ROW * ((len(ordered) + 1) // 2) + 10
    parts = [*_ruler(scale, ruler), *_difference(scale, cd)]
    for level, group in enumerate(groups):
        left, right = (scale.x(ordered[method]) for method in (group[0], group[-1]))
        y = bars + 10 * level
        parts.append(_line(left - 4, y, right + 4, y, 4))
    for place, (text, rank) in enumerate(zip(texts, ordered, strict=True)):
        parts += _draw_method(scale, place, text, rank, ruler, names)
    label = escape(title or "Critical-difference diagram", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
        f'viewBox="0 0 {scale.width:.0f} {height}" width="{scale.width:.0f}" '
        f'height="{height}" style="{_STYLE}"><desc>Average ranks: '
        f"{escape(', '.join(texts))}; critical difference {cd:.2f}.</desc>"
        f"{''.join(parts)}</svg>"
    )


@dataclass(frozen=True)
class _Scale:
    """Where ranks lie; rank 1, the best, is on the left."""

    n_methods: int
    margin: float

    @property
    def width(self) -> float:
        return _RULER + 2 * self.margin

    def x(self, rank: float) -> float:
        return self.margin + (rank - 1) / max(1, self.n_methods - 1) * _RULER


def _ruler(scale: _Scale, y: float) -> list[str]:
    parts = [_line(scale.x(1), y, scale.x(scale.n_methods), y)]
    for rank in range(1, scale.n_methods + 1, max(1, scale.n_methods // 12)):
        x = scale.x(rank)
        parts.append(_line(x, y - 6, x, y))
        parts.append(_draw_text(x, y - 10, str(rank), "middle"))
    return parts


def _difference(scale: _Scale, cd: float) -> list[str]:
    left, right = scale.x(1), min(scale.x(1 + cd), scale.width - 5)
    return [
        _line(left, 24, right, 24, 2),
        _line(left, 20, left, 28),
        _line(right, 20, right, 28),
        _draw_text((left + right) / 2, 14, f"CD = {cd:.2f}", "middle"),
    ]


def _draw_method(
    scale: _Scale, place: int, text: str, rank: float, ruler: float, names: float
) -> list[str]:
    """Name on the left for the better half, on the right for the rest."""
    left = place < (scale.n_methods + 1) // 2
    y = names + _ROW * (place if left else scale.n_methods - 1 - place)
    x = scale.x(rank)
    edge = scale.margin - 10 if left else scale.width - scale.margin + 10
    return [
        _line(x, ruler, x, y),
        _line(x, y, edge, y),
        _draw_text(
            edge - 4 if left else edge + 4, y + 4, text, "end" if left else "start"
        ),
    ]


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke-width="{width}"/>'
    )


def _draw_text(x: float, y: float, content: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" stroke="none">'
        f"{escape(content)}</text>"
    )
