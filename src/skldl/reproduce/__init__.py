"""Published tables, run again in their own protocols and set beside ours."""

from skldl.reproduce._field_page import field_overview, field_table
from skldl.reproduce._figures import measure_figures
from skldl.reproduce._pages import coverage, write_index, write_pages
from skldl.reproduce._papers import get_papers, list_papers
from skldl.reproduce._protocol import Entry, Paper, Part
from skldl.reproduce._runner import Selection, make_plans, run_papers
from skldl.reproduce._summary import (
    Results,
    read_summary,
    summarize_paper,
    write_summary,
)
from skldl.reproduce._verdicts import compare_paper, count_verdicts, judge

__all__ = [
    "Entry",
    "Paper",
    "Part",
    "Results",
    "Selection",
    "compare_paper",
    "count_verdicts",
    "coverage",
    "field_overview",
    "field_table",
    "get_papers",
    "judge",
    "list_papers",
    "make_plans",
    "measure_figures",
    "read_summary",
    "run_papers",
    "summarize_paper",
    "write_index",
    "write_pages",
    "write_summary",
]
