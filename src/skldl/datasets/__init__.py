"""Real, generated and your own data sets, all as :class:`Dataset`."""

from skldl.datasets import readers
from skldl.datasets._check import TableCheck, check_table
from skldl.datasets._columns import column_to_numbers, existing_columns, to_numbers
from skldl.datasets._crowd_generator import make_crowd
from skldl.datasets._dataset import (
    Dataset,
    from_target,
    make_dataset,
    numbered,
    numbers_or_table,
)
from skldl.datasets._generators import make_ldl, make_toy_ldl
from skldl.datasets._home import get_data_home, set_data_home
from skldl.datasets._pick import pick_labels
from skldl.datasets._read_frame import read_frame
from skldl.datasets._read_lines import frame_origin, name_rows
from skldl.datasets._registry import (
    describe,
    expand_datasets,
    fetch,
    is_at_hand,
    list_datasets,
    load,
    registry,
)
from skldl.datasets._roles import column_roles, date_format
from skldl.datasets._row_names import row_names
from skldl.datasets._table import load_table

__all__ = [
    "Dataset",
    "TableCheck",
    "check_table",
    "column_roles",
    "column_to_numbers",
    "date_format",
    "describe",
    "existing_columns",
    "expand_datasets",
    "fetch",
    "frame_origin",
    "from_target",
    "get_data_home",
    "is_at_hand",
    "list_datasets",
    "load",
    "load_table",
    "make_crowd",
    "make_dataset",
    "make_ldl",
    "make_toy_ldl",
    "name_rows",
    "numbered",
    "numbers_or_table",
    "pick_labels",
    "read_frame",
    "readers",
    "registry",
    "row_names",
    "set_data_home",
    "to_numbers",
]
