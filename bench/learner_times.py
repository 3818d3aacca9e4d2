"""CPU seconds of every distribution learner at three sizes, at its defaults.

Generated data (20 standardised features, 6 labels, some noise), one process, one
thread. A fit and the prediction of 1,000 new rows are measured once for each size. A
size is left out for learners that took longer than ``--limit`` seconds at the one
before (status ``slow``). ``refused`` means that a learner refuses that many rows.

    python bench/learner_times.py [LEARNER ...] [--sizes=300,3000,30000] [--limit=2]
        [--write]
"""

import os
import sys
import time
import warnings

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{name}_NUM_THREADS", "1")

from _tables import append, write
from learners import learners
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.methods import make_method

warnings.simplefilter("ignore")  # early stops are part of the time


def seconds(call):
    """CPU seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(name, rows):
    """CPU seconds of a fit and of predicting 1,000 rows."""
    X, D = make_ldl(rows + 1000, 20, 6, noise=0.5, random_state=0)
    model = make_pipeline(StandardScaler(), make_method(name).estimator)
    params = {k: 0 for k in model.get_params() if k.endswith("random_state")}
    model.set_params(**params)
    fit = seconds(lambda: model.fit(X[:rows], D[:rows]))
    return fit, seconds(lambda: model.predict(X[rows:]))


def table(names, sizes, limit):
    """One row for each learner and size."""
    found = []
    for name in names:
        fit = 0.0
        for rows in sizes:
            row = {"learner": name, "rows": rows}
            if fit > limit:
                found.append({**row, "status": "slow"})
                continue
            try:
                fit, predict = measure(name, rows)
                row |= {"fit_cpu_s": fit, "predict_cpu_s": predict, "status": "ok"}
            except (ValueError, MemoryError) as error:
                row |= {"status": "refused"}
                print(f"{name}, {rows} rows: {error}", flush=True)
            found.append(row)
            print(" ".join(str(value) for value in row.values()), flush=True)
    return found


def main(arguments):
    """Measure and write the table; of some learners only with ``--write``."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    chosen = [a for a in arguments if not a.startswith("--")]
    sizes = [int(s) for s in given.get("sizes", "300,3000,30000").split(",")]
    found = table(chosen or learners(), sizes, float(given.get("limit", 2)))
    if not chosen:
        write("learner_times", found)
    elif "write" in given:
        append("learner_times", found, ["learner", "rows"])


if __name__ == "__main__":
    main(sys.argv[1:])
