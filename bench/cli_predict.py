"""``skldl predict`` on 100,000 rows against pandas reading and writing the file twice.

Bounds: at most the CPU time of two rounds of ``read_csv`` and ``to_csv`` of the same
file in one run, and less than 1 GB of peak memory. Each call is a process of its own.
With 50 features everything counts from the start of the process. With 5 features
importing scikit-learn takes longer than the whole of pandas' work, so there the time of
the same command on a table of one row is subtracted, on both sides; the ratio with it
is printed, too. A maximum-entropy model is cheap to evaluate, so it must hold the
bounds; AAkNN pays for its search besides, and is only shown.
"""

import os
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN
from skldl.models import save_model

ROWS, LABELS, TRAINING = 100_000, 6, 2000

TWICE = """
import sys, pandas as pd
for _ in range(2):
    pd.read_csv(sys.argv[1]).to_csv(sys.argv[2], index=False)
"""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def cost(*arguments):
    """CPU seconds and peak MB of a process."""
    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {arguments}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def prepare(folder, n_features):
    """A table of features, its first row, and a model of each kind."""
    X, D = make_ldl(ROWS, n_features, LABELS, random_state=0)
    names = [f"feature {i}" for i in range(n_features)]
    table = pd.DataFrame(X, columns=names)
    table.insert(0, "id", np.arange(ROWS))
    table.to_csv(folder / "new.csv", index=False)
    table[:1].to_csv(folder / "one.csv", index=False)
    table.to_parquet(folder / "new.parquet", row_group_size=20_000)
    known = table[names][:TRAINING], pd.DataFrame(D[:TRAINING]).add_prefix("label ")
    for model in (SABFGS(reg=0.01), AAkNN(10)):
        fitted = model.fit(*known)
        save_model(fitted, folder / f"{type(model).__name__}.skldl", y=known[1])


def predict(folder, model, data):
    """Cost of the command."""
    return cost(
        "-m", "skldl", "predict", folder / f"{model}.skldl", folder / data,
        "--keep", "id", "-o", folder / "out.csv", "--force",
    )  # fmt: skip


def compare(folder, n_features):
    """Print everything for one width; give ratios with and without start, and MB."""
    # in a process of its own: the peak of a child counts from its parent's size
    process = get_context("spawn").Process(target=prepare, args=(folder, n_features))
    process.start()
    process.join()
    pandas_cpu, _ = cost("-c", TWICE, folder / "new.csv", folder / "out.csv")
    pandas_start, _ = cost("-c", TWICE, folder / "one.csv", folder / "out.csv")
    start, _ = predict(folder, "SABFGS", "one.csv")
    print(
        f"{n_features} features: pandas twice {pandas_cpu:.1f} CPU s, of which "
        f"{pandas_start:.1f} to start; skldl starts in {start:.1f}"
    )
    kept = {}
    for model in ("SABFGS", "AAkNN"):
        for data in ("new.csv", "new.parquet"):
            cpu, mb = predict(folder, model, data)
            ratio = cpu / pandas_cpu
            work = (cpu - start) / (pandas_cpu - pandas_start)
            kept[model, data] = ratio, work, mb
            print(
                f"  {model}, {data}: {cpu:.1f} CPU s, peak {mb:.0f} MB, ratio "
                f"{ratio:.2f}, without the starts {work:.2f}",
                flush=True,
            )
    return kept["SABFGS", "new.csv"]


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        wide, _, wide_mb = compare(Path(name), 50)
        _, narrow, narrow_mb = compare(Path(name), 5)
    mb = max(wide_mb, narrow_mb)
    print(
        f"SABFGS: ratio {wide:.2f} at 50 features, {narrow:.2f} of the work at 5 "
        f"(bounds 1); peak {mb:.0f} MB (bound 1024)"
    )
    raise SystemExit(not (wide <= 1 and narrow <= 1 and mb <= 1024))
