"""The exact neighbour graph against scikit-learn's own search, in one run.

Bound: at most 1.2 times the CPU time of ``kneighbors()`` on 20,000 x 200 with
k = 20, and less than n * n / 10 bytes of extra peak memory.
"""

import statistics

import numpy as np
from _measure import cost
from sklearn.neighbors import NearestNeighbors

from skldl.graphs import neighbor_graph

N, FEATURES, K, ROUNDS = 20_000, 200, 20, 3


def data():
    """Gaussian rows."""
    return np.random.default_rng(0).normal(size=(N, FEATURES))


def ours(X):
    """Search with exclusion by number and exact distances."""
    neighbor_graph(X, K, engine="exact")


def theirs(X):
    """scikit-learn's search alone."""
    NearestNeighbors(n_neighbors=K).fit(X).kneighbors()


if __name__ == "__main__":
    rounds = [(cost(data, ours), cost(data, theirs)) for _ in range(ROUNDS)]
    ratio = statistics.median(a.cpu_s / b.cpu_s for a, b in rounds)
    extra = max(a.extra_mb for a, _ in rounds)
    for a, b in rounds:
        print(f"ours {a.cpu_s:.2f} CPU s, {a.extra_mb:.0f} MB extra; "
              f"scikit-learn {b.cpu_s:.2f} CPU s, {b.extra_mb:.0f} MB")  # fmt: skip
    print(
        f"ratio {ratio:.3f} (bound 1.2); extra {extra:.0f} MB (bound {N * N / 1e7:.0f})"
    )
    raise SystemExit(not (ratio <= 1.2 and extra <= N * N / 1e7))
