"""The eigensolver solves pencils on the range of a singular matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh

from skldl.linalg import generalized_eigh, nearest_semidefinite, range_whitening


def problem(seed, n, rank):
    """An indefinite A, and a B of the given rank."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    factor = rng.normal(size=(n, rank))
    return A + A.T, factor @ factor.T


@given(st.integers(0, 1000), st.integers(1, 12), st.data(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_solves_the_pencil_on_the_range_of_b(seed, n, data, largest):
    rank = data.draw(st.integers(1, n))
    k = data.draw(st.integers(1, rank))
    A, B = problem(seed, n, rank)
    values, V, found = generalized_eigh(A, B, k, largest=largest)
    assert found == rank
    assert V.shape == (n, k)
    assert_allclose(V.T @ B @ V, np.eye(k), atol=1e-6)
    # the residual vanishes on the range of B
    basis = np.linalg.svd(B)[0][:, :rank]
    residual = basis.T @ (A @ V - B @ V * values)
    assert_allclose(residual, 0, atol=1e-5 * (1 + np.abs(A @ V).max()))
    order = -values if largest else values
    assert (np.diff(order) >= -1e-9 * np.abs(values).max()).all()
    # the chosen end of the whole spectrum
    whole = generalized_eigh(A, B, largest=largest).values
    assert_allclose(values, whole[:k], rtol=1e-6, atol=1e-8)


def test_both_paths_agree(monkeypatch):
    A, B = problem(0, 8, 8)
    direct = generalized_eigh(A, B, 3, largest=False)
    monkeypatch.setattr("skldl.linalg._eigen._well_conditioned", lambda *_: False)
    whitened = generalized_eigh(A, B, 3, largest=False)
    assert_allclose(direct.values, whitened.values, rtol=1e-9)
    assert_allclose(direct.vectors, whitened.vectors, rtol=1e-6, atol=1e-9)


def test_identity_is_the_default():
    A, _ = problem(0, 6, 6)
    values, vectors, rank = generalized_eigh(A, k=2, largest=True)
    assert rank == 6
    assert_allclose(values, np.sort(np.linalg.eigvalsh(A))[::-1][:2])
    assert_allclose(A @ vectors, vectors * values, atol=1e-10)


def test_signs_are_fixed():
    A, B = problem(0, 6, 4)
    V = generalized_eigh(A, B, largest=True).vectors
    top = np.abs(V).argmax(axis=0)
    assert (V[top, np.arange(V.shape[1])] > 0).all()


def test_more_features_than_samples_and_useless_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 30))
    X[:, 3] = 0.0
    X[:, 4] = X[:, 5]
    _, V, rank = generalized_eigh(
        X.T @ np.diag(np.arange(10)) @ X, X.T @ X, largest=True
    )
    assert rank == 10
    assert_allclose(V[3], 0.0, atol=1e-10)  # nothing is learned from a constant 0
    assert_allclose(V[4], V[5], atol=1e-8)  # twins share their weight
    assert_allclose((X @ V).T @ (X @ V), np.eye(10), atol=1e-8)


def test_units_of_features_do_not_matter():
    B = np.diag([1.0, 1e-12])
    values, _, rank = generalized_eigh(np.eye(2), B, largest=True)
    assert_allclose(values, [1e12, 1.0])
    assert rank == 2
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 20))  # singular, too
    X[:, 7] = X[:, 3]
    C = X.T @ np.diag(rng.normal(size=12)) @ X
    units = 10.0 ** rng.integers(-3, 4, size=20)
    plain = generalized_eigh(C, X.T @ X, largest=True)
    scaled = generalized_eigh(
        C * np.outer(units, units), (X * units).T @ (X * units), largest=True
    )
    assert plain.rank == scaled.rank == 12
    assert_allclose(plain.values, scaled.values, rtol=1e-5)


def test_singular_pencil_with_a_ridge_is_solved_in_the_range():
    """Among all v with v'Bv = 1, the smallest v'(A + I)v has no null part."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 8)) * 10.0 ** np.arange(8)[::-1].clip(0, 3)
    A = X.T @ np.diag(np.arange(5)) @ X + np.eye(8)
    values, V, rank = generalized_eigh(A, X.T @ X, largest=False)
    assert rank == 5
    null = np.linalg.svd(X)[2][5:]
    assert_allclose(null @ V, 0, atol=1e-7 * np.abs(V).max())
    # in coordinates of the row space the pencil is regular
    basis = np.linalg.svd(X)[2][:5].T
    expected = eigh(basis.T @ A @ basis, basis.T @ X.T @ X @ basis)[0]
    assert_allclose(values, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("A", "B", "k", "words"),
    [
        (np.eye(3), np.diag([1.0, 1.0, 0.0]), 3, "rank 2"),
        (np.eye(3), None, 4, "rank 3"),
        (np.eye(3), None, 0, "between 1 and 3"),
        (np.ones((2, 3)), None, 1, "A must be square"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), None, 1, "A must be symmetric"),
        (np.eye(2), np.array([[1.0, 2.0], [0.0, 1.0]]), 1, "B must be symmetric"),
        (np.eye(2), np.diag([1.0, -1.0]), 1, "positive semidefinite"),
        (np.eye(2), np.zeros((2, 2)), 1, "B is zero"),
        (np.eye(2), -np.eye(2), 1, "positive semidefinite"),
        (np.eye(2), np.eye(3), 1, "B has shape"),
        (np.array([[np.nan]]), None, 1, "NaN"),
        (np.eye(3), None, 1.5, "k must be an integer"),
    ],
)
def test_bad_input(A, B, k, words):
    with pytest.raises(ValueError, match=words):
        generalized_eigh(A, B, k, largest=True)


def test_whitening_spans_the_range():
    A, B = problem(2, 9, 5)
    T = range_whitening(B)
    assert T.shape == (9, 5)
    assert_allclose(T.T @ B @ T, np.eye(5), atol=1e-8)
    inner = T.T @ A @ T
    ordinary = generalized_eigh((inner + inner.T) / 2, k=3, largest=False)
    assert_allclose(ordinary.values, generalized_eigh(A, B, 3, largest=False).values)


def test_input_is_not_changed():
    A, B = problem(1, 5, 3)
    copies = A.copy(), B.copy()
    generalized_eigh(A, B, largest=False)
    assert_array_equal(A, copies[0])
    assert_array_equal(B, copies[1])


@given(st.integers(0, 1000), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_nearest_semidefinite_matrix(seed, n):
    A, B = problem(seed, n, n)
    found = nearest_semidefinite(A)
    size = 1 + np.abs(A).max()
    # the rest is orthogonal to it and has no positive part: the cone's conditions
    assert np.linalg.eigvalsh(found).min() > -1e-10 * size
    assert np.linalg.eigvalsh(A - found).max() < 1e-10 * size
    assert_allclose(np.vdot(found, A - found), 0, atol=1e-9 * size**2)
    assert_allclose(nearest_semidefinite(B), B, atol=1e-10 * (1 + np.abs(B).max()))


def test_nearest_semidefinite_wants_a_symmetric_matrix():
    with pytest.raises(ValueError, match="A must be symmetric"):
        nearest_semidefinite([[1.0, 2.0], [0.0, 1.0]])
