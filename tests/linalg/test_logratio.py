"""Log-ratios: round trips, isometry, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from skldl.linalg import clr, ilr, inverse_clr, inverse_ilr, replace_zeros


def distributions(n_samples, n_labels, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_labels), n_samples)


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 99))
def test_round_trips(n_samples, n_labels, seed):
    D = distributions(n_samples, n_labels, seed)
    assert_allclose(inverse_clr(clr(D)), D, atol=1e-12)
    assert_allclose(inverse_ilr(ilr(D)), D, atol=1e-12)
    Z = np.random.default_rng(seed).normal(size=(n_samples, n_labels - 1))
    assert_allclose(ilr(inverse_ilr(Z)), Z, atol=1e-9)


def test_clr_is_the_definition():
    D = distributions(5, 4, 0)
    geometric = D.prod(axis=1, keepdims=True) ** (1 / 4)
    assert_allclose(clr(D), np.log(D / geometric))


def test_ilr_keeps_distances_and_compares_with_the_labels_before():
    D = distributions(6, 5, 1)
    far = [((Z[:, None] - Z) ** 2).sum(axis=2) for Z in (clr(D), ilr(D))]
    assert_allclose(far[0], far[1])
    first = np.log(D[:, 0] / D[:, 1]) / np.sqrt(2)
    assert_allclose(ilr(D)[:, 0], first)


def test_scores_far_apart_do_not_overflow():
    assert_allclose(inverse_clr([[1e4, 0.0], [-1e4, 0.0]]), [[1, 0], [0, 1]])


def test_zeros_are_refused_with_their_place():
    D = np.array([[0.5, 0.5], [1.0, 0.0]])
    for transform in (clr, ilr):
        with pytest.raises(ValueError, match="row 1, column 1 .* replace_zeros"):
            transform(D)
    assert np.isfinite(clr(replace_zeros(D))).all()


def test_replaced_zeros():
    D = np.vstack([np.eye(3), distributions(4, 3, 2)])
    assert_allclose(replace_zeros(D, 0.3), 0.7 * D + 0.1)
    mean = D.mean(axis=0)
    towards = replace_zeros(D, 0.3, base=mean)
    assert_allclose(towards.mean(axis=0), mean)
    assert_allclose(towards, 0.7 * D + 0.3 * mean)
    assert_allclose(replace_zeros(D, 0.0), D)


def test_bad_smoothing_and_base():
    with pytest.raises(ValueError, match="smoothing must be between 0 and 1"):
        replace_zeros(np.eye(2), 1.5)
    with pytest.raises(ValueError, match="base has 3 labels but D has 2"):
        replace_zeros(np.eye(2), 0.1, base=[0.2, 0.3, 0.5])
