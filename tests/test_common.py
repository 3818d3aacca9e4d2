"""Every public estimator against scikit-learn's checks, twice, and against ours."""

import contextlib
import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)

import skldl
from skldl.base import DistributionPredictorMixin
from skldl.datasets import make_ldl
from skldl.testing import (
    DISTRIBUTION_CHECKS,
    expected_failures,
    expected_own_failures,
    instances,
)

# what estimators rightly say about the small and odd data of the checks
SMALL_DATA = (
    "ignore::skldl.GridEdgeWarning",
    "ignore:The feature neighbourhood",
    "ignore:With attraction_weight=0 and reg=0",
    r"ignore:\w+ stopped after",
)
NO_DISTRIBUTIONS = "ignore:Rows of . do not sum to 1"

# a baseline, a search over the settings of others, and wrappers around other models
WITHOUT_REFERENCES = {
    "MeanDistribution",
    "PathSearchCV",
    "DistributionRegressor",
    "DistributionVoting",
    "SoftLabelClassifier",
}


@pytest.fixture(autouse=True)
def fresh_data(monkeypatch):
    # scikit-learn 1.7 keeps one data set for all checks, and some change it
    monkeypatch.setattr(estimator_checks, "REGRESSION_DATASET", None, raising=False)


PREDICTORS = [e for e in instances() if isinstance(e, DistributionPredictorMixin)]


@pytest.mark.filterwarnings(*SMALL_DATA, NO_DISTRIBUTIONS)
@parametrize_with_checks(instances(), expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def genuine_distributions(estimator, y):
    """Three labels whose degrees depend on the check's own target."""
    y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)[:, 0]
    if not np.isfinite(y).all():
        return np.column_stack([y, y, y])
    y = (y - y.min()) / (np.ptp(y) or 1.0)
    degrees = np.column_stack([1.0 + y, 2.0 - y, np.full(len(y), 0.5)])
    return degrees / degrees.sum(axis=1, keepdims=True)


ONE_COLUMN = "the check expects predictions of exactly one column"
ONE_COLUMN_CHECKS = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"), ONE_COLUMN
)


def checks_on_distributions():
    """scikit-learn's checks with the known failures marked, each with its reason."""
    for estimator in PREDICTORS:
        failures = expected_failures(estimator, on_distributions=True)
        if estimator.__sklearn_tags__().input_tags.sparse:
            failures |= ONE_COLUMN_CHECKS
        for model, check in estimator_checks_generator(estimator):
            name = check.func.__name__
            marks = (
                [pytest.mark.xfail(reason=failures[name])] if name in failures else []
            )
            yield pytest.param(model, check, id=f"{estimator}-{name}", marks=marks)


# The checks as they come feed targets of one column, which normalise to ones and
# so say nothing about values; here the same checks run on three real columns.
@pytest.mark.filterwarnings(*SMALL_DATA, NO_DISTRIBUTIONS)
@pytest.mark.parametrize(("estimator", "check"), list(checks_on_distributions()))
def test_scikit_learn_checks_on_distributions(estimator, check, monkeypatch):
    monkeypatch.setattr(
        estimator_checks, "_enforce_estimator_tags_y", genuine_distributions
    )
    check(estimator)


@pytest.mark.parametrize("check", DISTRIBUTION_CHECKS, ids=lambda c: c.__name__)
@pytest.mark.filterwarnings(*SMALL_DATA)
@pytest.mark.parametrize("estimator", PREDICTORS, ids=str)
def test_own_checks(estimator, check, request):
    failures = expected_own_failures(estimator)
    if check.__name__ in failures:
        mark = pytest.mark.xfail(reason=failures[check.__name__], strict=True)
        request.applymarker(mark)
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", instances(), ids=str)
def test_coefficients_are_of_labels_by_features(estimator):
    """RFE and SelectFromModel read coef_ so, and select nonsense otherwise."""
    X, D = make_ldl(60, 7, 3, random_state=0)
    targets = (D, (D > 0.33).astype(int), D.argmax(axis=1))
    model, X = clone(estimator), np.abs(X)
    for target in targets:
        with contextlib.suppress(ValueError):
            model.fit(X, target)
            break
    else:
        raise AssertionError(f"{model} takes no target")
    if hasattr(model, "coef_"):
        assert model.coef_.shape == (3, 7)
        assert np.shape(getattr(model, "intercept_", np.zeros(3))) == (3,)
    if hasattr(model, "feature_importances_"):
        assert model.feature_importances_.shape == (7,)
        assert np.isclose(model.feature_importances_.sum(), 1)


@pytest.mark.parametrize(("name", "estimator"), skldl.all_estimators())
def test_estimators_construct_without_arguments_and_are_documented(name, estimator):
    model = estimator()
    doc = inspect.getdoc(estimator)
    assert "Examples\n--------" in doc
    assert "Attributes\n----------" in doc
    for parameter in model.get_params():
        assert f"\n{parameter} : " in doc, f"{name} does not document {parameter}"


def references(estimator):
    """Entries of the section, each on one line."""
    doc = inspect.getdoc(estimator)
    _, found, rest = doc.partition("References\n----------\n")
    section = re.split(r"\n\n[A-Z]", rest)[0] if found else ""
    entries = re.split(r"\.\. \[\d+\] ", section)[1:]
    return [" ".join(entry.split()) for entry in entries]


@pytest.mark.parametrize(("name", "estimator"), skldl.all_estimators())
def test_references_have_authors_a_title_and_a_year(name, estimator):
    entries = references(estimator)
    assert entries or name in WITHOUT_REFERENCES, f"{name} cites nothing"
    for entry in entries:
        authors, title, rest = re.fullmatch(r'([^"]+)"([^"]+)"(.+)', entry).groups()
        assert re.match(r"([A-Z]\w*\.[- ]?)+", authors), entry
        assert len(title.split()) > 1, entry
        assert re.search(r"\b(19|20)\d\d\b|undated", rest), entry


def test_unknown_kind():
    with pytest.raises(ValueError, match="ldl"):
        skldl.all_estimators("trees")
