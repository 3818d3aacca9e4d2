"""J-Play and AutoRULe: their equations, traps and reference values."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import skldl
from skldl.graphs import laplacian
from skldl.linalg import nearest_distributions
from skldl.projection import AutoRULe, JPlay
from skldl.projection._jplay_layers import heat_graph, lpp_start, plan_sizes
from skldl.projection._jplay_stack import JPlayWeights, LayerStack

DIGITS = load_digits()
X, Y_CLASS = DIGITS.data[:200] / 16, DIGITS.target[:200]
NEW = DIGITS.data[200:260] / 16


@pytest.fixture(scope="module")
def model():
    return JPlay(12, n_layers=2, tol=1e-3).fit(X, Y_CLASS)


def dense_graph(data, k, gamma):
    """The weights by loops, from the definition."""
    n = len(data)
    W = np.zeros((n, n))
    found = NearestNeighbors(n_neighbors=k).fit(data).kneighbors()[1]
    for i in range(n):
        for j in found[i]:
            W[i, j] = W[j, i] = np.exp(-gamma * np.sum((data[i] - data[j]) ** 2))
    return W


def objective(stack_X, thetas, P, Y, L, alpha, beta, gamma):
    """With samples in columns, as it is printed."""
    value, Z = gamma / 2 * np.sum(P**2), stack_X.T
    for theta in thetas:
        value += np.sum((Z - theta.T @ theta @ Z) ** 2) / 2
        value += beta / 2 * np.trace(theta @ Z @ L @ Z.T @ theta.T)
        Z = theta @ Z
    return value + alpha / 2 * np.sum((Y.T - P @ Z) ** 2)


def test_graph_by_its_definition():
    W, gamma = heat_graph(X, 10, "median", engine="exact", n_jobs=None)
    last = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()[0][:, -1]
    assert_allclose(gamma, 1 / (2 * np.median(last) ** 2))
    assert_allclose(W.toarray(), dense_graph(X, 10, gamma), atol=1e-12)


def test_start_is_lpp_with_unit_rows_and_non_negative_means():
    W, _ = heat_graph(X[:, 20:40], 10, "median", engine="exact", n_jobs=None)
    data = X[:, 20:40][:, X[:, 20:40].std(axis=0) > 0]
    rows = lpp_start(data, W, 4)
    Xc, W = data - data.mean(axis=0), W.toarray()
    values, V = scipy.linalg.eigh(Xc.T @ W @ Xc, Xc.T @ np.diag(W.sum(1)) @ Xc)
    expected = (V[:, ::-1] / np.linalg.norm(V[:, ::-1], axis=0))[:, :4].T
    assert_allclose(np.abs(np.sum(rows * expected, axis=1)), 1.0, rtol=1e-8)
    assert ((data @ rows.T).mean(axis=0) >= 0).all()
    assert values[-1] > values[-5]


@pytest.mark.parametrize(
    ("features", "size", "layers", "expected"),
    [
        (220, 20, 1, [20]),
        (220, 20, 2, [120, 20]),
        (220, 20, 3, [150, 85, 20]),
        (220, 20, 4, [170, 120, 70, 20]),
        (220, 20, 5, [180, 140, 100, 60, 20]),
        (30, 10, 6, [30, 30, 25, 20, 15, 10]),
        (12, 10, 3, [11, 11, 10]),
        (10, 10, 2, [10, 10]),
    ],
)
def test_sizes_of_layers(features, size, layers, expected):
    assert plan_sizes(features, size, layers) == expected


def test_objective_and_its_parts(model):
    W = dense_graph(X, 10, model.gamma_)
    L = np.diag(W.sum(1)) - W
    Y = np.eye(10)[Y_CLASS]
    stack = LayerStack(
        X, Y, heat_graph(X, 10, "median", engine="exact", n_jobs=None)[0],
        JPlayWeights(2.0, 0.3, 0.4, 0.1), growth=2.0, max_iter=10, tol=1e-6,
    )  # fmt: skip
    stack.projections = model.projections_
    expected = objective(X, model.projections_, model.latent_coef_, Y, L, 2.0, 0.3, 0.4)
    assert_allclose(stack.objective(model.latent_coef_).sum(), expected, rtol=1e-10)
    assert_allclose(model.objective_terms_.sum(axis=1), model.objective_history_)
    assert model.objective_ == model.objective_history_[-1]


def test_label_map_is_optimal(model):
    Y, Z = np.eye(10)[Y_CLASS], model.transform(X)
    P = model.latent_coef_
    gradient = (Z @ P.T - Y).T @ Z + 0.1 * P
    assert_allclose(gradient, 0, atol=1e-10)
    assert_allclose(X @ model.coef_.T, model.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_training_codes_are_feasible_and_the_objective_falls(layers):
    model = JPlay(10, n_layers=layers, tol=1e-3).fit(X, Y_CLASS)
    for layer in range(1, layers + 1):
        Z = model.transform(X, layer=layer)
        assert Z.min() > -1e-3
        assert np.linalg.norm(Z, axis=1).max() < 1 + 1e-3
    assert model.residual_ < 1e-6
    assert model.objective_history_[-1] < model.objective_history_[0]
    assert len(model.objective_history_) == model.n_iter_ + 1


def test_a_round_by_hand():
    """The second stage once more, written with samples in columns."""
    ours = JPlay(
        5,
        layer_sizes=[9, 5],
        smoothness_weight=0.2,
        reg=0.3,
        label_weight=0.7,
        max_iter=1,
    )
    with pytest.warns(ConvergenceWarning, match="J-Play did not converge: after 1"):
        ours.fit(X, Y_CLASS)
    start = JPlay(5, layer_sizes=[9, 5], max_iter=0).fit(X, Y_CLASS)
    W = dense_graph(X, 10, start.gamma_)
    L, Y = np.diag(W.sum(1)) - W, np.eye(10)[Y_CLASS].T
    thetas = [theta.copy() for theta in start.projections_]
    V = thetas[1] @ thetas[0] @ X.T
    P = 0.7 * Y @ V.T @ np.linalg.inv(0.7 * V @ V.T + 0.3 * np.eye(5))
    data = X.T
    for i, to_labels in enumerate((P @ thetas[1], P)):
        thetas[i] = admm_in_columns(data, thetas[i], L, 0.2, 0.7, to_labels, Y)
        data = thetas[i] @ data
    for actual, expected in zip(ours.projections_, thetas, strict=True):
        assert_allclose(actual, expected, atol=1e-6)


def admm_in_columns(A, theta, L, weight, alpha, B, Y):
    k, d = theta.shape
    H = theta @ A
    G, Q, S = np.zeros((k, d)), np.zeros_like(H), np.zeros_like(H)
    L1, L3, L4, L2 = np.zeros_like(H), np.zeros_like(H), np.zeros_like(H), G.copy()
    mu = 1e-3
    for _ in range(1000):
        M = weight * A @ L @ A.T + 3 * mu * A @ A.T + mu * np.eye(d)
        right = (mu * (H + Q + S) + L1 + L3 + L4) @ A.T + mu * G + L2
        theta = np.linalg.solve(M, right.T).T
        Z = theta @ A
        H = np.linalg.solve(
            alpha * B.T @ B + G @ G.T + mu * np.eye(k),
            alpha * B.T @ Y + G @ A + mu * Z - L1,
        )
        G = np.linalg.solve(H @ H.T + mu * np.eye(k), H @ A.T + mu * theta - L2)
        Q = np.maximum(Z - L3 / mu, 0)
        S = Z - L4 / mu
        S = S / np.maximum(1, np.linalg.norm(S, axis=0))
        gaps = [H - Z, G - theta, Q - Z, S - Z]
        L1, L2, L3, L4 = (
            m + mu * g for m, g in zip((L1, L2, L3, L4), gaps, strict=True)
        )
        if all(np.linalg.norm(g) < 1e-6 for g in gaps):
            return theta
        mu = min(2 * mu, 1e6)
    raise AssertionError("no end")


def test_autorule_is_the_first_layer_before_joint_training():
    alone = AutoRULe(9).fit(X)
    stacked = JPlay(layer_sizes=[9, 4], max_iter=0).fit(X, Y_CLASS)
    assert_allclose(alone.components_, stacked.projections_[0], atol=1e-10)
    assert alone.residual_ < 1e-6
    Z = alone.transform(X)
    assert Z.min() > -1e-5
    assert np.linalg.norm(Z, axis=1).max() < 1 + 1e-5
    missed = X - Z @ alone.components_
    assert np.sum(missed**2) < np.sum(X**2)


def test_transform_is_the_product_and_is_not_clipped(model):
    Z = model.transform(NEW)
    assert_allclose(Z, NEW @ model.projections_[0].T @ model.projections_[1].T)
    assert_allclose(model.transform(NEW, layer=2), Z)
    assert_allclose(model.transform(NEW, layer=1), NEW @ model.projections_[0].T)
    assert_array_equal(model.transform(NEW, layer=0), NEW)
    assert_allclose(model.transform(-NEW), -Z)
    assert model.layer_sizes_ == [len(theta) for theta in model.projections_]
    for wrong in (3, -1, 1.5):
        with pytest.raises(ValueError, match="layer must be between 0 and 2"):
            model.transform(NEW, layer=wrong)


def test_all_kinds_of_target_and_what_predict_gives(model):
    one_hot = np.eye(10)[Y_CLASS]
    indicator = JPlay(12, n_layers=2, tol=1e-3).fit(X, one_hot)
    assert_array_equal(indicator.components_, model.components_)
    assert_array_equal(indicator.predict(NEW), model.decision_function(NEW) >= 0.5)
    soft = 0.8 * one_hot + 0.02
    distribution = JPlay(12, n_layers=2, tol=1e-3).fit(X, soft)
    P = distribution.predict(NEW)
    assert_allclose(P.sum(axis=1), 1)
    assert P.min() >= 0
    assert (model.predict(X) == Y_CLASS).mean() > 0.8
    names = np.array(list("abcdefghij"))[Y_CLASS]
    named = JPlay(12, n_layers=2, tol=1e-3).fit(X, names)
    assert_array_equal(named.predict(NEW), named.classes_[model.predict(NEW)])


def test_nearest_distributions_of_huge_scores():
    scores = [
        [1e17, 0, 1],
        [1e150, 1e150, 0],
        [-1e17, -1e17, -1e17],
        [1e308, -1e308, 0],
    ]
    expected = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [1, 0, 0]]
    assert_allclose(nearest_distributions(np.array(scores)), expected)


def test_nearest_distributions_by_their_conditions():
    scores = np.random.default_rng(0).normal(size=(50, 4))
    P = nearest_distributions(scores)
    assert_allclose(P.sum(axis=1), 1)
    assert P.min() >= 0
    # scores - P is constant on the support and no larger elsewhere
    shift = np.where(P > 0, scores - P, -np.inf).max(axis=1, keepdims=True)
    assert_allclose(np.where(P > 0, scores - P, shift), np.broadcast_to(shift, P.shape))
    assert (scores - P <= shift + 1e-12).all()


def test_order_of_samples_and_of_labels_does_not_matter(model):
    order = np.random.default_rng(1).permutation(len(X))
    shuffled = JPlay(12, n_layers=2, tol=1e-3).fit(X[order], Y_CLASS[order])
    assert_allclose(shuffled.components_, model.components_, atol=1e-6)
    other = JPlay(12, n_layers=2, tol=1e-3).fit(X, 9 - Y_CLASS)
    assert_allclose(other.components_, model.components_, atol=1e-6)


def test_the_labels_matter(model):
    other = JPlay(12, n_layers=2, tol=1e-3).fit(X, np.roll(Y_CLASS, 1))
    assert np.abs(other.components_ - model.components_).max() > 1e-3
    blind = [
        JPlay(12, n_layers=2, tol=1e-3, label_weight=0).fit(X, y).components_
        for y in (Y_CLASS, np.roll(Y_CLASS, 1))
    ]
    assert_array_equal(*blind)


@pytest.mark.parametrize("estimator", [AutoRULe(3), JPlay(3)])
def test_centred_data_are_refused_with_the_reason(estimator):
    centred = PCA(10).fit_transform(X)
    with pytest.raises(ValueError, match="mean zero.*non-negative.*not centred"):
        estimator.fit(centred, Y_CLASS)
    # a mean that is not quite zero leaves the origin inside the cloud
    with pytest.raises(ValueError, match="collapsed: the samples surround the origin"):
        estimator.fit(centred + 0.05, Y_CLASS)
    uncentred = X @ PCA(10).fit(X).components_.T
    assert uncentred.min() < 0
    estimator.fit(uncentred, Y_CLASS)


@pytest.mark.parametrize("estimator", [AutoRULe, JPlay])
def test_vanishing_weights_and_short_layers_are_warnings(estimator):
    with pytest.warns(UserWarning, match="weights of the neighbour graph vanish"):
        estimator(3, gamma=5e5, max_iter=5000).fit(X, Y_CLASS)
    flat = X[:, :20] @ np.random.default_rng(0).uniform(size=(20, 3))
    flat = np.hstack([flat, flat])
    with pytest.warns(UserWarning, match="Layer 1 has 3 components instead of [56]"):
        model = estimator(5, max_iter=5000).fit(flat, Y_CLASS)
    assert len(model.components_) <= 3
    with pytest.warns(UserWarning, match="n_neighbors=10 is larger than n_samples=8"):
        estimator(2, max_iter=5000).fit(X[:8, 18:23], Y_CLASS[:8])


def test_no_convergence_is_one_warning_with_the_residual():
    with pytest.warns(ConvergenceWarning) as caught:
        JPlay(8, n_layers=2, admm_max_iter=5, max_iter=2).fit(X, Y_CLASS)
    assert len(caught) == 1
    assert "largest ADMM residual is" in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match="AutoRULe.*residual") as caught:
        AutoRULe(8, max_iter=3).fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_progress_is_reported():
    seen = []
    model = JPlay(8, n_layers=2, tol=1e-3)
    model.fit(X, Y_CLASS, callback=lambda *progress: seen.append(progress))
    layers, rounds, values = zip(*seen, strict=True)
    assert layers == (1, 2) * (model.n_iter_ + 1)
    assert rounds == tuple(np.repeat(np.arange(model.n_iter_ + 1), 2))
    assert_allclose(values[3::2], model.objective_history_[1:])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: JPlay(65).fit(X, Y_CLASS), "n_components=65 is more than n_features"),
        (lambda: JPlay(layer_sizes=[70, 3]).fit(X, Y_CLASS), "layer_sizes must be"),
        (lambda: JPlay(layer_sizes=[]).fit(X, Y_CLASS), "layer_sizes must be"),
        (lambda: JPlay(penalty_growth=1.0).fit(X, Y_CLASS), "'penalty_growth' param"),
        (lambda: JPlay(gamma=0).fit(X, Y_CLASS), "'gamma' parameter"),
        (lambda: JPlay(2).fit(X, Y_CLASS[:-1]), "inconsistent numbers of samples"),
        (lambda: AutoRULe(2).fit(np.ones((15, 3))), "All samples are equal"),
        (lambda: AutoRULe(65).fit(X), "n_components=65 is more than n_features"),
    ],
)
def test_bad_settings(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_no_dense_matrix_between_samples(monkeypatch):
    """The Laplacian stays sparse in all of fit."""
    made = []
    monkeypatch.setattr(
        "skldl.projection._jplay_stack.laplacian",
        lambda W: made.append(laplacian(W)) or made[-1],
    )
    JPlay(3, n_layers=1, tol=1e-2).fit(X, Y_CLASS)
    assert made[0].nnz <= len(X) * 21


# 1-NN accuracy on the test pixels with the authors' settings for one layer, per cent
@pytest.mark.parametrize(("layers", "expected"), [(0, 60.95), (1, 63.48)])
def test_reference_values_on_indian_pines(layers, expected, real_data):
    data = real_data("Indian_Pines")
    spectra = data.X / data.X.max(axis=1, keepdims=True)
    train, test = spectra[data.train], spectra[data.test]
    if layers:
        model = JPlay(
            20,
            n_layers=1,
            smoothness_weight=0.01,
            reg=1.0,
            pretrain_smoothness_weight=0.1,
            gamma=50.0,
        )
        train = model.fit(train, data.y[data.train]).transform(train)
        test = model.transform(test)
    nearest = KNeighborsClassifier(1).fit(train, data.y[data.train])
    accuracy = 100 * nearest.score(test, data.y[data.test])
    assert_allclose(accuracy, expected, atol=0.1)


def box(n=60, d=8):
    """Non-negative samples of three classes."""
    X = np.random.default_rng(0).uniform(size=(n, d))
    y = np.arange(n) % 3
    X[y == 1, 0] += 1
    X[y == 2, 1] += 1
    return X, y


def test_inner_layers_and_pandas_output():
    X, y = box()
    model = JPlay(layer_sizes=[5, 2]).fit(X, y)
    expected = model.transform(X, layer=1)
    assert_allclose(model.transform_layer(X, 1), expected)
    assert not np.shares_memory(model.transform(X, layer=0), X)
    model.set_output(transform="pandas")
    assert list(model.transform(X).columns) == ["jplay0", "jplay1"]
    assert_allclose(model.transform_layer(X, 1), expected)
    with pytest.raises(ValueError, match=r"use transform_layer\(X, 1\)"):
        model.transform(X, layer=1)


def test_the_progress_hook_hears_every_layer():
    X, y = box()
    steps, calls = [], []
    with skldl.progress(steps.append):
        model = JPlay(layer_sizes=[5, 2]).fit(
            X, y, callback=lambda *told: calls.append(told)
        )
    assert len(steps) == len(calls)
    assert steps[-1].detail["objective"] == model.objective_history_[-1]
    assert steps[-1].detail["round"] == model.n_iter_
    quiet = JPlay(layer_sizes=[5, 2]).fit(X, y)
    assert_allclose(quiet.components_, model.components_)


@pytest.mark.parametrize("sizes", [[3, 5], [5, 3, 4], [True], [9], [0], []])
def test_sizes_must_fall(sizes):
    X, y = box()
    with pytest.raises(ValueError, match="layer_sizes must be integers from"):
        JPlay(layer_sizes=sizes).fit(X, y)


def test_few_features_still_go_down_in_steps():
    assert plan_sizes(8, 2, 3) == [6, 4, 2]
    assert plan_sizes(10, 3, 3) == [8, 5, 3]
    assert plan_sizes(200, 20, 4) == sorted(plan_sizes(200, 20, 4), reverse=True)


def test_small_features_are_named_as_the_cause():
    X, y = box()
    with pytest.raises(ValueError, match="features are too small"):
        JPlay(2, n_layers=1).fit(1e-4 * X, y)


def test_score_of_every_kind_of_target():
    X, y = box()
    model = JPlay(2).fit(X, y)
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    Y = np.eye(3)[y]
    assert model.fit(X, Y).score(X, Y) == np.mean(model.predict(X) == Y)
    D = 0.1 + 0.7 * Y
    D /= D.sum(axis=1, keepdims=True)
    model.fit(X, D)
    assert_allclose(model.score(X, D), np.minimum(model.predict(X), D).sum(1).mean())


def test_a_first_layer_of_all_features_is_allowed():
    X = np.random.default_rng(0).uniform(0.1, 1, size=(30, 4))
    y = np.arange(30) % 3
    model = JPlay(layer_sizes=[4, 2], n_neighbors=5, max_iter=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.fit(X, y).layer_sizes_ == [4, 2]
    with pytest.raises(ValueError, match="layer_sizes must be integers"):
        JPlay(layer_sizes=[5, 2]).fit(X, y)
