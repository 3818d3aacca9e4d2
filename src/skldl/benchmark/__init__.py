"""Honest comparisons: plans, shared folds, a store that survives, statistics."""

from skldl.benchmark import stats
from skldl.benchmark._diagram import cd_diagram
from skldl.benchmark._job import Job, Result, Tuning
from skldl.benchmark._methods import Method, list_methods, make_method, register
from skldl.benchmark._plan import Plan, read_plan, read_reference
from skldl.benchmark._runner import Progress, run
from skldl.benchmark._splits import LargestLabelKFold, Split, derive_seed
from skldl.benchmark._store import Store
from skldl.benchmark._tables import compare_with_reference, score_table, summarize

__all__ = [
    "Job",
    "LargestLabelKFold",
    "Method",
    "Plan",
    "Progress",
    "Result",
    "Split",
    "Store",
    "Tuning",
    "cd_diagram",
    "compare_with_reference",
    "derive_seed",
    "list_methods",
    "make_method",
    "read_plan",
    "read_reference",
    "register",
    "run",
    "score_table",
    "stats",
    "summarize",
]
