"""MSLP's fit against the sum of its necessary parts, in one run.

Bounds at n = 20,000, d = 243: at most 1.5 times the CPU time of the neighbour search,
the products X'(MX) and X'(GX) and one d x d eigenproblem; less than 600 MB of extra
peak memory.
"""

import numpy as np
import scipy.linalg
from _measure import cost

from skldl.datasets import make_ldl
from skldl.graphs import binary_weights, laplacian, neighbor_graph
from skldl.projection import MSLP

N, FEATURES = 20_000, 243


def data():
    """Gaussian rows with softmax labels."""
    return make_ldl(N, FEATURES, 6, random_state=0)


def fit(pair):
    """The method."""
    MSLP(0.1, n_neighbors=5, neighborhood_factor=5).fit(*pair)


def parts(pair):
    """What no implementation can do without."""
    X, _ = pair
    graph = neighbor_graph(X, 25)
    M = laplacian(binary_weights(graph.truncate(5)))
    A = X.T @ (M @ X)
    B = (X * np.asarray(M.diagonal())[:, None]).T @ X
    scipy.linalg.eigh(A + A.T, B + B.T, subset_by_index=[0, 23])


if __name__ == "__main__":
    rounds = [(cost(data, fit), cost(data, parts)) for _ in range(3)]
    ratio = sorted(a.cpu_s / b.cpu_s for a, b in rounds)[1]
    extra = max(a.extra_mb for a, _ in rounds)
    for a, b in rounds:
        print(
            f"fit {a.cpu_s:.2f} CPU s, {a.extra_mb:.0f} MB extra; parts {b.cpu_s:.2f}"
        )
    print(f"ratio {ratio:.2f} (bound 1.5); extra {extra:.0f} MB (bound 600)")
    raise SystemExit(not (ratio <= 1.5 and extra <= 600))
