"""Canonical correlation forests: splits by brute force, trees, votes."""

from itertools import pairwise

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from skldl.benchmark import Plan, Split, run
from skldl.classifiers import CanonicalCorrelationForestClassifier as Forest
from skldl.classifiers._ccf_split import (
    best_threshold,
    canonical_directions,
    find_split,
)
from skldl.classifiers._ccf_tree import _majority, apply_tree, grow_tree
from skldl.datasets import load

RNG = np.random.default_rng(0)
WINE = load_wine()
X, Y = (WINE.data - WINE.data.mean(0)) / WINE.data.std(0), WINE.target
SETTINGS = {
    "max_features": 4,
    "max_depth": None,
    "bootstrap": False,
    "projection_bootstrap": True,
    "seed": 0,
}


def test_directions_are_canonical():
    ours = canonical_directions(X, Y)
    theirs = CCA(2, scale=False, max_iter=5000, tol=1e-12).fit(X, np.eye(3)[Y][:, :2])
    expected = theirs.transform(X)
    assert ours.shape == (13, 2)
    assert_allclose(np.linalg.norm(ours, axis=0), 1)
    for mine, other in zip((X @ ours).T, expected.T, strict=True):
        assert abs(np.corrcoef(mine, other)[0, 1]) > 1 - 1e-8


def test_directions_with_dependent_and_constant_columns():
    doubled = np.hstack([X[:, :3], X[:, :3], np.ones((len(X), 1))])
    ours = canonical_directions(doubled, Y)
    plain = canonical_directions(X[:, :3], Y)
    for mine, other in zip((doubled @ ours).T, (X[:, :3] @ plain).T, strict=True):
        assert abs(np.corrcoef(mine, other)[0, 1]) > 1 - 1e-8


def test_directions_where_a_class_is_missing_and_where_there_are_none():
    two = Y != 1  # codes 0 and 2 of three
    assert canonical_directions(X[two], Y[two]).shape == (13, 1)
    assert canonical_directions(X, np.ones(len(X), dtype=int)).shape == (13, 0)
    assert canonical_directions(np.ones((10, 3)), np.arange(10) % 2).shape == (3, 0)


def entropy(codes):
    shares = np.unique(codes, return_counts=True)[1] / len(codes)
    return -np.sum(shares * np.log2(shares))


def brute_threshold(projected, codes):
    best, found = 1e-9, None
    for column in range(projected.shape[1]):
        values = np.unique(projected[:, column])
        for low, high in pairwise(values):
            cut = (low + high) / 2
            left = projected[:, column] <= cut
            gain = entropy(codes) - (
                left.mean() * entropy(codes[left])
                + (~left).mean() * entropy(codes[~left])
            )
            if gain > best + 1e-12:
                best, found = gain, (column, cut)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_threshold_by_brute_force(seed):
    rng = np.random.default_rng(seed)
    codes = rng.choice([0, 2, 3], size=25)  # class 1 is absent
    projected = rng.normal(size=(25, 3))
    if seed % 3 == 0:
        projected = np.round(projected)  # ties
    found = best_threshold(projected, codes, 4)
    assert found[0] == brute_threshold(projected, codes)[0]
    assert_allclose(found[1], brute_threshold(projected, codes)[1])


def test_nothing_to_gain():
    assert best_threshold(np.ones((4, 2)), np.array([0, 1, 0, 1]), 2) is None
    projected = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert best_threshold(projected, np.array([0, 1, 0, 1]), 2) is None
    close = np.array([[1.0], [np.nextafter(1.0, 2)], [5.0]])
    assert best_threshold(close, np.array([0, 1, 1]), 2)[1] == 3.0


def test_two_samples_are_cut_halfway():
    pair = np.array([[0.0, 0.0], [3.0, 4.0]])
    split = find_split(pair, np.array([0, 1]), 2, None)
    assert_allclose(split.direction, [0.6, 0.8])
    assert_allclose(split.threshold, 2.5)
    assert find_split(pair[[0, 0]], np.array([0, 1]), 2, None) is None


def test_a_resample_of_one_class_falls_back_to_all_samples():
    only = np.flatnonzero(Y == 0)
    sample = np.resize(only, len(X))
    split = find_split(X, Y, 3, sample)
    expected = find_split(X, Y, 3, None)
    assert_allclose(split.direction, expected.direction)
    assert split.threshold == expected.threshold


def test_leaves_are_pure_and_trees_predict_their_training_samples():
    for seed in range(3):
        tree = grow_tree(X, Y, 3, **{**SETTINGS, "seed": seed})
        assert_array_equal(apply_tree(tree, X), Y)
        inner = tree["left"] >= 0
        assert_array_equal(inner, tree["right"] >= 0)
        assert inner.sum() == (~inner).sum() - 1


