"""Forests of distributions: scikit-learn's own on one-hot rows, and equations."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from skldl.datasets import make_ldl
from skldl.ldl import ExtraTreesLDL, RandomForestLDL
from skldl.metrics import intersection

X, D = make_ldl(200, 6, 4, random_state=0)
NEW = make_ldl(150, 6, 4, random_state=1)[0]
FORESTS = [ExtraTreesLDL, RandomForestLDL]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ExtraTreesLDL, ExtraTreesClassifier), (RandomForestLDL, RandomForestClassifier)],
)
def test_one_hot_rows_give_the_classifier(ours, theirs):
    y = D.argmax(axis=1)
    # leaves of several samples: in tiny nodes splits of equal gain are a coin's toss
    same = {"min_samples_leaf": 5, "max_features": 0.5, "random_state": 3}
    mine = ours(20, **same).fit(X, np.eye(4)[y])
    other = theirs(20, **same).fit(X, y)
    assert_allclose(mine.predict(NEW), other.predict_proba(NEW), atol=1e-12)
    importances = other.feature_importances_
    assert_allclose(mine.feature_importances_, importances, atol=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ExtraTreesLDL, ExtraTreesRegressor), (RandomForestLDL, RandomForestRegressor)],
)
def test_it_is_the_regressor_on_distributions(ours, theirs):
    same = {"min_samples_leaf": 2, "max_features": 3, "max_depth": 4, "random_state": 0}
    mine = ours(15, **same).fit(X, D)
    other = theirs(15, **same).fit(X, D)
    assert_allclose(mine.predict(NEW), other.predict(NEW), atol=1e-14)


@pytest.mark.parametrize("cls", FORESTS)
def test_leaves_hold_weighted_means(cls):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    model = cls(1, bootstrap=False, random_state=0).fit(X, D, sample_weight=weights)
    leaves = model.forest_.apply(X.astype("f4"))[:, 0]
    P = model.predict(X)
    for leaf in np.unique(leaves):
        inside = leaves == leaf
        mean = np.average(D[inside], axis=0, weights=weights[inside])
        assert_allclose(P[inside], np.tile(mean, (inside.sum(), 1)), atol=1e-12)


@pytest.mark.parametrize("cls", FORESTS)
def test_weights_of_two_are_rows_given_twice(cls):
    weights = np.ones(len(X))
    weights[::3] = 2.0
    # rounding tells one sample from two equal ones, and so what is drawn after them
    model = cls(10, bootstrap=False, min_samples_leaf=1, max_depth=3, random_state=0)
    weighted = model.fit(X, D, sample_weight=weights).predict(NEW)
    twice = np.repeat(np.arange(len(X)), weights.astype(int))
    repeated = model.fit(X[twice], D[twice]).predict(NEW)
    assert_allclose(weighted, repeated, atol=1e-10)
    assert np.abs(weighted - model.fit(X, D).predict(NEW)).max() > 1e-3


@pytest.mark.parametrize("cls", FORESTS)
def test_samples_of_weight_zero_are_left_out(cls):
    weights = np.where(np.arange(len(X)) % 2, 1.0, 0.0)
    model = cls(5, bootstrap=False, random_state=0)
    weighted = model.fit(X, D, sample_weight=weights).predict(NEW)
    assert_array_equal(weighted, model.fit(X[1::2], D[1::2]).predict(NEW))
    with pytest.raises(ValueError, match="positive sum|non-zero"):
        model.fit(X, D, sample_weight=np.zeros(len(X)))
    with pytest.raises(ValueError, match="[Nn]egative"):
        model.fit(X, D, sample_weight=-weights)


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 201.0)])
@pytest.mark.parametrize("cls", FORESTS)
def test_out_of_bag_predictions_by_brute_force(cls, weights):
    model = cls(30, bootstrap=True, oob_score=True, smoothing=0.2, random_state=0)
    model.fit(X, D, sample_weight=weights)
    total, count = np.zeros_like(D), np.zeros((len(X), 1))
    drawn = model.forest_.estimators_samples_
    for tree, rows in zip(model.forest_.estimators_, drawn, strict=True):
        out = np.setdiff1d(np.arange(len(X)), rows)
        total[out] += tree.predict(X[out])
        count[out] += 1
    assert count.min() > 0
    expected = 0.8 * total / count + 0.2 * model.distribution_
    assert_allclose(model.oob_prediction_, expected, atol=1e-12)
    score = intersection(D, expected, sample_weight=weights)
    assert model.oob_score_ == pytest.approx(score)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
def test_samples_that_every_tree_saw_have_no_prediction():
    model = RandomForestLDL(2, oob_score=True, random_state=0).fit(X, D)
    seen = [set(rows) for rows in model.forest_.estimators_samples_]
    always = np.array([all(i in rows for rows in seen) for i in range(len(X))])
    assert 0 < always.sum() < len(X)
    assert_array_equal(np.isnan(model.oob_prediction_).all(axis=1), always)
    assert 0 < model.oob_score_ < 1


def test_smoothing_mixes_in_the_mean():
    plain = ExtraTreesLDL(10, random_state=0).fit(X, D).predict(NEW)
    mixed = ExtraTreesLDL(10, smoothing=0.3, random_state=0).fit(X, D).predict(NEW)
    assert_allclose(mixed, 0.7 * plain + 0.3 * D.mean(axis=0), atol=1e-12)
    only = ExtraTreesLDL(3, smoothing=1.0).fit(X, D).predict(NEW)
    assert_allclose(only, np.tile(D.mean(axis=0), (len(NEW), 1)), atol=1e-12)


@pytest.mark.parametrize("cls", FORESTS)
def test_sparse_samples_give_what_dense_ones_give(cls):
    few = np.where(np.abs(X) > 0.8, X, 0.0)
    model = cls(10, random_state=0)
    dense = model.fit(few, D).predict(few)
    assert_allclose(model.fit(sp.csr_array(few), D).predict(sp.csc_array(few)), dense)


@pytest.mark.parametrize("cls", FORESTS)
def test_missing_values(cls):
    gaps = X.copy()
    gaps[::4, 1] = np.nan
    model = cls(10, random_state=0).fit(gaps, D)
    assert_allclose(model.predict(gaps).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="infinity"):
        model.predict(np.full((1, 6), np.inf))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(sp.csr_array(gaps), D)


def test_threads_change_nothing_and_names_are_kept():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm", "awe"])
    one = ExtraTreesLDL(8, random_state=0, n_jobs=1).fit(frame, labels)
    two = ExtraTreesLDL(8, random_state=0, n_jobs=2).fit(frame, labels)
    assert_allclose(two.predict(frame), one.predict(frame), atol=1e-14)
    assert list(one.classes_) == ["joy", "fear", "calm", "awe"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"criterion": "entropy"}, "criterion"),
        ({"smoothing": 1.5}, "smoothing"),
        ({"max_features": "all"}, "max_features"),
        ({"bootstrap": False, "oob_score": True}, "bootstrap"),
        ({"bootstrap": False, "max_samples": 0.5}, "bootstrap"),
    ],
)
@pytest.mark.parametrize("cls", FORESTS)
def test_bad_parameters(cls, settings, words):
    with pytest.raises(ValueError, match=words):
        cls(**{"n_estimators": 3, **settings}).fit(X, D)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ExtraTreesLDL, ExtraTreesRegressor), (RandomForestLDL, RandomForestRegressor)],
)
def test_settings_have_the_bounds_of_scikit_learn(ours, theirs):
    allowed = theirs._parameter_constraints
    for name, bounds in ours._parameter_constraints.items():
        if name not in allowed or name in ("criterion", "oob_score", "max_samples"):
            continue  # scikit-learn also takes functions as scores
        for text in map(str, bounds):
            assert text in map(str, allowed[name]), name


@pytest.mark.parametrize("cls", FORESTS)
def test_trees_of_a_single_sample_are_that_sample(cls):
    model = cls(1, bootstrap=True, max_samples=1, random_state=0).fit(X, D)
    row = model.predict(NEW[:1])
    assert np.abs(D - row).sum(axis=1).min() < 1e-12
    assert_allclose(model.predict(NEW), np.repeat(row, len(NEW), axis=0))
