"""What projections share: the number of components, and the size of a ridge."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from skldl._sklearn import Interval, StrOptions
from skldl._typing import FloatArray
from skldl.linalg import Center, RowSpace, require_products

#: Constraint of ``n_components`` for estimators' parameters.
N_COMPONENTS = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
]


#: Constraint of ``reg_mode``.
REG_MODE = [StrOptions({"absolute", "relative"})]


def resolve_ridge(
    reg: float, mode: str, matrix: FloatArray, n_features: int | None = None
) -> float:
    """The ridge: reg itself, or times the mean of the diagonal of a matrix.

    The matrix is that on the right of the eigenproblem, whose diagonal is positive. In
    a space of fewer dimensions than there are features its trace is the same, and the
    mean is still that of the features.
    """
    if mode == "relative":
        return reg * float(np.trace(matrix)) / (n_features or len(matrix))
    return float(reg)


def resolve_components(n_components: Any, n_features: int) -> int:
    """An integer as it is; a share of the features, rounded, at least one."""
    if isinstance(n_components, Integral):
        return int(n_components)
    return max(1, round(float(n_components) * n_features))


def is_share(n_components: Any) -> bool:
    """Whether the number is a share of the features, which the rank may cut."""
    return n_components is not None and not isinstance(n_components, Integral)


def check_size(n_components: Any, n_features: int) -> int:
    """Number of components, at most that of the features."""
    size = resolve_components(n_components, n_features)
    if size > n_features:
        raise ValueError(
            f"n_components={n_components} is more than n_features={n_features}. "
            "Lower n_components."
        )
    return size


def narrowed(X: FloatArray, center: Center) -> tuple[RowSpace, FloatArray, Center]:
    """Samples and how to centre them, or centred ones in the space that they span.

    The latter where there are more features than samples: products of features would
    have the order of their number.
    """
    require_products(*X.shape)
    if X.shape[1] <= len(X):
        return RowSpace(X), X, center
    space = RowSpace.of(center.apply(X))
    return space, space.coordinates, Center()
