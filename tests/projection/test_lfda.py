"""LFDA against its definition over all pairs."""

from typing import ClassVar

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from skldl.graphs import neighbor_graph
from skldl.projection import LFDA
from skldl.projection import _lfda as module
from skldl.projection._lfda import local_scatter

WINE = load_wine()
X, Y = StandardScaler().fit_transform(WINE.data), WINE.target


def weights(data, codes, k):
    """Both weight matrices, pair by pair."""
    n = len(data)
    distance = np.sqrt(((data[:, None] - data[None]) ** 2).sum(axis=2))
    sigma = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i and codes[j] == codes[i]]
        near = sorted(distance[i, j] for j in others)
        sigma[i] = near[min(k, len(near)) - 1] if near else 0.0
    within, between = np.zeros((n, n)), np.full((n, n), 1 / n)
    for i in range(n):
        for j in range(n):
            if codes[i] != codes[j]:
                continue
            size = (codes == codes[i]).sum()
            product = sigma[i] * sigma[j]
            A = np.exp(-(distance[i, j] ** 2) / product) if product > 0 else 0.0
            within[i, j] = A / size
            between[i, j] = A * (1 / n - 1 / size)
    return within, between


def by_laplacian(data, W):
    return data.T @ (np.diag(W.sum(axis=1)) - W) @ data


def cases():
    rng = np.random.default_rng(0)
    yield X[::4], Y[::4], 7
    # a small class before larger ones must not change their neighbourhood
    small = np.repeat([0, 1, 2], [3, 20, 17])
    yield rng.normal(size=(40, 4)), small, 7
    lonely = np.repeat([0, 1, 2], [1, 9, 10])
    yield rng.normal(size=(20, 3)), lonely, 2
    data = rng.normal(size=(30, 3))
    data[:12] = data[0]  # widths of zero
    yield data, np.repeat([0, 1], 15), 3


@pytest.mark.parametrize(("data", "codes", "k"), list(cases()))
@pytest.mark.parametrize("chunk", [1 << 21, 50])
def test_scatter_equals_the_two_laplacian_form(data, codes, k, chunk, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", chunk)
    W, B = weights(data, codes, k)
    within, between = local_scatter(data - data.mean(axis=0), codes, k)
    size = np.abs(by_laplacian(data, B)).max()
    assert_allclose(within, by_laplacian(data, W), atol=1e-10 * size)
    assert_allclose(between, by_laplacian(data, B), atol=1e-10 * size)


def test_directions_solve_the_eigenproblem():
    model = LFDA(4, embedding="plain", reg=0.0).fit(X, Y)
    W, B = weights(X, Y, 7)
    values, V = scipy.linalg.eigh(by_laplacian(X, B), by_laplacian(X, W))
    assert_allclose(model.eigenvalues_, values[::-1][:4], rtol=1e-8)
    ours = model.components_ / np.linalg.norm(model.components_, axis=1)[:, None]
    theirs = V[:, ::-1][:, :4] / np.linalg.norm(V[:, ::-1][:, :4], axis=0)
    assert_allclose(np.abs(np.sum(ours.T * theirs, axis=0)), 1, rtol=1e-8)


def test_embeddings():
    plain = LFDA(3, embedding="plain").fit(X, Y)
    weighted = LFDA(3).fit(X, Y)
    scale = np.sqrt(plain.eigenvalues_)[:, None]
    assert_allclose(weighted.components_, plain.components_ * scale)
    rows = LFDA(3, embedding="orthonormal").fit(X, Y).components_
    assert_allclose(rows @ rows.T, np.eye(3), atol=1e-12)
    angles = scipy.linalg.subspace_angles(rows.T, plain.components_.T)
    assert angles.max() < 1e-8


def test_invariance():
    model = LFDA(2).fit(X, Y)
    order = np.random.default_rng(0).permutation(len(X))
    assert_allclose(LFDA(2).fit(X[order], Y[order]).components_, model.components_)
    moved = LFDA(2).fit(X + 50.0, 2 - Y)
    assert_allclose(moved.components_, model.components_, rtol=1e-6)
    assert_allclose(moved.transform(X + 50.0), model.transform(X), atol=1e-8)


def test_targets():
    model = LFDA().fit(X, Y)
    assert model.components_.shape == (2, 13)
    for target in (np.eye(3)[Y], 0.7 * np.eye(3)[Y] + 0.1):
        assert_allclose(LFDA().fit(X, target).components_, model.components_)


def test_a_class_may_have_a_single_sample():
    codes = Y.copy()
    codes[0] = 3
    within, between = local_scatter(X, codes, 7, neighbor_graph)
    model = LFDA(2, reg=0.0).fit(X, codes)
    left = between @ model.components_.T
    right = within @ model.components_.T * model.eigenvalues_
    assert_allclose(left, right, rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="single sample"):
        LFDA().fit(X[:4], np.arange(4))


def test_more_features_than_samples():
    wide = np.random.default_rng(0).normal(size=(20, 50))
    wide[:10, 0] += 10
    Z = LFDA(1, reg=1e-2).fit_transform(wide, np.repeat([0, 1], 10))
    assert (Z[:10].max() < Z[10:].min()) or (Z[:10].min() > Z[10:].max())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LFDA().fit(X, np.zeros(len(X))), "one class"),
        (lambda: LFDA().fit(X[:2], [[1, 1], [0, 1]]), "row 0 of y has 2 labels"),
        (lambda: LFDA(embedding="none").fit(X, Y), "'embedding' parameter"),
        (lambda: LFDA(14).fit(X, Y), "14 components were asked for"),
        (lambda: LFDA().fit(X, Y[:-1]), "inconsistent numbers of samples"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_relative_ridge_is_a_share_of_the_mean_of_the_diagonal():
    within, _ = local_scatter(X - X.mean(axis=0), Y, 7)
    share = 0.3 * np.trace(within) / len(within)
    relative = LFDA(reg=0.3).fit(X, Y)
    absolute = LFDA(reg=share, reg_mode="absolute").fit(X, Y)
    assert_allclose(relative.components_, absolute.components_)
    assert not np.allclose(relative.components_, LFDA().fit(X, Y).components_)


def test_engine_and_threads_change_nothing():
    expected = LFDA().fit(X, Y).components_
    for settings in ({"engine": NearestNeighbors(algorithm="brute")}, {"n_jobs": 2}):
        assert_allclose(LFDA(**settings).fit(X, Y).components_, expected)


def test_the_engine_is_asked_once_for_each_class():
    engine = Counting()
    LFDA(engine=engine).fit(X, Y)
    assert Counting.sizes == [59, 71, 48]


class Counting(NearestNeighbors):
    """Remembers how many samples each search was given."""

    sizes: ClassVar[list[int]] = []

    def fit(self, X, y=None):
        self.sizes.append(len(X))
        return super().fit(X)
