"""The approximate engine where it is hardest: Gaussian rows without any clusters."""

import time

import numpy as np

from skldl.datasets import make_ldl
from skldl.graphs import neighbor_graph
from skldl.ldl import AAkNN

N = 60_000

if __name__ == "__main__":
    X, D = make_ldl(N + 1000, 50, 5, random_state=0)
    start = time.process_time()
    graph = neighbor_graph(X[:N], 20, engine="pynndescent")
    cpu = time.process_time() - start
    print(
        f"graph of {N} rows: recall {graph.recall:.3f}, {cpu:.0f} CPU s with compiling"
    )
    predictions = {
        engine: AAkNN(10, engine=engine).fit(X[:N], D[:N]).predict(X[N:])
        for engine in ("pynndescent", "exact")
    }
    difference = np.abs(predictions["pynndescent"] - predictions["exact"]).mean()
    print(
        f"mean difference of predicted degrees from the exact engine: {difference:.4f}"
    )
