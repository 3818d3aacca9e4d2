"""Data in blocks of rows: fits and predictions that never hold everything at once.

Estimators whose mathematics allows it take a :class:`Blocks`, or Dask arrays, where
they take X; :func:`predict_blocks` lets any estimator predict block by block.
"""

from skldl.blocks._predict import predict_blocks
from skldl.blocks._source import Blocks, as_blocks, is_blocked
from skldl.blocks._target import BlockTarget, survey_target

__all__ = [
    "BlockTarget",
    "Blocks",
    "as_blocks",
    "is_blocked",
    "predict_blocks",
    "survey_target",
]
