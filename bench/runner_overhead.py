"""What a fold costs beyond its fit and prediction, over 1,000 tiny folds.

Bounds: 20 ms in this process, 100 ms with worker processes.
"""

import tempfile
import time
from pathlib import Path

from skldl.benchmark import Plan, Split, run
from skldl.datasets import make_dataset, make_ldl

FOLDS = 1000
BOUNDS = {"serial": 0.020, "process": 0.100}


def tiny():
    """A data set of 100 rows."""
    return make_dataset(*make_ldl(100, 5, 3, random_state=0), name="tiny")


if __name__ == "__main__":
    plan = Plan([tiny()], ["MeanDistribution"], Split("shuffle", n_repeats=FOLDS))
    missed = False
    for engine, bound in BOUNDS.items():
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            rows = run(plan, Path(folder) / "s.sqlite", engine=engine, n_jobs=1)
            wall = time.perf_counter() - start
        jobs = rows.drop_duplicates("job")
        own = (jobs["fit_s"] + jobs["predict_s"]).sum()
        overhead = (wall - own) / FOLDS
        missed |= overhead > bound
        print(f"{engine}: {overhead * 1e3:.1f} ms a fold beyond fit and prediction "
              f"(bound {bound * 1e3:.0f} ms; {len(jobs)} folds)")  # fmt: skip
    raise SystemExit(missed)
