"""More features than samples: the answer of the space that the samples span."""

import warnings

import numpy as np
import pytest

from skldl.linalg import RowSpace, generalized_eigh
from skldl.projection import (
    CCA,
    LFDA,
    LPP,
    MSLP,
    NPE,
    AutoRULe,
    GraphEmbedding,
    JPlay,
)

N, D = 25, 40


@pytest.fixture
def wide():
    rng = np.random.default_rng(3)
    X = rng.uniform(0.2, 1.0, size=(N, D)) * rng.uniform(0.5, 2.0, size=D)
    Y = rng.dirichlet(np.ones(4), size=N)
    return X, Y


@pytest.fixture
def dense(monkeypatch):
    """The same estimators with matrices of features by features."""

    def whole(cls, X, *, rank_tol=None):
        return cls(np.asarray(X, dtype=np.float64))

    def use():
        monkeypatch.setattr(RowSpace, "of", classmethod(whole))

    return use


@pytest.mark.parametrize(
    "model",
    [
        CCA(reg=0.1),
        CCA(2, reg=0.3, reg_mode="absolute"),
        GraphEmbedding(3),
        GraphEmbedding(2, constraint="scatter"),
        GraphEmbedding(2, label_distance="euclidean_x"),
        GraphEmbedding(2, label_distance="sqeuclidean_x"),
        LFDA(2, reg=0.1),
        LPP(3, n_neighbors=4),
        LPP(3, n_neighbors=4, center=False),
        NPE(3, n_neighbors=4),
        MSLP(3, n_neighbors=3, n_decoder_neighbors=3),
        MSLP(3, n_neighbors=3, n_decoder_neighbors=3, center=True),
        AutoRULe(3, n_neighbors=5),
        JPlay(2, n_layers=2, n_neighbors=5, max_iter=3),
    ],
    ids=str,
)
def test_space_of_rows_gives_the_dense_answer(model, wide, dense):
    X, Y = wide
    if isinstance(model, LFDA):
        Y = Y.argmax(axis=1)

    def fitted():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few rounds do not converge
            return model.fit(X, Y).components_

    narrow = fitted()
    dense()
    whole = fitted()
    assert narrow.shape == whole.shape
    np.testing.assert_allclose(narrow, whole, atol=1e-6 * np.abs(whole).max())


def test_space_holds_the_samples(wide):
    X, _ = wide
    X = np.vstack([X, X[:3], np.zeros(D)])  # a smaller rank
    space = RowSpace.of(X)
    assert space.coordinates.shape == (N + 4, N)
    np.testing.assert_allclose(space.basis.T @ space.basis, np.eye(N), atol=1e-12)
    np.testing.assert_allclose(space.lift(space.coordinates.T).T, X, atol=1e-12)


def test_space_of_features_in_different_units(wide):
    X, _ = wide
    units = np.logspace(-8, 8, D)
    space = RowSpace.of(X * units)
    assert space.coordinates.shape[1] == N


def test_few_features_stay_as_they_are(wide):
    X = wide[0][:, :5]
    space = RowSpace.of(X)
    assert space.coordinates is X
    assert space.basis is None
    assert space.directions(X.T) is not None


def test_empty_samples_have_a_space():
    space = RowSpace.of(np.zeros((2, 5)))
    assert space.coordinates.shape == (2, 1)
    assert space.lift(np.ones((1, 1))).shape == (5, 1)


def test_share_of_features_is_cut_at_the_rank(wide):
    X, Y = wide
    model = MSLP(1.0, n_neighbors=3, n_decoder_neighbors=3).fit(X, Y)
    assert len(model.components_) == N
    with pytest.raises(ValueError, match="26 components were asked for"):
        MSLP(N + 1, n_neighbors=3, n_decoder_neighbors=3).fit(X, Y)


def test_clip_gives_what_there_is():
    B = np.diag([1.0, 1.0, 0.0])
    pairs = generalized_eigh(np.eye(3), B, 3, largest=True, clip=True)
    assert len(pairs.values) == 2
    assert len(generalized_eigh(np.eye(3), None, 9, largest=True, clip=True)[0]) == 3


def test_ten_thousand_features_take_no_square_of_them(wide):
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(0.1, 1, size=(20, 20_000)), rng.dirichlet(np.ones(3), size=20)
    # products of the features would take 3.2 GB each
    for model in (CCA(2, reg=0.1), GraphEmbedding(2), LPP(2), MSLP(2, n_neighbors=3)):
        assert np.isfinite(model.fit(X, Y).components_).all()
