"""Trees as arrays: the bounds of what is accepted, and the same walks."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeRegressor

from skldl.datasets import make_ldl
from skldl.ldl._tree_tables import (
    check_table,
    compiled_trees,
    flat_tree,
    forest_table,
    join_tables,
    split_table,
)

X, D = make_ldl(60, 4, 3, random_state=0)


def stump(feature=0):
    """A root of two leaves."""
    return {
        "left": np.array([1, -1, -1], np.int32),
        "right": np.array([2, -1, -1], np.int32),
        "feature": np.array([feature, -1, -1], np.int32),
        "threshold": np.zeros(3),
        "missing_left": np.zeros(3, dtype=bool),
        "value": np.arange(3.0),
    }


@pytest.mark.parametrize("feature", [0, 3])
def test_first_and_last_feature_are_accepted(feature):
    check_table(join_tables([stump(feature), stump()]), 4)


@pytest.mark.parametrize("feature", [-1, 4])
def test_features_that_there_are_not(feature):
    with pytest.raises(ValueError, match="features of a tree"):
        check_table(join_tables([stump(), stump(feature)]), 4)


@pytest.mark.parametrize(
    ("side", "children"),
    [
        ("left", [0, -1, -1]),  # its own child
        ("right", [3, -1, -1]),  # in the next tree
        ("left", [1, 2, -1]),  # one child alone
        ("right", [2, -2, -1]),  # a leaf is -1
    ],
)
def test_children_that_lead_astray(side, children):
    broken = stump() | {side: np.array(children, np.int32)}
    with pytest.raises(ValueError, match="children of a tree"):
        check_table(join_tables([broken, stump()]), 4)


def test_branches_that_meet_and_nodes_that_nothing_leads_to():
    broken = stump() | {"right": np.array([1, -1, -1], np.int32)}
    with pytest.raises(ValueError, match="parents in a tree"):
        check_table(join_tables([broken]), 4)


@pytest.mark.parametrize("n_features", [0, 1.0])
def test_numbers_of_features(n_features):
    with pytest.raises(ValueError, match="number of features"):
        check_table(join_tables([stump()]), n_features)
    check_table(join_tables([stump()]), 1)


def test_compiled_trees_walk_as_before():
    trees = [
        DecisionTreeRegressor(max_depth=depth, random_state=depth).fit(X, D)
        for depth in (1, 3, None)
    ]
    table = forest_table(trees)
    check_table(table, 4, more=("impurity", "n_samples", "weight"))
    rows = X.astype(np.float32)
    for old, new in zip(trees, compiled_trees(table, 4, 3), strict=True):
        assert_array_equal(new.predict(rows), old.tree_.predict(rows))
        assert new.max_depth == old.tree_.max_depth
        assert_array_equal(
            new.compute_feature_importances(), old.tree_.compute_feature_importances()
        )


def test_joined_trees_come_apart_again():
    trees = [flat_tree(), flat_tree() | {"value": np.ones(1)}]
    for tree, again in zip(trees, split_table(join_tables(trees)), strict=True):
        assert tree.keys() == again.keys()
        assert all((tree[name] == again[name]).all() for name in tree)
    assert join_tables([])["sizes"].shape == (0,)
    assert {len(column) for column in flat_tree().values()} == {1}
    check_table(join_tables(trees), 1, more=("gain",))
