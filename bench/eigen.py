"""LAPACK's subset driver against Lanczos iteration on dense symmetric matrices."""

import time

import numpy as np
from scipy.sparse.linalg import eigsh

from skldl.linalg import generalized_eigh


def cpu(call):
    """CPU seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    for size in (1500, 3000):
        X = np.random.default_rng(0).normal(size=(2 * size, size))
        A = X.T @ X / size
        for k in (5, 30):
            direct = cpu(lambda: generalized_eigh(A, k=k, largest=False))  # noqa: B023
            lanczos = cpu(lambda: eigsh(A, k, which="SA", ncv=max(4 * k, 40)))  # noqa: B023
            print(f"order {size}, {k} smallest: direct {direct:.2f} CPU s, "
                  f"Lanczos {lanczos:.2f}, ratio {lanczos / direct:.1f}")  # fmt: skip
