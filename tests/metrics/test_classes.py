"""Metrics of classes against scikit-learn's."""

import numpy as np
import pytest
import sklearn.metrics as oracle
from numpy.testing import assert_allclose

from skldl.metrics import METRICS, accuracy, cohen_kappa, get_metric

RNG = np.random.default_rng(0)
Y, P = RNG.integers(0, 3, (2, 50))


def test_equal_scikit_learns():
    assert_allclose(accuracy(Y, P), oracle.accuracy_score(Y, P))
    assert_allclose(accuracy(Y, P, average=None), Y == P)
    for name in ("balanced_accuracy", "cohen_kappa"):
        expected = getattr(oracle, f"{name}_score")(Y, P)
        assert_allclose(get_metric(name).fn(Y, P), expected)


@pytest.mark.parametrize("metric", [m for m in METRICS.values() if m.kind == "classes"])
def test_perfect_predictions_reach_the_ideal(metric):
    assert metric.fn(Y, Y) == metric.ideal
    assert metric.fn(np.array(["a", "b"])[Y % 2], np.array(["a", "b"])[Y % 2]) == 1


def test_one_class_and_wrong_lengths():
    assert cohen_kappa([1, 1], [1, 1]) == 1.0
    with pytest.raises(ValueError, match="inconsistent"):
        accuracy([1, 2, 3], [1, 2])
