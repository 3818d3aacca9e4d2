"""Support vectors with weights on both sides, against other solvers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from skldl.solvers import smo as smo_of_many
from skldl.solvers._smo import _balanced


def problem(seed, n=40, scale=1.0, one_sided=0.3):
    """Kernel, and weights of which some are 0 on one side."""
    rng = np.random.default_rng(seed)
    K = rbf_kernel(rng.normal(size=(n, 3)))
    weights = scale * rng.uniform(0.1, 1, size=(2, n))
    weights[rng.uniform(size=(2, n)) < one_sided] = 0
    return K, weights[0], weights[1]


def smo(K, p, q, **options):
    """The only solution of one problem."""
    [solution] = smo_of_many(K, p[None], q[None], **options)
    return solution


def primal(K, p, q, beta, b):
    values = K @ beta + b
    errors = p @ np.maximum(0, 1 - values) + q @ np.maximum(0, 1 + values)
    return 0.5 * beta @ K @ beta + errors


def svc(K, p, q):
    """The same by examples of one class each."""
    rows = np.tile(np.arange(len(p)), 2)
    weights = np.concatenate([p, q])
    some = weights > 0
    rows, is_positive = rows[some], np.repeat([1, 0], len(p))[some]
    model = SVC(kernel="precomputed", tol=1e-10)
    model.fit(K[np.ix_(rows, rows)], is_positive, sample_weight=weights[some])
    beta = np.bincount(
        rows[model.support_], model.dual_coef_[0], minlength=len(p)
    )  # fmt: skip
    return beta, model.intercept_[0]


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("one_sided", [0.0, 0.3])
def test_agrees_with_examples_of_one_class_each(scale, one_sided):
    K, p, q = problem(0, scale=scale, one_sided=one_sided)
    solution = smo(K, p, q, tol=1e-9)
    beta, intercept = solution.x
    expected, constant = svc(K, p, q)
    assert solution.converged
    assert_allclose(K @ beta, K @ expected, atol=1e-5)
    assert_allclose(intercept, constant, atol=1e-5)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.05, 1.0, 30.0]),
    st.sampled_from([0.0, 0.4]),
    st.booleans(),
)
def test_no_gap_is_left_between_primal_and_dual(seed, scale, one_sided, repeated):
    K, p, q = problem(seed, 15, scale, one_sided)
    if repeated:  # equal samples: directions without curvature
        K, p, q = np.tile(K, (2, 2)), np.tile(p, 2), np.concatenate([q, q[::-1]])
    if not (p.any() and q.any()):
        return
    solution = smo(K, p, q, tol=1e-8)
    beta, intercept = solution.x
    assert np.all(beta <= p)
    assert np.all(beta >= -q)
    assert abs(beta.sum()) < 1e-9 * (1 + np.abs(beta).sum())
    # the distance to the corner is p + q less the sum of a sample's two variables
    dual = p.sum() + q.sum() - solution.value
    assert_allclose(primal(K, p, q, beta, intercept), dual, rtol=1e-5)


def test_sides_are_alike():
    K, p, q = problem(1)
    beta, intercept = smo(K, p, q, tol=1e-9).x
    swapped, constant = smo(K, q, p, tol=1e-9).x
    assert_allclose(K @ swapped, -K @ beta, atol=1e-6)
    assert_allclose(constant, -intercept, atol=1e-6)


def test_samples_without_weight_do_not_count():
    K, p, q = problem(2)
    p[:5] = q[:5] = 0
    beta, intercept = smo(K, p, q, tol=1e-9).x
    assert_array_equal(beta[:5], 0)
    rest, constant = smo(K[5:, 5:], p[5:], q[5:], tol=1e-9).x
    assert_allclose(beta[5:], rest, atol=1e-6)
    assert_allclose(intercept, constant, atol=1e-6)


def test_samples_between_the_margins_need_no_step():
    K = np.eye(6)
    p = np.full(6, 0.3)
    solution = smo(K, p, p)
    assert solution.n_iter == 0
    assert_array_equal(solution.x[0], 0)


def test_says_how_far_it_got():
    K, p, q = problem(0, scale=10.0)
    steps = [smo(K, p, q, tol=1e-9, max_iter=n) for n in (0, 1, 10, 100_000)]
    assert [s.n_iter for s in steps[:3]] == [0, 1, 10]
    assert [s.converged for s in steps] == [False, False, False, True]
    values = [s.value for s in steps]
    assert np.all(np.diff(values) < 0)
    assert steps[-1].residual <= 1e-9 < steps[0].residual
    beta, _ = steps[2].x
    assert_allclose(steps[2].value, 0.5 * beta @ K @ beta + abs(beta - p + q).sum())


def test_problems_do_not_see_each_other():
    K, _, _ = problem(0)
    weights = [problem(seed, scale=3.0**seed)[1:] for seed in range(5)]
    p, q = np.array(weights).transpose(1, 0, 2)
    found = smo_of_many(K, p, q)
    assert len({solution.n_iter for solution in found}) > 1  # they leave one by one
    for one, *both in zip(found, p, q, strict=True):
        alone = smo(K, *both)
        assert one.n_iter == alone.n_iter
        assert one.converged
        assert_allclose(one.x[0], alone.x[0], atol=1e-9)
        assert_allclose(one.x[1], alone.x[1], atol=1e-9)
        assert_allclose(one.value, alone.value)


@pytest.mark.parametrize("weight", [1e-13, 1e-16, 1e-20, 1e-300])
@pytest.mark.parametrize("alone", [True, False])
def test_a_side_that_is_lost_in_the_sums_of_the_other(weight, alone):
    K, p, q = problem(0, one_sided=0.0)
    p = np.where(np.arange(len(p)) == 3, weight, 0.0) if alone else weight * p
    for sign, sides in ((1, (p, q)), (-1, (q, p))):
        solution = smo(K, *sides)
        beta, intercept = solution.x
        assert abs(beta.sum()) <= 1e-10 * p.sum()
        assert_allclose(sign * intercept, -1, atol=1e-3)
        assert_allclose(solution.value, np.abs(beta - sides[0] + sides[1]).sum())


@pytest.mark.parametrize("sides", [(1, 0), (0, 1), (0, 0)])
def test_a_side_without_weights(sides):
    K, p, q = problem(0, one_sided=0.0)
    solution = smo(K, sides[0] * p, sides[1] * q)
    assert_array_equal(solution.x[0], 0)
    assert solution.x[1] == sides[0] - sides[1]
    assert solution.converged


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0, 1e5])
def test_ends_where_rounding_does(scale):
    K, p, q = problem(0, scale=scale, one_sided=0.0)
    solution = smo(K, p, q, tol=1e-300, max_iter=200_000)
    assert solution.n_iter < 200_000
    assert solution.converged == (solution.residual == 0)
    beta, intercept = solution.x
    dual = p.sum() + q.sum() - solution.value
    assert_allclose(primal(K, p, q, beta, intercept), dual, rtol=1e-3)
    assert solution.residual <= 1e-14 * (1 + np.abs(beta).max())


@pytest.mark.parametrize("kind", [bool, int, np.float32])
def test_kinds_of_numbers(kind):
    K, p, q = problem(0)
    p, q = (p > 0.3).astype(kind), (q > 0.3).astype(kind)
    expected = smo(K, p.astype(float), q.astype(float))
    assert_allclose(smo(K, p, q).x[0], expected.x[0])
    K = K.astype(np.float32)
    assert_allclose(smo(K, p, q).x[1], expected.x[1], atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_first_coefficients_are_balanced(seed):
    """The start that smo walks from: sum 0, between the bounds."""
    rng = np.random.default_rng(seed)
    upper, lower = rng.uniform(0.1, 3, size=9), -rng.uniform(0.1, 1, size=9)
    values = rng.normal(size=9)
    corner = upper + lower
    for sign in (1, -1):  # either side may be the heavier one
        bounds = (lower, upper) if sign > 0 else (-upper, -lower)
        beta = _balanced(sign * values, sign * corner, *bounds)
        assert_allclose(beta.sum(), 0, atol=1e-12)
        assert (bounds[0] - 1e-12 <= beta).all()
        assert (beta <= bounds[1] + 1e-12).all()
