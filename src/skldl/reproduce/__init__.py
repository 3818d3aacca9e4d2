"""Published tables, run again in their own protocols and set beside ours."""

from skldl.reproduce._columns import read_summary
from skldl.reproduce._papers import list_papers
from skldl.reproduce._reproduce import Reproduced, reproduce
from skldl.reproduce._runner import Selection, run_papers
from skldl.reproduce._verdicts import compare_paper

__all__ = [
    "Reproduced",
    "Selection",
    "compare_paper",
    "list_papers",
    "read_summary",
    "reproduce",
    "run_papers",
]
