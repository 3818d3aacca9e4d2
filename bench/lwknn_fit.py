"""LWkNN and LDkNN against their neighbour search, in one run.

Bounds at n = 11,150 samples, 200 features, 8 labels, k = 21: LWkNN's fit costs at most
twice the search that it contains, LDkNN's at most eleven times; predicting as many
samples costs at most 1.3 times the search.
"""

import numpy as np
from _measure import cost

from skldl.datasets import make_ldl
from skldl.graphs import NeighborIndex
from skldl.ldl import LDkNN, LWkNN

N, FEATURES, LABELS, K = 11_150, 200, 8, 21
BOUNDS = {"LWkNN fit": 2.0, "LDkNN fit": 11.0, "LWkNN predict": 1.3}


def data():
    """Gaussian rows with softmax labels."""
    return make_ldl(N, FEATURES, LABELS, random_state=0)


def fitted():
    """A model, and as many new samples."""
    X, D = data()
    return LWkNN(K).fit(X, D), X[::-1].copy()


def search(pair):
    """What no implementation can do without."""
    NeighborIndex().fit(pair[0]).graph(K)


def query(pair):
    """The same for predictions."""
    model, X = pair
    model.index_.query(X, K)


def fit_common(pair):
    """One weight per neighbour."""
    LWkNN(K).fit(*pair)


def fit_mapped(pair):
    """A map from distances to weights."""
    LDkNN(K).fit(*pair)


def predict(pair):
    """New samples."""
    model, X = pair
    model.predict(X)


if __name__ == "__main__":
    ratios = {name: [] for name in BOUNDS}
    for _ in range(3):
        floor = cost(data, search)
        asked = cost(fitted, query)
        for name, prepare, call, base in (
            ("LWkNN fit", data, fit_common, floor),
            ("LDkNN fit", data, fit_mapped, floor),
            ("LWkNN predict", fitted, predict, asked),
        ):
            spent = cost(prepare, call)
            ratios[name].append(spent.cpu_s / base.cpu_s)
            print(
                f"{name}: {spent.cpu_s:.2f} CPU s, {spent.extra_mb:.0f} MB extra; "
                f"search alone {base.cpu_s:.2f} CPU s"
            )
    good = True
    for name, bound in BOUNDS.items():
        ratio = float(np.median(ratios[name]))
        good &= ratio <= bound
        print(f"{name}: {ratio:.2f} times the search (bound {bound})")
    raise SystemExit(not good)
