"""The shared path over the paper's grid against a fit for each setting, in one run."""

import time

from skldl.datasets import make_ldl
from skldl.projection import MSLP, mslp_path

GRID = {k: v for k, v in MSLP._grids["published"].items() if k != "reg_mode"}
BASE = {"reg_mode": "absolute"}


def cpu(call):
    """CPU seconds of a call, and what it gave."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def singly(X, D, new, settings):
    """Fit and predict each setting on its own."""
    for params in settings:
        MSLP(**BASE, **params).fit(X, D).predict(new)


if __name__ == "__main__":
    X, D = make_ldl(2200, 243, 6, random_state=0)
    X, new = X[:2000], X[2000:]
    shared, path = cpu(lambda: list(mslp_path(X, D[:2000], new, GRID, MSLP(**BASE))))
    settings = [params for params, _ in path]
    single, _ = cpu(lambda: singly(X, D[:2000], new, settings))
    print(f"{len(settings)} settings: path {shared:.1f} CPU s, fits {single:.1f}")
    print(f"ratio {single / shared:.0f}")
