"""Penalties on parameters."""

import numpy as np

from skldl._typing import FloatArray


class Ridge:
    r"""Half the squared norm, :math:`\frac{\lambda}{2} \lVert x \rVert^2`.

    Parameters
    ----------
    weight : float
        :math:`\lambda`.
    """

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray
            Where.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        return 0.5 * self.weight * float(np.vdot(x, x)), self.weight * x
