"""Results as one HTML file that opens from disk, without a network."""

from skldl.report._fragments import Cell, facts, figure, paragraph, svg, table, theme
from skldl.report._page import Section, render_page, write_page
from skldl.report._report import write_report

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
    "write_report",
]
