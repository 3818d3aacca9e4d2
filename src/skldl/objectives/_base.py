"""What an objective is, and how objectives add up."""

from typing import Protocol

from skldl._typing import FloatArray


class Objective(Protocol):
    """A function of one array, with its gradient."""

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value at x, and the gradient in the shape of x."""


class Sum:
    """The sum of several objectives of the same array.

    Parameters
    ----------
    *terms : objective
        Objects with ``value_and_grad``.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import Ridge, Sum
    >>> Sum(Ridge(1.0), Ridge(3.0)).value_and_grad(np.array([1.0, 2.0]))
    (10.0, array([4., 8.]))
    """

    def __init__(self, *terms: Objective) -> None:
        self.terms = terms

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Add values and gradients of the terms.

        Parameters
        ----------
        x : ndarray
            Where.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        parts = [term.value_and_grad(x) for term in self.terms]
        gradient = parts[0][1].copy()
        for _, other in parts[1:]:
            gradient += other
        return float(sum(value for value, _ in parts)), gradient
