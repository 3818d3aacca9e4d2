import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import check_grad, minimize
from scipy.special import logsumexp, softmax

from skldl.ldl import combine, fit_pool
from skldl.ldl._pool_search import _moves
from skldl.ldl._pool_slopes import LOSSES
from skldl.ldl._pool_task import Task
from skldl.metrics import METRICS, get_metric, kl_divergence

CONVEX = ["chebyshev", "intersection", "euclidean", "squared_chi2", "emd", "fidelity"]
OTHERS = ["clark", "canberra", "cosine", "zero_one_loss", "error_probability"]


def make(seed=0, m=4, n=80, n_labels=4, share=0.4):
    """Truth, and members that are near it in different ways."""
    rng = np.random.default_rng(seed)
    D = rng.dirichlet(np.ones(n_labels), n)
    quality = rng.uniform(0, 2 * share, size=m)
    noise = rng.dirichlet(2 * np.ones(n_labels), (m, n))
    return quality[:, None, None] * D + (1 - quality)[:, None, None] * noise, D


def loss(name, D, P, sample_weight=None):
    metric = get_metric(name)
    value = metric.fn(D, P, sample_weight=sample_weight)
    return -value if metric.greater_is_better else value


def direct(value, m, seed=0):
    """The least value on the simplex that a general solver finds from many starts."""
    rng = np.random.default_rng(seed)
    constraint = {"type": "eq", "fun": lambda w: w.sum() - 1}
    found = []
    for start in [np.full(m, 1 / m), *rng.dirichlet(np.ones(m), 10)]:
        w = minimize(
            lambda w: value(np.abs(w) / np.abs(w).sum()),
            start,
            method="SLSQP",
            bounds=[(0, 1)] * m,
            constraints=[constraint],
            options={"ftol": 1e-13, "maxiter": 500},
        ).x
        found.append(value(np.abs(w) / np.abs(w).sum()))
    return min(found)


@pytest.mark.parametrize("seed", range(5))
def test_linear_pool_is_optimal_for_the_divergence(seed):
    members, D = make(seed)
    members[1] = 0.9 * members[1] + 0.1 * members[0]  # nearly the same
    pool = fit_pool(members, D, shrinkage=0.0)
    best = direct(lambda w: kl_divergence(D, np.tensordot(w, members, 1)), 4)
    assert pool.value <= best + 1e-10
    assert_allclose(pool.weights.sum(), 1)
    # the slope in the direction of no member promises anything
    pooled = pool.combine(members)
    slope = -(D / pooled * members).sum(axis=(1, 2)) / len(D)
    assert (slope - slope @ pool.weights).min() > -1e-5


@pytest.mark.parametrize("seed", range(3))
def test_log_pool_is_optimal_for_the_divergence(seed):
    members, D = make(seed)
    logs = np.log(members)

    def value(x):
        scores = np.tensordot(np.abs(x), logs, 1)
        return -np.mean((D * scores).sum(axis=1) - logsumexp(scores, axis=1))

    constant = (D * np.log(D)).sum(axis=1).mean()
    pool = fit_pool(members, D, pool="log", shrinkage=0.0)
    starts = np.random.default_rng(seed).uniform(0, 2, size=(5, 4))
    bounds = [(0, None)] * 4
    best = min(minimize(value, x, bounds=bounds, tol=1e-12).fun for x in starts)
    assert pool.value <= constant + best + 1e-8
    fixed = fit_pool(members, D, pool="log", fit_temperature=False, shrinkage=0.0)
    assert_allclose(fixed.weights.sum(), 1)
    assert fixed.value <= constant + direct(value, 4) + 1e-8
    assert pool.value <= fixed.value + 1e-10


def test_bias_of_the_log_pool_is_optimal():
    members, D = make(3, n=40)
    members = softmax(np.log(members) + np.array([1.0, 0.0, 0.0, -1.0]), axis=2)
    pool = fit_pool(members, D, pool="log", fit_bias=True, shrinkage=0.0)
    logs = np.log(members)

    def value(x):
        scores = np.tensordot(x[:4], logs, 1) + x[4:]
        fit = (logsumexp(scores, axis=1) - (D * scores).sum(axis=1)).sum()
        return fit + 0.5 * x[4:] @ x[4:]

    def slope(x):
        P = softmax(np.tensordot(x[:4], logs, 1) + x[4:], axis=1)
        return np.r_[((P - D) * logs).sum(axis=(1, 2)), (P - D).sum(axis=0) + x[4:]]

    x = np.r_[pool.weights, pool.bias]
    assert check_grad(value, slope, x + 0.1) < 1e-3
    at = slope(x)
    assert np.abs(at[4:]).max() < 1e-3
    assert np.abs(at[:4][pool.weights > 0]).max() < 1e-3
    assert at[:4].min() > -1e-3
    assert pool.value < fit_pool(members, D, pool="log", shrinkage=0.0).value


