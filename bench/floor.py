"""Every estimator against the unavoidable part of its work, in one run.

    python bench/floor.py [ESTIMATOR ...] [--repeats=3]

The floor is what no implementation can do without: a neighbour search, the products
that make the matrices, one symmetric eigenproblem; for iterative learners as many
evaluations of the objective as the fit makes, where those of linear models are the two
products X W and X'R; for others see ``floor_replay.py``. Fits and floors take turns;
ratios are of median CPU times on one thread. A ratio above 1.5 has its reason in
REASONS. Writes ``bench/results/floor.csv``.
"""

import sys
import time
import warnings
from functools import partial

import numpy as np
import scipy.linalg
from _measure import times
from _tables import append, read, show, write
from floor_replay import floors
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.neighbors import NearestNeighbors

import skldl
import skldl.objectives
from skldl.datasets import make_ldl
from skldl.graphs import binary_weights, neighbor_graph
from skldl.reproduce._protocol import STORED

N, FEATURES, LABELS, K = 6_000, 60, 8, 10
X, D = make_ldl(N, FEATURES, LABELS, random_state=0)
Y = (D > 1 / LABELS).astype(float)
# more samples for methods without a search, whose fits would take milliseconds
MANY, MANY_D = np.tile(X, (10, 1)), np.tile(D, (10, 1))
MANY_Y = np.tile(Y, (10, 1))
SMALL = 600  # samples of methods whose work is cubic in them

REASONS = {
    "CCA": "checks of samples and labels; a decomposition of the labels",
    "LWkNN": "24 Newton steps of a barrier method, each over n k m numbers",
    "LDkNN": "43 Newton steps in k^2 weights, each over n k^2 m numbers",
    "SABFGS": "second moments of the features, whitening of every gradient",
    "SAIIS": "each sweep solves d m equations with sums over all samples",
    "LSELDL": "L-BFGS-B's own work on 14,000 variables, one code per sample and more",
    "LDLLC": "second moments of the features for two searches, L-BFGS-B's own work",
    "LDLLDM": "clusters of the samples by k-means",
    "GraphEmbedding": "checks and sums of samples and labels, centring",
    "IBLR": "a logistic regression of every label on its neighbours",
    "LFDA": "affinities scaled by two widths",
    "AutoRULe": "passes over copies of n k codes; their share falls with features",
    "JPlay": "passes over copies of n k codes; their share falls with features",
    "CanonicalCorrelationForestClassifier": "calls for thousands of small nodes",
    "LSDR": "passes over n b numbers between the products",
    "LSQMID": "passes over n b numbers between the products, for each fold",
    "PTSVM": "ten more passes over the slopes, for the pair that gains most",
    "LDLSCL": "clusters by k-means, L-BFGS-B's own work on a code per sample",
}


def search(k):
    """Neighbours of every sample."""
    NearestNeighbors().fit(X).kneighbors(n_neighbors=k, return_distance=False)


def asked(k):
    """Neighbours of every sample, as in predictions."""
    NearestNeighbors().fit(X).kneighbors(X, n_neighbors=k)


def products(k=None, size=2, degree=None):
    """Neighbours, X'(WX), X'GX and one eigenproblem."""
    Z = MANY if k is None else X
    Z = Z - Z.mean(axis=0)
    if k is None:
        shared = MANY_D.T @ Z
        A, B = shared.T @ shared, (Z if degree is None else Z * degree).T @ Z
    else:
        search(k)
        W, g = GRAPHS[k]
        A, B = Z.T @ (W @ Z), (Z * g[:, None]).T @ Z
    scipy.linalg.eigh(A, B, subset_by_index=[FEATURES - size, FEATURES - 1])


def weights(k):
    """Weights of a graph, made beforehand."""
    W = binary_weights(neighbor_graph(X, k))
    return W, np.asarray(W.sum(axis=1)).ravel()


GRAPHS = {k: weights(k) for k in (5, 25)}


def kernel_parts():
    """Mean distance, a kernel matrix and its eigenvectors."""
    euclidean_distances(X[:SMALL])
    K = rbf_kernel(X[:SMALL], gamma=0.01)
    scipy.linalg.eigh(K, subset_by_index=[SMALL - 2, SMALL - 1])


def fit(name, *, x=X, y=D, n=None, predict=None, **settings):
    """A call that fits an estimator, and may predict."""
    make = dict(skldl.all_estimators())[name]

    def call():
        model = make(**settings).fit(x[:n], y[:n])
        if predict:
            getattr(model, predict)(x[:n])

    return call


