"""Weights of a pool: exact for the divergence, a careful search for other metrics."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import LinearConstraint, minimize
from scipy.special import logsumexp, softmax

from skldl._typing import FloatArray
from skldl.ldl._pool_slopes import EPS
from skldl.ldl._pool_task import Task

_EM_STEPS = 200
_FIRST_STEP, _LAST_STEP = 0.25, 1e-3  # shares of the weight that move

Value = Callable[[FloatArray], float]


def divergence_weights(
    predictions: FloatArray, D: FloatArray, weights: FloatArray
) -> FloatArray:
    """Convex weights of least divergence of the linear pool: a convex problem.

    Expectation maximisation comes near, monotonically; a few quasi-Newton steps on the
    simplex make it exact.

    Parameters
    ----------
    predictions : ndarray of shape (n_members, n_samples, n_labels)
        Distributions of the members.
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    weights : ndarray of shape (n_samples,)
        Weights of the samples, with sum 1.

    Returns
    -------
    w : ndarray of shape (n_members,)
    """
    seen = D > 0  # other degrees do not enter the divergence
    degrees = (weights[:, None] * D)[seen]
    members = predictions[:, seen]

    def value_and_grad(w: FloatArray) -> tuple[float, FloatArray]:
        pooled = w @ members
        inside = pooled > EPS
        pooled = np.maximum(pooled, EPS)
        slope = members @ np.where(inside, degrees / pooled, 0.0)
        return -float(degrees @ np.log(pooled)), -slope

    w = np.full(len(members), 1 / len(members))
    for _ in range(_EM_STEPS):
        step = -w * value_and_grad(w)[1]
        step /= step.sum() or 1.0
        done = np.abs(step - w).max() < 1e-10
        w = step if step.any() else w
        if done:
            break
    polished = on_simplex(value_and_grad, w, jac=True)
    better = value_and_grad(polished)[0] < value_and_grad(w)[0]
    return polished if better else w


def log_weights(
    logs: FloatArray,
    D: FloatArray,
    weights: FloatArray,
    *,
    fit_temperature: bool,
    bias_reg: float | None,
) -> tuple[FloatArray, FloatArray]:
    """Weights and biases of least divergence of the log-linear pool: convex, too.

    Parameters
    ----------
    logs : ndarray of shape (n_members, n_samples, n_labels)
        Logarithms of the members' distributions.
    D : ndarray of shape (n_samples, n_labels)
        True distributions.
    weights : ndarray of shape (n_samples,)
        Weights of the samples, with sum 1.
    fit_temperature : bool
        Whether the weights may have any sum; else it is 1.
    bias_reg : float or None
        Half of this times the squared biases is added; None for no biases.

    Returns
    -------
    w : ndarray of shape (n_members,)
    bias : ndarray of shape (n_labels,)
    """
    m, n_labels = len(logs), D.shape[1]
    degrees = weights[:, None] * D
    fixed = np.einsum("mnl,nl->m", logs, degrees)

    def value_and_grad(x: FloatArray) -> tuple[float, FloatArray]:
        w, bias = x[:m], x[m:]
        scores = np.tensordot(w, logs, 1)
        if bias_reg is not None:
            scores = scores + bias
        value = weights @ logsumexp(scores, axis=1) - w @ fixed
        P = weights[:, None] * softmax(scores, axis=1)
        slope = np.einsum("mnl,nl->m", logs, P) - fixed
        if bias_reg is None:
            return value, slope
        value += 0.5 * bias_reg * bias @ bias - degrees.sum(axis=0) @ bias
        return value, np.r_[slope, (P - degrees).sum(axis=0) + bias_reg * bias]

    start = np.full(m, 1 / m)
    if bias_reg is not None:
        start = np.r_[start, np.zeros(n_labels)]
    if fit_temperature:
        bounds = [(0, None)] * m + [(None, None)] * (len(start) - m)
        options = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-10}
        found = minimize(
            value_and_grad, start, jac=True, bounds=bounds, options=options
        ).x
    else:
        found = on_simplex(value_and_grad, start, jac=True, n_weights=m)
    bias = found[m:] if bias_reg is not None else np.zeros(n_labels)
    return found[:m], bias


def on_simplex(
    value: Callable,
    start: FloatArray,
    *,
    jac: bool = False,
    n_weights: int | None = None,
) -> FloatArray:
    """Minimise over weights that are not negative and have sum 1.

    Parameters
    ----------
    value : callable
        The objective, with its gradient if ``jac``.
    start : ndarray
        Where to begin.
    jac : bool, default=False
        Whether the objective gives its gradient.
    n_weights : int, default=None
        How many of the variables are weights; None for all.

    Returns
    -------
    x : ndarray
    """
    m = len(start) if n_weights is None else n_weights
    row = np.r_[np.ones(m), np.zeros(len(start) - m)]
    found = minimize(
        value,
        start,
        jac=jac,
        method="SLSQP",
        bounds=[(0, 1)] * m + [(None, None)] * (len(start) - m),
        constraints=[LinearConstraint(row, 1, 1)],
        options={"maxiter": 500, "ftol": 1e-14},
    ).x
    w = np.clip(found[:m], 0, None)
    if not np.isfinite(found).all() or w.sum() <= 0:
        return start
    return np.r_[w / w.sum(), found[m:]]


def descend(
    task: Task, weights: FloatArray, bias: FloatArray | None, *, free_sum: bool
) -> tuple[FloatArray, FloatArray | None]:
    """Follow the slopes of a metric other than the divergence.

    Parameters
    ----------
    task : Task
        With a metric that has slopes.
    weights : ndarray of shape (n_members,)
        Where to begin.
    bias : ndarray of shape (n_labels,) or None
        Where to begin; None for a pool without biases.
    free_sum : bool
        Whether the sum of the weights may change; else it is 1.

    Returns
    -------
    weights, bias : ndarray
    """
    m = len(weights)
    reg = 1 / task.sample_weight.sum()

    def value_and_grad(x: FloatArray) -> tuple[float, FloatArray]:
        w, b = np.clip(x[:m], 0, None), x[m:]
        if not free_sum:
            w = w / (w.sum() or 1.0)  # line searches leave the simplex by a little
        value, by_weight, by_bias = task.value_and_slopes(
            w, None if bias is None else b
        )
        if bias is None:
            return value, by_weight
        return value + 0.5 * reg * b @ b, np.r_[by_weight, by_bias + reg * b]

    start = weights if free_sum else weights / (weights.sum() or 1.0)
    if bias is not None:
        start = np.r_[start, bias]
    if free_sum:
        bounds = [(0, None)] * m + [(None, None)] * (len(start) - m)
        options = {"maxiter": 300, "ftol": 1e-9, "gtol": 1e-8}
        x = minimize(value_and_grad, start, jac=True, bounds=bounds, options=options).x
    else:
        x = on_simplex(value_and_grad, start, jac=True, n_weights=m)
    return x[:m], None if bias is None else x[m:]


def search(value: Value, start: FloatArray, *, free_sum: bool) -> FloatArray:
    """Improve weights by moving weight from member to member.

    It needs no slope, so it does for metrics that jump, and what it gives is never
    worse than the start.

    Parameters
    ----------
    value : callable
        The objective.
    start : ndarray of shape (n_members,)
        Weights to begin with.
    free_sum : bool
        Whether the sum of the weights may change.

    Returns
    -------
    w : ndarray of shape (n_members,)
    """
    w, best, step = start, value(start), _FIRST_STEP
    while step >= _LAST_STEP:
        moves = _moves(w, step, free_sum)
        values = [value(move) for move in moves]
        if values and min(values) < best - 1e-12 * abs(best):
            w, best = moves[int(np.argmin(values))], min(values)
        else:
            step /= 2
    return w


def _moves(w: FloatArray, step: float, free_sum: bool) -> list[FloatArray]:
    moves = []
    for giver in np.flatnonzero(w > 0):
        amount = min(step * w.sum(), w[giver])
        for taker in range(len(w)):
            if taker != giver:
                move = w.copy()
                move[giver] -= amount
                move[taker] += amount
                moves.append(move)
    if free_sum:
        moves += [w * (1 + step), w / (1 + step)]
    return moves
