"""Estimators that misbehave, importable by worker processes."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

from skldl.ldl import MeanDistribution


class Raises(MeanDistribution):
    def fit(self, X, y):
        raise RuntimeError("no luck today")


class Hangs(MeanDistribution):
    def fit(self, X, y):
        time.sleep(3600)


class Crashes(MeanDistribution):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGSEGV)


class EatsMemory(MeanDistribution):
    def fit(self, X, y):
        hoard = []
        while True:
            hoard.append(np.ones(1_000_000))
            time.sleep(0.005)


class Forks(MeanDistribution):
    def fit(self, X, y):
        os.fork()
        return super().fit(X, y)


class Daemonizes(MeanDistribution):
    """Leaves a grandchild in a session of its own, and its number in a file."""

    def __init__(self, path=""):
        self.path = path

    def fit(self, X, y):
        path = Path(self.path)
        size = path.stat().st_size if path.exists() else 0
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                with path.open("a") as file:
                    file.write(f"{os.getpid()}\n")
                time.sleep(600)
            os._exit(0)
        while not path.exists() or path.stat().st_size == size:
            time.sleep(0.01)
        return super().fit(X, y)


class Exits(MeanDistribution):
    def fit(self, X, y):
        sys.exit(3)


class TimeBomb(MeanDistribution):
    """Ends well, and kills its process a little later."""

    def fit(self, X, y):
        threading.Timer(0.2, os._exit, (7,)).start()
        return super().fit(X, y)


class Mute(Exception):
    def __str__(self):
        raise ValueError("cannot say")


class RaisesMute(MeanDistribution):
    def fit(self, X, y):
        raise Mute


class RaisesStrange(MeanDistribution):
    def fit(self, X, y):
        raise ValueError("file \udcff")


class Prints(MeanDistribution):
    def fit(self, X, y):
        print("iteration 1")  # noqa: T201
        return super().fit(X, y)


class GlobalRandom(MeanDistribution):
    def predict(self, X):
        P = np.random.uniform(size=(len(X), len(self.classes_)))  # noqa: NPY002
        return P / P.sum(axis=1, keepdims=True)


class Holds(MeanDistribution):
    """Any object as a parameter."""

    def __init__(self, thing=None):
        self.thing = thing


class NaN(MeanDistribution):
    def predict(self, X):
        return np.full_like(super().predict(X), np.nan)


class OffSimplex(MeanDistribution):
    def predict(self, X):
        return 1.01 * super().predict(X)


class WrongShape(MeanDistribution):
    def predict(self, X):
        return super().predict(X)[:, :-1]


class Slow(MeanDistribution):
    """Takes its time, and leaves a line for every fit in a file."""

    def __init__(self, seconds=0.05, log=None):
        self.seconds = seconds
        self.log = log

    def fit(self, X, y):
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(f"{os.getpid()}\n")
        time.sleep(self.seconds)
        return super().fit(X, y)


class Random(MeanDistribution):
    """Depends on its seed only."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def predict(self, X):
        rng = np.random.default_rng(self.random_state)
        return rng.dirichlet(np.ones(len(self.classes_)), size=X.shape[0])
