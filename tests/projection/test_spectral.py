"""LPP, NPE and CCA, with and without a kernel."""

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.cross_decomposition import CCA as ReferenceCCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

from skldl.datasets import load, make_ldl
from skldl.graphs import (
    barycenter_weights,
    binary_weights,
    heat_weights,
    laplacian,
    neighbor_graph,
)
from skldl.ldl import AAkNN
from skldl.projection import CCA, LPP, NPE
from skldl.projection._spectral import mean_distance

X, D = make_ldl(60, 6, 4, random_state=0)


def principal_angles(A, B):
    return scipy.linalg.subspace_angles(np.asarray(A).T, np.asarray(B).T)


def test_lpp_by_its_definition():
    model = LPP(3, n_neighbors=5, center=False).fit(X)
    W = heat_weights(neighbor_graph(X, 5)).toarray()
    L, G = np.diag(W.sum(1)) - W, np.diag(W.sum(1))
    values, V = scipy.linalg.eigh(X.T @ L @ X, X.T @ G @ X)
    assert_allclose(model.eigenvalues_, values[:3])
    assert principal_angles(model.components_, V[:, :3].T).max() < 1e-6
    V = model.components_.T
    assert_allclose(V.T @ X.T @ G @ X @ V, np.eye(3), atol=1e-9)


def test_centring_removes_the_constant_direction():
    far = X + 100.0
    centred, plain = LPP(1).fit(far), LPP(1, center=False).fit(far)
    assert plain.eigenvalues_[0] < 0.1 * centred.eigenvalues_[0]
    assert_allclose(centred.eigenvalues_, LPP(1).fit(X).eigenvalues_, rtol=1e-6)


def test_npe_by_its_definition():
    model = NPE(2, n_neighbors=5).fit(X)
    S = barycenter_weights(X, neighbor_graph(X, 5)).toarray()
    Xc = X - X.mean(axis=0)
    M = (np.eye(60) - S).T @ (np.eye(60) - S)
    values, V = scipy.linalg.eigh(Xc.T @ M @ Xc, Xc.T @ Xc)
    assert_allclose(model.eigenvalues_, values[:2])
    assert principal_angles(model.components_, V[:, :2].T).max() < 1e-6


def test_cca_agrees_with_scikit_learns():
    model = CCA(2).fit(X, D)
    theirs = ReferenceCCA(2, scale=False, max_iter=5000, tol=1e-12).fit(X, D[:, :3])
    scores = theirs.transform(X, D[:, :3])
    expected = [np.corrcoef(scores[0][:, i], scores[1][:, i])[0, 1] for i in range(2)]
    assert_allclose(np.sqrt(model.eigenvalues_), expected, rtol=1e-5)
    for ours, other in zip(model.transform(X).T, scores[0].T, strict=True):
        assert abs(np.corrcoef(ours, other)[0, 1]) > 0.9999


def test_cca_with_classes_spans_the_discriminant_space():
    iris = load("iris")
    ours = CCA().fit(iris.X, iris.y)
    lda = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    assert ours.components_.shape[0] == 2
    assert principal_angles(ours.components_, lda.scalings_.T).max() < 1e-6


def dense_kernel(model, A, B_inside, *, largest, ridge):
    """The kernel eigenproblem as it stands in the books, on centred kernel matrices."""
    width = mean_distance(X)
    K = np.exp(-cdist(X, X, "sqeuclidean") / (2 * width**2))
    H = np.eye(60) - 1 / 60
    K = H @ K @ H
    left, right = K @ A @ K, K @ B_inside @ K + ridge * K
    # on the range of K
    s, U = np.linalg.eigh(K)
    U = U[:, s > 1e-9 * s[-1]]
    values, alpha = scipy.linalg.eigh(U.T @ left @ U, U.T @ right @ U)
    order = np.argsort(-values if largest else values)[:2]
    return values[order], K @ U @ alpha[:, order]


def test_kernel_lpp_is_the_textbook_problem():
    W = heat_weights(neighbor_graph(X, 5))
    g = np.asarray(W.sum(axis=1)).ravel()
    model = LPP(2, kernel="rbf", center=False, reg=0.1).fit(X)
    Z = model.kernel_map_.transform(X)
    ridge = 0.1 * np.trace(Z.T @ np.diag(g) @ Z) / Z.shape[1]
    values, embedding = dense_kernel(
        model, laplacian(W).toarray(), np.diag(g), largest=False, ridge=ridge
    )
    assert_allclose(model.eigenvalues_, values, rtol=1e-6)
    assert_allclose(np.abs(model.transform(X)), np.abs(embedding), atol=1e-6)


