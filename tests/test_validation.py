"""Targets and samples are judged in one place, and messages name the row."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import DataConversionWarning

from skldl.ldl import AAkNN
from skldl.validation import (
    RowError,
    UnnormalizedError,
    check_class_vector,
    check_distribution,
    check_distribution_pair,
    check_indicator,
    check_label_names,
    check_samples,
    check_target,
    label_names,
)

D = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])


def with_entry(row, column, value):
    bad = D.copy()
    bad[row, column] = value
    return bad


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, ["D is None"]),
        (D[:, 0], ["two dimensions", "got 1", "get_dummies"]),
        (D[None], ["two dimensions", "got 3"]),
        (with_entry(1, 0, np.nan), ["NaN", "row 1", "column 0"]),
        (with_entry(2, 1, np.inf), ["infinity", "row 2", "column 1"]),
        (with_entry(2, 1, -0.5), ["non-negative", "row 2", "column 1", "-0.5"]),
        (D * [[1], [0], [1]], ["Row 1", "sums to zero", "1 such rows"]),
        (np.empty((0, 3)), ["shape (0, 3)", "at least one sample"]),
        (np.empty((3, 0)), ["shape (3, 0)", "one label"]),
        (sp.csr_matrix(D), ["sparse", "toarray"]),
        ([[0.5, 0.5], [1.0]], ["different lengths"]),
        (pd.DataFrame(with_entry(1, 0, np.nan), columns=["joy", "fear"]), ["'joy'"]),
        (pd.DataFrame({"a": [0.5], "b": pd.Series(["x"], dtype="str")}), ["'b'"]),
        (D.astype(complex), ["Complex"]),
        (np.array([["2020-01-01"]], dtype="M8[D]"), ["datetime64", "not numbers"]),
    ],
)
def test_bad_distributions_are_refused_with_the_place(target, words):
    with pytest.raises(ValueError) as error:
        check_distribution(target)
    for word in words:
        assert word in str(error.value)


def test_votes_are_normalised_with_one_warning_that_names_the_worst_row():
    with pytest.warns(DataConversionWarning, match="row 1 sums to 10") as caught:
        checked = check_distribution([[1.0, 1.0], [3.0, 7.0]])
    assert len(caught) == 1
    assert caught[0].filename == __file__  # it points to the caller
    assert_allclose(checked, [[0.5, 0.5], [0.3, 0.7]])


def test_votes_are_refused_or_silently_normalised_on_request():
    with pytest.raises(ValueError, match="row 1 sums to 10"):
        check_distribution([[1.0, 0.0], [3.0, 7.0]], on_unnormalized="raise")
    checked = check_distribution([[3.0, 7.0]], on_unnormalized="normalize")
    assert_allclose(checked, [[0.3, 0.7]])
    with pytest.raises(ValueError, match="on_unnormalized"):
        check_distribution(D, on_unnormalized="ignore")


def test_valid_float64_is_not_copied_and_rounding_passes_without_a_word():
    assert check_distribution(D) is D
    rounded = D + [[4e-7, 0.0]]
    assert_allclose(check_distribution(rounded).sum(axis=1), 1.0, atol=1e-15)
    assert check_distribution(D.astype("f4")).dtype == np.float64
    assert_array_equal(check_distribution(D.tolist()), D)


def test_huge_counts_do_not_overflow():
    checked = check_distribution([[1e308, 1e308]], on_unnormalized="normalize")
    assert_allclose(checked, [[0.5, 0.5]])


@given(
    arrays(np.float64, (4, 3), elements=st.floats(1e-3, 1e6)),
    st.floats(1e-3, 1e3),
)
def test_normalising_ignores_the_scale_and_is_idempotent(votes, scale):
    once = check_distribution(votes, on_unnormalized="normalize")
    scaled = check_distribution(scale * votes, on_unnormalized="normalize")
    assert_allclose(once, scaled, rtol=1e-12)
    assert_allclose(once.sum(axis=1), 1.0, rtol=1e-12)
    assert_allclose(check_distribution(once, on_unnormalized="raise"), once, rtol=1e-14)


def test_label_names_come_from_columns():
    frame = pd.DataFrame(D, columns=["joy", "fear"])
    assert_array_equal(label_names(frame, 2), ["joy", "fear"])
    assert_array_equal(label_names(D, 2), [0, 1])
    with pytest.raises(ValueError, match="'joy'"):
        label_names(pd.DataFrame(D, columns=["joy", "joy"]), 2)


def test_label_names_must_be_those_of_fit():
    names = np.array(["joy", "fear"])
    check_label_names(D, names)
    check_label_names(pd.DataFrame(D, columns=["joy", "fear"]), names)
    with pytest.raises(ValueError, match="Select and order"):
        check_label_names(pd.DataFrame(D, columns=["fear", "joy"]), names)
    # a model fitted without names has nothing to compare
    check_label_names(pd.DataFrame(D, columns=["fear", "joy"]), np.arange(2))


def test_integer_label_names_are_compared_too():
    frame = pd.DataFrame(D)
    check_label_names(frame, np.arange(2))
    with pytest.raises(ValueError, match="Select and order"):
        check_label_names(frame[[1, 0]], np.arange(2))


def test_columns_of_several_levels_are_refused():
    columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    with pytest.raises(ValueError, match="several levels"):
        label_names(pd.DataFrame(D, columns=columns), 2)


def test_duplicate_names_are_refused_in_our_words():
    with pytest.raises(ValueError, match="column 'a' of the target"):
        AAkNN(1).fit(D, pd.DataFrame(D, columns=["a", "a"]))
    with pytest.raises(ValueError, match="column 'a' of the target"):
        check_indicator(pd.DataFrame(np.eye(2), columns=["a", "a"]))


def test_pairs_of_frames_must_agree_about_names():
    frame = pd.DataFrame(D, columns=["joy", "fear"])
    check_distribution_pair(frame, frame)
    check_distribution_pair(frame, D)
    check_distribution_pair(frame, frame.set_axis([7, 8, 9]))
    with pytest.raises(ValueError, match="labels in different order"):
        check_distribution_pair(frame, frame[["fear", "joy"]])
    with pytest.raises(ValueError, match="samples in different order"):
        check_distribution_pair(frame, frame[::-1])


def test_votes_warn_once_at_the_users_line():
    votes = np.array([[3, 1], [2, 2], [1, 3]])
    with pytest.warns(DataConversionWarning) as caught:
        model = AAkNN(1).fit(D, votes)
        model.score(D, votes)  # fit has said it
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_sums_near_one_are_printed_with_enough_digits():
    with pytest.raises(ValueError, match="sums to 1.000002"):
        check_distribution([[0.5, 0.500002]], on_unnormalized="raise")


def test_pair_needs_equal_shapes():
    with pytest.raises(ValueError, match=r"\(3, 2\).*\(2, 2\)"):
        check_distribution_pair(D, D[:2])


def test_indicator():
    assert_array_equal(check_indicator([[True, False], [1, 1]]), [[1, 0], [1, 1]])
    with pytest.raises(ValueError, match="row 0, column 0 has 0.25"):
        check_indicator(D)
    with pytest.raises(ValueError, match="NaN at row 0"):
        check_indicator([[np.nan, 1.0]])
    sparse = sp.csr_array([[1, 0], [0, 1]])
    assert sp.issparse(check_indicator(sparse, accept_sparse=True))
    assert_array_equal(check_indicator(sparse), np.eye(2))
    with pytest.raises(ValueError, match="only 0 and 1"):
        check_indicator(sp.csr_array([[2, 0]]))


def test_class_vector():
    classes, codes = check_class_vector(["b", "a", "b"])
    assert_array_equal(classes[codes], ["b", "a", "b"])
    with pytest.raises(ValueError, match="row 1"):
        check_class_vector(np.array(["a", None], dtype=object))
    with pytest.raises(ValueError, match="continuous"):
        check_class_vector([0.1, 0.2, 0.35])


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ([2, 0, 2], "classes"),
        (np.array([["a"], ["b"]]), "classes"),
        ([[1], [2], [1]], "classes"),
        (np.eye(3), "indicator"),
        (sp.csr_array(np.eye(3)), "indicator"),
        (D, "distribution"),
    ],
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_target_kinds(target, kind):
    checked = check_target(target)
    assert checked.kind == kind
    assert checked.matrix.shape[1] == len(checked.classes)
    assert checked.matrix.dtype == np.float64


def test_target_of_a_kind_that_the_method_does_not_take():
    with pytest.raises(ValueError, match="looks like distribution.*takes classes"):
        check_target(D, kinds=("classes",))
    with pytest.raises(ValueError, match="requires y"):
        check_target(None)
    assert check_target(np.eye(2), kinds=("distribution",)).kind == "distribution"
    for nothing in (np.array(3), []):
        with pytest.raises(ValueError, match="has no targets"):
            check_target(nothing)


@pytest.mark.parametrize("reset", [True, False])
def test_plain_samples_are_checked_as_any_others(reset):
    model = AAkNN(1).fit(np.eye(3), np.eye(3))
    good = np.ones((2, 3))
    assert check_samples(model, good, reset=reset) is good
    assert model.n_features_in_ == 3
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="NaN|infinity"):
            check_samples(model, np.array([[1.0, bad, 1.0]]), reset=reset)
    huge = np.full((2, 3), 1e308)  # whose sum is infinite
    np.testing.assert_array_equal(check_samples(model, huge, reset=reset), huge)
    if not reset:
        with pytest.raises(ValueError, match="expecting 3 features"):
            check_samples(model, np.ones((2, 4)), reset=False)


def test_plain_samples_of_single_precision_are_kept_or_not():
    model, X = AAkNN(1), np.ones((2, 3), dtype=np.float32)
    assert check_samples(model, X, keep_float32=True) is X
    assert check_samples(model, X).dtype == np.float64
    with pytest.raises(ValueError, match="0 sample"):
        check_samples(model, np.empty((0, 3)))


def test_plain_samples_miss_the_names_that_fit_saw():
    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])
    model = AAkNN(1).fit(frame, np.eye(3))
    with pytest.warns(UserWarning, match="valid feature names"):
        check_samples(model, np.eye(3), reset=False)


@pytest.mark.parametrize(
    ("check", "row"),
    [
        (lambda: check_distribution([[0.5, 0.5], [0.0, 0.0]]), 1),
        (lambda: check_distribution([[0.5, 0.5], [np.nan, 1.0]]), 1),
        (lambda: check_distribution([[-1.0, 2.0], [0.5, 0.5]]), 0),
        (lambda: check_indicator([[0, 1], [1, 0], [2, 0]]), 2),
        (lambda: check_class_vector(["a", None]), 1),
        (lambda: check_class_vector([1.0, 2.0, np.inf]), 2),
    ],
)
def test_errors_keep_the_number_of_the_row(check, row):
    with pytest.raises(RowError, match=f"(?i)row {row}") as caught:
        check()
    assert caught.value.row == row
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.row) == (str(caught.value), row)


def test_sums_other_than_one_keep_finding_and_remedy():
    with pytest.raises(UnnormalizedError) as caught:
        check_distribution([[0.5, 0.5], [2.0, 1.0]], on_unnormalized="raise")
    error = caught.value
    assert error.row == 1
    assert error.finding == "Rows of D must sum to 1, but row 1 sums to 3."
    assert "on_unnormalized='normalize'" in error.remedy
    assert str(pickle.loads(pickle.dumps(error))) == f"{error.finding} {error.remedy}"
