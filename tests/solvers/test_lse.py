"""LSE-LDL's solvers: blocks never raise the objective, the end is a minimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from skldl.datasets import make_ldl
from skldl.ldl._lse_start import label_laplacian, spectral_start
from skldl.objectives import LSEObjective, LSEPoint
from skldl.solvers import _lse as module
from skldl.solvers import lbfgs, lse_alternate, lse_descend

WEIGHTS = {
    "mild": {
        "encoding_weight": 1.0,
        "sparsity_weight": 0.1,
        "smoothness_weight": 0.01,
        "reg": 0.1,
    },
    "sparse": {
        "encoding_weight": 10.0,
        "sparsity_weight": 1.0,
        "smoothness_weight": 0.001,
        "reg": 0.01,
    },
    "smooth": {
        "encoding_weight": 0.1,
        "sparsity_weight": 0.01,
        "smoothness_weight": 1.0,
        "reg": 0.01,
    },
    "no graph": {
        "encoding_weight": 1.0,
        "sparsity_weight": 0.1,
        "smoothness_weight": 0.0,
        "reg": 0.1,
    },
}


def problem(name="mild", n=40, d=6, m=3, seed=0):
    X, D = make_ldl(n, d, m, noise=0.5, random_state=seed)
    return LSEObjective(X, D, label_laplacian(D, 3, 0.3), **WEIGHTS[name])


def random_point(objective, size, seed=0):
    rng = np.random.default_rng(seed)
    shapes = [objective.D.shape[1], *objective.X.shape]
    return LSEPoint(*(rng.normal(size=(rows, size)) for rows in shapes))


def flat(point):
    return np.concatenate([part.ravel() for part in point])


def gradient_norm(objective, point):
    return np.abs(flat(objective.value_and_grad(point)[1])).max()


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_no_block_raises_the_objective_and_each_is_at_its_minimum(name, shape):
    objective = problem(name, *shape)
    products = module.LSEProducts(objective)
    point = random_point(objective, 2)
    for _ in range(5):
        values = [objective.value(point)]
        theta = module.lse_fit_labels(objective, point.theta, point.latent, 300)
        point = point._replace(theta=theta)
        values.append(objective.value(point))
        assert np.abs(objective.value_and_grad(point)[1].theta).max() < 1e-4
        block = objective.latent_block(point.theta, objective.X @ point.projection)
        point = point._replace(
            latent=lbfgs(block, point.latent, max_iter=300, tol=1e-8).x
        )
        values.append(objective.value(point))
        assert np.abs(objective.value_and_grad(point)[1].latent).max() < 1e-4
        W = module.update_latent_projection(
            objective, point.latent, point.projection, products
        )
        point = point._replace(projection=W)
        values.append(objective.value(point))
        assert np.all(np.diff(values) <= 1e-9 * values[0])


def test_both_forms_of_the_projection_update_agree(monkeypatch):
    objective = problem()
    point = random_point(objective, 2)
    args = (objective, point.latent, point.projection)
    by_features = module.update_latent_projection(*args, module.LSEProducts(objective))
    monkeypatch.setattr(module, "_DENSE", 2)
    by_samples = module.update_latent_projection(*args, module.LSEProducts(objective))
    assert_allclose(by_samples, by_features, atol=1e-9)
    gradient = objective.X.T @ (objective.X @ by_features - point.latent)
    penalty = objective.row_norms
    frozen = penalty.weight * by_features / penalty.norms(point.projection)[:, None]
    assert_allclose(2 * objective.encoding_weight * gradient + frozen, 0, atol=1e-9)


@pytest.mark.parametrize("dense", [True, False])
def test_whitening_is_a_change_of_variables(dense, monkeypatch):
    if not dense:
        monkeypatch.setattr(module, "_DENSE", 2)
    objective = problem()
    point = random_point(objective, 2)
    whitened = module.Whitened(objective, point, module.LSEProducts(objective))
    back = whitened.point(whitened.start)
    for part, expected in zip(back, point, strict=True):
        assert_allclose(part, expected, atol=1e-10)
    value, gradient = whitened.value_and_grad(whitened.start)
    assert_allclose(value, objective.value(point))
    direction = np.random.default_rng(1).normal(size=gradient.shape)
    above, below = (
        whitened.value_and_grad(whitened.start + s * direction)[0]
        for s in (1e-5, -1e-5)
    )
    assert_allclose(gradient @ direction, (above - below) / 2e-5, rtol=1e-6)


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_ends_at_a_point_without_slope_and_never_rises(name, shape):
    objective = problem(name, *shape)
    start = spectral_start(objective.X, objective.D, 2)
    solution = lse_alternate(objective, start, tol=1e-6)
    assert solution.converged
    assert gradient_norm(objective, solution.x) < 1e-4
    assert np.all(np.diff(solution.history) <= 1e-12)
    assert_allclose(solution.value, objective.value(solution.x))
    assert solution.history[0] == objective.value(start)


@pytest.mark.parametrize("name", WEIGHTS)
def test_no_other_start_gets_lower_with_a_generic_optimiser(name):
    objective = problem(name, n=25, d=4)
    shapes = [(3, 2), (25, 2), (4, 2)]

    def function(x):
        parts = np.split(x, [6, 56])
        point = LSEPoint(*(p.reshape(s) for p, s in zip(parts, shapes, strict=True)))
        value, gradient = objective.value_and_grad(point)
        return value, flat(gradient)

    ours = lse_alternate(objective, spectral_start(objective.X, objective.D, 2)).value
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-13, "gtol": 1e-8}
    others = [
        minimize(
            function,
            flat(random_point(objective, 2, seed)) * 0.5,
            jac=True,
            method="L-BFGS-B",
            options=options,
        ).fun
        for seed in range(8)
    ]
    assert ours <= min(others) + 1e-5


def test_more_components_than_labels_less_one_change_nothing():
    objective = problem()
    values = [
        lse_alternate(objective, spectral_start(objective.X, objective.D, size)).value
        for size in (1, 2, 3, 5)
    ]
    assert values[0] > values[1] + 1e-3
    assert_allclose(values[2:], values[1], rtol=1e-7)


def test_a_dead_component_comes_back_to_life():
    objective = problem("sparse", n=60, d=4, m=4)
    start = spectral_start(objective.X, objective.D, 3)
    best = lse_alternate(objective, start).value
    dead = LSEPoint(*(part * [1.0, 1.0, 0.0] for part in start))
    stuck = module._rounds(objective, dead, module.LSEProducts(objective), 2000, 1e-6)
    assert stuck.value > best * (1 + 1e-4)  # a saddle point: nothing moves it
    solution = lse_alternate(objective, dead)
    assert_allclose(solution.value, best, rtol=1e-6)
    assert np.all(np.diff(solution.history) <= 1e-12)


def test_nothing_to_revive_where_every_direction_is_in_use():
    objective = problem()
    solution = lse_alternate(objective, spectral_start(objective.X, objective.D, 4))
    assert module.revive(objective, solution.x) is None


def test_stops_when_told_and_says_so():
    objective = problem()
    seen = []
    solution = lse_alternate(
        objective,
        random_point(objective, 2),
        max_iter=3,
        callback=lambda *a: seen.append(a),
    )
    assert not solution.converged
    assert solution.n_iter == 3
    assert [i for i, _ in seen] == [1, 2, 3]


def test_the_papers_loop_descends_and_ends_where_the_other_does():
    objective = problem("mild", n=20, d=3)
    start = random_point(objective, 2)
    slow = lse_descend(objective, start, max_iter=20000, tol=1e-3)
    assert np.all(np.diff(slow.history) <= 1e-12)
    fast = lse_alternate(objective, start)
    assert_allclose(slow.value, fast.value, rtol=1e-3)
    short = lse_descend(objective, start, max_iter=5)
    assert not short.converged
    assert short.n_iter == 5


@pytest.mark.parametrize("encoding_weight", [0.01, 100.0])
def test_the_papers_loop_never_rises_whatever_the_encoding_weighs(encoding_weight):
    X, D = make_ldl(20, 3, 3, noise=0.5, random_state=0)
    weights = WEIGHTS["mild"] | {"encoding_weight": encoding_weight}
    objective = LSEObjective(10 * X, D, label_laplacian(D, 3, 0.3), **weights)
    found = lse_descend(objective, random_point(objective, 2), max_iter=30, tol=0)
    assert np.all(np.diff(found.history) <= 1e-9 * found.history[0])


@pytest.mark.parametrize("smoothness_weight", [0.0, 0.01, 30.0])
def test_the_papers_loop_never_rises_whatever_smoothness_weighs(smoothness_weight):
    X, D = make_ldl(20, 3, 3, noise=0.5, random_state=0)
    weights = WEIGHTS["mild"] | {"smoothness_weight": smoothness_weight}
    objective = LSEObjective(X, D, label_laplacian(D, 3, 0.3), **weights)
    found = lse_descend(objective, random_point(objective, 2), max_iter=30, tol=0)
    assert np.all(np.diff(found.history) <= 1e-9 * found.history[0])
    assert found.history[-1] < found.history[0]


def test_a_round_that_gains_nothing_ends_the_search():
    objective = problem("mild", n=20, d=3)
    found = lse_alternate(objective, random_point(objective, 2), max_iter=3000, tol=0)
    assert found.converged
    assert found.n_iter < 3000
