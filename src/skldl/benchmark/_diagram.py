"""Critical-difference diagrams as plain SVG text."""

from html import escape
from typing import Any

import pandas as pd

from skldl.benchmark.stats import cd_groups

_WIDTH, _MARGIN, _ROW = 680, 170, 20
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
    groups = cd_groups(ordered, cd)
    half = (len(ordered) + 1) // 2
    ruler, bars = 62, 74
    names = bars + 10 * len(groups) + 14
    height = names + _ROW * half + 10
    parts = [*_ruler(len(ordered), ruler), *_difference(cd, len(ordered))]
    for level, group in enumerate(groups):
        left, right = (_x(ordered[m], len(ordered)) for m in (group[0], group[-1]))
        y = bars + 10 * level
        parts.append(_line(left - 4, y, right + 4, y, 4))
    for place, (method, rank) in enumerate(ordered.items()):
        parts += _method(place, method, float(rank), len(ordered), ruler, names)
    label = escape(title or "Critical-difference diagram", quote=True)
    spoken = escape(", ".join(f"{m} {r:.2f}" for m, r in ordered.items()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
        f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'style="{_STYLE}"><desc>Average ranks: {spoken}; critical difference '
        f"{cd:.2f}.</desc>{''.join(parts)}</svg>"
    )


def _x(rank: float, n_methods: int) -> float:
    """Rank 1, the best, is on the left."""
    return _MARGIN + (rank - 1) / max(1, n_methods - 1) * (_WIDTH - 2 * _MARGIN)


def _ruler(n_methods: int, y: float) -> list[str]:
    parts = [_line(_x(1, n_methods), y, _x(n_methods, n_methods), y)]
    step = max(1, n_methods // 12)
    for rank in range(1, n_methods + 1, step):
        x = _x(rank, n_methods)
        parts.append(_line(x, y - 6, x, y))
        parts.append(_text(x, y - 10, str(rank), "middle"))
    return parts


def _difference(cd: float, n_methods: int) -> list[str]:
    left = _x(1, n_methods)
    width = cd / max(1, n_methods - 1) * (_WIDTH - 2 * _MARGIN)
    right = min(left + width, _WIDTH - 5.0)
    return [
        _line(left, 24, right, 24, 2),
        _line(left, 20, left, 28),
        _line(right, 20, right, 28),
        _text((left + right) / 2, 14, f"CD = {cd:.2f}", "middle"),
    ]


def _method(
    place: int, method: Any, rank: float, count: int, ruler: float, names: float
) -> list[str]:
    """Name on the left for the better half, on the right for the rest."""
    half = (count + 1) // 2
    left = place < half
    y = names + _ROW * (place if left else count - 1 - place)
    x, edge = _x(rank, count), _MARGIN - 10 if left else _WIDTH - _MARGIN + 10
    text = f"{method} ({rank:.2f})"
    return [
        _line(x, ruler, x, y),
        _line(x, y, edge, y),
        _text(edge - 4 if left else edge + 4, y + 4, text, "end" if left else "start"),
    ]


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke-width="{width}"/>'
    )


def _text(x: float, y: float, content: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" stroke="none">'
        f"{escape(content)}</text>"
    )
