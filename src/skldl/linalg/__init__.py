"""Linear algebra that the estimators share."""

from skldl.linalg._center import Center, centered
from skldl.linalg._eigen import (
    Eigenpairs,
    fix_signs,
    generalized_eigh,
    nearest_semidefinite,
    range_whitening,
)
from skldl.linalg._logratio import (
    clr,
    helmert_basis,
    ilr,
    inverse_clr,
    inverse_ilr,
    replace_zeros,
)
from skldl.linalg._products import (
    graph_products,
    neighbor_sums,
    row_slices,
    weighted_mean,
)
from skldl.linalg._row_space import RowSpace, require_products
from skldl.linalg._simplex import nearest_distributions
from skldl.linalg._tame import tame_columns

__all__ = [
    "Center",
    "Eigenpairs",
    "RowSpace",
    "centered",
    "clr",
    "fix_signs",
    "generalized_eigh",
    "graph_products",
    "helmert_basis",
    "ilr",
    "inverse_clr",
    "inverse_ilr",
    "nearest_distributions",
    "nearest_semidefinite",
    "neighbor_sums",
    "range_whitening",
    "replace_zeros",
    "require_products",
    "row_slices",
    "tame_columns",
    "weighted_mean",
]
