"""Default threads against one thread: every estimator, and bare products beside them.

Two processes do the same fits and predictions in turns, one with the machine's default
threads and one with ``OMP_NUM_THREADS=1``. The ratio of CPU seconds must stay below 1.5
for whatever takes more than five milliseconds; the script ends with an error if not.
The second table shows why: products and factorisations with all threads against one,
measured in one process. Only products with all sides of 1,000 and more gain from
threads, so only these get them (``skldl._threads``).

    python bench/threads.py [METHOD ...] [--samples=600] [--features=60]
"""

import json
import os
import subprocess
import sys
import time
import warnings

import numpy as np

BOUND, SMALL = 1.5, 0.005
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
SLOW = {"CanonicalCorrelationForestClassifier"}


def targets(n, d, rng):
    """Samples with distributions, indicators and classes."""
    X = rng.normal(size=(n, d))
    scores = np.exp(X @ rng.normal(size=(d, 6)) * 0.3 + rng.normal(size=(n, 6)) * 0.3)
    D = scores / scores.sum(axis=1, keepdims=True)
    # J-Play refuses features without a positive mean
    return X + 3.0, {
        "distribution": D,
        "indicator": (D > 1 / 6) * 1,
        "classes": D.argmax(1),
    }


def child(n, d):
    """Measure methods whose names come by standard input, a line each."""
    from skldl.discovery import all_estimators

    warnings.simplefilter("ignore")
    X, known = targets(n, d, np.random.default_rng(0))
    classes = dict(all_estimators())
    for line in sys.stdin:
        print(json.dumps(measure(classes[line.strip()](), X, known)), flush=True)


def measure(model, X, known):
    """CPU seconds of a fit and of a prediction."""
    for y in known.values():
        try:
            begin = time.process_time()
            model.fit(X, y)
            break
        except (ValueError, TypeError):
            continue
    fitted = time.process_time()
    (getattr(model, "predict", None) or model.transform)(X)
    return fitted - begin, time.process_time() - fitted


def start(n, d, threads):
    """A process that measures; None leaves the threads as they are."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    fixed = {f"{name}_NUM_THREADS": str(threads) for name in THREADS if threads}
    return subprocess.Popen(
        [sys.executable, __file__, "--child", f"--samples={n}", f"--features={d}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**kept, **fixed},
    )


def ask(process, name):
    """What a process measured for a method."""
    process.stdin.write(f"{name}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def compare(names, n, d):
    """Print ratios; names of the methods that break the bound."""
    default, single = start(n, d, None), start(n, d, 1)
    broken = []
    print("| method | fit, one thread (ms) | ratio | predict (ms) | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for name in names:
        pairs = [(ask(default, name), ask(single, name)) for _ in range(3)]
        many, one = np.median(np.array(pairs), axis=0)
        ratio = many / one
        print(
            f"| {name} | {one[0] * 1e3:.1f} | {ratio[0]:.2f} | {one[1] * 1e3:.1f} "
            f"| {ratio[1]:.2f} |",
            flush=True,
        )
        if ((ratio > BOUND) & (one > SMALL)).any():
            broken.append(name)
    for process in (default, single):
        process.communicate()
    return broken


def products():
    """Print bare products and factorisations with all threads against one."""
    from scipy.linalg import cholesky, eigh
    from threadpoolctl import ThreadpoolController

    rng = np.random.default_rng(0)
    cases = {}
    for shape in [(300, 300), (2000, 1000), (2500, 2500), (100_000, 64)]:
        A = rng.normal(size=shape)
        cases[f"product {shape[1]} x {shape[0]} x {shape[1]}"] = lambda A=A: A.T @ A
    S = rng.normal(size=(1000, 1000))
    S = S @ S.T + 1000 * np.eye(1000)
    cases["eigh 1000"] = lambda: eigh(S)
    cases["cholesky 1000"] = lambda: cholesky(S)
    controller = ThreadpoolController()
    print(
        "\n| work | CPU ratio, all threads to one | wall ratio |\n| --- | --- | --- |"
    )
    for name, call in cases.items():
        spent = []
        for limits in (None, 1):
            with controller.limit(limits=limits):
                call()
                wall, cpu = time.perf_counter(), time.process_time()
                for _ in range(3):
                    call()
                spent.append((time.process_time() - cpu, time.perf_counter() - wall))
        cpu, wall = (a / b for a, b in zip(*spent, strict=True))
        print(f"| {name} | {cpu:.1f} | {wall:.1f} |", flush=True)


def main(arguments):
    """Number of methods that break the bound."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    n, d = int(given.get("samples", 600)), int(given.get("features", 60))
    if "child" in given:
        child(n, d)
        return 0
    from skldl.discovery import all_estimators

    names = [a for a in arguments if not a.startswith("--")]
    names = names or [name for name, _ in all_estimators() if name not in SLOW]
    broken = compare(names, n, d)
    products()
    if broken:
        print(f"\nMore than {BOUND} times with default threads: {', '.join(broken)}.")
    return len(broken)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
