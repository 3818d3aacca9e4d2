"""What the scripts that write the tables of the documentation need.

Not part of the public interface: it may change with the documentation.
"""

from skldl.reproduce._baseline import is_like_mean
from skldl.reproduce._changes import verdict_changes, verdicts_before, worse_groups
from skldl.reproduce._claims import claims_table
from skldl.reproduce._columns import fold_values
from skldl.reproduce._field_page import as_text, field_overview, field_table
from skldl.reproduce._page_tables import ALIKE
from skldl.reproduce._pages import stored_names
from skldl.reproduce._papers import get_papers
from skldl.reproduce._protocol import PREFIX, Paper
from skldl.reproduce._verdicts import count_verdicts, coverage

__all__ = [
    "ALIKE",
    "PREFIX",
    "Paper",
    "as_text",
    "claims_table",
    "count_verdicts",
    "coverage",
    "field_overview",
    "field_table",
    "fold_values",
    "get_papers",
    "is_like_mean",
    "stored_names",
    "verdict_changes",
    "verdicts_before",
    "worse_groups",
]
