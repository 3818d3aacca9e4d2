"""The one entry point of the measurements: ``make bench SECTION="floor growth"``.

    python bench/run.py [SECTION ...] [--threads=1] [--large] [--list]

Sections: ``floor`` (every estimator against the unavoidable part of its work),
``sklearn`` (equivalents of scikit-learn and scikit-multilearn), ``maxent`` and
``peers`` (PyLDL's algorithms, if it is installed), ``field`` (all learners on real
data), ``growth`` (samples, features and
labels; ``--large`` up to a million rows), ``checks`` (scripts that end with an error
when a bound is broken), ``pictures``. No name means all but ``large``, a million rows.

Each script runs in a process with a fixed number of threads. Tables go to
``bench/results``, with the machine and the versions beside them.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SECTIONS = {
    "floor": ["floor.py"],
    "sklearn": ["sklearn_peers.py"],
    "maxent": ["maxent.py"],
    "peers": ["peers.py"],
    "field": ["field_defaults.py", "field_size.py", "aaknn_scaling.py"],
    "growth": ["growth.py"],
    "large": ["large.py", "lwknn_large.py"],
    "checks": [
        "approximate_engine.py",
        "cli_predict.py",
        "eigen.py",
        "graph_embedding_fit.py",
        "import_time.py",
        "jplay_fit.py",
        "lwknn_fit.py",
        "mslp_fit.py",
        "mslp_path.py",
        "neighbor_graph.py",
        "ranker_ties.py",
        "report_build.py",
        "runner_overhead.py",
    ],
    "pictures": ["pictures.py"],
}
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")


def run(script, options, threads):
    """One script in a process with so many threads; its exit code."""
    fixed = {f"{name}_NUM_THREADS": str(threads) for name in THREADS}
    print(f"== {script} ({threads} threads)", flush=True)
    start = time.time()
    command = [sys.executable, str(HERE / script), *options]
    code = subprocess.run(command, env={**os.environ, **fixed}, check=False).returncode
    print(f"== {script}: {time.time() - start:.0f} s, exit code {code}", flush=True)
    return code


def main(arguments):
    """Run the sections; the sum of failures."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    names = [a for a in arguments if not a.startswith("--")]
    unknown = set(names) - set(SECTIONS)
    if unknown or "list" in given:
        print(f"Sections: {', '.join(SECTIONS)}.")
        return len(unknown)
    failed = 0
    for name in names or [s for s in SECTIONS if s != "large"]:
        for script in SECTIONS[name]:
            options = ["--large"] if name == "growth" and "large" in given else []
            failed += bool(run(script, options, int(given.get("threads", 1))))
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
