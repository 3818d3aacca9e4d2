"""Coverage and size of regions on real data, over many random splits.

    python bench/conformal.py [DATA ...] [--splits=200]

Each learner is fitted once on half of a data set. The other half is split 200 times
into calibration and test rows, which needs no refit: given the model, its rows are
exchangeable. Of each split the coverage at 80, 90 and 95 % is found for every way.

The table ``bench/results/conformal.csv`` has one row per data set, learner, way and
level: mean ``coverage`` over the splits, what is ``expected`` (k / (n + 1)), the ends
``low`` and ``high`` of the band of that mean (4 standard errors of the beta-binomial
law, as there are about a thousand rows), the share ``in_band`` of single splits within
their own 95 % band, and the mean ``size``: the width of intervals that hold jointly.
With equal scores (ties) the coverage may be above the band.

``way`` is a score of skldl.conformal or one of two others. ``bonferroni``: symmetric
intervals per label at the level 1 - alpha / L, cut to [0, 1]. ``ellipsoid``: the
multivariate residuals of MAPIE's experimental regions, |S^(-1/2) (d - p)|, with one
covariance S from a quarter of the calibration rows, and its bounding box cut to [0, 1];
MAPIE itself learns S with torch, which is not needed here. ``cost`` is the processor
time that ConformalDistribution adds to a fit and the prediction of the calibration
rows, relative to them.
"""

import csv
import sys
import time

import numpy as np
from _tables import RESULTS
from scipy.stats import betabinom

from skldl.conformal import ConformalDistribution, conformal_quantile
from skldl.conformal._balls import Ball
from skldl.conformal._fitting import label_scale
from skldl.datasets import load
from skldl.ldl import (
    AAkNN,
    ExtraTreesLDL,
    KernelRidgeLDL,
    LogisticLDL,
    MeanDistribution,
)

YEAST = ["alpha", "cdc", "cold", "diau", "dtt", "elu", "heat", "spo", "spo5", "spoem"]
DATA = ["SJAFFE", "SBU_3DFE", "M2B", "SCUT_FBP", "Natural_Scene"]
DATA += [f"Yeast_{name}" for name in YEAST]
LEARNERS = {
    "MeanDistribution": MeanDistribution(),
    "LogisticLDL": LogisticLDL(),
    "KernelRidgeLDL": KernelRidgeLDL(),
    "ExtraTreesLDL": ExtraTreesLDL(random_state=0),
    "AAkNN": AAkNN(),
}
SCORES = ("tv", "kl", "aitchison", "label")
OTHERS = ("bonferroni", "ellipsoid")
LEVELS = (0.8, 0.9, 0.95)
SIZED = 5  # splits in which sizes are measured, and rows of each
ROWS = 100
FIELDS = [
    *("dataset", "learner", "way", "level", "n_calibration", "n_test", "splits"),
    *("coverage", "expected", "low", "high", "in_band", "size", "cost"),
]


class Pool:
    """A fitted model and rows that it has not seen."""

    def __init__(self, X, D, learner, rng):
        half = len(D) // 2
        order = rng.permutation(len(D))
        train, rest = order[:half], order[half:]
        self.cost = self._fit(X[train], D[train], X[rest], D[rest], learner)
        self.D = D[rest]
        scale = label_scale(D[train])
        self.balls = {score: Ball(score, 0.01, scale) for score in SCORES}
        self.scores = {s: b.distance(self.D, self.P) for s, b in self.balls.items()}
        self.errors = np.abs(self.D - self.P)

    def _fit(self, X, D, X_rest, D_rest, learner):
        self.P = learner.fit(X, D).predict(X_rest)
        both, rows = np.vstack([X, X_rest]), np.vstack([D, D_rest])
        spent = []
        model = ConformalDistribution(
            clocked(learner, spent), calibration_size=len(X_rest), random_state=0
        )
        begin = time.process_time()
        model.fit(both, rows)
        return (time.process_time() - begin) / sum(spent) - 1

    def radius(self, score, rows, level):
        """Quantile of the scores of some rows."""
        return conformal_quantile(self.scores[score][rows], level)

    def size(self, score, rows, radius):
        """Mean width of the intervals of some rows."""
        radii = np.full(len(rows), radius)
        lower, upper = self.balls[score].bounds(self.P[rows], radii)
        return float((upper - lower).mean())


