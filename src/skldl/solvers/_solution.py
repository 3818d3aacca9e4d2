"""What every solver gives back."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Solution:
    """The result of an optimisation.

    Attributes
    ----------
    x : ndarray, or tuple of ndarray
        The best point seen.
    value : float
        The objective there.
    n_iter : int
        Iterations taken.
    converged : bool
        Whether the stopping rule was met.
    residual : float
        How far from optimal the answer may be, in the solver's own measure (its
        docstring says which): a gradient norm, a bound on the gap.
    history : list of float
        The objective after each iteration, where the solver keeps it.
    """

    x: Any
    value: float
    n_iter: int
    converged: bool
    residual: float
    history: list[float] = field(default_factory=list, repr=False)
