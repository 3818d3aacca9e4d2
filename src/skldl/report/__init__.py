"""Results as one HTML file that opens from disk, without a network."""

from skldl.report._evidence import predictions_of_training_rows
from skldl.report._fragments import (
    Cell,
    facts,
    figure,
    paragraph,
    svg,
    svg_text,
    table,
    theme,
)
from skldl.report._model_report import write_model_report
from skldl.report._page import Section, render_page, write_page
from skldl.report._ranks import BASELINE
from skldl.report._report import write_report
from skldl.report._rst import to_rst

__all__ = [
    "BASELINE",
    "Cell",
    "Section",
    "facts",
    "figure",
    "paragraph",
    "predictions_of_training_rows",
    "render_page",
    "svg",
    "svg_text",
    "table",
    "theme",
    "to_rst",
    "write_model_report",
    "write_page",
    "write_report",
]
