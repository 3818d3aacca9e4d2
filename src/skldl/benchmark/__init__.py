"""Honest comparisons: plans, shared folds, a store that survives, statistics."""

from skldl.benchmark import stats
from skldl.benchmark._diagram import cd_diagram
from skldl.benchmark._identity import fingerprint
from skldl.benchmark._job import Job, Result
from skldl.benchmark._picture import picture_of
from skldl.benchmark._plan import Plan, plan_files, read_plan, read_reference
from skldl.benchmark._runner import Progress, run
from skldl.benchmark._splits import LargestLabelKFold, Split
from skldl.benchmark._store import Store
from skldl.benchmark._tables import (
    best_methods,
    compare_with_reference,
    score_table,
    shown_metrics,
    summarize,
)

__all__ = [
    "Job",
    "LargestLabelKFold",
    "Plan",
    "Progress",
    "Result",
    "Split",
    "Store",
    "best_methods",
    "cd_diagram",
    "compare_with_reference",
    "fingerprint",
    "picture_of",
    "plan_files",
    "read_plan",
    "read_reference",
    "run",
    "score_table",
    "shown_metrics",
    "stats",
    "summarize",
]
