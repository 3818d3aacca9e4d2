"""Metrics between distributions: ideals, bounds, identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.spatial import distance
from scipy.stats import entropy, kendalltau, spearmanr, wasserstein_distance

from skldl import metrics
from skldl.metrics import METRICS, evaluate

DISTRIBUTION = [m for m in METRICS.values() if m.kind == "distribution"]
NAMES = [m.name for m in DISTRIBUTION]


@st.composite
def pairs(draw, positive=False):
    """Two matrices of distributions, zeros and ties included."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    entry = st.floats(0.01, 1) if positive else st.sampled_from([0, 0, 0.1, 0.5, 1, 3])
    D, P = (draw(arrays(np.float64, (n, m), elements=entry)) for _ in range(2))
    for M in (D, P):
        M[M.sum(axis=1) == 0, 0] = 1.0
        M /= M.sum(axis=1, keepdims=True)
    return D, P


@given(pairs())
def test_perfect_predictions_reach_the_ideal(pair):
    D, _ = pair
    for metric in DISTRIBUTION:
        assert_allclose(metric.fn(D, D), metric.ideal, atol=1e-7)


@given(pairs())
def test_nothing_beats_the_ideal_and_everything_is_finite(pair):
    for metric in DISTRIBUTION:
        value = metric.fn(*pair)
        assert np.isfinite(value)
        margin = (
            value - metric.ideal if metric.greater_is_better else metric.ideal - value
        )
        assert margin <= 1e-9


@given(pairs(), st.randoms(use_true_random=False))
def test_the_order_of_labels_matters_only_where_it_is_said(pair, random):
    D, P = pair
    order = list(range(D.shape[1]))
    random.shuffle(order)
    for metric in DISTRIBUTION:
        if not metric.ordered:
            permuted = metric.fn(D[:, order], P[:, order])
            assert_allclose(permuted, metric.fn(D, P), atol=1e-9)


@given(pairs())
def test_symmetric_metrics_are_symmetric(pair):
    D, P = pair
    for name in set(NAMES) - {"kl_divergence"}:
        assert_allclose(METRICS[name].fn(D, P), METRICS[name].fn(P, D), atol=1e-12)


@given(pairs())
def test_values_per_sample_average_to_the_metric(pair):
    D, P = pair
    weights = np.arange(1.0, len(D) + 1)
    for metric in METRICS.values():
        if metric.kind not in ("distribution", "classification"):
            continue
        values = metric.fn(D, P, average=None)
        assert values.shape == (len(D),)
        assert_allclose(metric.fn(D, P), values.mean())
        weighted = metric.fn(D, P, sample_weight=weights)
        assert_allclose(weighted, np.average(values, weights=weights))


@given(pairs())
def test_identities(pair):
    D, P = pair
    shared = metrics.intersection(D, P)
    assert_allclose(metrics.sorensen(D, P), 1 - shared, atol=1e-12)
    assert_allclose(shared, 1 - np.abs(D - P).sum(axis=1).mean() / 2, atol=1e-12)
    assert metrics.jensen_shannon(D, P) <= np.log(2) + 1e-12


@given(pairs(positive=True))
def test_against_scipy(pair):
    D, P = pair
    labels = np.arange(D.shape[1])
    oracles = {
        "chebyshev": distance.chebyshev,
        "canberra": distance.canberra,
        "euclidean": distance.euclidean,
        "cosine": lambda d, p: 1 - distance.cosine(d, p),
        "jensen_shannon": lambda d, p: entropy(
            [d, p], [(d + p) / 2] * 2, axis=1
        ).mean(),
        "emd": lambda d, p: wasserstein_distance(labels, labels, d, p),
    }
    for name, oracle in oracles.items():
        expected = [oracle(d, p) for d, p in zip(D, P, strict=True)]
        assert_allclose(METRICS[name].fn(D, P, average=None), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "oracle"), [("spearman", spearmanr), ("kendall", kendalltau)]
)
def test_rank_agreement_against_scipy_with_ties(name, oracle):
    rng = np.random.default_rng(0)
    D, P = rng.integers(1, 5, size=(2, 50, 6)).astype(float)
    D, P = D / D.sum(axis=1, keepdims=True), P / P.sum(axis=1, keepdims=True)
    expected = [oracle(d, p).statistic for d, p in zip(D, P, strict=True)]
    assert_allclose(METRICS[name].fn(D, P, average=None), expected, atol=1e-12)


