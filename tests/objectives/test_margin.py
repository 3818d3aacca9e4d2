"""The L1 + margin loss against loops, and its Hessian against differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from margins import margin
from skldl.objectives import _margin_knn as _margin


def by_loops(loss, v):
    """The objective, term by term."""
    total = 0.0
    for i, d in enumerate(loss.D):
        c = v if loss.inputs is None else v @ loss.inputs[i]
        p = sum(c[j] * loss.D[loss.indices[i, j]] for j in range(len(c)))
        top = int(np.argmax(d))
        own = 1.0 if loss.sample_weight is None else loss.sample_weight[i]
        for label in range(len(d)):
            weight = 1.0 if loss.loss_weight is None else loss.loss_weight[i, label]
            total += own * weight * abs(p[label] - d[label])
            if label != top:
                lead = p[top] - p[label]
                total += own * loss.slope * max(0.0, loss.margin[i] - lead)
    return total + loss.reg / 2 * (v**2).sum()


SETTINGS = [
    {"reg": 0.3},
    {"slope": 0.0},
    {"inputs": True, "margin": 0.4},
    {"inputs": True, "slope": 0.0, "reg": 2.0},
    {"margin": np.linspace(0, 0.5, 30), "loss_weight": np.full((30, 4), 0.3)},
    {"sample_weight": np.linspace(0, 3, 30), "reg": 0.3},
    {"inputs": True, "sample_weight": np.linspace(0.1, 3, 30)},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_value_is_the_sum_of_its_terms(settings, monkeypatch):
    loss = margin(**settings)
    v = np.random.default_rng(0).normal(size=loss.shape)
    expected = by_loops(loss, v)
    assert_allclose(loss.value(v), expected)
    monkeypatch.setattr(_margin, "_CHUNK", 100)  # of five samples
    assert_allclose(loss.value(v), expected)


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_smoothed_loss_tends_to_the_loss(settings):
    loss = margin(**settings)
    P = loss.image(np.random.default_rng(0).normal(size=loss.shape))
    value = loss.levels(P, 0.0).value
    errors = [abs(loss.levels(P, mu).smooth - value) for mu in (1e-2, 1e-4, 1e-6)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-2


@pytest.mark.parametrize("settings", SETTINGS)
def test_hessian_agrees_with_differences_of_the_gradient(settings, monkeypatch):
    loss = margin(**settings)
    rng = np.random.default_rng(0)
    v, w = rng.normal(size=(2, *loss.shape))
    step, mu = 1e-6, 0.05
    _, hessian = loss.derivatives(loss.image(v), mu)
    above, _ = loss.derivatives(loss.image(v + step * w), mu)
    below, _ = loss.derivatives(loss.image(v - step * w), mu)
    expected = (above - below).ravel() / (2 * step)
    assert_allclose(hessian @ w.ravel(), expected, rtol=1e-5, atol=1e-5)
    assert_allclose(hessian, hessian.T)
    monkeypatch.setattr(_margin, "_CHUNK", 100)
    assert_allclose(loss.derivatives(loss.image(v), mu)[1], hessian, atol=1e-10)


def test_a_far_newton_step_bounds_nothing():
    loss = margin(reg=0.1)
    P = loss.image(np.ones(5))
    assert loss.lower_bound(P, 100 * P, 101 * np.ones(5), 1e-3) == -np.inf
