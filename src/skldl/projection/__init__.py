"""Label-aware and locality-preserving projections: ``fit(X, y)``, ``transform(X)``."""

from skldl.projection._autorule import AutoRULe
from skldl.projection._cca import CCA
from skldl.projection._graph_embedding import GraphEmbedding
from skldl.projection._jplay import JPlay
from skldl.projection._lfda import LFDA
from skldl.projection._locality import LPP, NPE
from skldl.projection._lsdr import LSDR
from skldl.projection._lsqmid import LSQMID
from skldl.projection._mslp import MSLP
from skldl.projection._mslp_path import mslp_path

__all__ = [
    "CCA",
    "LFDA",
    "LPP",
    "LSDR",
    "LSQMID",
    "MSLP",
    "NPE",
    "AutoRULe",
    "GraphEmbedding",
    "JPlay",
    "mslp_path",
]
