"""What the leave-one-out choice of a kernel ridge costs beside its eigendecompositions.

    python bench/kernels.py [N_SAMPLES ...]

Ends with an error if the whole fit, all ridges, links and smoothings included, takes
more than twice the CPU time of one eigendecomposition for each width that was tried. Of
more than 800 samples widths are compared on 800, and one decomposition is of all.
"""

import sys

import numpy as np
from _measure import times

from skldl.datasets import make_ldl
from skldl.ldl import KernelRidgeLDL
from skldl.linalg import generalized_eigh

LIMIT = 2.0


def ratio(n_samples):
    """CPU time of a fit by that of its eigendecompositions alone."""
    X, D = make_ldl(n_samples, 30, 6, random_state=0)
    D = 0.8 * D + 0.2 * np.random.default_rng(0).dirichlet(np.ones(6), n_samples)
    n_widths = len(KernelRidgeLDL(whiten=False).fit(X, D).gammas_)
    K = 1 / (1 + 0.05 * ((X**2).sum(1)[:, None] + (X**2).sum(1) - 2 * X @ X.T))

    def decompose():
        for _ in range(n_widths):
            generalized_eigh(K[:800, :800], largest=True)
        if n_samples > 800:
            generalized_eigh(K, largest=True)

    spent = times(
        {
            "fit": lambda: KernelRidgeLDL(whiten=False).fit(X, D),
            "eigendecompositions": decompose,
        }
    )
    fit, alone = spent["fit"].cpu_s, spent["eigendecompositions"].cpu_s
    print(
        f"{n_samples} samples, {n_widths} widths: fit {fit:.2f} CPU s, "
        f"eigendecompositions {alone:.2f}, ratio {fit / alone:.2f}"
    )
    return fit / alone


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1:]] or [500, 1000, 2000]
    if max([ratio(size) for size in sizes]) > LIMIT:
        sys.exit(f"more than {LIMIT} times the eigendecompositions")
