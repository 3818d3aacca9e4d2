"""Solvers for LSE-LDL's objective, which has three blocks of variables."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy.linalg
from scipy.special import softmax

from skldl._typing import FloatArray
from skldl.objectives import LSEObjective, LSEPoint
from skldl.solvers._lbfgs import lbfgs
from skldl.solvers._solution import Solution

_MANY = 10_000  # variables
_ROUND = 100  # joint iterations between two sweeps over the blocks
_DENSE = 4000  # features up to which a matrix of their size is factorised
_WEAK = 0.05  # columns of theta shorter than this share of the longest are dead
_ESCAPED = 1e-6  # what a revived component must gain, as a share
_STALL = 1e-10  # a whole round that gains less than this share ends the search


def lse_alternate(
    objective: LSEObjective,
    start: LSEPoint,
    *,
    max_iter: int = 2000,
    tol: float = 1e-5,
    callback: Callable[[int, float], None] | None = None,
    products: "LSEProducts | None" = None,
) -> Solution:
    """Minimise the objective of LSE-LDL block by block, then over all variables.

    A round updates Z, W and theta in turn, each with the others held, and goes on with
    L-BFGS on all of them, in the variables theta, E = Z - XW and W and in units in
    which the curvature is about 1. No part of it raises the objective. At the end
    components that have died get one more chance, see :func:`revive`.

    Parameters
    ----------
    objective : LSEObjective
        What to minimise.
    start : LSEPoint
        (theta, Z, W) to begin with.
    max_iter : int, default=2000
        Joint iterations at most.
    tol : float, default=1e-5
        Converged when no entry of the gradient in those units is larger, or when a
        whole round gains less than 1e-10 of the objective.
    callback : callable, default=None
        Called with the number of the joint iteration in its round and the objective.
    products : LSEProducts, default=None
        Of the objective's features and graph, if they are at hand.

    Returns
    -------
    solution : Solution
        ``x`` is (theta, Z, W); ``residual`` the largest absolute entry of the gradient
        in the units above.
    """
    products = LSEProducts(objective) if products is None else products
    best = _rounds(objective, start, products, max_iter, tol, callback)
    n_iter = best.n_iter
    while n_iter < max_iter:
        other = revive(objective, best.x)
        if other is None:
            break
        found = _rounds(
            objective, other, products, max_iter - n_iter, tol, _later(callback, n_iter)
        )
        n_iter += found.n_iter
        if found.value >= best.value - _ESCAPED * abs(best.value):
            break
        history = np.minimum.accumulate(best.history + found.history).tolist()
        best = replace(found, history=history)
    return replace(best, n_iter=n_iter)


def _rounds(
    objective: LSEObjective,
    point: LSEPoint,
    products: "LSEProducts",
    max_iter: int,
    tol: float,
    callback: Callable[[int, float], None] | None = None,
) -> Solution:
    """Blocks, then everything together, until a stopping rule is met."""
    value = objective.value(point)
    history: list[float] = [value]
    n_iter, residual, converged = 0, np.inf, False
    while n_iter < max_iter and not converged:
        before = value
        point = sweep(objective, point, products)
        whitened = Whitened(objective, point, products)
        solution = lbfgs(
            whitened,
            whitened.start,
            max_iter=min(_ROUND, max_iter - n_iter),
            tol=tol,
            callback=_later(callback, n_iter),
            # with very many variables a longer memory costs time and saves no steps
            memory=20 if whitened.start.size < _MANY else 10,
        )
        point, value = whitened.point(solution.x), solution.value
        history += solution.history
        n_iter += max(solution.n_iter, 1)
        residual = solution.residual
        converged = residual <= tol or before - value <= _STALL * abs(value)
    return Solution(
        x=point,
        value=value,
        n_iter=n_iter,
        converged=converged,
        residual=residual,
        history=history,
    )


def _later(
    callback: Callable[[int, float], None] | None, done: int
) -> Callable[[int, float], None] | None:
    """The same callback, with iterations counted on."""
    if callback is None:
        return None
    return lambda iteration, value: callback(done + iteration, value)


def revive(objective: LSEObjective, point: LSEPoint) -> LSEPoint | None:
    """Give components that have died a new direction among the labels.

    Where a column of theta and of Z is 0 the gradient vanishes whatever it could do, so
    a search may end at such a saddle point. The new direction is what the predictions
    miss most outside of the directions that are in use.

    Parameters
    ----------
    objective : LSEObjective
        What to minimise.
    point : LSEPoint
        (theta, Z, W).

    Returns
    -------
    point : LSEPoint or None
        Another start, whose value may be larger; None if nothing is to be revived.
    """
    theta, Z, W = point
    V = np.linalg.svd(theta, full_matrices=True)[2].T
    theta, Z, W = theta @ V, Z @ V, W @ V
    norms = np.linalg.norm(theta, axis=0)
    alive = norms > _WEAK * norms[0]
    used = np.column_stack([theta[:, alive], np.ones(len(theta))])
    basis = np.linalg.svd(used)[0][:, np.linalg.matrix_rank(used) :]
    count = min(basis.shape[1], int((~alive).sum()))
    if count == 0:
        return None
    missed = objective.scaled(objective.D - softmax(Z @ theta.T, axis=1))
    directions = basis @ np.linalg.svd(missed @ basis, full_matrices=False)[2].T
    theta[:, ~alive], Z[:, ~alive], W[:, ~alive] = 0.0, 0.0, 0.0
    places = np.flatnonzero(~alive)[:count]
    length = norms[alive].min(initial=np.inf)
    theta[:, places] = directions[:, :count] * min(length, max(1.0, norms[0]))
    return LSEPoint(theta, Z, W)


class LSEProducts:
    """Products of the features that all rounds and all weights share."""

    def __init__(self, objective: LSEObjective) -> None:
        X, L = objective.X, objective.smoothness.laplacian
        scaled = objective.scaled(X)
        self.dense = X.shape[1] <= _DENSE
        self.gram = scaled.T @ scaled if self.dense else None
        self.rough = X.T @ (L @ X) if self.dense else None
        self.squares = np.einsum("ij,ij->j", scaled, scaled)
        self.degrees = np.asarray(L.diagonal())


def sweep(objective: LSEObjective, point: LSEPoint, products: LSEProducts) -> LSEPoint:
    """Update Z, W and theta in turn; the objective does not rise.

    Parameters
    ----------
    objective : LSEObjective
        What to minimise.
    point : LSEPoint
        (theta, Z, W).
    products : LSEProducts
        Of the objective.

    Returns
    -------
    point : LSEPoint
    """
    theta, Z, W = point
    block = objective.latent_block(theta, objective.X @ W)
    Z = lbfgs(block, Z, max_iter=30, tol=1e-8).x
    W = update_latent_projection(objective, Z, W, products)
    return LSEPoint(lse_fit_labels(objective, theta, Z), Z, W)


def lse_fit_labels(
    objective: LSEObjective, theta: FloatArray, Z: FloatArray, max_iter: int = 50
) -> FloatArray:
    """Fit the labels to latent features: a convex problem.

    Parameters
    ----------
    objective : LSEObjective
        What to minimise.
    theta : ndarray of shape (n_labels, n_components)
        Where to begin.
    Z : ndarray of shape (n_samples, n_components)
        Latent features.
    max_iter : int, default=50
        Iterations at most.

    Returns
    -------
    theta : ndarray of shape (n_labels, n_components)
    """
    found = lbfgs(objective.theta_block(Z), theta.T, max_iter=max_iter, tol=1e-8)
    return np.ascontiguousarray(found.x.T)


def update_latent_projection(
    objective: LSEObjective, Z: FloatArray, W: FloatArray, products: LSEProducts
) -> FloatArray:
    """Fit W to latent features by one step of reweighted least squares.

    The row norms are replaced by a quadratic that touches them at W and lies above
    them elsewhere, so the objective cannot rise.

    Parameters
    ----------
    objective : LSEObjective
        What to minimise.
    Z : ndarray of shape (n_samples, n_components)
        Latent features.
    W : ndarray of shape (n_features, n_components)
        Where the quadratic touches.
    products : LSEProducts
        Of the objective.

    Returns
    -------
    W : ndarray of shape (n_features, n_components)
    """
    X, Z = objective.scaled(objective.X), objective.scaled(Z)
    penalty = objective.row_norms
    ridge = penalty.weight / (2 * objective.encoding_weight * penalty.norms(W))
    if products.gram is not None and X.shape[1] <= len(X):
        system = products.gram.copy()
        system[np.diag_indices_from(system)] += ridge
        # scaled to a diagonal of ones, so that units of features do not matter
        size = np.sqrt(np.diag(system))
        system = system / size / size[:, None]
        right = (X.T @ Z) / size[:, None]
        return scipy.linalg.solve(system, right, assume_a="pos") / size[:, None]
    shrunk = X / ridge  # fewer samples than features: the small system is theirs
    system = shrunk @ X.T
    system[np.diag_indices_from(system)] += 1.0
    return shrunk.T @ scipy.linalg.solve(system, Z, assume_a="pos")


class Whitened:
    """The objective in (theta, E, W), in units in which its curvature is about 1.

    The units come from an estimate of the second derivatives at a point: of W,
    ``X'(kX + 4 w LX)``, w the weight of the smoothness, plus the curvature of the row
    norms; of E and theta likewise.
    """

    def __init__(
        self, objective: LSEObjective, point: LSEPoint, products: LSEProducts
    ) -> None:
        self.objective = objective
        theta, Z, W = point
        self.sizes = np.cumsum([theta.size, Z.size])
        self.shapes = [part.shape for part in point]
        n_labels, n_components = theta.shape
        bend = float(np.vdot(theta, theta)) / theta.size  # of the softmax, per sample
        rough = 2 * objective.smoothness.weight
        inner = Z.T @ objective.weighted(Z) / n_labels
        inner += 2 * objective.reg * np.eye(n_components)
        self.theta_root = scipy.linalg.cholesky(inner, lower=True)
        own = objective.weighted(
            np.full((len(Z), 1), 2 * objective.encoding_weight + bend)
        )
        self.latent_unit = 1 / np.sqrt(own + rough * products.degrees[:, None])
        stiff = objective.row_norms.weight / objective.row_norms.norms(W)
        self.projection_root = _root(products, bend, rough, stiff)
        encoded = LSEPoint(theta, Z - objective.X @ W, W)
        self.start = self._flat(
            LSEPoint(
                encoded.theta @ self.theta_root,
                encoded.latent / self.latent_unit,
                _times(self.projection_root, W),
            )
        )

    def value_and_grad(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient in the new units."""
        value, gradient = self.objective.value_and_grad_encoded(self._encoded(x))
        inner = scipy.linalg.solve_triangular(
            self.theta_root, gradient.theta.T, lower=True
        )
        return value, self._flat(
            LSEPoint(
                inner.T,
                gradient.latent * self.latent_unit,
                _solve(self.projection_root, gradient.projection, "N"),
            )
        )

    def point(self, x: FloatArray) -> LSEPoint:
        """(theta, Z, W) of a vector in the new units."""
        theta, E, W = self._encoded(x)
        return LSEPoint(theta, self.objective.X @ W + E, W)

    def _encoded(self, x: FloatArray) -> LSEPoint:
        parts = np.split(x, self.sizes)
        theta, E, W = (
            part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)
        )
        inner = scipy.linalg.solve_triangular(
            self.theta_root, theta.T, lower=True, trans="T"
        )
        return LSEPoint(
            inner.T, E * self.latent_unit, _solve(self.projection_root, W, "T")
        )

    @staticmethod
    def _flat(point: LSEPoint) -> FloatArray:
        return np.concatenate([part.ravel() for part in point])