#: Estimator to its call, its floor and what that is.
DIRECT = {
    "AAkNN": (
        fit("AAkNN", n_neighbors=K, predict="predict"),
        partial(asked, K),
        "search",
    ),
    "LWkNN": (fit("LWkNN", n_neighbors=K), partial(search, K), "search"),
    "LDkNN": (fit("LDkNN", n_neighbors=K), partial(search, K), "search"),
    "MLkNN": (fit("MLkNN", y=Y, n_neighbors=K), partial(search, K), "search"),
    "BRkNN": (
        fit("BRkNN", y=Y, n_neighbors=K, predict="predict"),
        partial(asked, K),
        "search",
    ),
    "DMLkNN": (fit("DMLkNN", y=Y, n_neighbors=K), partial(search, K), "search"),
    "IBLR": (fit("IBLR", y=Y, n_neighbors=K), partial(search, K), "search"),
    "MSLP": (
        fit("MSLP", n_components=6, **STORED["MSLP"]),
        partial(products, 25, 6),
        "search, products, eigenproblem",
    ),
    "LPP": (fit("LPP"), partial(products, 5), "search, products, eigenproblem"),
    "NPE": (fit("NPE"), partial(products, 5), "search, products, eigenproblem"),
    "CCA": (
        fit("CCA", x=MANY, y=MANY_D),
        partial(products, None, 7),
        "products, eigenproblem",
    ),
    "GraphEmbedding": (
        fit("GraphEmbedding", x=MANY, y=MANY_Y),
        partial(products, None, degree=np.ones((len(MANY), 1))),
        "products, eigenproblem",
    ),
}
#: Estimators whose floor is made after a look at their fit.
REPLAYED = floors(fit, X, D, SMALL)
#: Learners whose floor is the evaluations of their objective, with settings.
ITERATIVE = {
    "SABFGS": {"fit_intercept": True, "reg": 0.0},
    "SAIIS": {"max_iter": 10},
    "LSELDL": STORED["LSELDL"],
    "LDLLC": STORED["LDLLC"],
    "LDLLDM": STORED["LDLLDM"],
    "LDLM": {},
    "RWLM": {},
    "LDLSCL": {"max_iter": 20, **STORED["LDLSCL"]},
    "LALOT": {"max_iter": 5, **STORED["LALOT"]},
    "AABP": {"max_iter": 50},
    "CPNN": {"max_iter": 50},
}

# evaluations under other names
PARTS = [
    (skldl.objectives.LSEObjective, "value_and_grad_encoded"),
    (skldl.objectives.MaxEntKL, "scores"),
]


class Meter:
    """Counts and times outermost evaluations of all objectives."""

    def __init__(self):
        self.calls, self.cpu_s, self.depth = 0, 0.0, 0
        self.originals, self.others = {}, {}

    def __enter__(self):
        for name in skldl.objectives.__all__:
            thing = getattr(skldl.objectives, name)
            if isinstance(thing, type) and "value_and_grad" in vars(thing):
                self.originals[thing] = thing.value_and_grad
                thing.value_and_grad = self.watched(thing.value_and_grad)
        for thing, name in PARTS:
            self.others[thing, name] = getattr(thing, name)
            setattr(thing, name, self.watched(getattr(thing, name)))
        return self

    def watched(self, function):
        """The same function, watched."""

        def evaluate(*arguments):
            if self.depth:
                return function(*arguments)
            self.depth, start = 1, time.process_time()
            try:
                return function(*arguments)
            finally:
                self.depth = 0
                self.calls += 1
                self.cpu_s += time.process_time() - start

        return evaluate

    def __exit__(self, *_):
        for thing, function in self.originals.items():
            thing.value_and_grad = function
        for (thing, name), function in self.others.items():
            setattr(thing, name, function)


def iterative(name, settings, repeats):
    """Medians of a fit's time, of the time in its objective, and of bare products."""
    call = fit(name, n=N // 3, **settings)
    rows, W = X[: N // 3], np.zeros((FEATURES, LABELS))
    found = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        with Meter() as meter:
            call()
        spent = time.process_time() - cpu
        found.append((spent, time.perf_counter() - wall, meter.cpu_s, meter.calls))
    spent, wall, inside, calls = np.median(found, axis=0)
    both = times({"pair": lambda: rows.T @ (rows @ W)}, 30)["pair"].cpu_s * calls
    return {
        "estimator": name,
        "floor": f"{int(calls)} evaluations",
        "fit_cpu_s": float(spent),
        "fit_wall_s": float(wall),
        "floor_cpu_s": float(inside),
        "ratio": float(spent / inside) if inside else float("nan"),
        "products_cpu_s": float(both),
    }


def direct(name, repeats):
    """Medians of a fit's time and of its floor's."""
    if name in REPLAYED:
        call, make = REPLAYED[name]
        floor, what = make(call)
    else:
        call, floor, what = DIRECT[name]
    found = times({"fit": call, "floor": floor}, repeats)
    return {
        "estimator": name,
        "floor": what,
        "fit_cpu_s": found["fit"].cpu_s,
        "fit_wall_s": found["fit"].wall_s,
        "floor_cpu_s": found["floor"].cpu_s,
        "ratio": found["fit"].cpu_s / found["floor"].cpu_s,
    }


def main(arguments):
    """Measure what was named, or everything."""
    warnings.simplefilter("ignore")
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    repeats = int(given.get("repeats", 3))
    names = [a for a in arguments if not a.startswith("--")]
    for name in names or [*DIRECT, *REPLAYED, *ITERATIVE]:
        if name in ITERATIVE:
            row = iterative(name, ITERATIVE[name], repeats)
        else:
            row = direct(name, repeats)
        print(f"{name}: {row['ratio']:.2f} times its floor", flush=True)
        row["reason"] = REASONS.get(name, "") if not row["ratio"] <= 1.5 else ""
        append("floor", [row], ("estimator",))
    write("floor", sorted(read("floor"), key=lambda row: row["ratio"]))
    show("floor")


if __name__ == "__main__":
    main(sys.argv[1:])
