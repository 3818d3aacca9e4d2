"""The one entry point of the measurements: ``make bench SECTION="floor growth"``.

    python bench/run.py [SECTION ...] [--quick] [--threads=both] [--large] [--list]

Sections: ``threads`` (default threads against one), ``floor`` (every estimator against
the unavoidable part of its work),
``sklearn`` (equivalents of scikit-learn and scikit-multilearn), ``maxent`` and
``peers`` (PyLDL's algorithms, if it is installed), ``field`` (all learners on real
data), ``regions`` (coverage and size of regions), ``times`` (every learner at three
sizes), ``growth`` (samples, features and labels; ``--large`` up to a million rows),
``checks`` (scripts that end with an error when a bound is broken), ``pictures``. No
name means all but ``large``, a million rows.

Each script runs twice: with one thread, and with the machine's default threads, which
is what users get (``--threads=1``, ``--threads=default`` or another number choose one
setting). Tables go to ``bench/results``, with the machine and the versions beside them;
those of default threads into the folder ``default_threads`` there. Everything takes
hours, ``--quick`` (``make bench QUICK=1``) a few minutes: each section at its smallest,
one round, the tables into a temporary folder, checks only where they take seconds. It
tells that all of it works, not how fast. A script whose optional package or data set
is not at hand is skipped, with a line that says so.
"""

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")


class Script(NamedTuple):
    """A file, its options in full and in quick runs, what it needs.

    ``STORE`` among the options is a file beside the tables; None means not at all.
    """

    name: str
    full: str = ""
    quick: str | None = ""
    packages: str = ""
    data: str = ""


SMALL_FIELD = "SJAFFE --methods=LDSVR"
SECTIONS = {
    "threads": [Script("threads.py", "", "AAkNN LSELDL SABFGS")],
    "floor": [Script("floor.py", "", "--repeats=1", "psutil")],
    "sklearn": [Script("sklearn_peers.py", "", "--repeats=1", "psutil")],
    "maxent": [Script("maxent.py", "", "SJAFFE", "", "SJAFFE Yeast_alpha Movie")],
    "peers": [
        Script(
            "peers.py",
            "STORE --limit=60",
            "STORE SJAFFE --methods=AAkNN,LDSVR,PTBayes --limit=5",
            "",
            "SJAFFE Yeast_alpha",
        )
    ],
    "field": [
        Script("defaults.py", "", SMALL_FIELD, "", "SJAFFE SBU_3DFE Natural_Scene"),
        Script("field_size.py", "STORE", f"STORE {SMALL_FIELD}", "psutil", "Movie"),
        Script("aaknn_scaling.py", "", "SJAFFE", "", "SJAFFE M2B SCUT_FBP"),
    ],
    "regions": [Script("conformal.py", "", "SJAFFE --splits=20", "", "SJAFFE M2B")],
    "times": [Script("learner_times.py", "", "AAkNN LogisticLDL --sizes=300")],
    "growth": [Script("growth.py", "", "--quick", "psutil")],
    "large": [
        Script("large.py", "", "GraphEmbedding --sizes=10000", "psutil pynndescent"),
        Script("lwknn_large.py", "", None, "pynndescent"),
    ],
    "checks": [
        Script("approximate_engine.py", "", None, "pynndescent"),
        Script("crowd.py", "", "--quick"),
        Script("cli_predict.py", "", None, "pyarrow"),
        Script("tables.py", "", "--quick", "psutil"),
        Script("eigen.py", "", None),
        Script("graph_embedding_fit.py", "", None, "psutil"),
        Script("import_time.py"),
        Script("jplay_fit.py", "", None),
        Script("lwknn_fit.py", "", None, "psutil"),
        Script("mslp_fit.py", "", None, "psutil"),
        Script("mslp_path.py", "", None),
        Script("neighbor_graph.py", "", None, "psutil"),
        Script(
            "ranker_ties.py", "", None, "", "mulan_yeast mulan_scene mulan_emotions"
        ),
        Script("report_build.py"),
        Script("runner_overhead.py", "", "100"),
        Script("trees.py", "", "--repeats=1 --samples=500", "psutil"),
    ],
    "pictures": [Script("pictures.py", "", "", "matplotlib")],
}


def missing(script, quick):
    """What a script would need and is not there, as a text."""
    for package in script.packages.split():
        if find_spec(package) is None:
            return f"the package {package} is not installed"
    from skldl.datasets import load

    wanted = script.data.split()
    for name in ["SJAFFE"] if quick and wanted else wanted:
        try:
            load(name)
        except OSError as error:  # not there, and no way to fetch it
            return f"the data set {name} is not at hand ({type(error).__name__})"
    return ""


def environment(threads):
    """The variables of a process with so many threads, or with the default ones."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    if threads == "default":
        return kept
    return {**kept, **{f"{name}_NUM_THREADS": threads for name in THREADS}}


def run(script, options, threads, results):
    """One script in a process with so many threads; its exit code."""
    fixed = {}
    if threads == "default":
        results = results / "default_threads"
        results.mkdir(exist_ok=True)
    if results != HERE / "results":
        fixed["SKLDL_BENCH_RESULTS"] = str(results)
    store = str(results / f"{Path(script.name).stem}.json")
    options = [store if option == "STORE" else option for option in options]
    print(f"== {' '.join([script.name, *options])} ({threads} threads)", flush=True)
    start = time.time()
    command = [sys.executable, str(HERE / script.name), *options]
    code = subprocess.run(
        command, env={**environment(threads), **fixed}, check=False
    ).returncode
    print(
        f"== {script.name}: {time.time() - start:.0f} s, exit code {code}", flush=True
    )
    return code


def settings(section, given):
    """Numbers of threads to run a section with."""
    wanted = given.get("threads", "both")
    if section == "threads":  # compares both by itself
        return ["default"]
    return ["1", "default"] if wanted == "both" else [wanted]


def run_all(names, given, results):
    """Scripts that failed, in the order of the sections."""
    failed, quick = [], "quick" in given
    for name in names:
        for script in SECTIONS[name]:
            chosen = script.quick if quick else script.full
            why = "it has no quick version" if chosen is None else ""
            why = why or missing(script, quick)
            if why:
                print(f"== {script.name}: skipped, {why}", flush=True)
                continue
            options = chosen.split()
            if name == "growth" and "large" in given:
                options.append("--large")
            for threads in settings(name, given):
                if run(script, options, threads, results):
                    failed.append(f"{script.name} ({threads} threads)")
    return failed


def main(arguments):
    """Run the sections; the number of failures."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    names = [a for a in arguments if not a.startswith("--")]
    unknown = set(names) - set(SECTIONS)
    if unknown or "list" in given:
        print(f"Sections: {', '.join(SECTIONS)}.")
        return len(unknown)
    names = names or [s for s in SECTIONS if s != "large"]
    if "quick" in given:
        with tempfile.TemporaryDirectory() as folder:
            failed = run_all(names, given, Path(folder))
    else:
        failed = run_all(names, given, HERE / "results")
    print(f"Failed: {', '.join(failed)}." if failed else "Nothing failed.")
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
