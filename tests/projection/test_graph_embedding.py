"""Graph embedding against a dense version with the matrix of all pairs."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import subspace_angles
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skldl.graphs import generalized_hamming, label_correlation
from skldl.metrics import get_scorer, ranking_loss
from skldl.multilabel import MLkNN
from skldl.projection import CCA, LPP, NPE, GraphEmbedding
from skldl.projection import _graph_embedding_labels as _label_graph


def data(n=60, d=7, m=5, seed=0):
    X, Y = make_multilabel_classification(
        n, n_features=d, n_classes=m, random_state=seed
    )
    return X.astype(float), Y.astype(float)


def dense_weights(name, X, Y):
    if name == "generalized_hamming":
        return generalized_hamming(Y, Y, label_correlation(Y))
    if name == "hamming":
        return cdist(Y, Y, "cityblock")
    rows = X if name.endswith("x") else Y
    return cdist(rows, rows, name.split("_")[0])


def dense_product(X, A):
    return X.T @ (np.diag(A.sum(axis=1)) - A) @ X


NAMES = sorted(GraphEmbedding._parameter_constraints["label_distance"][0].options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sparse", [False, True])
def test_equals_the_dense_construction(name, sparse, monkeypatch):
    X, Y = data()
    Y[:, 2], Y[:, 4] = 0, 1  # labels that never and always occur
    expected = dense_product(X, dense_weights(name, X, Y))
    scale = np.abs(expected).max()
    for chunk in (1 << 22, 50):
        monkeypatch.setattr(_label_graph, "_CHUNK", chunk)
        model = GraphEmbedding(7, label_distance=name)
        model.fit(X, sp.csr_matrix(Y) if sparse else Y)
        V = model.components_.T
        assert_allclose(V @ np.diag(model.eigenvalues_) @ V.T, expected,
                        atol=1e-9 * scale)  # fmt: skip
        assert_allclose(V.T @ V, np.eye(7), atol=1e-9)
        assert np.all(np.diff(model.eigenvalues_) <= 0)
        assert_allclose(model.transform(X), (X - X.mean(axis=0)) @ V)


def test_functions_and_matrices_as_distances():
    X, Y = data()
    named = GraphEmbedding(3, label_distance="hamming").fit(X, Y)
    by_function = GraphEmbedding(
        3, label_distance=lambda a, b: cdist(a, b, "cityblock")
    ).fit(X, Y)
    by_matrix = GraphEmbedding(3, label_distance=dense_weights("hamming", X, Y))
    by_matrix.fit(X, Y)
    for other in (by_function, by_matrix):
        assert_allclose(other.eigenvalues_, named.eigenvalues_)
        assert_allclose(other.components_, named.components_, atol=1e-7)


def test_squared_distances_of_indicators_are_hamming_distances():
    X, Y = data()
    one = GraphEmbedding(3, label_distance="hamming").fit(X, Y)
    two = GraphEmbedding(3, label_distance="sqeuclidean_y").fit(X, Y)
    assert_allclose(one.eigenvalues_, two.eigenvalues_)


@given(seed=st.integers(0, 10_000), m=st.integers(2, 4))
@settings(max_examples=20, deadline=None)
def test_independent_labels_give_the_hamming_result(seed, m):
    """Every combination of labels equally often: the poster's theorem."""
    Y = np.array(list(product((0, 1), repeat=m)) * 3, dtype=float)
    X = np.random.default_rng(seed).normal(size=(len(Y), 4))
    general = GraphEmbedding(4).fit(X, Y)
    hamming = GraphEmbedding(4, label_distance="hamming").fit(X, Y)
    assert_allclose(general.label_correlation_, np.eye(m), atol=1e-12)
    assert_allclose(general.eigenvalues_, hamming.eigenvalues_, atol=1e-9)


def test_equal_weights_are_principal_components():
    X, Y = data()
    ones = np.ones((len(X), len(X)))
    model = GraphEmbedding(3, label_distance=ones).fit(X, Y)
    angles = subspace_angles(model.components_.T, PCA(3).fit(X).components_.T)
    assert angles.max() < 1e-6
    assert_allclose(
        model.eigenvalues_ / len(X), PCA(3).fit(X).explained_variance_ * (len(X) - 1)
    )


