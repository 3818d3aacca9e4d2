"""Up to a million rows: four methods, each in a process of its own.

    python bench/large.py [METHOD ...] [--sizes=10000,100000,1000000]

Rows of 64 float32 numbers on a curved surface of 12 dimensions with a little noise, 8
labels (``lwknn_large.data``); 100,000 new rows are predicted or transformed. ``MSLP``
chooses the engine by itself: exact at 10,000 rows and for its 6-dimensional embedding.
The approximate engine's recall is measured on 200 rows of its graph, or of its answers.
Puts rows into ``bench/results/large.csv``; ``lwknn_large.py`` tells more of LWkNN.
Bounds: exponent of CPU time 1.25, memory 24 GiB, recall 0.95.
"""

import sys
import time
import warnings
from multiprocessing import get_context

import numpy as np
from _measure import peak
from _tables import append, show
from lwknn_large import NEW, data
from sklearn.neighbors import NearestNeighbors

from skldl.graphs import neighbor_graph
from skldl.ldl import AAkNN, LWkNN
from skldl.projection import MSLP, GraphEmbedding
from skldl.reproduce._protocol import STORED

SIZES = (10_000, 100_000, 1_000_000)
METHODS = {
    "AAkNN": (lambda: AAkNN(10, engine="pynndescent", n_jobs=2), "predict"),
    "LWkNN": (lambda: LWkNN(11, engine="pynndescent", n_jobs=2), "predict"),
    "MSLP": (lambda: MSLP(6, **STORED["MSLP"]), "predict"),
    "GraphEmbedding": (lambda: GraphEmbedding(6), "transform"),
}


def recall_of_answers(index, X, k):
    """Share of the true nearest rows of some queries that the engine finds."""
    rows = X[:: max(1, len(X) // 200)][:200]
    truth = NearestNeighbors().fit(index.rows_).kneighbors(rows, k)[0]
    found = index.query(rows, k).distances
    return float(np.mean(found <= truth[:, -1:] * (1 + 1e-6)))


def recall(name, model, X_new):
    """Measured recall of the search that the model stands on."""
    if name == "AAkNN":
        return recall_of_answers(model.index_, X_new, model.n_neighbors)
    return getattr(model, "recall_", float("nan"))


def run(name, n, answer):
    """Fit and predict; everything about it goes through the queue."""
    warnings.simplefilter("ignore")
    make, verb = METHODS[name]
    X, D = data(n + NEW)
    if name != "GraphEmbedding":
        # the engine compiles itself at its first use, which is not to be measured
        neighbor_graph(X[:5000], 11, engine="pynndescent").query(X[:100])
    row = {"method": name, "rows": n}
    begin, cpu = time.time(), time.process_time()
    model = make().fit(X[:n], D[:n])
    if name == "AAkNN":  # the index is built at the first question
        model.predict(X[n : n + 10])
    row["fit_cpu_s"] = time.process_time() - cpu
    row["fit_wall_s"] = time.time() - begin
    begin, cpu = time.time(), time.process_time()
    getattr(model, verb)(X[n:])
    row["predict_cpu_s"] = time.process_time() - cpu
    row["predict_wall_s"] = time.time() - begin
    row["peak_gib"] = peak() / 2**30
    row["recall"] = recall(name, model, X[n:])
    answer.put(row)


def exponents(rows):
    """Growth of the CPU time of a fit between the smallest and the largest size."""
    for name in dict.fromkeys(r["method"] for r in rows):
        own = sorted((r["rows"], r["fit_cpu_s"]) for r in rows if r["method"] == name)
        if len(own) > 1:
            (a, first), (b, last) = own[0], own[-1]
            power = np.log(last / first) / np.log(b / a)
            print(f"{name}: exponent of fit's CPU time {power:.2f} (bound 1.25)")


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if a.startswith("--sizes=")]
    sizes = [int(s) for s in given[0][8:].split(",")] if given else SIZES
    names = [a for a in sys.argv[1:] if not a.startswith("--")] or list(METHODS)
    context = get_context("spawn")
    for name in names:
        for n in sizes:
            queue = context.Queue()
            process = context.Process(target=run, args=(name, n, queue))
            process.start()
            row = queue.get()
            process.join()
            append("large", [row], ("method", "rows"))
            print(
                " ".join(
                    f"{k} {v:.4g}" if k != "method" else v for k, v in row.items()
                ),
                flush=True,
            )
    exponents(show("large"))