@pytest.mark.parametrize("metric", CONVEX)
def test_other_convex_metrics_come_near_the_optimum(metric):
    members, D = make(1, m=3)
    pool = fit_pool(members, D, metric=metric, shrinkage=0.0)
    best = direct(lambda w: loss(metric, D, np.tensordot(w, members, 1)), 3)
    assert loss(metric, D, pool.combine(members)) <= best + 2e-5


@pytest.mark.parametrize("kind", ["linear", "log"])
@pytest.mark.parametrize("metric", ["kl_divergence", *CONVEX, *OTHERS, "spearman"])
def test_never_worse_than_the_best_member(metric, kind):
    members, D = make(2, n=40)
    pool = fit_pool(members, D, metric=metric, pool=kind, shrinkage=0.0)
    reached = loss(metric, D, pool.combine(members))
    singles = [loss(metric, D, combine(members, unit, pool=kind)) for unit in np.eye(4)]
    assert reached <= min(singles) + 1e-12
    better = METRICS[metric].greater_is_better
    assert pool.value == pytest.approx(-reached if better else reached)


def test_a_single_and_a_perfect_member():
    members, D = make(0)
    for kind in ("linear", "log"):
        pool = fit_pool(members[:1], D, pool=kind, fit_temperature=False)
        assert_allclose(pool.weights, [1.0])
    perfect = np.stack([members[0], D])
    assert_allclose(fit_pool(perfect, D, shrinkage=0.0).weights, [0, 1], atol=1e-6)


@pytest.mark.parametrize("metric", ["kl_divergence", "chebyshev", "zero_one_loss"])
@pytest.mark.parametrize("kind", ["linear", "log"])
def test_equal_members_share(metric, kind):
    members, D = make(4, m=2)
    once = fit_pool(members, D, metric=metric, pool=kind, shrinkage=0.0)
    both = members[[0, 1, 0]]
    twice = fit_pool(both, D, metric=metric, pool=kind, shrinkage=0.0)
    assert twice.weights[0] == twice.weights[2]
    assert_allclose(twice.combine(both), once.combine(members), atol=1e-6)
    assert_allclose(fit_pool(members[[0, 0]], D).weights, 0.5)


@pytest.mark.parametrize("metric", ["kl_divergence", "euclidean"])
@pytest.mark.parametrize("kind", ["linear", "log"])
def test_order_of_members_does_not_matter(metric, kind):
    members, D = make(5)
    order = [2, 0, 3, 1]
    first = fit_pool(members, D, metric=metric, pool=kind)
    second = fit_pool(members[order], D, metric=metric, pool=kind)
    assert_allclose(second.weights, first.weights[order], atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=30, max_size=30).filter(any))
def test_weights_of_samples_are_repetitions(counts):
    members, D = make(6, n=30)
    weighted = fit_pool(members, D, sample_weight=counts)
    rows = np.repeat(np.arange(30), counts)
    repeated = fit_pool(members[:, rows], D[rows])
    assert_allclose(weighted.shrinkage, repeated.shrinkage, atol=1e-5)
    assert_allclose(weighted.value, repeated.value, atol=1e-6)
    log = fit_pool(members, D, pool="log", fit_bias=True, sample_weight=counts)
    log_repeated = fit_pool(members[:, rows], D[rows], pool="log", fit_bias=True)
    assert_allclose(log.value, log_repeated.value, atol=1e-6)


def test_shrinkage():
    members, D = make(7, n=400)
    free = fit_pool(members, D, shrinkage=0.0)
    half = fit_pool(members, D, shrinkage=0.5)
    assert_allclose(half.weights, 0.5 * free.weights + 0.125)
    assert_allclose(fit_pool(members, D, shrinkage=1).weights, 0.25)
    few, many = (fit_pool(members[:, :n], D[:n]).shrinkage for n in (8, 400))
    assert 0 < many < few <= 1
    gains = kl_divergence(D, members.mean(axis=0), average=None)
    gains -= kl_divergence(D, free.combine(members), average=None)
    t = gains.mean() / (gains.std() / np.sqrt(len(D)))
    assert_allclose(many, 1 / (1 + t**2), rtol=1e-4)


