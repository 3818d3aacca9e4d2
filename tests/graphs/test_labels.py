"""Label correlation and the generalised Hamming distance."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mutual_info_score

from skldl.graphs import generalized_hamming, label_correlation


def labels(n=40, m=5, seed=0, p=0.4):
    return (np.random.default_rng(seed).random((n, m)) < p).astype(float)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), m=st.integers(1, 6))
@settings(max_examples=10, deadline=None)
def test_correlation_is_mutual_information_over_the_smaller_entropy(seed, n, m):
    Y = labels(n, m, seed)
    F = label_correlation(Y)
    for a, b in product(range(m), repeat=2):
        least = min(mutual_info_score(Y[:, a], Y[:, a]),
                    mutual_info_score(Y[:, b], Y[:, b]))  # fmt: skip
        shared = mutual_info_score(Y[:, a], Y[:, b])
        expected = 1.0 if a == b else (shared / least if least > 1e-12 else 0.0)
        assert_allclose(F[a, b], expected, atol=1e-9)


def test_independent_labels_and_copies():
    factorial = np.array(list(product((0, 1), repeat=4)))
    assert_allclose(label_correlation(factorial), np.eye(4), atol=1e-14)
    Y = labels(30, 1)
    copies = np.hstack([Y, Y, 1 - Y])  # the sign of a dependence is not seen
    assert_allclose(label_correlation(copies), np.ones((3, 3)))


def test_labels_that_never_or_always_occur():
    Y = labels()
    Y[:, 1], Y[:, 3] = 0, 1
    F = label_correlation(Y)
    for constant in (1, 3):
        assert_array_equal(F[constant], np.eye(5)[constant])
    assert np.isfinite(F).all()


def test_sparse_labels_give_the_same():
    Y = labels()
    assert_allclose(label_correlation(sp.csr_matrix(Y)), label_correlation(Y))
    F = label_correlation(Y)
    assert_allclose(
        generalized_hamming(sp.csr_array(Y), sp.csr_array(Y[:7]), F),
        generalized_hamming(Y, Y[:7], F),
    )


@given(seed=st.integers(0, 10_000), m=st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_it_is_the_union_less_the_inner_product(seed, m):
    Y, Z = labels(12, m, seed), labels(9, m, seed + 1)
    F = label_correlation(Y)
    union = np.maximum(Y[:, None], Z[None]).sum(axis=2)
    assert_allclose(generalized_hamming(Y, Z, F), union - Y @ F @ Z.T, atol=1e-12)
    differences = np.abs(Y[:, None] - Z[None]).sum(axis=2)
    assert_allclose(generalized_hamming(Y, Z, np.eye(m)), differences, atol=1e-12)


def test_other_numbers_of_labels_are_refused():
    with pytest.raises(ValueError, match="Y1 has 2 labels, Y2 3"):
        generalized_hamming(np.ones((1, 2)), np.ones((1, 3)), np.eye(2))


def test_numbers_that_are_no_degrees_are_refused():
    Y = labels()
    for wrong in (2 * Y - 1, 10 * Y, sp.csr_matrix(2 * Y)):
        with pytest.raises(ValueError, match="Y must contain numbers between 0 and 1"):
            label_correlation(wrong)
