"""Boosting of distributions: the libraries' own classifiers, and equations."""

import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.ensemble import HistGradientBoostingClassifier

from skldl.datasets import make_ldl
from skldl.ldl import BoostingLDL, LightGBMLDL
from skldl.ldl._boosted import cross_entropy, softmax_gradient
from skldl.ldl._lightgbm import parse_trees

lightgbm = pytest.importorskip("lightgbm")

X, D = make_ldl(300, 6, 4, random_state=0)
NEW = make_ldl(150, 6, 4, random_state=1)[0]
GAPS, NEW_GAPS = X.copy(), NEW.copy()
GAPS[::7, 2] = np.nan
NEW_GAPS[::3, 2] = NEW_GAPS[1::3, 4] = np.nan  # the training had none in column 4
ONE_HOT, CLASSES = np.eye(4)[D.argmax(axis=1)], D.argmax(axis=1)
BOTH = [BoostingLDL, LightGBMLDL]
WHOLE = {"validation_fraction": None, "max_features": 1.0}
# eighths: LightGBM keeps weights in float32
WEIGHTS = np.random.default_rng(0).integers(4, 16, len(X)) / 8


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_gradient_and_hessian_by_finite_differences(weights):
    scores = np.random.default_rng(1).normal(size=D.shape)
    gradient, hessian = softmax_gradient(scores, D, weights)
    total = len(X) if weights is None else weights.sum()

    def loss(step, label):
        moved = scores.copy()
        moved[5, label] += step
        return total * cross_entropy(moved, D, weights)

    for label in range(4):
        ahead, here, behind = (loss(step, label) for step in (1e-4, 0.0, -1e-4))
        assert gradient[5, label] == pytest.approx((ahead - behind) / 2e-4, abs=1e-6)
        curve = (ahead - 2 * here + behind) / 1e-8
        assert hessian[5, label] == pytest.approx(curve, abs=1e-3)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("depth", [None, 3])
def test_one_hot_rows_give_scikit_learns_classifier(depth, weights):
    same = {"learning_rate": 0.2, "max_iter": 25, "max_leaf_nodes": 9}
    same |= {"min_samples_leaf": 7, "max_depth": depth}
    mine = BoostingLDL(reg=0.5, **same, **WHOLE)
    theirs = HistGradientBoostingClassifier(
        l2_regularization=0.5, early_stopping=False, **same
    )
    # few values, so that weights do not move the bins
    few, new = np.round(GAPS, 1), np.round(NEW_GAPS, 1)
    mine.fit(few, ONE_HOT, sample_weight=weights)
    theirs.fit(few, CLASSES, sample_weight=weights)
    assert_allclose(mine.predict(new), theirs.predict_proba(new), atol=1e-9)
    assert mine.best_iteration_ == mine.n_iter_ == 25


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_one_hot_rows_give_lightgbms_multiclass(weights):
    mine = LightGBMLDL(0.2, max_iter=25, max_leaf_nodes=9, min_samples_leaf=7, reg=0.5,
                       **WHOLE)  # fmt: skip
    mine.fit(GAPS, ONE_HOT, sample_weight=weights)
    settings = {
        "objective": "multiclass", "num_class": 4, "learning_rate": 0.2,
        "num_leaves": 9, "min_data_in_leaf": 7, "lambda_l2": 0.5, "verbosity": -1,
        "num_threads": 1, "deterministic": True, "force_col_wise": True,
    }  # fmt: skip
    data = lightgbm.Dataset(GAPS, CLASSES, weight=weights)
    theirs = lightgbm.train(settings, data, 25)
    assert_allclose(mine.predict(NEW_GAPS), theirs.predict(NEW_GAPS), atol=1e-12)


def test_tables_walk_like_lightgbm():
    data = lightgbm.Dataset(GAPS, D[:, 0])
    booster = lightgbm.train({"verbosity": -1, "num_leaves": 6}, data, 3)
    model = LightGBMLDL(max_iter=3, **WHOLE).fit(GAPS, D)
    from skldl.ldl._tree_tables import Walker, join_tables

    table = join_tables(parse_trees(booster.model_to_string()))
    scores = np.zeros((len(NEW), 1))
    Walker(table, 1, 6).add_to(scores, NEW_GAPS, 1)
    assert_allclose(scores[:, 0], booster.predict(NEW_GAPS), atol=1e-14)
    assert len(model.trees_["sizes"]) == 12


@pytest.mark.parametrize("cls", BOTH)
def test_no_iterations_give_the_mean(cls):
    model = cls(max_iter=0).fit(X, D, sample_weight=WEIGHTS)
    mean = np.average(D, axis=0, weights=WEIGHTS)
    assert_allclose(model.predict(NEW), np.tile(mean, (len(NEW), 1)), atol=1e-12)
    assert_array_equal(model.feature_importances_, np.zeros(6))


@pytest.mark.parametrize("cls", BOTH)
def test_one_newton_step_of_a_stump(cls):
    model = cls(0.3, max_iter=1, max_leaf_nodes=2, min_samples_leaf=5, reg=2.0, **WHOLE)
    model.fit(X, D)
    start = np.tile(np.log(D.mean(axis=0)), (len(X), 1))
    gradient, hessian = softmax_gradient(start, D)
    if cls is LightGBMLDL:
        hessian *= 4 / 3
    scores = start.copy()
    for label in range(4):
        node = 3 * label
        feature = model.trees_["feature"][node]
        left = X[:, feature] <= model.trees_["threshold"][node]
        assert 5 <= left.sum() <= len(X) - 5
        for side in (left, ~left):
            g, h = gradient[side, label].sum(), hessian[side, label].sum()
            scores[side, label] -= 0.3 * g / (h + 2.0)
    # both keep gradients in float32
    assert_allclose(model.predict(X), softmax(scores, axis=1), atol=1e-6)