def test_pools():
    members = np.array([[[0.8, 0.2]], [[0.5, 0.5]]])
    assert_allclose(combine(members, [1, 3]), [[0.575, 0.425]])
    geometric = np.sqrt([0.8 * 0.5, 0.2 * 0.5])
    half = combine(members, [0.5, 0.5], pool="log")
    assert_allclose(half, [geometric / geometric.sum()])
    biased = combine(members, [0.0, 0.0], pool="log", bias=np.log([0.9, 0.1]))
    assert_allclose(biased, [[0.9, 0.1]])
    zeros = combine([[[1.0, 0.0]], [[0.0, 1.0]]], [0.5, 0.5], pool="log")
    assert_allclose(zeros, [[0.5, 0.5]])


def test_members_with_zeros():
    D = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    members = np.stack([np.eye(3)[[0, 0]], np.eye(3)[[1, 1]]])
    pool = fit_pool(members, D, shrinkage=0.0)
    assert_allclose(pool.weights, [0.75, 0.25], atol=1e-6)
    hopeless = np.stack([np.eye(3)[[2, 2]], np.eye(3)[[2, 2]]])
    assert np.isfinite(fit_pool(hopeless, D, pool="log").value)
    assert_allclose(fit_pool(hopeless, D).weights, 0.5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pool": "mean"}, "pool must be 'linear' or 'log'"),
        ({"metric": "ranking_loss"}, "not a metric of predicted distributions"),
        ({"metric": "kullback"}, "Unknown metric"),
        ({"shrinkage": 2.0}, "from 0 to 1"),
        ({"shrinkage": "none"}, "shrinkage must be"),
        ({"sample_weight": np.zeros(80)}, "positive sum|non-zero"),
        ({"sample_weight": -np.ones(80)}, "(?i)negative"),
        ({"predictions": np.ones((2, 80, 3)) / 3}, "one matrix like D per member"),
        ({"predictions": np.ones((2, 80, 4))}, "must sum to 1"),
        ({"predictions": np.full((2, 80, 4), np.nan)}, "NaN"),
    ],
)
def test_bad_input(changes, words):
    members, D = make()
    changes = {"predictions": members, **changes}
    with pytest.raises(ValueError, match=words):
        fit_pool(changes.pop("predictions"), D, **changes)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0], "one weight per member"),
        ([-1, 2, 0, 0], "not negative"),
        ([0, 0, 0, 0], "positive sum"),
        ([np.nan, 1, 1, 1], "finite"),
    ],
)
def test_bad_weights(weights, words):
    with pytest.raises(ValueError, match=words):
        combine(make()[0], weights)


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_slopes_of_losses(name):
    rng = np.random.default_rng(0)
    D, P = rng.dirichlet(5 * np.ones(5), (2, 30))
    values, slope = LOSSES[name](D, P)
    sign = -1 if get_metric(name).greater_is_better else 1
    assert_allclose(values, sign * get_metric(name).fn(D, P, average=None), atol=1e-12)
    step = 1e-6 * rng.normal(size=P.shape)
    there = LOSSES[name](D, P + step)[0] - LOSSES[name](D, P - step)[0]
    assert_allclose(there / 2, (slope * step).sum(axis=1), rtol=1e-4, atol=1e-10)


def test_every_metric_of_distributions_has_slopes_or_jumps():
    names = {name for name, metric in METRICS.items() if metric.kind == "distribution"}
    assert names - set(LOSSES) == {"spearman", "kendall"}


@pytest.mark.parametrize("kind", ["linear", "log"])
def test_slopes_of_weights_and_biases(kind):
    members, D = make(1)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(D))
    task = Task(members, D, weight, "clark", kind)
    w, b = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.0, -0.2, 0.3])
    _, by_weight, by_bias = task.value_and_slopes(w, b)
    step = 1e-6 * np.array([1.0, -2.0, 0.5, 0.5])  # the sum of the weights stays 1
    change = task.value(w + step, b) - task.value(w - step, b)
    assert_allclose(change / 2, by_weight @ step, rtol=1e-5)
    if kind == "log":
        change = task.value(w, b + step) - task.value(w, b - step)
        assert_allclose(change / 2, by_bias @ step, rtol=1e-5)


def test_a_free_sum_moves_up_and_down_by_the_same_factor():
    w = np.array([0.2, 0.0, 0.5])
    fixed, free = (_moves(w, 0.25, free_sum) for free_sum in (False, True))
    up, down = free[len(fixed) :]
    assert_allclose(up, 1.25 * w)
    assert_allclose(up * down, w**2)
    for move in fixed:  # between members, so the sum stays
        assert_allclose(move.sum(), w.sum())
        assert (move >= 0).all()
