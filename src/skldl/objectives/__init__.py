"""Objectives: terms with ``value_and_grad``, which add up."""

from skldl.objectives._base import Objective, Sum
from skldl.objectives._margin import NeighborMargin
from skldl.objectives._penalties import Ridge

__all__ = ["NeighborMargin", "Objective", "Ridge", "Sum"]
