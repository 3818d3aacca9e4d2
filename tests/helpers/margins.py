"""A margin problem that several tests share."""

import numpy as np

from skldl.objectives import NeighborMargin


def margin(*, inputs=False, **settings):
    """A small problem with combined neighbours."""
    rng = np.random.default_rng(1)
    D = rng.dirichlet(np.ones(4), 30)
    indices = rng.integers(0, 30, (30, 5))
    u = rng.random((30, 5)) if inputs else None
    return NeighborMargin(D, indices, u, **settings)
