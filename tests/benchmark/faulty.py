"""Estimators that misbehave, importable by worker processes."""

import os
import signal
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
