"""One gradient test for every objective: directional finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skldl.objectives import NeighborMargin, Ridge, Sum


def margin(*, inputs=False, **settings):
    """A small problem with combined neighbours."""
    rng = np.random.default_rng(1)
    D = rng.dirichlet(np.ones(4), 30)
    indices = rng.integers(0, 30, (30, 5))
    u = rng.random((30, 5)) if inputs else None
    return NeighborMargin(D, indices, u, **settings)


def cases():
    """Name to (objective, shape of its argument)."""
    return {
        "ridge": (Ridge(0.7), (4, 3)),
        "margin": (margin(reg=0.1).smoothed(0.05), (5,)),
        "margin of samples": (
            margin(margin=np.linspace(0, 0.3, 30), slope=3.0).smoothed(0.01),
            (5,),
        ),
        "margin of distances": (margin(inputs=True, reg=0.1).smoothed(0.05), (5, 5)),
        "no margin": (margin(inputs=True, slope=0.0).smoothed(0.05), (5, 5)),
        "weighted": (
            margin(loss_weight=np.linspace(0, 1, 120).reshape(30, 4)).smoothed(0.02),
            (5,),
        ),
        "sum": (Sum(Ridge(0.7), Ridge(2.0)), (4, 3)),
    }


@pytest.mark.parametrize("name", cases())
@pytest.mark.parametrize("seed", range(3))
def test_gradient_agrees_with_finite_differences(name, seed):
    objective, shape = cases()[name]
    rng = np.random.default_rng(seed)
    x, direction = rng.normal(size=shape), rng.normal(size=shape)
    step = 1e-6
    _, gradient = objective.value_and_grad(x)
    assert gradient.shape == shape
    above, _ = objective.value_and_grad(x + step * direction)
    below, _ = objective.value_and_grad(x - step * direction)
    assert_allclose(
        np.vdot(gradient, direction), (above - below) / (2 * step), rtol=1e-6, atol=1e-8
    )


def test_a_sum_leaves_its_terms_alone():
    class Constant:
        gradient = np.ones(3)

        def value_and_grad(self, x):
            return 1.0, self.gradient

    term = Constant()
    value, gradient = Sum(term, term).value_and_grad(np.zeros(3))
    assert value == 2
    assert_allclose(gradient, 2)
    assert_allclose(term.gradient, 1)
