"""Objectives: terms with ``value_and_grad``, which add up."""

from skldl.objectives._base import Objective, Sum
from skldl.objectives._latent import LatentKL, LatentPoint
from skldl.objectives._margin import NeighborMargin
from skldl.objectives._penalties import GraphSmoothness, Ridge, RowNorms
from skldl.objectives._softmax import MaxEntKL, log_degrees, softmax_kl

__all__ = [
    "GraphSmoothness",
    "LatentKL",
    "LatentPoint",
    "MaxEntKL",
    "NeighborMargin",
    "Objective",
    "Ridge",
    "RowNorms",
    "Sum",
    "log_degrees",
    "softmax_kl",
]