def test_rank_agreement_of_constant_rows():
    flat, sloped = [[0.5, 0.5]], [[0.2, 0.8]]
    for name in ("spearman", "kendall"):
        assert METRICS[name].fn(flat, flat) == 1
        assert METRICS[name].fn(flat, sloped) == METRICS[name].fn(sloped, flat) == 0


def test_kendall_in_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    D, P = rng.dirichlet(np.ones(5), size=(2, 30))
    whole = metrics.kendall(D, P, average=None)
    monkeypatch.setattr("skldl.metrics._distribution._CHUNK", 40)
    assert_allclose(metrics.kendall(D, P, average=None), whole)


# values of the specification's table, to its printed digits
@pytest.mark.parametrize(
    ("prediction", "options", "expected"),
    [
        ([1, 0, 0, 0], {}, (17.33, 1.054, 1.333)),
        ([1, 0, 0, 0], {"eps": 1.1920929e-7}, (7.28, 1.054, 1.333)),
        ([1, 0, 0, 0], {"guard": "add", "eps": 1e-6}, (6.21, 1.054, 1.333)),
        ([0.6, 0.4, 1e-9, 1e-12], {}, (0.020, 1.421, 2.202)),
        ([0.6, 0.4, 1e-9, 1e-12], {"guard": "add", "eps": 1e-6}, (0.020, 0.144, 0.203)),
    ],
)
def test_zero_guards(prediction, options, expected):
    names = ("kl_divergence", "clark", "canberra")
    values = [METRICS[n].fn([[0.5, 0.5, 0, 0]], [prediction], **options) for n in names]
    digits = (2 if expected[0] > 1 else 3, 3, 3)
    assert tuple(map(round, values, digits)) == expected


@pytest.mark.parametrize("metric", DISTRIBUTION, ids=lambda m: m.name)
def test_bad_input(metric):
    with pytest.raises(ValueError, match="P contains NaN at row 0"):
        metric.fn([[0.5, 0.5]], [[np.nan, 1.0]])
    with pytest.raises(ValueError, match=r"\(1, 2\).*\(1, 3\)"):
        metric.fn([[0.5, 0.5]], [[0.2, 0.3, 0.5]])
    with pytest.raises(ValueError, match="average must be"):
        metric.fn([[0.5, 0.5]], [[0.5, 0.5]], average="macro")
    with pytest.raises(ValueError, match="positive sum|non-zero"):
        metric.fn([[0.5, 0.5]], [[0.5, 0.5]], sample_weight=[0.0])
    with pytest.raises(ValueError, match="[Nn]egative"):
        metric.fn([[0.5, 0.5]] * 2, [[0.5, 0.5]] * 2, sample_weight=[-1.0, 2.0])
    with pytest.raises(ValueError, match="no meaning with average=None"):
        metric.fn([[0.5, 0.5]], [[0.5, 0.5]], sample_weight=[1.0], average=None)


def test_bad_guards():
    D = [[0.5, 0.5]]
    with pytest.raises(ValueError, match="guard must be"):
        metrics.clark(D, D, guard="none")
    with pytest.raises(ValueError, match="eps must be between 0 and 1"):
        metrics.clark(D, D, eps=0)
    with pytest.raises(TypeError, match="guard"):
        metrics.chebyshev(D, D, guard="clip")


def test_evaluate_takes_everything_that_fits():
    D = np.array([[0.2, 0.8], [0.6, 0.4]])
    plain, ordered = evaluate(D, D), evaluate(D, D, ordered=True)
    assert set(ordered) - set(plain) == {"emd"}
    kinds = {METRICS[name].kind for name in plain}
    assert kinds == {"distribution", "classification"}
    assert evaluate(D, D, metrics="clark") == {"clark": 0.0}
    assert evaluate(D, D, metrics=["clark"], average=None)["clark"].shape == (2,)