def _root(
    products: LSEProducts, bend: float, rough: float, stiff: FloatArray
) -> FloatArray:
    """Lower Cholesky factor of W's curvature, or the root of its diagonal."""
    if products.gram is None or products.rough is None:
        return np.sqrt(bend * products.squares + stiff)
    curvature = bend * products.gram + rough * products.rough
    curvature[np.diag_indices_from(curvature)] += stiff
    return scipy.linalg.cholesky(curvature, lower=True, overwrite_a=True)


def _times(root: FloatArray, W: FloatArray) -> FloatArray:
    return root[:, None] * W if root.ndim == 1 else root.T @ W


def _solve(root: FloatArray, W: FloatArray, trans: str) -> FloatArray:
    if root.ndim == 1:
        return W / root[:, None]
    return scipy.linalg.solve_triangular(root, W, lower=True, trans=trans)


def lse_descend(
    objective: LSEObjective,
    start: LSEPoint,
    *,
    max_iter: int = 5000,
    tol: float = 1e-5,
) -> Solution:
    """Minimise the objective of LSE-LDL by gradient steps, as in the paper; slow.

    The steps are the inverse of bounds on the curvature, so no step raises the
    objective; the paper's constant steps suit one data set at a time.

    Parameters
    ----------
    objective : LSEObjective
        What to minimise.
    start : LSEPoint
        (theta, Z, W) to begin with.
    max_iter : int, default=5000
        Iterations at most.
    tol : float, default=1e-5
        Converged when no entry of the gradient in (theta, Z, W) is larger.

    Returns
    -------
    solution : Solution
        ``residual`` is the largest absolute entry of the gradient.
    """
    point = start
    penalty = objective.row_norms
    widest = float(np.linalg.norm(objective.scaled(objective.X), 2)) ** 2
    ones = np.ones((len(objective.X), 1))
    degrees = float(np.max(objective.smoothness.laplacian.diagonal(), initial=0.0))
    rough = 4 * objective.smoothness.weight * degrees
    stiff = penalty.weight / np.sqrt(penalty.corner_eps)
    history, residual = [objective.value(point)], np.inf
    while len(history) <= max_iter and residual > tol:
        theta, Z, W = point
        bend = 0.5 * float(np.linalg.norm(objective.scaled(Z), 2)) ** 2
        bend += 2 * objective.reg
        gradient = objective.value_and_grad(point)[1]
        residual = max(float(np.abs(part).max()) for part in gradient)
        point = point._replace(theta=theta - gradient.theta / bend)
        bend = 0.5 * float(np.linalg.norm(point.theta, 2)) ** 2
        bends = (bend + 2 * objective.encoding_weight) * objective.weighted(
            ones
        ) + rough
        gradient = objective.value_and_grad(point)[1]
        point = point._replace(latent=Z - gradient.latent / bends)
        gradient = objective.value_and_grad(point)[1]
        step = 1 / (2 * objective.encoding_weight * widest + stiff)
        point = point._replace(projection=W - step * gradient.projection)
        history.append(objective.value(point))
    return Solution(
        x=point,
        value=history[-1],
        n_iter=len(history) - 1,
        converged=residual <= tol,
        residual=residual,
        history=history,
    )
