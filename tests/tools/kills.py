"""Kill a tuned comparison and a model being written, again and again.

    python tests/tools/kills.py [KILLS]

Each time a child process is ended by SIGKILL at a random moment of its work. Nothing
that was finished may be lost, and no file may be half-written. Ends with an error
otherwise. Twenty kills of each take about a minute; tests/test_kills.py does a few.
"""

import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

from skldl.benchmark import Plan, Split, Store, run
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN
from skldl.methods import Tuning
from skldl.models import load_model, save_model

PLAN = Plan(["synthetic"], ["AAkNN", "SABFGS(max_iter=20)"], Split(n_splits=5),
            tuning=Tuning(n_splits=2))  # fmt: skip
SAME = ["job", "dataset", "fold", "method", "status", "params", "metric", "value"]


def killed(work, until):
    """Fork, let the child work, and kill it; whether it was still at work."""
    child = os.fork()
    if child == 0:  # never back into the caller's code
        try:
            work()
        finally:
            os._exit(0)
    until(lambda: os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT))
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def compare(path):
    """Run what is missing, in this process."""
    with Store(path) as store:
        run(PLAN, store, engine="serial")


def rows_of(path):
    """What two stores of the same comparison must agree on."""
    with Store(path, read_only=True) as store:
        return store.rows()[SAME].sort_values(["job", "metric"], ignore_index=True)


def n_results(path):
    """Number of finished jobs, also of a store that is being made."""
    try:
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            return connection.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def kill_comparisons(folder, kills, seed=0):
    """Kill a comparison so many times, then let it finish.

    Returns the number of kills that met a process at work. Raises AssertionError if a
    result was lost or changed, or if the file is not whole.
    """
    random_ = random.Random(seed)
    whole, path = Path(folder) / "whole.sqlite", Path(folder) / "killed.sqlite"
    compare(whole)
    wanted, hits, done = rows_of(whole), 0, 0
    n_jobs = wanted["job"].nunique()
    for number in range(kills):
        goal = min(n_jobs - 1, done + (number * n_jobs // kills > done))

        def until(ended, goal=goal):
            while n_results(path) < goal and ended() is None:
                time.sleep(0.002)
            time.sleep(random_.uniform(0, 0.1))

        hits += killed(lambda: compare(path), until)
        assert n_results(path) >= done, "a finished fold was lost"
        done = n_results(path)
    compare(path)
    pd.testing.assert_frame_equal(rows_of(path), wanted, check_exact=True)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return hits


def kill_saves(folder, kills, seed=0):
    """Kill a process that writes two models to one path, again and again.

    Returns the number of kills that met a process at work. Raises AssertionError if
    the file was ever anything but one of the two models.
    """
    random_ = random.Random(seed)
    X, D = make_ldl(400, 10, 4, random_state=0)
    models = [SABFGS(reg=0.1).fit(X, D), AAkNN(7).fit(X, D)]
    answers = [model.predict(X[:5]) for model in models]
    path, hits = Path(folder) / "m.skldl", 0
    save_model(models[0], path, y=D)

    def save():
        while True:
            for model in models:
                save_model(model, path, y=D)

    for _ in range(kills):
        hits += killed(save, lambda ended: time.sleep(random_.uniform(0.01, 0.2)))
        found = load_model(path).predict(X[:5])
        assert any(np.array_equal(found, answer) for answer in answers), "half-written"
    return hits


if __name__ == "__main__":
    count = int(sys.argv[1]) if sys.argv[1:] else 20
    for kill in (kill_comparisons, kill_saves):
        with tempfile.TemporaryDirectory() as place:
            reached = kill(place, count)
        text = f"{kill.__name__}: {reached} of {count} kills at work, nothing lost"
        print(text, flush=True)  # noqa: T201
