"""Splits depend on seeds alone and partition the rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skldl.benchmark import LargestLabelKFold, Split
from skldl.datasets import Dataset, load, make_ldl
from skldl.methods import derive_seed

DATA = load("synthetic")


def test_seeds_depend_on_every_part_and_on_nothing_else():
    assert derive_seed(0, "a", 1) == derive_seed(0, "a", 1)
    assert len({derive_seed(0, "a", i) for i in range(50)}) == 50
    assert derive_seed("ab", "c") != derive_seed("a", "bc")
    assert derive_seed(0, "SJAFFE", 0) == 3906717150  # the same on every machine


@pytest.mark.parametrize("stratify", [False, True])
def test_folds_partition_the_rows_and_differ_between_repetitions(stratify):
    split = Split("kfold", n_splits=4, n_repeats=2, stratify=stratify)
    tests = {(r, f): split.rows(DATA, 0, r, f)[1] for r, f in split.parts()}
    assert len(tests) == 8
    for repetition in range(2):
        rows = np.concatenate([tests[repetition, fold] for fold in range(4)])
        assert_array_equal(np.sort(rows), np.arange(500))
    assert not np.array_equal(tests[0, 0], tests[1, 0])
    train, test = split.rows(DATA, 0, 0, 0)
    assert not set(train) & set(test)
    assert not np.array_equal(split.rows(DATA, 1, 0, 0)[1], test)


@pytest.mark.parametrize("test_size", [0.1, 0.3, 0.4])
def test_random_splits(test_size):
    split = Split("shuffle", test_size=test_size, n_repeats=3)
    assert list(split.parts()) == [(0, 0), (1, 0), (2, 0)]
    train, test = split.rows(DATA, 0, 2, 0)
    assert len(test) == round(500 * test_size)
    assert len(train) + len(test) == 500


def test_fixed_splits():
    fixed = Dataset(
        "x", DATA.X, "distribution", DATA.D, DATA.feature_names, DATA.label_names,
        train=np.arange(5), test=np.arange(5, 9),
    )  # fmt: skip
    assert_array_equal(Split("fixed").rows(fixed, 0, 0, 0)[1], [5, 6, 7, 8])
    assert list(Split("fixed", n_repeats=4).parts()) == [(0, 0)]
    with pytest.raises(ValueError, match="no fixed split"):
        Split("fixed").rows(DATA, 0, 0, 0)


def test_strata():
    iris = load("iris")
    _, test = Split(n_splits=5, stratify=True).rows(iris, 0, 0, 0)
    assert_array_equal(np.unique(iris.y[test], return_counts=True)[1], [10, 10, 10])
    Y = Dataset(
        "m", DATA.X, "indicator", DATA.D > 0.2, DATA.feature_names, DATA.label_names
    )
    with pytest.raises(ValueError, match="several labels"):
        Split(stratify=True).rows(Y, 0, 0, 0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"kind": "loo"}, "split kind"), ({"n_splits": 1}, "n_splits"),
     ({"n_repeats": 0}, "n_repeats"), ({"test_size": 1.5}, "test_size")],
)  # fmt: skip
def test_bad_splits(wrong, words):
    with pytest.raises(ValueError, match=words):
        Split(**wrong)


def test_largest_label_folds_keep_the_shares():
    X, D = make_ldl(300, n_labels=3, random_state=0)
    share = np.bincount(D.argmax(axis=1)) / 300
    splitter = LargestLabelKFold(5, shuffle=True, random_state=0)
    assert splitter.get_n_splits() == 5
    for _, test in splitter.split(X, D):
        found = np.bincount(D[test].argmax(axis=1), minlength=3) / len(test)
        assert np.abs(found - share).max() < 0.02
