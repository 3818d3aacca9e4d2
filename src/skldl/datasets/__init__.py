"""Real, generated and your own data sets, all as :class:`Dataset`."""

from skldl.datasets._dataset import Dataset, make_dataset
from skldl.datasets._generators import make_ldl, make_toy_ldl
from skldl.datasets._home import get_data_home, set_data_home
from skldl.datasets._registry import describe, fetch, list_datasets, load
from skldl.datasets._table import load_table

__all__ = [
    "Dataset",
    "describe",
    "fetch",
    "get_data_home",
    "list_datasets",
    "load",
    "load_table",
    "make_dataset",
    "make_ldl",
    "make_toy_ldl",
    "set_data_home",
]
