"""LWkNN up to a million rows on the approximate engine: time, recall, memory.

    python bench/lwknn_large.py [SIZE ...] [--write]

Rows of 64 float32 numbers on a curved surface of 12 dimensions with a little noise, 8
labels, k = 11; 100,000 new rows are predicted. Each size runs in a process of its own.
Prints the exponents of CPU time between the first and the last size (bound 1.25 from
10,000 to a million rows) and the peak memory (bound 24 GiB).
"""

import resource
import sys
import time
from multiprocessing import get_context

import numpy as np
from _tables import text, write_include

import skldl
from skldl.ldl import LWkNN
from skldl.metrics import zero_one_loss

SIZES = (10_000, 100_000, 1_000_000)
NEW = 100_000


def data(n, seed=0):
    """Waves of a latent point, in float32, and distributions from the same point."""
    rng = np.random.default_rng(seed)
    latent, labels = rng.normal(size=(12, 64)), rng.normal(size=(12, 8))
    phase = rng.uniform(0, 2 * np.pi, 64)
    X = np.empty((n, 64), dtype=np.float32)
    D = np.empty((n, 8))
    for start in range(0, n, 100_000):
        rows = slice(start, min(start + 100_000, n))
        Z = rng.normal(size=(rows.stop - start, 12))
        X[rows] = np.sin(0.3 * Z @ latent + phase) + 0.02 * rng.normal(
            size=(len(Z), 64)
        )
        scores = np.exp(Z @ labels)
        D[rows] = scores / scores.sum(axis=1, keepdims=True)
    return X, D


def run(n, answer):
    """Fit and predict; everything about it goes through the queue."""
    X, D = data(n + NEW)
    # the engine compiles itself at its first use, which is not to be measured
    LWkNN(11, engine="pynndescent").fit(X[:5000], D[:5000]).predict(X[:100])
    begin, cpu = time.time(), time.process_time()
    with skldl.progress():
        model = LWkNN(11, engine="pynndescent").fit(X[:n], D[:n])
    fitted, fit_wall = time.process_time() - cpu, time.time() - begin
    begin, cpu = time.time(), time.process_time()
    with skldl.progress():
        P = model.predict(X[n:])
    answer.put(
        {
            "rows": n,
            "fit_cpu_s": fitted,
            "fit_wall_s": fit_wall,
            "predict_cpu_s": time.process_time() - cpu,
            "predict_wall_s": time.time() - begin,
            "recall": model.recall_,
            "gap": model.dual_gap_,
            "zero_one": zero_one_loss(D[n:], P),
            "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        }
    )


if __name__ == "__main__":
    sizes = [int(a) for a in sys.argv[1:] if a.isdigit()] or list(SIZES)
    context = get_context("spawn")
    rows = []
    for n in sizes:
        answer = context.Queue()
        process = context.Process(target=run, args=(n, answer))
        process.start()
        rows.append(answer.get())
        process.join()
        print(" ".join(f"{k} {v:.4g}" for k, v in rows[-1].items()), flush=True)
    if "--write" in sys.argv:
        write_include("lwknn_large", text(rows))
    if len(rows) > 1:
        growth = np.log(rows[-1]["rows"] / rows[0]["rows"])
        exponent = np.log(rows[-1]["fit_cpu_s"] / rows[0]["fit_cpu_s"]) / growth
        print(f"exponent of fit's CPU time: {exponent:.2f} (bound 1.25)")
        good = exponent <= 1.25 and rows[-1]["peak_gib"] <= 24
        raise SystemExit(not good)
