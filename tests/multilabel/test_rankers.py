"""Multi-label neighbours against their formulas in loops."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import make_multilabel_classification
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_validate

from skldl.benchmark import Plan, Split, run
from skldl.graphs import neighbor_graph
from skldl.metrics import get_scorer, ranking_loss
from skldl.multilabel import IBLR, BRkNN, DMLkNN, MLkNN, _dmlknn
from skldl.multilabel._base import neighbor_counts

ALL = pytest.mark.parametrize("Model", [BRkNN, DMLkNN, IBLR, MLkNN])


def data(n=90, m=4, seed=0):
    X, Y = make_multilabel_classification(
        n + 20, n_features=6, n_classes=m, random_state=seed
    )
    return X[:n].astype(float), Y[:n], X[n:].astype(float)


def counts_by_loops(X, Y, k, new=None):
    graph = neighbor_graph(X, k)
    found = graph.indices if new is None else graph.query(new).indices
    return np.array([Y[near].sum(axis=0) for near in found])


def test_counts():
    X, Y, _ = data()
    graph = neighbor_graph(X, 5)
    counts = neighbor_counts(graph.indices, sp.csr_array(Y.astype(float)))
    assert_array_equal(counts, counts_by_loops(X, Y, 5))


@pytest.mark.parametrize("smoothing", [1.0, 0.3])
def test_mlknn_is_its_formula(smoothing):
    X, Y, new = data()
    k, n, m = 5, len(X), Y.shape[1]
    C, c = counts_by_loops(X, Y, k), counts_by_loops(X, Y, k, new)
    expected = np.empty((len(new), m))
    for label in range(m):
        has = Y[:, label] == 1
        prior = (smoothing + has.sum()) / (2 * smoothing + n)
        for i, r in enumerate(c[:, label]):
            a = (smoothing + (C[has, label] == r).sum()) / (
                smoothing * (k + 1) + has.sum()
            )
            b = (smoothing + (C[~has, label] == r).sum()) / (
                smoothing * (k + 1) + (~has).sum()
            )
            expected[i, label] = prior * a / (prior * a + (1 - prior) * b)
    model = MLkNN(k, smoothing=smoothing).fit(X, Y)
    assert_allclose(model.predict_proba(new), expected)
    assert_array_equal(model.predict(new), expected >= 0.5)
    assert_allclose(model.likelihood_.sum(axis=2), 1.0)


@pytest.mark.parametrize("delta", [0, 1, 6])
def test_dmlknn_is_its_formula(delta, monkeypatch):
    X, Y, new = data()
    k, n, m = 5, len(X), Y.shape[1]
    C, c = counts_by_loops(X, Y, k), counts_by_loops(X, Y, k, new)
    expected = np.empty((len(new), m))
    for i, vector in enumerate(c):
        near = np.abs(C - vector).max(axis=1) <= delta
        for label in range(m):
            same = near & (C[:, label] == vector[label])
            has = Y[:, label] == 1
            prior = (1 + has.sum()) / (2 + n)
            a = (1 + (same & has).sum()) / (k + 1 + has.sum())
            b = (1 + (same & ~has).sum()) / (k + 1 + (~has).sum())
            expected[i, label] = prior * a / (prior * a + (1 - prior) * b)
    model = DMLkNN(k, max_difference=delta).fit(X, Y)
    assert_allclose(model.predict_proba(new), expected)
    monkeypatch.setattr(_dmlknn, "_CHUNK", 100)
    assert_allclose(model.predict_proba(new), expected)
    if delta == 6:  # more than k: no vector is too far
        assert_allclose(expected, MLkNN(k).fit(X, Y).predict_proba(new))


def test_brknn_and_its_extensions():
    X, Y, new = data()
    c = counts_by_loops(X, Y, 4, new)
    scores = BRkNN(4).fit(X, Y).predict_proba(new)
    assert_allclose(scores, (c + 1 / 90) / (4 + 2 / 90))
    assert_array_equal(BRkNN(4).fit(X, Y).predict(new), c >= 2)
    first = BRkNN(4, extension="a").fit(X, Y).predict(new)
    second = BRkNN(4, extension="b").fit(X, Y).predict(new)
    assert (c.max(axis=1) < 2).any()
    for row, counts in enumerate(c):
        best = np.argsort(-counts, kind="stable")
        alone = np.zeros(4, int)
        alone[best[:1]] = 1
        assert_array_equal(first[row], counts >= 2 if counts.max() >= 2 else alone)
        wanted = int(counts.sum() / 4 + 0.5)
        assert_array_equal(np.flatnonzero(second[row]), np.sort(best[:wanted]))


def test_iblr_minimises_its_logistic_losses():
    X, Y, new = data(200)
    k, reg = 6, 0.5
    C = counts_by_loops(X, Y, k) / k
    model = IBLR(k, reg=reg).fit(X, Y)
    for label in range(4):
        sign = 2 * Y[:, label] - 1

        def loss(w, sign=sign):
            return (
                np.logaddexp(0, -sign * (C @ w[1:] + w[0])).sum()
                + reg / 2 * w[1:] @ w[1:]
            )

        ours = loss(
            np.concatenate([[model.intercept_[label]], model.label_coef_[label]])
        )
        best = minimize(loss, np.zeros(5), method="BFGS").fun
        assert_allclose(ours, best, rtol=1e-5)
    c = counts_by_loops(X, Y, k, new) / k
    expected = 1 / (1 + np.exp(-(c @ model.label_coef_.T + model.intercept_)))
    assert_allclose(model.predict_proba(new), expected)


def test_iblr_stopped_early_warns_once():
    X, Y, _ = data()
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations") as caught:
        IBLR(5, max_iter=1).fit(X, Y)
    assert len(caught) == 1


@ALL
def test_a_sample_is_never_its_own_neighbour_in_training(Model):
    """Two copies of every sample with opposite labels: each sees only the other."""
    X, Y, new = data(60)
    X, Y = np.vstack([X, X]), np.vstack([Y, 1 - Y])
    assert_array_equal(counts_by_loops(X, Y, 1), 1 - Y)
    model = Model(1).fit(X, Y)
    scores = model.predict_proba(new)
    if Model is not BRkNN:  # what was learned is that neighbours disagree
        near = counts_by_loops(X, Y, 1, new)
        assert np.all(scores[near == 1] < 0.5)
        assert np.all(scores[near == 0] > 0.5)


@ALL
def test_sparse_labels_features_and_names(Model):
    X, Y, new = data()
    expected = Model(5).fit(X, Y).predict_proba(new)
    for target in (sp.csr_matrix(Y), sp.csc_array(Y), Y.astype(bool), Y.tolist()):
        assert_allclose(Model(5).fit(X, target).predict_proba(new), expected)
    sparse = Model(5).fit(sp.csr_array(X), Y).predict_proba(sp.csr_array(new))
    assert_allclose(sparse, expected)
    frame = pd.DataFrame(Y, columns=list("abcd"))
    assert list(Model(5).fit(X, frame).classes_) == list("abcd")


@ALL
def test_labels_that_never_or_always_occur(Model):
    X, Y, new = data()
    Y[:, 0], Y[:, 2] = 0, 1
    model = Model(5).fit(X, Y)
    scores = model.predict_proba(new)
    assert np.isfinite(scores).all()
    assert np.all(scores[:, 0] < 0.1)
    assert np.all(scores[:, 2] > 0.9)
    P = model.predict(new)
    assert_array_equal(P[:, [0, 2]], np.tile([0, 1], (len(new), 1)))


@ALL
def test_classes_are_ranked_too(Model):
    X, Y, new = data()
    y = np.array(["no", "yes"])[Y[:, 0]]
    model = Model(5).fit(X, y)
    assert set(model.predict(new)) <= {"no", "yes"}
    assert_allclose(model.predict_proba(new).sum(axis=1), 1.0)
    column = Model(5).fit(X, y[:, None])
    assert_array_equal(column.predict(new), model.predict(new))


@ALL
def test_bad_input(Model):
    X, Y, _ = data()
    with pytest.raises(ValueError, match="n_neighbors=90 is more than the 89 other"):
        Model(90).fit(X, Y)
    with pytest.raises(ValueError, match="must contain only 0 and 1"):
        Model(5).fit(X, Y + 0.5)
    with pytest.raises(ValueError, match="one class|1 class"):
        Model(5).fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="inconsistent"):
        Model(5).fit(X, Y[:-1])


@ALL
def test_in_scikit_learn_and_in_the_engine(Model):
    X, Y, _ = data()
    found = cross_validate(Model(5), X, Y, scoring=get_scorer("ranking_loss"), cv=3)
    assert np.all((found["test_score"] <= 0) & (found["test_score"] >= -1))


def test_the_engine_compares_them(real_data):
    plan = Plan(
        [real_data("mulan_emotions")], ["MLkNN", "GraphEmbedding+BRkNN"], Split("fixed")
    )
    rows = run(plan, engine="serial")
    assert set(rows["status"]) == {"ok"}
    assert {"ranking_loss", "hamming_loss", "one_error"} <= set(rows["metric"])


def test_known_ranking_losses(real_data):
    """MULAN yeast with all features and its own split, k = 10."""
    dataset = real_data("mulan_yeast")
    X, Y, train, test = dataset.X, dataset.Y, dataset.train, dataset.test
    scores = MLkNN(10).fit(X[train], Y[train]).predict_proba(X[test])
    assert_allclose(ranking_loss(Y[test], scores), 0.1715, atol=5e-5)


def test_known_ranking_losses_of_all_rankers(real_data):
    """MULAN scene, its own split, four principal components, ties as MULAN has them."""
    dataset = real_data("mulan_scene")
    train, test = dataset.train, dataset.test
    pca = PCA(4, svd_solver="full").fit(dataset.X[train])
    Z, new = pca.transform(dataset.X[train]), pca.transform(dataset.X[test])
    expected = {MLkNN: 0.1373, IBLR: 0.1308, BRkNN: 0.1383, DMLkNN: 0.1347}
    for Model, value in expected.items():
        scores = Model(10).fit(Z, dataset.Y[train]).predict_proba(new)
        found = ranking_loss(dataset.Y[test], scores, ties="stable")
        assert_allclose(found, value, atol=1.5e-4)


@ALL
def test_what_was_fitted_counts(Model):
    X, Y, new = data()
    model = Model(5).fit(X, Y)
    expected = model.predict_proba(new)
    assert_allclose(model.set_params(n_neighbors=9).predict_proba(new), expected)
