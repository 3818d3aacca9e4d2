"""Time and size of a large report: 20 methods x 16 data sets x 10 folds.

The results are made up; every fold, metric, chosen parameter and some predictions are
in the store, as a real comparison would leave them. A report must build in under 20 s
and stay under 5 MB.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from skldl.benchmark import Job, Result, Split, Store
from skldl.ldl import AAkNN, MeanDistribution
from skldl.methods import Tuning
from skldl.metrics import METRICS
from skldl.report import write_report

N_METHODS, N_DATASETS, N_FOLDS, N_LABELS, N_SAMPLES = 20, 16, 10, 18, 5


def fill(store: Store) -> None:
    """Made-up results of every fold."""
    random = np.random.default_rng(0)
    metrics = [m for m in METRICS.values() if m.kind in ("distribution",
                                                         "classification")]  # fmt: skip
    names = [f"standard+Method{i:02d}(n_neighbors={i})" for i in range(N_METHODS - 1)]
    skill = random.normal(0, 0.03, N_METHODS)
    for dataset in (f"dataset_{i:02d}" for i in range(N_DATASETS)):
        level = random.uniform(0.2, 0.8)
        for number, method in enumerate([*names, "MeanDistribution"]):
            estimator = MeanDistribution() if number == N_METHODS - 1 else AAkNN()
            for fold in range(N_FOLDS):
                job = Job(
                    dataset, dataset, Split(n_splits=N_FOLDS), 0, fold, method,
                    estimator, grid={"n_neighbors": [3, 5, 7]}, tuning=Tuning(),
                )  # fmt: skip
                score = level + skill[number] + random.normal(0, 0.02)
                store.save(
                    job,
                    Result(
                        "ok",
                        metrics={m.name: score + random.normal(0, 0.01)
                                 for m in metrics},
                        params={"n_neighbors": int(random.choice([3, 5, 7]))},
                        fit_s=float(np.exp(random.normal(number / 4 - 3, 0.3))),
                        predict_s=0.01,
                        peak_mb=float(random.uniform(1, 90)),
                        predictions=_predictions(random) if fold == 0 else {},
                    ),
                )  # fmt: skip


def _predictions(random: np.random.Generator) -> dict[str, object]:
    true = np.random.default_rng(1).dirichlet(np.ones(N_LABELS), N_SAMPLES)
    noise = random.dirichlet(np.ones(N_LABELS), N_SAMPLES)
    return {
        "samples": list(range(N_SAMPLES)),
        "labels": [f"label {i}" for i in range(N_LABELS)],
        "true": true.tolist(),
        "predicted": (0.7 * true + 0.3 * noise).tolist(),
    }


def main() -> None:
    """Build the report, say what it took, complain if it is too much."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "report.html"
        with Store(":memory:") as store:
            fill(store)
            start, cpu = time.perf_counter(), time.process_time()
            write_report(store, path)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        megabytes = path.stat().st_size / 1e6
    print(f"{N_METHODS} methods x {N_DATASETS} data sets x {N_FOLDS} folds: "
          f"{seconds:.1f} s ({cpu:.1f} s CPU), {megabytes:.2f} MB")  # fmt: skip
    if cpu > 20 or megabytes > 5:
        sys.exit("too slow or too large")


if __name__ == "__main__":
    main()
