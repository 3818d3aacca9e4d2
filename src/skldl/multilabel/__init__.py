"""Nearest-neighbour rankers for label sets: ``fit(X, Y)``, ``predict``."""

from skldl.multilabel._brknn import BRkNN
from skldl.multilabel._dmlknn import DMLkNN
from skldl.multilabel._iblr import IBLR
from skldl.multilabel._mlknn import MLkNN

__all__ = ["IBLR", "BRkNN", "DMLkNN", "MLkNN"]
