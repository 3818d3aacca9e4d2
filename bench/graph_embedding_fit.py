"""Graph embedding up to 100,000 x 500 features x 100 labels.

Bounds: 60 CPU seconds, 2 GB of extra peak memory, and an exponent of CPU time in the
number of samples of at most 1.1 from 10,000 to 100,000.
"""

from functools import partial

import numpy as np
from _measure import cost

from skldl.projection import GraphEmbedding

SIZES = (10_000, 30_000, 100_000)
FEATURES, LABELS = 500, 100


def data(n):
    """Gaussian samples, labels by threshold of linear scores."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, FEATURES))
    scores = X[:, :50] @ rng.normal(size=(50, LABELS)) / 7
    return X, (scores > 1.5).astype(float)


def fit(pair):
    """Sixteen directions of the generalised Hamming distance."""
    GraphEmbedding(16).fit(*pair)


if __name__ == "__main__":
    found = []
    for n in SIZES:
        rounds = [cost(partial(data, n), fit) for _ in range(3)]
        cpu = float(np.median([r.cpu_s for r in rounds]))
        extra = max(r.extra_mb for r in rounds)
        found.append((n, cpu, extra))
        print(f"{n} samples: {cpu:.2f} CPU s, {extra:.0f} MB extra", flush=True)
    growth = np.log(found[-1][0] / found[0][0])
    exponent = np.log(found[-1][1] / found[0][1]) / growth
    _, cpu, extra = found[-1]
    print(f"exponent {exponent:.2f} (bound 1.1); bounds 60 CPU s, 2000 MB")
    raise SystemExit(not (exponent <= 1.1 and cpu <= 60 and extra <= 2000))
