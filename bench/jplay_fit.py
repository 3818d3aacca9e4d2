"""J-Play's ADMM against its matrix products, and a fit of Indian Pines' size.

Bounds: an ADMM iteration takes at most 1.5 times the CPU time of its matrix products
alone, measured in turns in one run; fitting 695 spectra of 200 bands with 4 layers and
projecting 9,671 others takes less than 60 CPU seconds. Real spectra are used where they
are at hand, made ones otherwise.
"""

import time

import numpy as np

from skldl.datasets import load
from skldl.projection import JPlay
from skldl.solvers import JPlayLayer, JPlayPencil, jplay_admm

ITERATIONS, ROUNDS = 30, 7
SHAPES = [(695, 200, 155), (695, 200, 20), (380, 200, 170), (5000, 100, 40)]


def products(X, T, G, H, vectors):
    """What an iteration multiplies: five with the samples, two small pairs."""
    right = H.T @ X  # into the projection
    inner = (right @ vectors) @ vectors.T
    Z = X @ T.T
    rebuilt = X @ G.T @ (G @ G.T)  # right-hand side and Gram matrix of the codes
    basis = (H.T @ H) @ (H.T @ X)
    return inner, Z, rebuilt, basis


def ratio(n, d, k):
    """Median over rounds of iteration to products, in CPU time."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, d))
    labels = rng.uniform(size=(n, 16)) @ rng.normal(size=(16, k))
    B = rng.normal(size=(16, k))
    layer = JPlayLayer(X, JPlayPencil.of(X, X.T @ X / n), 0.1, labels, B.T @ B)
    T, H = rng.uniform(size=(k, d)) / d, rng.uniform(size=(n, k))
    ratios = []
    for _ in range(ROUNDS):
        start = time.process_time()
        jplay_admm(layer, T, max_iter=ITERATIONS, tol=1e-300)
        middle = time.process_time()
        for _ in range(ITERATIONS):
            products(X, T, T, H, layer.pencil.vectors)
        ratios.append((middle - start) / (time.process_time() - middle))
    return float(np.median(ratios))


def spectra():
    """Indian Pines divided by each pixel's maximum, or smooth made-up spectra."""
    try:
        data = load("Indian_Pines", download=False)
    except FileNotFoundError:
        rng = np.random.default_rng(0)
        y = np.arange(695 + 9671) % 16
        classes = np.cumsum(rng.normal(size=(16, 200)), axis=1)
        X = classes[y] + 0.5 * np.cumsum(rng.normal(size=(len(y), 200)), axis=1)
        X = X - X.min(axis=1, keepdims=True)
        rows = np.arange(len(y))
        return X / X.max(axis=1, keepdims=True), y, rows[:695], rows[695:]
    return data.X / data.X.max(axis=1, keepdims=True), data.y, data.train, data.test


def fit():
    """CPU seconds of four layers with the defaults, and the rounds they took."""
    X, y, train, test = spectra()
    start = time.process_time()
    model = JPlay(20, n_layers=4).fit(X[train], y[train])
    model.transform(X[test])
    return time.process_time() - start, model.n_iter_


if __name__ == "__main__":
    ratios = [ratio(*shape) for shape in SHAPES]
    for (n, d, k), value in zip(SHAPES, ratios, strict=True):
        print(f"{n} x {d} to {k}: iteration {value:.2f} times its products (bound 1.5)")
    seconds, rounds = fit()
    print(f"4 layers: {seconds:.1f} CPU s in {rounds} rounds (bound 60)")
    raise SystemExit(not (max(ratios) <= 1.5 and seconds < 60))
