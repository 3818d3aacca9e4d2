"""Critical-difference diagrams with titles."""

import re
from collections.abc import Sequence
from html import escape

_TITLE_HEIGHT = 26


def stacked_diagrams(panels: Sequence[tuple[str, str]]) -> str:
    """Put diagrams below each other, each with its title above, as one drawing.

    Parameters
    ----------
    panels : sequence of (str, str)
        Titles, and what :func:`skldl.benchmark.cd_diagram` gave.

    Returns
    -------
    svg : str
    """
    parts, y, width = [], 0.0, 0.0
    for title, text in panels:
        across, down = (float(_attribute(text, name)) for name in ("width", "height"))
        parts.append(
            f'<text x="8" y="{y + 18:.0f}" font-weight="bold" font-family="sans-serif" '
            f'font-size="13" fill="currentColor">{escape(title)}</text>'
        )
        parts.append(
            text.replace("<svg ", f'<svg x="0" y="{y + _TITLE_HEIGHT:.0f}" ', 1)
        )
        y, width = y + _TITLE_HEIGHT + down + 12, max(width, across)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {y:.0f}" '
        f'width="{width:.0f}" height="{y:.0f}">{"".join(parts)}</svg>'
    )


def _attribute(svg: str, name: str) -> str:
    found = re.search(rf'\s{name}="([\d.]+)"', svg)
    assert found is not None
    return found[1]
