"""Alternating directions for one layer: a projection whose codes stay in a box.

The layer's problem is

    min over T:  1/2 |X - H G|^2 + weight/2 tr(T X'LX T') + label/2 |Y - H B'|^2
    with copies  H = X T',  G = T,  Q = X T' >= 0,  S = X T', rows of norm <= 1,

X with samples as rows, T of shape (k, d). Each copy has a multiplier; the penalty grows
from step to step. Every block update is a function of its own, so that each can be
tested to minimise the augmented Lagrangian in its block.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from skldl._typing import FloatArray
from skldl.linalg import generalized_eigh
from skldl.solvers._solution import Solution

PENALTY_START, PENALTY_MAX = 1e-3, 1e6
# a ridge of 1 stands in the matrix, so only what rounding makes is cut
_RANK_TOL = 1e-13
_BLOCK = 1 << 14  # entries of a matrix that are worked on at once


@dataclass(frozen=True)
class JPlayPencil:
    r"""Inverses of :math:`w X^T L X + \mu (3 X^T X + I)` for every w and mu.

    Attributes
    ----------
    values : ndarray of shape (d,)
        Eigenvalues of :math:`X^T L X` against :math:`3 X^T X + I`.
    vectors : ndarray of shape (d, d)
        Their vectors, as columns, orthonormal for the second matrix.
    """

    values: FloatArray
    vectors: FloatArray

    @classmethod
    def of(cls, X: FloatArray, smooth: FloatArray) -> "JPlayPencil":
        """Decompose once.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Samples.
        smooth : ndarray of shape (d, d)
            :math:`X^T L X`.

        Returns
        -------
        pencil : JPlayPencil
        """
        scatter = 3.0 * (X.T @ X) + np.eye(X.shape[1])
        pairs = generalized_eigh(smooth, scatter, largest=False, rank_tol=_RANK_TOL)
        return cls(pairs.values, np.ascontiguousarray(pairs.vectors))

    def solve(self, right: FloatArray, weight: float, mu: float) -> FloatArray:
        """Multiply rows by the inverse for one weight and one penalty.

        Parameters
        ----------
        right : ndarray of shape (k, d)
            Right-hand sides, as rows.
        weight : float
            Of the smoothness.
        mu : float
            Penalty.

        Returns
        -------
        rows : ndarray of shape (k, d)
        """
        inner = right @ self.vectors
        inner /= weight * self.values + mu
        return inner @ self.vectors.T


@dataclass(frozen=True)
class JPlayLayer:
    r"""One layer's data: samples, smoothness, and the labels if there are any.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Samples of the layer.
    pencil : JPlayPencil
        Of these samples and the graph.
    weight : float
        Of the smoothness: the paper's eta or beta.
    label_pull : ndarray of shape (n, k) or None
        :math:`\alpha Y B`, with B the map from codes to labels, (q, k).
    label_gram : ndarray of shape (k, k) or None
        :math:`\alpha B^T B`.
    """

    X: FloatArray
    pencil: JPlayPencil
    weight: float
    label_pull: FloatArray | None = None
    label_gram: FloatArray | None = None


def update_layer_projection(
    layer: JPlayLayer,
    pull: FloatArray,
    G: FloatArray,
    multiplier: FloatArray,
    mu: float,
) -> FloatArray:
    """Best T, given all copies.

    Parameters
    ----------
    layer : JPlayLayer
        The problem.
    pull : ndarray of shape (n, k)
        ``mu * (H + Q + S)`` plus their multipliers.
    G, multiplier : ndarray of shape (k, d)
        Copy of T and its multiplier.
    mu : float
        Penalty.

    Returns
    -------
    T : ndarray of shape (k, d)
    """
    right = pull.T @ layer.X
    right += mu * G
    right += multiplier
    return layer.pencil.solve(right, layer.weight, mu)


def update_codes(
    layer: JPlayLayer,
    G: FloatArray,
    Z: FloatArray,
    multiplier: FloatArray,
    mu: float,
    out: FloatArray | None = None,
    work: FloatArray | None = None,
) -> FloatArray:
    """Best H, which rebuilds the samples and, in a labelled layer, the labels.

    Parameters
    ----------
    layer : JPlayLayer
        The problem.
    G : ndarray of shape (k, d)
        What rebuilds the samples.
    Z, multiplier : ndarray of shape (n, k)
        ``X T'`` and the multiplier of H.
    mu : float
        Penalty.
    out, work : ndarray of shape (n, k), default=None
        Where to put it, and room for what comes between.

    Returns
    -------
    H : ndarray of shape (n, k)
    """
    pulled = np.multiply(Z, mu, out=out)
    pulled -= multiplier
    right = np.matmul(layer.X, G.T, out=work)
    right += pulled
    gram = G @ G.T
    if layer.label_pull is not None and layer.label_gram is not None:
        right += layer.label_pull
        gram += layer.label_gram
    return np.matmul(right, _ridge_inverse(gram, mu), out=pulled)


def update_basis(
    layer: JPlayLayer, H: FloatArray, T: FloatArray, multiplier: FloatArray, mu: float
) -> FloatArray:
    """Best G, which rebuilds the samples from H.

    Parameters
    ----------
    layer : JPlayLayer
        The problem.
    H : ndarray of shape (n, k)
        Codes.
    T, multiplier : ndarray of shape (k, d)
        The projection and the multiplier of G.
    mu : float
        Penalty.

    Returns
    -------
    G : ndarray of shape (k, d)
    """
    right = H.T @ layer.X
    right += mu * T
    right -= multiplier
    return _ridge_inverse(H.T @ H, mu) @ right


def update_nonnegative(
    Z: FloatArray, multiplier: FloatArray, mu: float, out: FloatArray | None = None
) -> FloatArray:
    """Best Q: the nearest matrix without negative entries.

    Parameters
    ----------
    Z, multiplier : ndarray of shape (n, k)
        ``X T'`` and the multiplier of Q.
    mu : float
        Penalty.
    out : ndarray of shape (n, k), default=None
        Where to put it.

    Returns
    -------
    Q : ndarray of shape (n, k)
    """
    Q = np.multiply(multiplier, -1.0 / mu, out=out)
    Q += Z
    return np.maximum(Q, 0.0, out=Q)


def update_bounded(
    Z: FloatArray, multiplier: FloatArray, mu: float, out: FloatArray | None = None
) -> FloatArray:
    """Best S: the nearest matrix with rows of norm at most 1.

    Parameters
    ----------
    Z, multiplier : ndarray of shape (n, k)
        ``X T'`` and the multiplier of S.
    mu : float
        Penalty.
    out : ndarray of shape (n, k), default=None
        Where to put it.

    Returns
    -------
    S : ndarray of shape (n, k)
    """
    S = np.multiply(multiplier, -1.0 / mu, out=out)
    S += Z
    norms = np.sqrt(np.einsum("ij,ij->i", S, S))
    if norms.max() > 1.0:
        S *= (1.0 / np.maximum(norms, 1.0))[:, None]
    return S


def jplay_admm(
    layer: JPlayLayer,
    start: FloatArray,
    *,
    growth: float = 2.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    callback: Callable[[int, float], None] | None = None,
) -> Solution:
    """Solve one layer by alternating directions with a growing penalty.

    Parameters
    ----------
    layer : JPlayLayer
        The problem.
    start : ndarray of shape (k, d)
        First projection; it enters through the codes only.
    growth : float, default=2.0
        Factor of the penalty from one iteration to the next, at most to 1e6.
    max_iter : int, default=1000
        Iterations at most.
    tol : float, default=1e-6
        Converged when the norms of all four differences between a copy and its
        original are below this.
    callback : callable, default=None
        Called with the number of the iteration and the largest of these norms.

    Returns
    -------
    solution : Solution
        ``x`` is the projection; ``value`` and ``residual`` the largest norm at the
        end, ``history`` after each iteration.

    Notes
    -----
    With a quickly growing penalty the end is set by the schedule as much as by the
    problem: a slower growth gives another, often better, projection.

    Examples
    --------
    >>> import numpy as np
    >>> from skldl.solvers import JPlayLayer, JPlayPencil, jplay_admm
    >>> X = np.random.default_rng(0).uniform(size=(30, 4))
    >>> layer = JPlayLayer(X, JPlayPencil.of(X, np.eye(4)), 0.1)
    >>> solution = jplay_admm(layer, np.eye(2, 4))
    >>> solution.converged, bool((X @ solution.x.T).min() > -1e-5)
    (True, True)
    """
    T, state = start, _Copies.at(layer.X @ start.T)
    G, of_basis, gap = (np.zeros_like(T) for _ in range(3))
    mu, history = PENALTY_START, []
    for iteration in range(1, max_iter + 1):
        T = update_layer_projection(layer, state.pull, G, of_basis, mu)
        np.matmul(layer.X, T.T, out=state.Z)
        update_codes(
            layer, G, state.Z, state.of_codes, mu, out=state.H, work=state.pull
        )
        G = update_basis(layer, state.H, T, of_basis, mu)
        grown = min(growth * mu, PENALTY_MAX)
        gaps = [_step(of_basis, G, T, mu, gap), *state.step(mu, grown)]
        history.append(float(np.sqrt(max(gaps))))
        if callback is not None:
            callback(iteration, history[-1])
        if history[-1] < tol:
            break
        mu = grown
    residual = history[-1]
    return Solution(T, residual, len(history), residual < tol, residual, history)


@dataclass(frozen=True)
class _Copies:
    """Copies of the codes with their multipliers, changed in place.

    ``pull`` is what the next projection is drawn to: the penalty times the copies, plus
    the multipliers.
    """

    Z: FloatArray
    H: FloatArray
    Q: FloatArray
    S: FloatArray
    of_codes: FloatArray
    of_q: FloatArray
    of_s: FloatArray
    pull: FloatArray

    @classmethod
    def at(cls, Z: FloatArray) -> "_Copies":
        Q, S, of_codes, of_q, of_s = (np.zeros_like(Z) for _ in range(5))
        return cls(Z, Z.copy(), Q, S, of_codes, of_q, of_s, PENALTY_START * Z)

    def step(self, mu: float, grown: float) -> FloatArray:
        """Update Q, S, all multipliers and the pull; squared norms of the gaps.

        Block by block of rows, so that everything stays in the cache.
        """
        n, k = self.Z.shape
        size = max(1, _BLOCK // k)
        gap, squares = np.empty((min(size, n), k)), np.zeros(3)
        for start in range(0, n, size):
            rows = slice(start, start + size)
            Z, H, Q, S = self.Z[rows], self.H[rows], self.Q[rows], self.S[rows]
            of_codes, of_q, of_s = self.of_codes[rows], self.of_q[rows], self.of_s[rows]
            update_nonnegative(Z, of_q, mu, out=Q)
            update_bounded(Z, of_s, mu, out=S)
            part = gap[: len(Z)]
            squares[0] += _step(of_codes, H, Z, mu, part)
            squares[1] += _step(of_q, Q, Z, mu, part)
            squares[2] += _step(of_s, S, Z, mu, part)
            pull = np.add(H, Q, out=self.pull[rows])
            pull += S
            pull *= grown
            for multiplier in (of_codes, of_q, of_s):
                pull += multiplier
        return squares


def _step(
    multiplier: FloatArray,
    copy: FloatArray,
    true: FloatArray,
    mu: float,
    gap: FloatArray,
) -> float:
    """Move a multiplier by its difference, and give the squared norm of that."""
    np.subtract(copy, true, out=gap)
    square = float(np.vdot(gap, gap))
    gap *= mu
    multiplier += gap
    return square


def _ridge_inverse(gram: FloatArray, mu: float) -> FloatArray:
    """Inverse of a Gram matrix plus mu on its diagonal.

    A product with the inverse takes a quarter of the time of triangular solves, and mu
    bounds what it loses.
    """
    ridged = gram.copy()
    ridged.flat[:: len(gram) + 1] += mu
    factor, failed = dpotrf(ridged.T, overwrite_a=True)
    if failed:  # mu is lost in rounding
        values, vectors, _ = generalized_eigh(gram, largest=False)
        return (vectors / (np.maximum(values, 0.0) + mu)) @ vectors.T
    inverse, _ = dpotri(factor, overwrite_c=True)
    inverse = inverse + inverse.T  # the lower triangle was zero
    inverse.flat[:: len(gram) + 1] /= 2.0
    return inverse
