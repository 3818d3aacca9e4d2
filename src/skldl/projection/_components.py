"""How many components: a number, or a share of the features."""

from numbers import Integral, Real
from typing import Any

from skldl._sklearn import Interval

#: Constraint of ``n_components`` for estimators' parameters.
N_COMPONENTS = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="right"),
]


def resolve_components(n_components: Any, n_features: int) -> int:
    """An integer as it is; a share of the features, rounded, at least one."""
    if isinstance(n_components, Integral):
        return int(n_components)
    return max(1, round(float(n_components) * n_features))


def check_size(n_components: Any, n_features: int) -> int:
    """Number of components, at most that of the features."""
    size = resolve_components(n_components, n_features)
    if size > n_features:
        raise ValueError(
            f"n_components={n_components} is more than n_features={n_features}."
        )
    return size
