"""Links between distributions and what is regressed."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import softmax

from skldl.datasets import make_ldl
from skldl.ldl._links import Link, mean_shift

X, D = make_ldl(60, 4, 3, random_state=0)
MEAN = D.mean(axis=0)


def test_log_ratios_and_back():
    link = Link("clr", 0.0, MEAN)
    assert_allclose(link.distributions(link.targets(D)), D, rtol=1e-6)


def test_scores_of_any_size_become_distributions():
    link = Link("clr", 0.0, MEAN, shift=np.array([0.5, 0.0, -0.5]))
    for size in (1.0, 1e3, 1e300):
        Z = size * np.array([[1.0, 0.0, -1.0], [-1.0, -1.0, -1.0]])
        assert_allclose(link.distributions(Z), softmax(Z + link.shift, axis=1))


def test_degrees_are_clipped_and_mixed_with_the_mean():
    link = Link("identity", 0.1, MEAN)
    P = link.distributions(np.array([[0.5, -1.0, 1.5]]))
    assert_allclose(P, 0.9 * np.array([[0.25, 0.0, 0.75]]) + 0.1 * MEAN)


def test_shifted_predictions_have_the_mean_of_the_distributions():
    rng = np.random.default_rng(0)
    Z, weights = rng.normal(size=(60, 2, 3)), rng.uniform(0.5, 2, size=60)
    shift = mean_shift(Z, D, weights)
    P = softmax(Z + shift, axis=-1)
    mean = np.average(D, axis=0, weights=weights)
    for setting in range(2):
        found = np.average(P[:, setting], axis=0, weights=weights)
        assert_allclose(found, mean, atol=1e-4)