@pytest.mark.parametrize("cls", BOTH)
def test_weights_of_two_are_rows_given_twice(cls):
    weights = np.ones(len(X))
    weights[::3] = 2.0
    few = np.round(X, 1)  # the same bins for both
    twice = np.repeat(np.arange(len(X)), weights.astype(int))
    model = cls(max_iter=10, max_leaf_nodes=4, min_samples_leaf=1, **WHOLE)
    weighted = model.fit(few, D, sample_weight=weights).predict(few)
    repeated = model.fit(few[twice], D[twice]).predict(few)
    assert_allclose(weighted, repeated, atol=1e-9)
    assert np.abs(weighted - model.fit(few, D).predict(few)).max() > 1e-3


@pytest.mark.parametrize("cls", BOTH)
def test_training_loss_falls_with_every_iteration(cls):
    losses = []
    for n_iter in (0, 1, 2, 5, 10):
        P = cls(max_iter=n_iter, **WHOLE).fit(X, D).predict(X)
        losses.append(-np.sum(D * np.log(P)))
    assert (np.diff(losses) < 0).all()


@pytest.mark.parametrize("cls", BOTH)
def test_early_stopping_keeps_the_best_iteration(cls):
    settings = {"learning_rate": 0.5, "min_samples_leaf": 2, "random_state": 0}
    settings |= {"n_iter_no_change": 4, "max_features": 1.0}
    kept = cls(**settings, refit=False).fit(X, D)
    losses = kept.validation_loss_
    best = kept.best_iteration_
    assert best == np.argmin(losses) < kept.n_iter_ == len(losses) - 1 == best + 4
    # what was held out, found again from the seed
    seed = np.random.RandomState(0).randint(2**31 - 1)
    order = np.random.RandomState(seed).permutation(len(X))
    held, train = np.sort(order[:60]), np.sort(order[60:])
    P = kept.predict(X[held])
    loss = -np.mean(np.sum(D[held] * np.log(P), axis=1))
    assert loss == pytest.approx(losses[best], rel=1e-6)
    mean = np.log(D[train].mean(axis=0))
    assert losses[0] == pytest.approx(-np.mean(D[held] @ mean))
    again = cls(**settings).fit(X, D)
    plain = {**settings, "max_iter": best, "validation_fraction": None}
    assert_array_equal(again.predict(NEW), cls(**plain).fit(X, D).predict(NEW))


@pytest.mark.parametrize("cls", BOTH)
def test_where_nothing_can_be_learned_the_mean_remains(cls):
    noise = np.random.default_rng(0).dirichlet(np.ones(3), 100)
    constant = np.ones((100, 2))
    for settings in ({}, WHOLE):
        P = cls(max_iter=5, **settings).fit(constant, noise).predict(constant)
        assert_allclose(P, np.tile(noise.mean(axis=0), (100, 1)), atol=1e-6)


@pytest.mark.parametrize("cls", BOTH)
def test_a_label_that_nobody_has(cls):
    empty = np.hstack([D, np.zeros((len(D), 1))])
    P = cls(max_iter=5, **WHOLE).fit(X, empty).predict(X)
    assert (P[:, 4] < 1e-9).all()
    assert np.isfinite(P).all()


@pytest.mark.parametrize("cls", BOTH)
def test_threads_and_seeds(cls):
    one, two = (
        cls(max_iter=5, random_state=0, n_jobs=n).fit(X, D).predict(NEW) for n in (1, 2)
    )
    assert_array_equal(one, two)


@pytest.mark.parametrize("cls", BOTH)
def test_missing_values_and_names(cls):
    frame = pd.DataFrame(GAPS, columns=list("abcdef"))
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm", "awe"])
    model = cls(max_iter=5).fit(frame, labels)
    assert_allclose(model.predict(frame).sum(axis=1), 1.0)
    assert set(model.classify(frame)) <= set(labels)
    with pytest.raises(ValueError, match="infinity"):
        model.predict(frame + np.inf)


def test_importances_find_the_feature_that_counts():
    step = np.where(X[:, [3]] > 0, [[0.8, 0.2]], [[0.3, 0.7]])
    for cls in BOTH:
        model = cls(max_iter=5, **WHOLE).fit(X, step)
        assert model.feature_importances_.argmax() == 3
        assert model.feature_importances_[3] > 0.99


@pytest.mark.parametrize(
    "settings",
    [
        {"learning_rate": 0.0},
        {"max_iter": -1},
        {"max_leaf_nodes": 1},
        {"max_features": 0.0},
        {"reg": -1.0},
        {"validation_fraction": 1.0},
        {"n_iter_no_change": 0},
    ],
)
@pytest.mark.parametrize("cls", BOTH)
def test_bad_parameters(cls, settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        cls(**settings).fit(X, D)


def test_without_lightgbm_fit_says_what_to_install(monkeypatch):
    model = LightGBMLDL(max_iter=2).fit(X, D)
    expected = model.predict(NEW)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.setattr("skldl.ldl._lightgbm.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"scikit-ldl\[boosting\]"):
        LightGBMLDL().fit(X, D)
    assert_array_equal(model.predict(NEW), expected)


@pytest.mark.parametrize("cls", BOTH)
def test_one_feature_of_two_values_is_enough(cls):
    two = np.tile([[0.0], [1.0]], (50, 1))
    target = np.where(two > 0, [[0.9, 0.1]], [[0.2, 0.8]])
    P = cls(0.3, max_iter=200, reg=0.0, **WHOLE).fit(two, target).predict(two)
    assert_allclose(P, target, atol=1e-3)