def test_with_scatter_and_balanced_classes_it_is_discriminant_analysis():
    X, y = load_iris(return_X_y=True)
    model = GraphEmbedding(2, label_distance="hamming", constraint="scatter").fit(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    assert subspace_angles(model.components_.T, lda.scalings_).max() < 1e-6
    Z = model.transform(X)
    assert_allclose(Z.T @ Z, np.eye(2), atol=1e-9)


def test_order_of_rows_and_repetition():
    X, Y = data()
    model = GraphEmbedding(3).fit(X, Y)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = GraphEmbedding(3).fit(X[order], Y[order])
    assert_allclose(shuffled.components_, model.components_, atol=1e-8)
    twice = GraphEmbedding(3).fit(np.vstack([X, X]), np.vstack([Y, Y]))
    assert_allclose(twice.components_, model.components_, atol=1e-8)
    assert_allclose(twice.eigenvalues_, 4 * model.eigenvalues_)


def test_distributions_will_do():
    X, _ = data()
    D = np.random.default_rng(0).dirichlet(np.ones(4), len(X))
    F = label_correlation(D)
    A = generalized_hamming(D, D, F)
    expected = np.linalg.eigvalsh(dense_product(X, A))[::-1][:3]
    assert_allclose(GraphEmbedding(3).fit(X, D).eigenvalues_, expected)


def test_in_a_pipeline_and_a_search_with_names():
    X, Y = data(120)
    frame = pd.DataFrame(Y.astype(int), columns=list("abcde"))
    search = GridSearchCV(
        make_pipeline(GraphEmbedding(), MLkNN(10)),
        {"graphembedding__n_components": [1, 4]},
        scoring=get_scorer("ranking_loss"),
        cv=3,
    ).fit(X, frame)
    assert list(search.classes_) == list("abcde")
    assert list(search.best_estimator_[0].classes_) == list("abcde")
    assert -1 <= search.best_score_ <= 0
    assert search.predict(X).shape == Y.shape


def test_bad_arguments():
    X, Y = data()
    with pytest.raises(ValueError, match="n_components=8 is more than n_features=7"):
        GraphEmbedding(8).fit(X, Y)
    with pytest.raises(ValueError, match=r"shape \(3, 3\); a matrix of distances"):
        GraphEmbedding(label_distance=np.ones((3, 3))).fit(X, Y)
    lopsided = np.triu(np.ones((60, 60)))
    with pytest.raises(ValueError, match="not symmetric"):
        GraphEmbedding(label_distance=lopsided).fit(X, Y)
    with pytest.raises(ValueError, match="must give a finite matrix"):
        GraphEmbedding(label_distance=lambda a, b: np.ones(3)).fit(X, Y)
    with pytest.raises(ValueError, match="label_distance"):
        GraphEmbedding(label_distance="levenshtein").fit(X, Y)


def test_known_ranking_losses(real_data):
    """MULAN yeast, its own split, ML-kNN with k = 10."""
    dataset = real_data("mulan_yeast")
    train, test = dataset.train, dataset.test
    expected = {
        ("generalized_hamming", 2): 0.1992,
        ("generalized_hamming", 16): 0.1798,
        ("hamming", 4): 0.1976,
        ("euclidean_y", 8): 0.1853,
        ("sqeuclidean_x", 8): 0.1866,
    }
    for (name, size), value in expected.items():
        model = make_pipeline(GraphEmbedding(size, label_distance=name), MLkNN(10))
        model.fit(dataset.X[train], dataset.Y[train])
        scores = model.predict_proba(dataset.X[test])
        assert_allclose(ranking_loss(dataset.Y[test], scores), value, atol=5e-5)


@pytest.mark.parametrize("value", [0.1, 1.0, 1e6 / 3])
def test_a_constant_feature_has_no_say(value):
    """Rounding noise in it must not be scaled up, here nor in its relatives."""
    X, Y = data()
    with_constant = np.column_stack([X[:, :6], np.full(60, value)])
    for model in (GraphEmbedding(2, constraint="scatter"), LPP(2), NPE(2), CCA(2)):
        expected = model.fit(X[:, :6], Y).components_
        found = model.fit(with_constant, Y).components_
        assert_allclose(found[:, :6], expected, atol=1e-6 * np.abs(expected).max())
        assert_allclose(found[:, 6], 0.0, atol=1e-9)


def test_asymmetric_functions_are_refused():
    X, Y = data()
    with pytest.raises(ValueError, match="label_distance is not symmetric"):
        GraphEmbedding(
            1, label_distance=lambda a, b: np.maximum(a[:, None] - b[None], 0).sum(2)
        ).fit(X, Y)


def test_equal_label_sets_and_useless_directions():
    X, Y = data()
    for same in (np.zeros((60, 3)), np.tile([1.0, 0.0], (60, 1)), np.zeros(60)):
        with pytest.raises(ValueError, match="All samples have the same labels"):
            GraphEmbedding(1).fit(X, same)
    copies = np.repeat(Y[:, :1], 6, axis=1)  # all labels tell the same
    with pytest.warns(UserWarning, match="do not push different label sets apart"):
        GraphEmbedding(7).fit(X, copies)


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_units_of_the_features(factor):
    X, Y = data()
    for name in ("generalized_hamming", "sqeuclidean_x", "euclidean_x"):
        expected = GraphEmbedding(2, label_distance=name).fit(X, Y).components_
        found = GraphEmbedding(2, label_distance=name).fit(factor * X, Y).components_
        assert_allclose(found, expected, atol=1e-8)


def test_one_label_keeps_its_name():
    X, Y = data()
    frame = pd.DataFrame({"sea": Y[:, 0].astype(int)})
    model = make_pipeline(GraphEmbedding(2), MLkNN(5)).fit(X, frame)
    assert list(model.classes_) == list(model[0].classes_) == ["sea"]


def test_any_matrix_may_be_the_constraint():
    X, Y = data()
    rng = np.random.default_rng(0)
    root = rng.normal(size=(7, 7))
    B = root @ root.T
    model = GraphEmbedding(3, label_distance="hamming", constraint=B).fit(X, Y)
    W = model.components_.T
    assert_allclose(W.T @ B @ W, np.eye(3), atol=1e-9)
    Xc = X - X.mean(axis=0)
    A = dense_product(Xc, dense_weights("hamming", X, Y))
    assert_allclose(A @ W, B @ W * model.eigenvalues_, rtol=1e-6, atol=1e-6 * A.max())
    # the two named ones are special cases
    for name, matrix in ((None, np.eye(7)), ("scatter", Xc.T @ Xc)):
        named = GraphEmbedding(3, constraint=name).fit(X, Y)
        given = GraphEmbedding(3, constraint=matrix).fit(X, Y)
        assert_allclose(named.eigenvalues_, given.eigenvalues_, rtol=1e-7)
        assert_allclose(named.components_, given.components_, atol=1e-7)


def test_equal_weights_within_the_scatter_of_classes_are_discriminant_analysis():
    X, y = load_iris(return_X_y=True)
    X, y = X[:130], y[:130]  # classes of different sizes
    equal = np.full((len(X), len(X)), 1 / len(X))
    within = sum(np.cov(X[y == c].T, bias=True) * (y == c).sum() for c in range(3))
    model = GraphEmbedding(2, label_distance=equal, constraint=within).fit(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    assert subspace_angles(model.components_.T, lda.scalings_).max() < 1e-6


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.eye(3), r"shape \(3, 3\).*\(7, 7\)"),
        (np.triu(np.ones((7, 7))), "symmetric"),
        (np.diag([1.0, 1, 1, 1, 1, 1, -1]), "negative eigenvalues"),
        (np.zeros((7, 7)), "must not be zero"),
        (np.full((7, 7), np.nan), "constraint contains NaN"),
    ],
)
def test_constraints_that_are_none(matrix, words):
    X, Y = data()
    with pytest.raises(ValueError, match=words):
        GraphEmbedding(2, constraint=matrix).fit(X, Y)


@pytest.mark.filterwarnings("ignore:.*directions do not push")
def test_eigenvalues_of_a_huge_cell_are_numbers():
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[0, 0] = 1e300
    model = GraphEmbedding(n_components=2).fit(X, np.eye(2)[np.arange(20) % 2])
    assert not np.isnan(model.eigenvalues_).any()
