"""Published tables, run again in their own protocols and set beside ours."""

from skldl.reproduce._papers import get_papers, list_papers
from skldl.reproduce._protocol import Entry, Paper, Part
from skldl.reproduce._runner import Selection, make_plans, run_papers

__all__ = [
    "Entry",
    "Paper",
    "Part",
    "Selection",
    "get_papers",
    "list_papers",
    "make_plans",
    "run_papers",
]
