"""LALOT: its plans, its label distance, and its limit without entropy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize
from scipy.special import rel_entr, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import LALOT
from skldl.ldl._lalot import label_cost, nearest_kernel, shift_to_mean
from skldl.objectives import LALOTTransport

X, D = make_ldl(80, 4, 3, noise=0.5, random_state=0)
RNG = np.random.default_rng(0)
P = RNG.dirichlet(np.ones(3), 80)
COST = np.array([[0.0, 0.5, 1.0], [0.5, 0.0, 0.3], [1.0, 0.3, 0.0]])


def exact(p, d):
    """Transport without entropy, by linear programming."""
    rows = np.kron(np.eye(3), np.ones(3))
    columns = np.kron(np.ones(3), np.eye(3))
    result = linprog(
        COST.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, d])
    )
    return result.fun


def test_plans_tend_to_the_exact_ones():
    transport = LALOTTransport(D[:6], COST, 200.0, max_iter=20_000)
    plan = transport.total_plan(P[:6])
    expected = sum(exact(p, d) for p, d in zip(P[:6], D[:6], strict=True))
    assert_allclose(np.vdot(plan, COST), expected, rtol=1e-2)


def test_plans_have_the_right_sums_and_zeros():
    degrees = np.where(D < 0.2, 0.0, D)
    degrees /= degrees.sum(axis=1, keepdims=True)
    transport = LALOTTransport(degrees, COST, 5.0)
    plan = transport.total_plan(P)
    assert_allclose(plan.sum(axis=1), P.sum(axis=0), atol=1e-6)
    assert_allclose(plan.sum(axis=0), degrees.sum(axis=0))
    value, gradient = transport.value_and_grad(P)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_the_value_is_that_of_the_plan():
    transport = LALOTTransport(D[:1], COST, 5.0)
    plan = transport.total_plan(P[:1])
    value, _ = transport.value_and_grad(P[:1])
    assert_allclose(value, np.vdot(plan, COST) + np.sum(plan * np.log(plan)) / 5)


def test_debiased_costs_are_zero_at_the_truth_only():
    degrees = np.where(D < 0.1, 0.0, D)
    degrees /= degrees.sum(axis=1, keepdims=True)
    transport = LALOTTransport(degrees, COST, 2.0, tol=1e-12, debiased=True)
    at_truth, _ = transport.value_and_grad(degrees)
    assert_allclose(at_truth, 0, atol=1e-8)
    assert_allclose(transport.total_plan(degrees), 0, atol=1e-6)
    for i in range(5):
        one = LALOTTransport(degrees[[i]], COST, 2.0, debiased=True)
        assert one.value_and_grad(P[[i]])[0] > 0


def test_debiased_plans_are_the_slope_in_the_costs():
    change = np.array([[0.0, 1.0, -2.0], [1.0, 0.0, 0.5], [-2.0, 0.5, 0.0]])

    def value(cost):
        transport = LALOTTransport(D, cost, 3.0, tol=1e-12, debiased=True)
        return transport.value_and_grad(P)[0]

    slope = (value(COST + 1e-4 * change) - value(COST - 1e-4 * change)) / 2e-4
    plan = LALOTTransport(D, COST, 3.0, tol=1e-12, debiased=True).total_plan(P)
    assert_allclose(np.vdot(plan, change), slope, rtol=1e-5)


def test_dull_debiased_costs_are_squared_distances():
    kernel = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.5]])
    diagonal = np.diag(kernel)
    cost = diagonal + diagonal[:, None] - 2 * kernel
    value, _ = LALOTTransport(D, cost, 1e-3, debiased=True).value_and_grad(P)
    expected = np.einsum("ij,jk,ik->", P - D, kernel, P - D)
    assert_allclose(value, expected, rtol=1e-2)


def test_without_features_the_mean_is_predicted():
    nothing, skewed = np.zeros((80, 1)), D * [6.0, 2.0, 1.0]
    skewed /= skewed.sum(axis=1, keepdims=True)
    far = {}
    for debiased in (True, False):
        model = LALOT(debiased=debiased).fit(nothing, skewed)
        far[debiased] = np.abs(model.predict(nothing) - skewed.mean(axis=0)).max()
    assert far[True] < 0.02
    assert far[False] > 0.1


def test_the_label_kernel_is_the_minimum():
    plan, first = RNG.uniform(size=(3, 3)), D.T @ D

    def objective(flat):
        root = flat.reshape(3, 3)
        K = root @ root.T
        diagonal = np.diag(K)
        M = diagonal + diagonal[:, None] - 2 * K
        return np.vdot(plan, M) + 0.05 * np.sum((K - first) ** 2)

    K = nearest_kernel(first, plan, 0.1)
    found = minimize(objective, RNG.normal(size=9), tol=1e-12)
    root = found.x.reshape(3, 3)
    assert_allclose(K, root @ root.T, atol=1e-3)


def test_costs():
    assert_allclose(label_cost(np.eye(3)), 1 - np.eye(3))
    assert_allclose(label_cost(np.ones((3, 3))), 1 - np.eye(3))
    assert label_cost(D.T @ D).max() == 1


def test_sharper_is_nearer():
    scores = [
        LALOT(s, reg=0.1, debiased=False, max_iter=300).fit(X, D).score(X, D)
        for s in (0.2, 20)
    ]
    assert scores[0] < 0.8 < 0.85 < scores[1]


def test_learned_costs_differ_from_the_first():
    once, thrice = LALOT(n_rounds=1).fit(X, D), LALOT(metric_weight=1.0).fit(X, D)
    assert_allclose(once.label_cost_, label_cost(D.T @ D))
    assert np.abs(once.label_cost_ - thrice.label_cost_).max() > 1e-3
    assert thrice.label_cost_.shape == (3, 3)


def test_says_once_how_far_it_got():
    with pytest.warns(ConvergenceWarning, match="LALOT stopped after 3") as caught:
        LALOT(max_iter=1).fit(X, D)
    assert len(caught) == 1


@pytest.mark.parametrize("model", [LALOT(0), LALOT(1, 0), LALOT(n_rounds=0)])
def test_bad_settings(model):
    with pytest.raises(ValueError, match="parameter of LALOT"):
        model.fit(X, D)


def with_a_rare_label(n_samples=300):
    """Features that tell about all labels but one, which is rare and near another."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_samples, 3))
    scores = np.column_stack([X @ [2.0, 0.0, 0.0], X @ [0.0, 2.0, 0.0], X[:, 2] - 1])
    degrees = np.exp(scores + 0.5 * rng.normal(size=scores.shape))
    rare = 0.3 * degrees.sum(axis=1) * (rng.uniform(size=n_samples) < 0.1)
    degrees = np.column_stack([degrees, rare])
    return X, degrees / degrees.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("sharpness", "metric_weight", "n_rounds"),
    [(1.0, 200.0, 1), (1.0, 200.0, 3), (5.0, 200.0, 3), (1.0, 0.1, 3)],
)
def test_predictions_keep_the_mean(sharpness, metric_weight, n_rounds):
    X, D = with_a_rare_label()
    model = LALOT(sharpness, metric_weight, n_rounds=n_rounds).fit(X, D)
    assert_allclose(model.predict(X).mean(axis=0), D.mean(axis=0), rtol=1e-4)


def test_the_shift_is_the_best_one():
    scores = 3 * RNG.normal(size=(80, 3))
    shift = shift_to_mean(scores, D)

    def divergence(b):
        return rel_entr(D, softmax(scores + b, axis=1)).sum()

    found = minimize(divergence, np.zeros(3), tol=1e-10)
    assert_allclose(divergence(shift), found.fun, rtol=1e-8)
    # a label of nobody, and one that is lost to rounding
    degrees = np.insert(D, 1, 0.0, axis=1)
    scores = np.insert(scores, 1, 1.0, axis=1) - [2000.0, 0.0, 0.0, 0.0]
    P = softmax(scores + shift_to_mean(scores, degrees), axis=1)
    assert_allclose(P.mean(axis=0), degrees.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("name", ["M2B", "SCUT_FBP"])
def test_no_label_of_real_data_is_given_up(real_data, name):
    dataset = real_data(name)
    X = StandardScaler().fit_transform(dataset.X)
    P = LALOT().fit(X, dataset.D).predict(X)
    assert_allclose(P.mean(axis=0), dataset.D.mean(axis=0), rtol=1e-3)
