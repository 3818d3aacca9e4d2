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


_WEIGHTS = {"negative": -np.ones(50), "zero": np.zeros(50), "short": np.ones(3)}
_WEIGHTS["too large"] = np.full(50, 1e308)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "cohen_kappa"])
@pytest.mark.parametrize("weights", _WEIGHTS.values(), ids=_WEIGHTS)
def test_refuses_weights(name, weights):
    with pytest.raises(ValueError, match=r"sample_weight|weights"):
        get_metric(name).fn(Y, P, sample_weight=weights)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "cohen_kappa"])
def test_refuses_missing_classes_and_no_samples(name):
    gap = np.where(np.arange(50) == 5, np.nan, Y)
    with pytest.raises(ValueError, match="y contains a missing class .* at row 5"):
        get_metric(name).fn(gap, P)
    with pytest.raises(ValueError, match="p contains a missing class .* at row 5"):
        get_metric(name).fn(Y, gap)
    with pytest.raises(ValueError, match="y is empty"):
        get_metric(name).fn(Y[:0], P[:0])


def test_weights_count_samples():
    counts = RNG.integers(1, 4, 50)
    for name in ("accuracy", "balanced_accuracy", "cohen_kappa"):
        metric = get_metric(name).fn
        repeated = metric(np.repeat(Y, counts), np.repeat(P, counts))
        assert_allclose(metric(Y, P, sample_weight=counts), repeated)
