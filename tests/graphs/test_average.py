"""Means over neighbours are the same in chunks."""

import numpy as np
from numpy.testing import assert_allclose

from skldl.graphs import neighbor_mean


def test_mean_in_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 5))
    indices, weights = rng.integers(0, 80, (30, 4)), rng.dirichlet(np.ones(4), 30)
    expected = (weights[:, :, None] * values[indices]).sum(axis=1)
    monkeypatch.setattr("skldl.graphs._average._CHUNK", 50)
    assert_allclose(neighbor_mean(values, indices, weights), expected)
    assert_allclose(neighbor_mean(values, indices), values[indices].mean(axis=1))
