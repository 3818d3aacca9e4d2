"""Regions around predicted distributions, with a guarantee."""

from skldl.conformal._conformal import ConformalDistribution
from skldl.conformal._each import regions_of_rows
from skldl.conformal._quantile import conformal_quantile
from skldl.conformal._regions import Regions
from skldl.conformal._views import coverage_table, reliability_table
from skldl.conformal._votes import fit_concentration

__all__ = [
    "ConformalDistribution",
    "Regions",
    "conformal_quantile",
    "coverage_table",
    "fit_concentration",
    "regions_of_rows",
    "reliability_table",
]
