"""Results as one HTML file that opens from disk, without a network."""

from skldl.report._fragments import Cell, facts, figure, paragraph, svg, table, theme
from skldl.report._page import Section, render_page, write_page

__all__ = [
    "Cell",
    "Section",
    "facts",
    "figure",
    "paragraph",
    "render_page",
    "svg",
    "table",
    "theme",
    "write_page",
]
