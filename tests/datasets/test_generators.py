"""Generated data sets follow their formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skldl.datasets import load, make_ldl, make_toy_ldl
from skldl.validation import check_distribution


def test_toy_set_by_hand():
    X, D = make_toy_ldl(200, random_state=3)
    assert (np.abs(X[:, :2]) <= 1).all()
    assert_allclose(X[:, 2], np.exp(-(X[:, 0] ** 2) - X[:, 1] ** 2))
    for x, d in zip(X[:5], D[:5], strict=True):
        t = [v + 0.5 * v**2 + 0.2 * v**3 + 1 for v in x]
        phi1 = (4 * t[0] + 2 * t[1] + t[2]) ** 2
        phi2 = (t[0] + 2 * t[1] + 4 * t[2] + 0.01 * phi1) ** 2
        phi3 = (t[0] + 4 * t[1] + 2 * t[2] + 0.01 * phi2) ** 2
        phi = np.array([phi1, phi2, phi3])
        assert_allclose(d, phi / phi.sum())


def test_noise_moves_the_features_only():
    X, D = make_toy_ldl(4000, random_state=0)
    noisy, same = make_toy_ldl(4000, noise=0.1, random_state=0)
    assert_array_equal(D, same)
    assert_allclose((noisy - X).var(axis=0), 0.1, rtol=0.1)
    assert_allclose((noisy - X).mean(axis=0), 0.0, atol=0.02)


def test_make_ldl_sizes_seeds_and_redundancy():
    X, D = make_ldl(100, 12, 4, n_redundant=5, random_state=0)
    assert X.shape == (100, 12)
    check_distribution(D, on_unnormalized="raise")
    assert D.shape == (100, 4)
    assert np.linalg.matrix_rank(X) == 7
    again = make_ldl(100, 12, 4, n_redundant=5, random_state=0)
    assert_array_equal(X, again[0])
    assert_array_equal(D, again[1])
    assert not np.array_equal(X, make_ldl(100, 12, 4, random_state=1)[0])


def test_without_noise_the_degrees_are_a_softmax_of_a_linear_map():
    X, D = make_ldl(50, 6, 3, noise=0.0, random_state=0)
    ratios = np.log(D[:, 1:] / D[:, :1])
    residual = np.linalg.lstsq(X, ratios, rcond=None)[1]
    assert_allclose(residual, 0, atol=1e-20)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_ldl(0), "n_samples"),
        (lambda: make_ldl(10, noise=-1), "noise"),
        (lambda: make_ldl(10, 5, n_redundant=5), "n_redundant=5"),
        (lambda: make_toy_ldl(10, noise="much"), "noise"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_bundled_class_data(name):
    data = load(name)
    assert data.kind == "classes"
    assert set(data.y) == set(data.label_names)
    assert len(data.feature_names) == data.n_features
    assert data.n_labels == len(set(data.y))
