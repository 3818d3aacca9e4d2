"""Ranking metrics against scikit-learn's and under ties."""

import numpy as np
import pytest
import sklearn.metrics as oracle
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from skldl import metrics
from skldl.metrics import METRICS

MULTILABEL = [m for m in METRICS.values() if m.kind == "multilabel"]


@st.composite
def rankings(draw):
    n, m = draw(st.integers(1, 5)), draw(st.integers(2, 5))
    Y = draw(arrays(np.int64, (n, m), elements=st.integers(0, 1)))
    S = draw(arrays(np.float64, (n, m), elements=st.sampled_from([0, 0.25, 0.5, 1])))
    return Y, S


@given(rankings())
def test_means_equal_scikit_learns(ranking):
    Y, S = ranking
    assert_allclose(metrics.ranking_loss(Y, S), oracle.label_ranking_loss(Y, S))
    assert_allclose(
        metrics.average_precision(Y, S),
        oracle.label_ranking_average_precision_score(Y, S),
    )
    binary = (S > 0.3).astype(int)
    assert_allclose(metrics.hamming_loss(Y, binary), oracle.hamming_loss(Y, binary))
    some = Y.any(axis=1)
    if some.any():
        expected = oracle.coverage_error(Y[some], S[some]) - 1
        assert_allclose(metrics.coverage(Y[some], S[some]), expected)


@given(rankings())
def test_tie_rules_are_ordered_and_agree_without_ties(ranking):
    Y, S = ranking
    error, stable, half = (
        metrics.ranking_loss(Y, S, ties=rule) for rule in ("error", "stable", "half")
    )
    assert half <= error + 1e-12
    assert stable <= error + 1e-12
    # break the ties by label number: the higher one first, MULAN
    broken = S + 1e-6 * np.arange(S.shape[1])
    assert_allclose(stable, metrics.ranking_loss(Y, broken), atol=1e-12)


@given(rankings())
def test_perfect_scores_reach_the_ideal(ranking):
    Y, S = ranking
    for metric in MULTILABEL:
        if metric.name == "coverage":
            relevant = np.maximum(Y.sum(axis=1) - 1, 0).mean()
            assert_allclose(metric.fn(Y, Y), relevant)
        elif metric.name == "one_error":  # no relevant label: always an error
            assert_allclose(metric.fn(Y, Y), 1 - Y.any(axis=1).mean())
        else:
            assert_allclose(metric.fn(Y, Y), metric.ideal)
        scores = (S > 0.3).astype(int) if metric.name == "hamming_loss" else S
        assert metric.fn(Y, scores, average=None).shape == (len(Y),)


def test_ranking_loss_in_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    Y, S = rng.integers(0, 2, (30, 4)), rng.normal(size=(30, 4))
    whole = metrics.ranking_loss(Y, S, average=None)
    monkeypatch.setattr("skldl.metrics._multilabel._CHUNK", 50)
    assert_allclose(metrics.ranking_loss(Y, S, average=None), whole)


def test_bad_input():
    with pytest.raises(ValueError, match="only 0 and 1"):
        metrics.ranking_loss([[0.5, 0.5]], [[1, 0]])
    with pytest.raises(ValueError, match=r"shape \(1, 2\)"):
        metrics.coverage([[0, 1]], [[1, 0, 0]])
    with pytest.raises(ValueError, match="ties must be"):
        metrics.ranking_loss([[0, 1]], [[1, 0]], ties="worst")
    with pytest.raises(ValueError, match="P must contain only 0 and 1"):
        metrics.hamming_loss([[0, 1]], [[0.5, 1]])
