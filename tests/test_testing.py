"""A check that cannot fail is no check: each must catch a broken estimator."""

from fractions import Fraction

import numpy as np
import pytest

from skldl.ldl import AAkNN
from skldl.testing import DISTRIBUTION_CHECKS, check_distribution_predictor


class Unnormalised(AAkNN):
    def predict(self, X):
        return super().predict(X) * 1.1


class PrefersFirstLabel(AAkNN):
    def predict(self, X):
        P = super().predict(X)
        P[:, 0] += 1.0
        return P / P.sum(axis=1, keepdims=True)


class DependsOnRowOrder(AAkNN):
    def predict(self, X):
        return 0.9 * super().predict(X) + 0.1 * self.distributions_[0]


class DependsOnNeighboursInTheBatch(AAkNN):
    def predict(self, X):
        P = super().predict(X)
        return 0.5 * P + 0.5 * P.mean(axis=0)


class ForgetsNames(AAkNN):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.arange(len(self.classes_))
        return self


class FillsMissingValues(AAkNN):
    def fit(self, X, y):
        if y is not None and np.ndim(y) == 2:
            y = np.nan_to_num(np.asarray(y, dtype=float), posinf=1.0) + 1e-3
            y = y / y.sum(axis=1, keepdims=True)
        return super().fit(X, y)


class NotReproducible(AAkNN):
    def predict(self, X):
        P = super().predict(X) + np.random.default_rng().uniform(size=3)
        return P / P.sum(axis=1, keepdims=True)


class ForeignState(AAkNN):
    def fit(self, X, y):
        self.note_ = Fraction(1, 3)
        return super().fit(X, y)


class OtherScore(AAkNN):
    def score(self, X, y, sample_weight=None):
        return 0.5


class SinglePrecision(AAkNN):
    def predict(self, X):
        return super().predict(X).astype(np.float32)


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (Unnormalised, "check_simplex_output"),
        (SinglePrecision, "check_simplex_output"),
        (Unnormalised, "check_zeros_and_one_hot"),
        (PrefersFirstLabel, "check_constant_labels"),
        (Unnormalised, "check_single_label"),
        (PrefersFirstLabel, "check_label_permutation"),
        (DependsOnRowOrder, "check_row_order"),
        (Unnormalised, "check_duplicate_rows"),
        (DependsOnNeighboursInTheBatch, "check_single_sample_prediction"),
        (NotReproducible, "check_clone_pickle_refit"),
        (ForeignState, "check_skops"),
        (NotReproducible, "check_random_state"),
        (ForgetsNames, "check_dataframe_names"),
        (SinglePrecision, "check_array_likes"),
        (NotReproducible, "check_votes"),
        (OtherScore, "check_score_and_classify"),
        (ForgetsNames, "check_model_selection"),
        (FillsMissingValues, "check_bad_targets"),
    ],
)
def test_checks_catch_broken_estimators(broken, check):
    check = {c.__name__: c for c in DISTRIBUTION_CHECKS}[check]
    with pytest.raises((AssertionError, ValueError)):
        check(broken())


def test_all_checks_in_one_call():
    check_distribution_predictor(AAkNN())
    with pytest.raises((AssertionError, ValueError)):
        check_distribution_predictor(Unnormalised())


def test_the_error_names_the_check_and_what_it_expects():
    with pytest.raises(AssertionError) as stopped:
        check_distribution_predictor(SinglePrecision())
    message = str(stopped.value)
    assert message.startswith("SinglePrecision fails check_simplex_output. Expected: ")
    assert "float64 rows on the simplex" in message
    assert message.endswith("Found: predict gave float32, not float64")


def test_all_failures_can_be_listed():
    results = check_distribution_predictor(SinglePrecision(), on_fail=None)
    assert [r["check_name"] for r in results] == [
        c.__name__ for c in DISTRIBUTION_CHECKS
    ]
    failed = [r for r in results if r["status"] == "failed"]
    assert {"check_simplex_output", "check_array_likes"} <= {
        r["check_name"] for r in failed
    }
    assert len(failed) < len(results)
    for result in failed:
        assert result["message"]
        assert result["expected"].endswith(".")
        assert isinstance(result["exception"], Exception)
    with pytest.raises(ValueError, match="on_fail"):
        check_distribution_predictor(AAkNN(), on_fail="warn")
