"""The projection that tunes itself: what it chooses, and that it is kept."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.tree import DecisionTreeClassifier

from skldl.reproduce._tuned import Eigenfaces, Tuned, TunedAs, TunedInTurn, TunedNear


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


class Columns(TransformerMixin, BaseEstimator):
    """Keeps one column."""

    def __init__(self, place=0):
        self.place = place

    def fit(self, X, y=None):
        if self.place == 2:
            raise np.linalg.LinAlgError("no such column")
        self.n_ = len(X)
        return self

    def transform(self, X):
        return X[:, [self.place]]


def data():
    y = np.repeat([0, 1], 20)
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(size=40), y * 10 + rng.normal(size=40)]), y


def test_takes_the_setting_that_suits_the_nearest_neighbour():
    X, y = data()
    tuned = Tuned(Columns(), {"place": [0, 1, 2]}).fit(X, y)
    assert tuned.best_params_ == {"place": 1}
    assert tuned.estimator_.n_ == 40  # on everything, not on a fold


def test_a_projection_takes_the_setting_of_another():
    X, y = data()
    cheap = Tuned(Columns(), {"place": [0, 1]})
    deep = TunedAs(PCA(svd_solver="full"), Tuned(PCA(), {"n_components": [2]}))
    assert deep.fit(X, y).estimator_.n_components == 2
    assert TunedAs(Columns(), cheap).fit(X, y).best_params_ == {"place": 1}
    assert not hasattr(cheap, "estimator_")


class Sums(TransformerMixin, BaseEstimator):
    """A weighted sum of two columns."""

    def __init__(self, first=1.0, second=1.0):
        self.first = first
        self.second = second

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X @ [[self.first], [self.second]]


def test_parameters_are_chosen_one_after_the_other():
    X, y = data()
    grid = {"first": [0.0, 1.0], "second": [0.0, 1.0, 2.0]}
    tuned = TunedInTurn(Sums(first=50.0), grid).fit(X, y)
    assert tuned.best_params_ == {"first": 0.0, "second": 1.0}  # a tie stays


def test_one_after_the_other_fits_the_sum_of_the_values_and_not_the_product(tmp_path):
    X, y = data()
    grid = {"first": [0.0, 1.0, 2.0], "second": [0.0, 1.0, 2.0, 3.0]}
    TunedInTurn(Sums(), grid, n_splits=2).fit(X, y)
    folder = tmp_path / "skldl" / "projections"
    fits = [p for p in folder.rglob("output.pkl") if "fit_projection" in str(p)]
    assert len(fits) == 2 * (1 + 2 + 3) + 1  # and the last one, on everything


def test_a_projection_takes_some_of_the_parameters_of_another():
    X, y = data()
    grid = {"first": [0.0, 1.0], "second": [0.0, 1.0, 2.0]}
    cheap = TunedInTurn(Sums(first=50.0), grid)
    deep = TunedAs(Sums(second=7.0), cheap, ["first"]).fit(X, y)
    assert deep.best_params_ == {"first": 0.0}
    assert deep.estimator_.second == 7.0


@pytest.mark.parametrize(("place", "kept"), [(0, 0), (1, 1)])
def test_what_a_cheaper_projection_proposes_is_taken_if_folds_agree(place, kept):
    X, y = data()  # only the second column tells the classes apart
    cheap = Tuned(Columns(), {"place": [place]})
    near = TunedNear(Columns(place=1), cheap).fit(X, y)
    assert TunedAs(Columns(place=1), cheap).fit(X, y).best_params_ == {"place": place}
    assert near.best_params_ == {"place": 1}
    assert TunedNear(Columns(place=0), cheap).fit(X, y).best_params_ == {"place": kept}


def test_projections_are_kept_on_the_disk(tmp_path):
    X, y = make_blobs(60, centers=3, n_features=5, random_state=0)
    first = Tuned(PCA(svd_solver="full"), {"n_components": [1, 2]}).fit(X, y)
    kept = sorted((tmp_path / "skldl" / "projections").rglob("output.pkl"))
    second = Tuned(PCA(svd_solver="full"), {"n_components": [1, 2]}).fit(X, y)
    assert len(kept) == 1 + 2 * 3 + 1  # the choice, its folds, and the fit
    assert kept == sorted((tmp_path / "skldl" / "projections").rglob("output.pkl"))
    assert np.array_equal(first.transform(X), second.transform(X))
    Tuned(PCA(svd_solver="full"), {"n_components": [1, 2]}).fit(X + 1, y)
    assert len(list((tmp_path / "skldl" / "projections").rglob("output.pkl"))) == 16


def test_another_classifier_judges_the_fits_that_are_kept(monkeypatch):
    X, y = data()
    fits = []
    fit = Columns.fit
    monkeypatch.setattr(Columns, "fit", lambda *a: fits.append(1) or fit(*a))
    Tuned(Columns(), {"place": [0, 1]}).fit(X, y)
    assert len(fits) == 2 * 3 + 1
    tree = DecisionTreeClassifier(random_state=0)
    again = Tuned(Columns(), {"place": [0, 1]}, classifier=tree).fit(X, y)
    assert len(fits) == 2 * 3 + 1
    assert again.best_params_ == {"place": 1}


def test_eigenfaces_keep_the_mean():
    X, _ = make_blobs(30, n_features=5, random_state=0)
    Z = Eigenfaces(9).fit(X).transform(X)
    assert Z.shape == (30, 5)
    # all directions kept: a rotation about the origin
    assert np.allclose(np.linalg.norm(Z, axis=1), np.linalg.norm(X, axis=1))
