"""L1 loss and large margin of distributions combined from neighbours.

The loss is piecewise linear: a sum of terms ``max(l r, u r)`` of residuals r that are
linear in the weights. Its smoothing by a logarithmic barrier of level mu rounds every
corner. The slopes of the rounded terms lie strictly between l and u; after a Newton
step they are a point of the dual problem, hence a lower bound on the optimum.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from skldl._typing import FloatArray, IndexArray

_CHUNK = 1 << 18  # numbers of a gathered block


class Levels(NamedTuple):
    """Sums over the samples: the smoothed loss, the loss."""

    smooth: float
    value: float


class NeighborMargin:
    r"""L1 loss plus large margin of combined neighbour distributions, plus a ridge.

    .. math:: F(v) = \sum_i s_i \Big[\sum_l \omega_{il} |p_{il} - D_{il}|
       + h \sum_{l \ne \ell_i} [\rho_i - (p_{i\ell_i} - p_{il})]_+ \Big]
       + \frac{\lambda}{2} \lVert v \rVert^2,

    with :math:`p_i = \sum_j c_{ij} D_{N(i, j)}` a combination of the distributions of
    the neighbours of sample i and :math:`\ell_i` its largest label (the first one on
    ties). The coefficients :math:`c_i` are the weights w themselves, or :math:`W u_i`
    where each sample has inputs :math:`u_i`.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
        Distributions.
    indices : ndarray of shape (n_samples, n_neighbors)
        Neighbours of each sample.
    inputs : ndarray of shape (n_samples, n_neighbors), default=None
        :math:`u_i`; None for weights shared by all samples.
    margin : float or ndarray of shape (n_samples,), default=0.1
        :math:`\rho`.
    slope : float, default=10.0
        :math:`h`; 0 leaves the margin out.
    loss_weight : ndarray of shape (n_samples, n_labels), default=None
        :math:`\omega`; None for ones.
    reg : float, default=0.0
        :math:`\lambda`.
    sample_weight : ndarray of shape (n_samples,), default=None
        :math:`s`; None is 1 for every sample.

    Attributes
    ----------
    shape : tuple of int
        Of the weights: (k,) or (k, k).
    n_terms : int
        Number of corners.
    total_weight : float
        Sum of the weights of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.objectives import NeighborMargin
    >>> D = np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> loss = NeighborMargin(D, np.array([[1], [0]]), slope=0.0)
    >>> loss.value(np.array([1.0]))
    2.0
    """

    def __init__(
        self,
        D: FloatArray,
        indices: IndexArray,
        inputs: FloatArray | None = None,
        *,
        margin: float | FloatArray = 0.1,
        slope: float = 10.0,
        loss_weight: FloatArray | None = None,
        reg: float = 0.0,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self.sample_weight = sample_weight
        self.total_weight = float(len(D))
        if sample_weight is not None:
            self.total_weight = float(sample_weight.sum())
        self.D = D
        self.indices = indices
        self.inputs = inputs
        self.margin = np.broadcast_to(np.asarray(margin, dtype=np.float64), len(D))
        self.slope = slope
        self.loss_weight = loss_weight
        self.reg = reg
        self.largest = D.argmax(axis=1)
        k = indices.shape[1]
        self.shape = (k,) if inputs is None else (k, k)
        self.n_terms = D.size + (D.size - len(D)) * (slope > 0)

    def image(self, v: FloatArray) -> FloatArray:
        """Combined distributions of all samples, linear in the weights.

        Parameters
        ----------
        v : ndarray of shape `shape`
            Weights.

        Returns
        -------
        P : ndarray of shape (n_samples, n_labels)
        """
        P = np.empty_like(self.D)
        for rows in self._chunks():
            near = self.D[self.indices[rows]]
            if self.inputs is None:
                P[rows] = np.tensordot(near, v, axes=(1, 0))
            else:
                c = self.inputs[rows].astype(np.float64, copy=False) @ v.T
                P[rows] = np.matmul(c[:, None, :], near)[:, 0]
        return P

    def value(self, v: FloatArray) -> float:
        """The objective.

        Parameters
        ----------
        v : ndarray of shape `shape`
            Weights.

        Returns
        -------
        value : float
        """
        return self.levels(self.image(v), 0.0).value + self.ridge(v)

    def ridge(self, v: FloatArray) -> float:
        """The ridge alone.

        Parameters
        ----------
        v : ndarray of shape `shape`
            Weights.

        Returns
        -------
        value : float
        """
        return 0.5 * self.reg * float(np.vdot(v, v))

    def levels(self, P: FloatArray, mu: float) -> Levels:
        """Smoothed loss and loss at combined distributions, without the ridge.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_labels)
            Combined distributions.
        mu : float
            Level of the barrier; at 0 the smoothed loss is the loss.

        Returns
        -------
        levels : Levels
        """
        total = np.zeros(2)
        for rows in self._chunks():
            for r, s, center in self._residuals(P, rows):
                bend = s * np.abs(r)
                # centre times r plus the bend, where both cancel for negative r
                term = bend if center is None else np.where(r > 0, 2 * bend, 0.0)
                total[1] += term.sum()
                if mu > 0:
                    g = np.sqrt(mu * mu + bend * bend)
                    # g less the bend, without cancellation
                    total[0] += (
                        term + mu * (mu / (g + bend)) - mu * np.log1p(g / mu)
                    ).sum()
                else:
                    total[0] += term.sum()
        return Levels(*map(float, total))

    def lower_bound(
        self, P: FloatArray, along: FloatArray, v: FloatArray, mu: float
    ) -> float:
        r"""Value of the dual problem where a Newton step leads, or minus infinity.

        The slopes y of the smoothed terms, moved by their second derivatives along
        the step, satisfy :math:`C^T y = -\lambda v` exactly, where C is the linear map
        from weights to residuals; if they also lie between the slopes of the terms,
        they are feasible.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_labels)
            Combined distributions before the Newton step.
        along : ndarray of shape (n_samples, n_labels)
            Their change by the full step.
        v : ndarray of shape `shape`
            Weights after the full step.
        mu : float
            Level of the barrier.

        Returns
        -------
        bound : float
            No feasible weights have a smaller objective.
        """
        bound = -self.ridge(v)
        for rows in self._chunks():
            moves = self._residual_changes(along, rows)
            for (r, s, center), move in zip(
                self._residuals(P, rows), moves, strict=True
            ):
                g = np.sqrt(mu * mu + (s * r) ** 2)
                squared = np.square(s)
                # of the slope, what is beyond its centre
                y = squared * (r + mu / g * move) / (mu + g)
                if np.any(np.abs(y) > s):
                    return -np.inf
                offset = -self.D[rows]
                if center is not None:
                    y = y + center
                    offset = self.margin[rows][:, None]
                bound += float((y * offset).sum())
        return bound

    def derivatives(
        self, P: FloatArray, mu: float, *, second: bool = True
    ) -> tuple[FloatArray, FloatArray | None]:
        """Gradient and Hessian of the smoothed loss, without the ridge.

        Parameters
        ----------
        P : ndarray of shape (n_samples, n_labels)
            Combined distributions.
        mu : float
            Level of the barrier, positive.
        second : bool, default=True
            Whether the Hessian is wanted.

        Returns
        -------
        gradient : ndarray of shape `shape`
        hessian : ndarray of shape (n_weights, n_weights) or None
        """
        gradient = np.zeros(self.shape)
        sums = _HessianSums(self.indices.shape[1], self.inputs is not None)
        for rows in self._chunks():
            near = self.D[self.indices[rows]]
            slope, bend, margin_bend = self._bends(P, rows, mu)
            pulled = np.matmul(near, slope[:, :, None])[:, :, 0]
            u = None
            if self.inputs is not None:  # kept small, but multiplied in full precision
                u = self.inputs[rows].astype(np.float64, copy=False)
            gradient += pulled.sum(axis=0) if u is None else pulled.T @ u
            if second:
                sums.add(near, bend, margin_bend, self.largest[rows], u)
        return gradient, sums.total() if second else None

    def smoothed(self, mu: float) -> "SmoothedMargin":
        """The whole objective with its corners rounded.

        Parameters
        ----------
        mu : float
            Level of the barrier, positive.

        Returns
        -------
        objective : SmoothedMargin
        """
        return SmoothedMargin(self, mu)

    def _bends(
        self, P: FloatArray, rows: slice, mu: float
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """First and second derivatives in P, and the margin's share of the latter."""
        firsts, seconds = [], []
        for r, s, center in self._residuals(P, rows):
            g = np.sqrt(mu * mu + (s * r) ** 2)
            squared = np.square(s)
            first = squared * r / (mu + g)
            firsts.append(first if center is None else first + center)
            seconds.append(squared * mu / (g * (mu + g)))
        if len(firsts) == 1:
            return firsts[0], seconds[0], None
        first = firsts[0] + firsts[1]
        own = np.arange(len(first)), self.largest[rows]
        first[own] -= firsts[1].sum(axis=1)
        return first, seconds[0] + seconds[1], seconds[1]

    def _residuals(
        self, P: FloatArray, rows: slice
    ) -> Iterator[tuple[FloatArray, float | FloatArray, FloatArray | None]]:
        """Residuals r, half-width s and centre of their slopes, of both losses."""
        part = P[rows]
        counts = None if self.sample_weight is None else self.sample_weight[rows, None]
        weight = 1.0 if self.loss_weight is None else self.loss_weight[rows]
        if counts is not None:
            weight = weight * counts
        yield part - self.D[rows], weight, None
        if self.slope > 0:
            own = np.arange(len(part)), self.largest[rows]
            lead = self.margin[rows] - part[own]
            half = np.full(part.shape, self.slope / 2)
            if counts is not None:
                half *= counts
            half[own] = 0.0
            yield lead[:, None] + part, half, half

    def _residual_changes(self, along: FloatArray, rows: slice) -> Iterator[FloatArray]:
        part = along[rows]
        yield part
        if self.slope > 0:
            yield part - part[np.arange(len(part)), self.largest[rows]][:, None]

    def _chunks(self) -> Iterator[slice]:
        step = max(1, _CHUNK // (self.indices.shape[1] * self.D.shape[1]))
        for start in range(0, len(self.D), step):
            yield slice(start, start + step)


class SmoothedMargin:
    """A :class:`NeighborMargin` with its corners rounded.

    Parameters
    ----------
    loss : NeighborMargin
        The objective.
    mu : float
        Level of the barrier, positive.
    """

    def __init__(self, loss: NeighborMargin, mu: float) -> None:
        self.loss = loss
        self.mu = mu

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient.

        Parameters
        ----------
        x : ndarray of shape `loss.shape`
            Weights.

        Returns
        -------
        value : float
        gradient : ndarray of the shape of x
        """
        P = self.loss.image(x)
        gradient, _ = self.loss.derivatives(P, self.mu, second=False)
        value = self.loss.levels(P, self.mu).smooth + self.loss.ridge(x)
        return value, gradient + self.loss.reg * x


class _HessianSums:
    """Adds up the Hessian over chunks of samples.

    With K the curvature of a sample in its coefficients, the Hessian is the sum of K,
    or of the Kronecker products of K and u u'. Both factors are symmetric, so their
    upper triangles, multiplied as matrices of one row per sample, hold everything.
    """

    def __init__(self, k: int, kronecker: bool) -> None:
        self.k = k
        self.upper = np.triu_indices(k)
        size = len(self.upper[0]) if kronecker else k
        self.sums = np.zeros((size, size))
        self.kronecker = kronecker

    def add(
        self,
        near: FloatArray,
        bend: FloatArray,
        margin_bend: FloatArray | None,
        largest: IndexArray,
        inputs: FloatArray | None,
    ) -> None:
        """Add a chunk: neighbours' distributions (c, k, m) and second derivatives."""
        scaled = near * bend[:, None, :]
        own, cross = None, None
        if margin_bend is not None:
            own = near[np.arange(len(near)), :, largest]
            # - nu a' - a nu' + tau a a', as - (nu - tau a / 2) a' and its transpose
            cross = np.matmul(near, margin_bend[:, :, None])[:, :, 0]
            cross -= 0.5 * margin_bend.sum(axis=1)[:, None] * own
        if inputs is None:
            self.sums += np.tensordot(scaled, near, axes=([0, 2], [0, 2]))
            if cross is not None and own is not None:
                mixed = cross.T @ own
                self.sums -= mixed + mixed.T
            return
        K = np.matmul(scaled, near.transpose(0, 2, 1))
        first, second = self.upper
        packed = K[:, first, second]
        if cross is not None and own is not None:
            packed -= cross[:, first] * own[:, second]
            packed -= own[:, first] * cross[:, second]
        self.sums += packed.T @ (inputs[:, first] * inputs[:, second])

    def total(self) -> FloatArray:
        """The Hessian, rows and columns in the order of the raveled weights."""
        if not self.kronecker:
            return (self.sums + self.sums.T) / 2
        k = self.k
        place = np.zeros((k, k), dtype=np.intp)
        place[self.upper] = np.arange(len(self.upper[0]))
        place = np.maximum(place, place.T)
        # place of (a, b) for the rows of W and of (c, e) for its columns
        full = self.sums[place[:, None, :, None], place[None, :, None, :]]
        return full.reshape(k * k, k * k)
