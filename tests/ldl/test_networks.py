"""AABP and CPNN: their forward passes by hand, descent, and what they can learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.exceptions import ConvergenceWarning

from skldl.datasets import make_ldl
from skldl.ldl import AABP, CPNN, MeanDistribution

X, D = make_ldl(100, 4, 3, noise=0.5, random_state=0)


@pytest.mark.filterwarnings("ignore:AABP stopped")
def test_two_hidden_layers_by_hand():
    model = AABP((5, 4), reg=0.1, max_iter=5, random_state=0).fit(X, D)
    first, second, last = model.layers_
    hidden = np.tanh(np.tanh(X @ first[:-1] + first[-1]) @ second[:-1] + second[-1])
    expected = softmax(hidden @ last[:-1] + last[-1], axis=1)
    assert_allclose(model.predict(X), expected)
    squares = sum(np.sum(w[:-1] ** 2) for w in model.layers_)
    objective = np.sum((expected - D) ** 2) / 2 + 0.1 / 2 * squares
    assert_allclose(model.objective_, objective)


@pytest.mark.filterwarnings("ignore:CPNN stopped")
def test_pairs_of_sample_and_label_by_hand():
    model = CPNN(6, max_iter=5, random_state=0).fit(X, D)
    W = model.weights_
    scores = np.empty((100, 3))
    for i, x in enumerate(X):
        for label in range(3):
            inputs = np.concatenate([x, [label + 1, 1.0]])
            scores[i, label] = expit(inputs @ W[:-1]) @ W[-1]
    P = softmax(scores, axis=1)
    assert_allclose(model.predict(X), P)
    squares = np.sum(W[:-3] ** 2) + np.sum(W[-1] ** 2)
    objective = np.sum(D * np.log(D / P)) + 3.0 / 2 * squares
    assert_allclose(model.objective_, objective)


@pytest.mark.filterwarnings("ignore:(AABP|CPNN) stopped")
@pytest.mark.parametrize(
    "model", [AABP(reg=0.01, random_state=0), CPNN(reg=0.01, random_state=0)]
)
def test_learns_more_than_the_mean_and_falls(model):
    model.fit(X, D)
    assert model.score(X, D) > MeanDistribution().fit(X, D).score(X, D) + 0.1
    assert np.all(np.diff(model.objective_history_) <= 0)


@pytest.mark.filterwarnings("ignore:AABP stopped")
def test_a_network_learns_what_linear_scores_cannot():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (300, 2))
    product = expit(8 * points[:, 0] * points[:, 1])
    degrees = np.column_stack([product, 1 - product])
    model = AABP((20,), reg=1e-3, random_state=0).fit(points, degrees)
    assert model.score(points, degrees) > 0.95


@pytest.mark.filterwarnings("ignore:(AABP|CPNN) stopped")
@pytest.mark.parametrize(
    "model", [AABP(reg=100.0, random_state=0), CPNN(reg=10.0, random_state=0)]
)
def test_a_heavy_ridge_leaves_the_mean(model):
    mean = np.array([0.6, 0.1, 0.3])  # not in the order of the labels
    rows = np.tile(X, (10, 1))
    degrees = np.random.default_rng(0).dirichlet(20 * mean, 1000)
    P = model.set_params(max_iter=2000).fit(rows, degrees).predict(X)
    assert_allclose(P, np.tile(degrees.mean(axis=0), (100, 1)), atol=0.03)


@pytest.mark.filterwarnings("ignore:(AABP|CPNN) stopped")
@pytest.mark.parametrize("estimator", [AABP, CPNN])
def test_seeds(estimator):
    first, again, other = (
        estimator(max_iter=5, random_state=seed).fit(X, D).predict(X)
        for seed in (1, 1, 2)
    )
    assert_allclose(first, again, atol=0)
    assert np.abs(first - other).max() > 1e-6


@pytest.mark.filterwarnings("ignore:(AABP|CPNN) stopped")
@pytest.mark.parametrize(
    "model", [AABP(max_iter=5, random_state=0), CPNN(max_iter=5, random_state=0)]
)
def test_sparse_features_change_nothing(model):
    few = np.where(np.abs(X) < 0.7, 0.0, X)
    expected = model.fit(few, D).predict(few)
    again = model.fit(sp.csr_array(few), D).predict(sp.csr_array(few))
    assert_allclose(again, expected, atol=1e-8)


@pytest.mark.parametrize(
    "model", [AABP(max_iter=2, random_state=0), CPNN(max_iter=2, random_state=0)]
)
def test_says_once_how_far_it_got(model):
    with pytest.warns(ConvergenceWarning, match=r"stopped after 2 .*\d") as caught:
        model.fit(X, D)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("ignore:.* stopped after")
@pytest.mark.parametrize("Model", [AABP, CPNN])
def test_a_number_is_a_single_hidden_layer(Model):
    one, same = (
        Model(sizes, max_iter=3, random_state=0).fit(X, D).predict(X)
        for sizes in (7, (7,))
    )
    assert_array_equal(one, same)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AABP(()), "hidden_layer_sizes must have one or more positive"),
        (AABP((0,)), "hidden_layer_sizes must have one or more positive"),
        (AABP((2.5,)), "hidden_layer_sizes must have one or more positive"),
        (AABP(reg=-1), "'reg' parameter of AABP"),
        (CPNN(0), "hidden_layer_sizes must have one or more positive"),
        (CPNN((5, 4)), "exactly one hidden layer, but hidden_layer_sizes=.* has 2"),
        (CPNN(reg=-1), "'reg' parameter of CPNN"),
    ],
)
def test_bad_settings(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, D)
