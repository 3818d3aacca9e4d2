"""What a fold costs beyond its fit and prediction, over 1,000 tiny folds.

    python bench/runner_overhead.py [FOLDS]

Bounds: 20 ms of CPU time in this process, the fit included, which does not depend on
what else runs on the machine; 100 ms of wall time with worker processes.
"""

import sys
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
    folds = int(sys.argv[1]) if len(sys.argv) > 1 else FOLDS
    plan = Plan([tiny()], ["MeanDistribution"], Split("shuffle", n_repeats=folds))
    missed = False
    for engine, bound in BOUNDS.items():
        with tempfile.TemporaryDirectory() as folder:
            start, cpu = time.perf_counter(), time.process_time()
            rows = run(plan, Path(folder) / "s.sqlite", engine=engine, n_jobs=1)
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        jobs = rows.drop_duplicates("job")
        own = (jobs["fit_s"] + jobs["predict_s"]).sum()
        overhead = (wall - own) / folds
        # what others do on the machine does not count where that can be told
        judged = cpu / folds if engine == "serial" else overhead
        missed |= bool(judged > bound)
        print(f"{engine}: {overhead * 1e3:.1f} ms a fold beyond fit and prediction, "
              f"{cpu / folds * 1e3:.1f} ms of CPU time in all in this process "
              f"(bound {bound * 1e3:.0f} ms; {len(jobs)} folds)")  # fmt: skip
    raise SystemExit(missed)
