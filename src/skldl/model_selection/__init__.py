"""Settings by cross-validation: one search for every distribution learner."""

from skldl._edges import GridEdgeWarning
from skldl.model_selection._path_search import PathSearchCV

__all__ = ["GridEdgeWarning", "PathSearchCV"]
