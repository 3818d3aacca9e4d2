"""The classification view of distributions against its definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import zero_one_loss as sklearn_zero_one_loss

from skldl.metrics import error_probability, zero_one_loss

RNG = np.random.default_rng(0)
D, P = RNG.dirichlet(np.ones(4), size=(2, 100))


def test_zero_one_loss_is_that_of_the_largest_labels():
    expected = sklearn_zero_one_loss(D.argmax(axis=1), P.argmax(axis=1))
    assert_allclose(zero_one_loss(D, P), expected)
    assert_allclose(zero_one_loss(D, P, ties="any"), expected)  # there are no ties


def test_ties_in_the_truth():
    tied, second = [[0.4, 0.4, 0.2]], [[0.3, 0.5, 0.2]]
    assert zero_one_loss(tied, second) == 1
    assert zero_one_loss(tied, second, ties="any") == 0
    with pytest.raises(ValueError, match="ties must be"):
        zero_one_loss(tied, second, ties="half")


def test_error_probability_is_the_expected_zero_one_loss():
    draws = np.array([RNG.choice(4, size=4000, p=d) for d in D[:5]])
    wrong = (draws != P[:5].argmax(axis=1)[:, None]).mean(axis=1)
    assert_allclose(error_probability(D[:5], P[:5], average=None), wrong, atol=0.03)
    assert_allclose(error_probability(D, D), 1 - D.max(axis=1).mean())
    assert error_probability(D, D) <= error_probability(D, P)
