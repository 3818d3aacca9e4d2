"""The original files, where they are: sizes, margins and known oddities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skldl.datasets import fetch, readers

# name: (samples, features, labels, mean margin, rows with ties or None)
DISTRIBUTIONS = {
    "Yeast_alpha": (2465, 24, 18, 0.0043, 85),
    "Yeast_cdc": (2465, 24, 15, 0.0046, None),
    "Yeast_cold": (2465, 24, 4, 0.0349, None),
    "Yeast_diau": (2465, 24, 7, 0.0140, None),
    "Yeast_dtt": (2465, 24, 4, 0.0219, None),
    "Yeast_elu": (2465, 24, 14, 0.0044, 109),
    "Yeast_heat": (2465, 24, 6, 0.0206, None),
    "Yeast_spo": (2465, 24, 6, 0.0311, None),
    "Yeast_spo5": (2465, 24, 3, 0.0832, None),
    "Yeast_spoem": (2465, 24, 2, None, None),
    "SJAFFE": (213, 243, 6, 0.0905, 0),
    "SBU_3DFE": (2500, 243, 6, 0.1314, 69),
    "Movie": (7755, 1869, 5, 0.1040, 262),
    "M2B": (1240, 250, 5, 0.5129, 0),
    "Natural_Scene": (2000, 294, 9, 0.2570, 0),
    "SCUT_FBP": (1500, 300, 5, 0.2908, 29),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name, real_data):
    data = real_data(name)
    n, d, m, margin, ties = DISTRIBUTIONS[name]
    facts = data.describe()
    assert (data.X.shape, data.D.shape) == ((n, d), (n, m))
    if margin is not None:
        assert_allclose(facts["mean_margin"], margin, atol=5.1e-5)
    if ties is not None:
        assert facts["ties"] == ties
    assert data.X.dtype == np.float64
    assert facts["source"]
    assert "check the source" in facts["licence"]
    assert facts["zeros"] == int((data.D == 0).sum())
    assert data.ordered == (name in ("Movie", "M2B", "SCUT_FBP"))


def test_zeros_are_counted(real_data):
    assert real_data("SCUT_FBP").describe()["zeros"] == 2015
    assert real_data("Movie").describe()["zeros"] == 18


def test_yeast_has_thirty_repeated_rows(real_data):
    X = real_data("Yeast_cold").X
    assert len(np.unique(X, axis=0)) == 2435


def test_natural_scene_parts_have_the_same_row_order(real_data):
    data = real_data("Natural_Scene")
    single = readers.read_mat(fetch("Natural_Scene")["ns.mat"])["label_distribution"]
    assert_allclose(data.D, single, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "shape", "split"),
    [
        ("mulan_yeast", (2417, 103, 14), (1500, 917)),
        ("mulan_scene", (2407, 294, 6), (1211, 1196)),
        ("mulan_emotions", (593, 72, 6), (391, 202)),
    ],
)
def test_multilabel(name, shape, split, real_data):
    data = real_data(name)
    assert (*data.X.shape, data.Y.shape[1]) == shape
    assert (len(data.train), len(data.test)) == split
    assert_array_equal(np.unique(data.Y), [0, 1])
    assert not str(data.label_names[0]).startswith("label_")
    paths = {path.stem.split("-")[-1]: path for path in fetch(name).values()}
    for part, rows in (("train", data.train), ("test", data.test)):
        frame = readers.read_arff(paths[part])
        assert_array_equal(data.Y[rows], frame[list(data.label_names)])
        assert_array_equal(data.X[rows], frame[list(data.feature_names)])


@pytest.mark.parametrize("name", ["Indian_Pines", "Indian_Pines_repaired"])
def test_indian_pines(name, real_data):
    data = real_data(name)
    assert data.X.shape == (10366, 200)
    assert (len(data.train), len(data.test)) == (695, 9671)
    assert data.n_labels == 16
    rows, columns = data.extra["pixels"].T
    assert_array_equal(data.extra["cube"][rows, columns], data.X)
    # where the ground truth names a class it is the split maps' class
    truth = data.extra["ground_truth"][rows, columns]
    named = truth > 0
    assert_array_equal(data.extra["class_names"][truth[named] - 1], data.y[named])
    assert named.mean() > 0.95


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("Houston2013_train", (2832, 144), 15),
        ("YaleB_32x32", (2414, 1024), 38),
        ("AR_eigen300", (1399, 300), 100),
    ],
)
def test_classes(name, shape, classes, real_data):
    data = real_data(name)
    assert data.X.shape == shape
    assert data.n_labels == classes
    assert len(data.y) == shape[0]