def clocked(learner, spent):
    """The learner, noting the time of its fits and predictions."""
    base = type(learner)

    def noted(name):
        def run(self, *arguments):
            begin = time.process_time()
            found = getattr(base, name)(self, *arguments)
            spent.append(time.process_time() - begin)
            return found

        return run

    methods = {name: noted(name) for name in ("fit", "predict")}
    return type(base.__name__, (base,), methods)(**learner.get_params())


def plain_widths(errors, level):
    """Half widths of labels one by one, at a level that holds for all of them."""
    share = 1 - (1 - level) / errors.shape[1]
    return np.array([conformal_quantile(e, share) for e in errors.T])


def ellipsoid(pool, cal, test, few, level):
    """Coverage and size of ellipsoids of residuals with one covariance."""
    part = max(len(cal) // 4, 2)
    R = pool.D - pool.P
    scale = np.linalg.pinv(np.cov(R[cal[:part]].T) + 1e-12 * np.eye(R.shape[1]))
    scores = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", R, scale, R), 0))
    radius = conformal_quantile(scores[cal[part:]], level)
    widths = radius * np.sqrt(np.diag(np.cov(R[cal[:part]].T)))
    return (scores[test] <= radius).mean(), box(pool.P[few], widths)


def box(P, widths):
    """Mean width of intervals that are cut to [0, 1]."""
    return float((np.minimum(P + widths, 1) - np.maximum(P - widths, 0)).mean())


def one_split(pool, way, level, cal, test, sized):
    """Coverage, and the mean width of some intervals or None."""
    few = test[:ROWS]
    if way == "bonferroni":
        widths = plain_widths(pool.errors[cal], level)
        inside = (pool.errors[test] <= widths + 1e-15).all(axis=1).mean()
        return inside, box(pool.P[few], widths) if sized else None
    if way == "ellipsoid":
        inside, size = ellipsoid(pool, cal, test, few, level)
        return inside, size if sized else None
    radius = pool.radius(way, cal, level)
    inside = (pool.scores[way][test] <= radius).mean()
    return inside, pool.size(way, few, radius) if sized else None


def rows_of(name, learner, pool, n_splits, rng):
    """Rows of the table for one fitted model."""
    n = len(pool.D)
    n_cal = n // 2
    orders = [rng.permutation(n) for _ in range(n_splits)]
    for way in (*SCORES, *OTHERS):
        for level in LEVELS:
            found = [
                one_split(pool, way, level, o[:n_cal], o[n_cal:], i < SIZED)
                for i, o in enumerate(orders)
            ]
            covered = np.array([inside for inside, _ in found])
            sizes = [size for _, size in found if size is not None]
            rank = int(np.ceil((n_cal + 1) * level - 1e-9))
            row = [name, learner, way, level, n_cal, n - n_cal, n_splits]
            if way in OTHERS or rank > n_cal:
                law = ["", "", "", ""]
            else:
                law = theory(covered, n - n_cal, rank, n_cal)
            yield [*row, covered.mean(), *law, np.mean(sizes), pool.cost]


def theory(covered, n_test, rank, n_cal):
    """Expected coverage, the band of the mean, the share of splits in their bands."""
    law = betabinom(n_test, rank, n_cal + 1 - rank)
    expected = rank / (n_cal + 1)
    error = 4 * law.std() / n_test / np.sqrt(len(covered))
    low, high = law.ppf(0.025) / n_test, law.ppf(0.975) / n_test
    share = ((covered >= low - 1e-12) & (covered <= high + 1e-12)).mean()
    return [expected, expected - error, expected + error, share]


def main(arguments):
    """Fit, split, write."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    names = [a for a in arguments if not a.startswith("--")] or DATA
    n_splits = int(given.get("splits", 200))
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "conformal.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for name in names:
            data = load(name)
            for learner, model in LEARNERS.items():
                rng = np.random.default_rng(0)
                pool = Pool(data.X, data.D, model, rng)
                for row in rows_of(name, learner, pool, n_splits, rng):
                    writer.writerow(
                        [f"{v:.5g}" if isinstance(v, float) else v for v in row]
                    )
                file.flush()
                print(name, learner, f"cost {100 * pool.cost:.1f} %", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
