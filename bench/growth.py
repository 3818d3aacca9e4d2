"""How time and memory grow with samples, features and labels.

    python bench/growth.py [METHOD ...] [--large] [--sizes=10000,30000] [--quick]

Each fit, and the prediction of 10,000 rows, runs in a process of its own. Methods that
search the neighbours of all samples stop at 30,000, where that is exact; the others go
to 100,000, ``AAkNN`` with the exact engine, too, because it searches only those of the
predicted rows. With ``--large`` or ``--sizes`` all go as far as wanted, with the
approximate engine above 50,000 rows, compiled before. Exponents are slopes of a line
through the logarithms. Writes ``bench/results/growth.csv``. ``--large`` adds 300,000
and a million rows; ``--quick`` measures 2,000 and 4,000 samples only.
"""

import sys
import warnings
from functools import partial

import numpy as np
from _measure import cost
from _tables import append, growth_exponents, text

import skldl
from skldl.datasets import make_ldl
from skldl.reproduce._protocol import STORED

SIZES, MOST_SEARCHED = (10_000, 30_000, 100_000), 30_000
QUICK = (2_000, 4_000)
LARGE = (300_000, 1_000_000)
FEATURES, LABELS = 32, 8
# the settings that the stored tables were measured with
METHODS = {
    "SABFGS": {"fit_intercept": True, "reg": 0.0},
    "CCA": {},
    "GraphEmbedding": {},
    "LPP": {},
    "NPE": {},
    "MSLP": STORED["MSLP"],
    "AAkNN": {"engine": "exact", "n_neighbors": 5},
    "LWkNN": {},
    "MLkNN": {},
    "PTBayes": {},
    "LDLLC": STORED["LDLLC"],
    "RWLM": {},
}
WITHOUT_SEARCH = (
    "AAkNN",
    "CCA",
    "GraphEmbedding",
    "LDLLC",
    "PTBayes",
    "RWLM",
    "SABFGS",
)
SPECTRAL = ("CCA", "GraphEmbedding", "LPP", "NPE")


def data(name, n, d, m):
    """Samples on a plane of six dimensions with noise; imports and compiling done."""
    skldl.all_estimators()
    rng = np.random.default_rng(0)
    X, D = make_ldl(n + 10_000, 6, m, random_state=0)
    X = X @ rng.normal(size=(6, d)) + 0.1 * rng.normal(size=(len(X), d))
    if n > 50_000 and name not in WITHOUT_SEARCH:
        from skldl.graphs import neighbor_graph

        neighbor_graph(X[:5000], 5, engine="pynndescent")
    return X, D


def work(name, n, pair):
    """Fit, and predict or transform."""
    warnings.simplefilter("ignore")
    X, D = pair
    y = (D.mean() < D).astype(float) if name == "MLkNN" else D
    model = dict(skldl.all_estimators())[name](**METHODS[name]).fit(X[:n], y[:n])
    verb = "transform" if name in SPECTRAL else "predict"
    getattr(model, verb)(X[n:])


def measure(name, vary, n, d=FEATURES, m=LABELS):
    """One row of the table."""
    spent = cost(partial(data, name, n, d, m), partial(work, name, n))
    row = {"method": name, "varied": vary, "samples": n, "features": d, "labels": m}
    row |= {"cpu_s": spent.cpu_s, "wall_s": spent.wall_s, "extra_mb": spent.extra_mb}
    print(f"{name} {n} x {d} x {m}: {spent.cpu_s:.2f} CPU s", flush=True)
    append("growth", [row], ("method", "varied", "samples", "features", "labels"))


def sizes_of(name, given):
    """Numbers of samples for a method."""
    if "sizes" in given:
        return [int(s) for s in given["sizes"].split(",")]
    if "large" in given:
        return [*SIZES, *LARGE]
    return [n for n in SIZES if name in WITHOUT_SEARCH or n <= MOST_SEARCHED]


def main(arguments):
    """Measure what was named, or everything."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    for name in [a for a in arguments if not a.startswith("--")] or METHODS:
        if "quick" in given:
            for n in QUICK:
                measure(name, "samples", n)
            continue
        for n in sizes_of(name, given):
            measure(name, "samples", n)
        for d in (16, 64, 256):
            measure(name, "features", 10_000, d=d)
        for m in (4, 16, 64):
            measure(name, "labels", 10_000, m=m)
    print(text(growth_exponents()))


if __name__ == "__main__":
    main(sys.argv[1:])
