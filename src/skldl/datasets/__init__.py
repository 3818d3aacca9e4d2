"""Real, generated and your own data sets, all as :class:`Dataset`."""

from skldl.datasets import readers
from skldl.datasets._columns import column_to_numbers, existing_columns, to_numbers
from skldl.datasets._dataset import Dataset, from_target, make_dataset, numbered
from skldl.datasets._generators import make_ldl, make_toy_ldl
from skldl.datasets._home import get_data_home, set_data_home
from skldl.datasets._registry import describe, fetch, list_datasets, load, registry
from skldl.datasets._table import load_table

__all__ = [
    "Dataset",
    "column_to_numbers",
    "describe",
    "existing_columns",
    "fetch",
    "from_target",
    "get_data_home",
    "list_datasets",
    "load",
    "load_table",
    "make_dataset",
    "make_ldl",
    "make_toy_ldl",
    "numbered",
    "readers",
    "registry",
    "set_data_home",
    "to_numbers",
]