def test_depth_and_equal_samples():
    stump = grow_tree(X, Y, 3, **{**SETTINGS, "max_depth": 1})
    assert len(stump["left"]) == 3
    leaf = grow_tree(X, Y, 3, **{**SETTINGS, "max_depth": 0})
    assert_array_equal(apply_tree(leaf, X), np.bincount(Y).argmax())
    same = np.ones((9, 2))
    tree = grow_tree(same, np.array([0, 1, 2] * 3), 3, **SETTINGS | {"max_features": 2})
    assert len(tree["left"]) == 1


def test_ties_go_to_the_nodes_above_then_to_the_first():
    assert _majority([np.array([5, 6, 1]), np.array([2, 2, 0])]) == 1
    assert (
        _majority([np.array([9, 1, 0]), np.array([3, 3, 3]), np.array([1, 1, 0])]) == 0
    )
    assert _majority([np.array([2, 2])]) == 0


def test_votes_are_counted_and_ties_go_to_the_commoner_class():
    model = Forest(2, random_state=0).fit(X, Y)
    one, two = (grow_tree(X, np.full(len(X), c), 3, **SETTINGS) for c in (0, 1))
    model.trees_ = [one, two]
    assert (np.bincount(Y)[:2] == [59, 71]).all()
    assert_allclose(model.predict_proba(X)[0], [0.5, 0.5, 0], atol=1e-8)
    assert_array_equal(model.predict(X), 1)


def toy(n, seed):
    """Stripes that are oblique in ten features."""
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(n, 10))
    direction = np.arange(1.0, 11) / np.linalg.norm(np.arange(1.0, 11))
    return data, np.digitize(data @ direction, [-0.6, 0.6])


def test_beats_a_single_decision_tree_on_held_out_samples():
    data, y = toy(300, 0)
    new, truth = toy(1000, 1)
    forest = Forest(25, random_state=0).fit(data, y).score(new, truth)
    tree = DecisionTreeClassifier(random_state=0).fit(data, y).score(new, truth)
    assert forest > tree + 0.15
    assert forest > 0.8


@pytest.mark.parametrize(
    "settings",
    [{"bootstrap": True}, {"projection_bootstrap": False}, {"max_features": 2}],
)
def test_settings_change_the_trees_and_still_classify(settings):
    model = Forest(10, random_state=0, **settings).fit(X[::2], Y[::2])
    plain = Forest(10, random_state=0).fit(X[::2], Y[::2])
    assert model.score(X[1::2], Y[1::2]) > 0.9
    assert not np.array_equal(
        model.trees_[0]["thresholds"], plain.trees_[0]["thresholds"]
    )


def test_scaling_seeds_and_jobs():
    model = Forest(5, random_state=0).fit(X, Y)
    scaled = Forest(5, random_state=0).fit(7 * X + 100, Y)
    assert_array_equal(model.predict(X), scaled.predict(7 * X + 100))
    parallel = Forest(5, random_state=0, n_jobs=2).fit(X, Y)
    assert_array_equal(parallel.predict_proba(X), model.predict_proba(X))
    first, second = (
        Forest(5, random_state=seed).fit(X[::4], Y[::4]).predict_proba(X)
        for seed in (0, 1)
    )
    assert not np.array_equal(first, second)


def test_names_of_classes_and_saving():
    names = np.array(["barolo", "grignolino", "barbera"])[Y]
    model = Forest(5, random_state=0).fit(X, names)
    assert set(model.predict(X)) == set(names)
    again = skops.io.loads(
        skops.io.dumps(model),
        trusted=["skldl.classifiers._ccf.CanonicalCorrelationForestClassifier"],
    )
    assert_array_equal(again.predict(X), model.predict(X))


def test_the_benchmark_knows_it(tmp_path):
    method = "CanonicalCorrelationForestClassifier(n_estimators=5)"
    plan = Plan([load("iris")], [method], Split(n_splits=2))
    rows = run(plan, tmp_path / "s.sqlite", engine="serial")
    assert (rows["status"] == "ok").all()
    accuracy = rows[rows["metric"] == "accuracy"]["value"]
    assert accuracy.min() > 0.9


@pytest.mark.parametrize("settings", [{"n_estimators": 0}, {"max_features": 0}])
def test_bad_settings(settings):
    with pytest.raises(ValueError, match=f"'{next(iter(settings))}' parameter"):
        Forest(**settings).fit(X, Y)


@pytest.mark.parametrize("power", [900, -900])
def test_the_scale_of_features_does_not_matter(power):
    plain = Forest(5, random_state=0).fit(X, Y).predict_proba(X)
    scaled = np.ldexp(X, power)
    forest = Forest(5, random_state=0).fit(scaled, Y)
    assert_array_equal(forest.predict_proba(scaled), plain)