def test_kernel_cca_is_the_textbook_problem():
    Y = D - D.mean(axis=0)
    P = Y @ np.linalg.pinv(Y)
    model = CCA(2, kernel="rbf", reg=0.05).fit(X, D)
    Z = model.kernel_map_.transform(X)
    ridge = 0.05 * np.trace(Z.T @ Z) / Z.shape[1]
    values, embedding = dense_kernel(model, P, np.eye(60), largest=True, ridge=ridge)
    assert_allclose(model.eigenvalues_, values, rtol=1e-6)
    assert_allclose(np.abs(model.transform(X)), np.abs(embedding), atol=1e-6)


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("method", [LPP, NPE, CCA])
def test_in_a_pipeline_before_neighbours(method, kernel):
    model = make_pipeline(method(2, kernel=kernel), AAkNN()).fit(X, D)
    P = model.predict(X[:7])
    assert_allclose(P.sum(axis=1), 1.0)


def test_share_of_the_features_and_width():
    assert LPP(0.5).fit(X).components_.shape == (3, 6)
    narrow = LPP(2, kernel="rbf", kernel_gamma=50.0).fit(X)
    assert narrow.kernel_map_.gamma_ == pytest.approx(50.0)
    assert_allclose(mean_distance(X), cdist(X, X).sum() / (60 * 59))


@pytest.mark.parametrize("method", [LPP, NPE, CCA])
def test_a_relative_ridge_is_a_share_of_the_mean_of_the_diagonal(method):
    plain = method(2).fit(X, D)
    center = X - (plain.mean_ if plain.mean_ is not None else 0.0)
    # the matrix on the right, of which components are orthonormal
    B = center.T @ center
    if method is LPP:
        g = heat_weights(neighbor_graph(X, 5)).sum(axis=1)
        B = (center * g[:, None]).T @ center
    relative = method(2, reg=0.3).fit(X, D)
    absolute = method(2, reg=0.3 * np.trace(B) / 6, reg_mode="absolute").fit(X, D)
    assert_allclose(relative.components_, absolute.components_)
    assert not np.allclose(relative.components_, plain.components_)


@pytest.mark.parametrize("method", [LPP, NPE])
def test_engine_and_threads_change_nothing(method):
    expected = method(2).fit(X).components_
    for settings in ({"engine": NearestNeighbors(algorithm="brute")}, {"n_jobs": 2}):
        assert_allclose(method(2, **settings).fit(X).components_, expected)


def test_gammas_are_those_of_the_formula():
    W = np.exp(-0.2 * cdist(X, X, "sqeuclidean"))
    near = binary_weights(neighbor_graph(X, 5)).toarray()
    W *= near
    G = np.diag(W.sum(axis=1))
    values = scipy.linalg.eigh(X.T @ (G - W) @ X, X.T @ G @ X, eigvals_only=True)
    assert_allclose(LPP(2, gamma=0.2, center=False).fit(X).eigenvalues_, values[:2])
    squared = cdist(X, X, "sqeuclidean")[near > 0].mean()
    assert_allclose(
        LPP(2, gamma=1 / squared).fit(X).components_, LPP().fit(X).components_
    )
    width = mean_distance(X)
    given = LPP(2, kernel="rbf", kernel_gamma=1 / (2 * width**2)).fit(X)
    assert_allclose(given.components_, LPP(2, kernel="rbf").fit(X).components_)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LPP(2, n_neighbors=60).fit(X), "n_neighbors=60 must be less"),
        (lambda: LPP(7).fit(X), "rank 6"),
        (lambda: CCA(4).fit(X, D), "3, the rank of the labels"),
        (lambda: CCA().fit(X, np.tile(D[:1], (60, 1))), "same labels"),
        (lambda: CCA(kernel="poly").fit(X, D), "'kernel' parameter of CCA"),
        (lambda: NPE(barycenter_reg=-1).fit(X), "'barycenter_reg' parameter of NPE"),
    ],
)
def test_bad_settings(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_cca_with_more_labels_than_features():
    X, D = make_ldl(60, 4, 9, random_state=0)
    model = CCA().fit(X, D)
    assert model.components_.shape == (4, 4)
    assert (model.eigenvalues_ <= 1 + 1e-12).all()


def test_directions_of_unit_length():
    plain = LPP(3, embedding="plain").fit(X)
    unit = LPP(3, embedding="unit").fit(X)
    assert_allclose(np.linalg.norm(unit.components_, axis=1), 1.0)
    lengths = np.linalg.norm(plain.components_, axis=1, keepdims=True)
    assert_allclose(unit.components_ * lengths, plain.components_, atol=1e-12)
    assert_allclose(unit.eigenvalues_, plain.eigenvalues_)
    assert not np.allclose(lengths, 1.0)
