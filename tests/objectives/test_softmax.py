"""The softmax objective, and LSE-LDL's, against their formulas."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.special import softmax

from skldl.graphs import heat_weights, laplacian, neighbor_graph
from skldl.metrics import kl_divergence
from skldl.objectives import LSEObjective, LSEPoint, MaxEntKL, log_degrees, softmax_kl

RNG = np.random.default_rng(1)
X, D = RNG.normal(size=(20, 4)), RNG.dirichlet(np.ones(3), 20)
B = RNG.normal(size=(4, 3))


def test_is_the_metric_times_the_number_of_samples():
    value, _ = MaxEntKL(X, D).value_and_grad(B)
    assert_allclose(value, 20 * kl_divergence(D, softmax(X @ B, axis=1)))


def test_zero_degrees_add_nothing():
    zeros = np.eye(3)[RNG.integers(3, size=20)]
    P = softmax(X @ B, axis=1)
    expected = -np.log(P[zeros == 1]).sum()
    assert_allclose(MaxEntKL(X, zeros).value_and_grad(B)[0], expected)


def test_sparse_is_dense_and_an_intercept_is_a_column_of_ones():
    value, gradient = MaxEntKL(X, D).value_and_grad(B)
    for make in (sp.csr_array, sp.csr_matrix):
        other, slope = MaxEntKL(make(X), D).value_and_grad(B)
        assert_allclose(other, value)
        assert_allclose(slope, gradient)
    wide = np.vstack([B, [[0.1, 0.2, -0.3]]])
    ones = MaxEntKL(np.hstack([X, np.ones((20, 1))]), D).value_and_grad(wide)
    free = MaxEntKL(X, D, fit_intercept=True).value_and_grad(wide)
    assert_allclose(free[0], ones[0])
    assert_allclose(free[1], ones[1])


def test_weights_are_repetitions():
    counts = np.arange(20) % 3
    weighted = MaxEntKL(X, D, sample_weight=counts.astype(float))
    repeated = MaxEntKL(np.repeat(X, counts, 0), np.repeat(D, counts, 0))
    for a, b in zip(
        weighted.value_and_grad(B), repeated.value_and_grad(B), strict=True
    ):
        assert_allclose(a, b)


@given(arrays(np.float64, (3, 4), elements=st.floats(-1e4, 1e4)))
def test_never_negative_never_infinite_and_shifts_do_not_matter(scores):
    value, gradient = softmax_kl(scores, D4, log_degrees(D4))
    assert np.isfinite(value)
    assert value >= -1e-9
    assert_allclose(gradient.sum(axis=1), 0, atol=1e-12)
    shifted, _ = softmax_kl(scores + 7.0, D4, log_degrees(D4))
    assert_allclose(shifted, value, rtol=1e-9, atol=1e-9)


D4 = np.array([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25], [0.1, 0.2, 0.3, 0.4]])


def latent_parts(seed=0):
    rng = np.random.default_rng(seed)
    return LSEPoint(
        rng.normal(size=(3, 2)), rng.normal(size=(20, 2)), rng.normal(size=(4, 2))
    )


def test_latent_value_by_loops():
    """Term by term as the paper prints them, with twice the row norms."""
    graph = neighbor_graph(D, 3)
    S = heat_weights(graph, gamma=1 / 0.3).toarray()
    point = latent_parts()
    theta, Z, W = point
    P = softmax(Z @ theta.T, axis=1)
    expected = (D * np.log(D / P)).sum() + 0.7 * ((X @ W - Z) ** 2).sum()
    expected += 2 * 0.3 * sum(np.sqrt(w @ w + 1e-4) for w in W)
    expected += 0.2 * sum(
        S[i, j] * ((Z[i] - Z[j]) ** 2).sum() for i in range(20) for j in range(20)
    )
    expected += 0.4 * (theta**2).sum()
    objective = LSEObjective(
        X,
        D,
        laplacian(S),
        encoding_weight=0.7,
        sparsity_weight=0.3,
        smoothness_weight=0.2,
        reg=0.4,
        corner_eps=1e-4,
    )
    assert_allclose(objective.value(point), expected)
    encoded = point._replace(latent=Z - X @ W)
    assert_allclose(objective.value_and_grad_encoded(encoded)[0], expected)


@pytest.mark.parametrize("seed", range(3))
def test_turning_all_three_changes_nothing(seed):
    graph = laplacian(heat_weights(neighbor_graph(D, 3)))
    objective = LSEObjective(
        X,
        D,
        graph,
        encoding_weight=1,
        sparsity_weight=0.5,
        smoothness_weight=0.1,
        reg=0.2,
    )
    point = latent_parts(seed)
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(2, 2)))[0]
    turned = LSEPoint(*(part @ Q for part in point))
    assert_allclose(objective.value(turned), objective.value(point))
