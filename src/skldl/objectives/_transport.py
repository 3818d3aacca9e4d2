"""The entropic optimal transport cost between distributions."""

import numpy as np

from skldl._typing import FloatArray

_TINY = 1e-300


class LALOTTransport:
    r"""Cost of moving predicted distributions to true ones, summed over samples.

    .. math:: \sum_i \min_{T \ge 0} \langle T, M \rangle
       + \frac{1}{\lambda} \sum_{jl} T_{jl} \ln T_{jl} \quad
       \text{with } T 1 = p_i, \; T^T 1 = d_i .

    Plans are found by Sinkhorn's scaling for all samples together; scalings are kept to
    start the next evaluation.

    The entropy makes other distributions than the true one the cheapest. Debiased, half
    the costs of moving :math:`p_i` to itself and :math:`d_i` to itself are subtracted:
    the difference is never negative, and 0 where both are equal.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    cost : ndarray of shape (n_labels, n_labels)
        M, symmetric, not negative.
    sharpness : float
        :math:`\lambda`: the larger, the nearer to transport without entropy.
    max_iter : int, default=1000
        Scalings at most.
    tol : float, default=1e-9
        Scaled enough when the plans have the rows' sums up to this.
    debiased : bool, default=False
        Whether to subtract the costs of staying.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in the sum; None is 1 for every sample.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import LALOTTransport
    >>> D, cost = np.array([[0.25, 0.75]]), 1 - np.eye(2)
    >>> plan = LALOTTransport(D, cost, 50.0).total_plan(np.array([[0.5, 0.5]]))
    >>> plan.round(3)
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """

    def __init__(
        self,
        D: FloatArray,
        cost: FloatArray,
        sharpness: float,
        *,
        max_iter: int = 1000,
        tol: float = 1e-9,
        debiased: bool = False,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.D = D
        self.sharpness = sharpness
        self.kernel = np.exp(-sharpness * cost)
        self.max_iter = max_iter
        self.tol = tol
        self.debiased = debiased
        self.sample_weight = sample_weight
        self._u = np.ones_like(D)
        self._w = np.ones_like(D)
        self._true = self._staying(D, np.ones_like(D)) if debiased else self._u
        self._rest = self._product(D, _logs(self._true)) if debiased else 0.0

    def _weighted(self, rows: FloatArray) -> FloatArray:
        """Rows times the weights of the samples."""
        weights = self.sample_weight
        return rows if weights is None else rows * weights[:, None]

    def _product(self, P: FloatArray, potential: FloatArray) -> float:
        """Weighted sum over samples of the products of their rows."""
        return float(np.vdot(P, self._weighted(potential)))

    def _scalings(self, P: FloatArray) -> tuple[FloatArray, FloatArray]:
        u = self._u
        for _ in range(self.max_iter):
            v = self.D / (u @ self.kernel)
            reached = v @ self.kernel.T
            if np.max(np.abs(u * reached - P)) <= self.tol:
                break
            u = P / np.maximum(reached, _TINY)
        self._u = u
        return u, self.D / (u @ self.kernel)

    def _staying(self, P: FloatArray, w: FloatArray) -> FloatArray:
        """Scaling of both sides of the plans that move P to itself, from w on."""
        for _ in range(self.max_iter):
            reached = w @ self.kernel
            if np.max(np.abs(w * reached - P)) <= self.tol:
                break
            # the mean of two steps, in logarithms, does not swing
            w = np.sqrt(w * P / np.maximum(reached, _TINY))
        return w

    def total_plan(self, P: FloatArray) -> FloatArray:
        """Sum of the plans of all samples, less half of those of staying if debiased.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_labels)
            Predicted distributions.

        Returns
        -------
        plan : ndarray of shape (n_labels, n_labels)
            Predicted labels in rows, true ones in columns.
        """
        u, v = self._scalings(P)
        total = u.T @ self._weighted(v)
        if self.debiased:
            w = self._staying(P, self._w)
            true = self._true
            total -= (w.T @ self._weighted(w) + true.T @ self._weighted(true)) / 2
        return self.kernel * total

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient; the latter up to a constant per row.

        On the simplex the gradient of a row is defined up to a constant only; the one
        given has mean 0 in each row.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_labels)
            Predicted distributions, positive.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        u, v = self._scalings(x)
        potential = _logs(u)
        total = self._product(self.D, _logs(v)) - self._rest
        if self.debiased:
            self._w = self._staying(x, self._w)
            potential -= _logs(self._w)
        total += self._product(x, potential)
        potential -= potential.mean(axis=1, keepdims=True)
        return total / self.sharpness, self._weighted(potential) / self.sharpness


def _logs(scaling: FloatArray) -> FloatArray:
    """Logarithms; 0 for a scaling of 0, which is that of a degree of 0."""
    return np.log(np.where(scaling > 0, np.maximum(scaling, _TINY), 1.0))
