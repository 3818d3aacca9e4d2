"""Honest comparisons: plans, shared folds, a store that survives, statistics."""

from skldl.benchmark import stats
from skldl.benchmark._diagram import cd_diagram
from skldl.benchmark._identity import fingerprint
from skldl.benchmark._job import Job, Result
from skldl.benchmark._paper_table import PaperTable, paper_table
from skldl.benchmark._picture import picture_of
from skldl.benchmark._plan import Plan
from skldl.benchmark._plan_file import plan_files, read_plan
from skldl.benchmark._reference import read_reference
from skldl.benchmark._runner import Progress, run
from skldl.benchmark._selection import check_rows, read_rows, select_comparison
from skldl.benchmark._splits import LargestLabelKFold, Split
from skldl.benchmark._store import Store
from skldl.benchmark._table_text import latex_escape
from skldl.benchmark._tables import (
    best_methods,
    compare_with_reference,
    score_table,
    shown_metrics,
    summarize,
)
from skldl.benchmark._versions import OtherVersionWarning

__all__ = [
    "Job",
    "LargestLabelKFold",
    "OtherVersionWarning",
    "PaperTable",
    "Plan",
    "Progress",
    "Result",
    "Split",
    "Store",
    "best_methods",
    "cd_diagram",
    "check_rows",
    "compare_with_reference",
    "fingerprint",
    "latex_escape",
    "paper_table",
    "picture_of",
    "plan_files",
    "read_plan",
    "read_reference",
    "read_rows",
    "run",
    "score_table",
    "select_comparison",
    "shown_metrics",
    "stats",
    "summarize",
]
