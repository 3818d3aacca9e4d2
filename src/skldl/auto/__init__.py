"""The best model that the time allows: AutoLDL."""

from skldl.auto._auto import AutoLDL
from skldl.auto._candidates import read_portfolio

__all__ = ["AutoLDL", "read_portfolio"]
