"""Regressors and classifiers of scikit-learn as distribution learners."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    LogisticRegression,
    MultiTaskLasso,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, DistributionRegressor, SoftLabelClassifier
from skldl.ldl._soft_label import drawn_labels
from skldl.models import load_model, save_model
from skldl.validation import check_distribution

X, D = make_ldl(60, 4, 3, random_state=0)
LINKS = ["clip", "softmax", "clr", "ilr"]
REGRESSORS = [
    RandomForestRegressor(5, random_state=0),
    HistGradientBoostingRegressor(max_iter=5),
    MLPRegressor(hidden_layer_sizes=(4,), max_iter=5, random_state=0),
    SVR(),
    GaussianProcessRegressor(alpha=0.1),
    make_pipeline(StandardScaler(), SVR()),
    MultiTaskLasso(0.01),
    GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2),
]
CLASSIFIERS = [
    RandomForestClassifier(5, random_state=0),
    HistGradientBoostingClassifier(max_iter=5),
    GradientBoostingClassifier(n_estimators=3),
    make_pipeline(StandardScaler(), LogisticRegression()),
    GaussianNB(),
    GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
]
WITHOUT_WEIGHTS = [
    MLPClassifier(hidden_layer_sizes=(4,), max_iter=5, random_state=0),
    KNeighborsClassifier(),
    GaussianProcessClassifier(),
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
]


def assert_good(model, names=None):
    target = D if names is None else pd.DataFrame(D, columns=names)
    P = model.fit(X, target).predict(X)
    assert P.shape == D.shape
    check_distribution(P, on_unnormalized="raise")
    if names is not None:
        assert_array_equal(model.classes_, names)
    return P


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("regressor", REGRESSORS, ids=lambda r: str(r)[:25])
def test_any_regressor(regressor, link):
    assert_good(DistributionRegressor(regressor, link=link), ["a", "b", "c"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("how", ["weights", "sample"])
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda r: str(r)[:25])
def test_any_classifier(classifier, how):
    model = SoftLabelClassifier(classifier, how=how, n_draws=4, random_state=0)
    assert_good(model, ["a", "b", "c"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("classifier", WITHOUT_WEIGHTS, ids=lambda r: str(r)[:25])
def test_classifiers_without_weights(classifier):
    assert_good(SoftLabelClassifier(classifier, how="sample", n_draws=2))
    if not hasattr(classifier, "hidden_layer_sizes"):  # newer networks take weights
        with pytest.raises(ValueError, match=r"sample_weight.*how='sample'"):
            SoftLabelClassifier(classifier).fit(X, D)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_support_vector_machine_with_probabilities():
    machine = make_pipeline(StandardScaler(), SVC(probability=True, random_state=0))
    assert_good(SoftLabelClassifier(machine))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_only_regressors_of_one_output_are_repeated():
    kinds = {type(r): r for r in REGRESSORS}
    for regressor in REGRESSORS:
        model = DistributionRegressor(regressor)
        model.fit(X, D)
        single = regressor in (kinds[SVR], kinds[HistGradientBoostingRegressor])
        single |= regressor is REGRESSORS[5]
        assert isinstance(model.regressor_, MultiOutputRegressor) == single


def test_logistic_regression_with_weights_is_softmax_regression():
    C = 0.7
    model = SoftLabelClassifier(LogisticRegression(C=C, tol=1e-10, max_iter=5000))
    weights = np.random.default_rng(0).uniform(0, 2, size=len(X))
    exact = SABFGS(1 / C, fit_intercept=True, tol=1e-7, max_iter=5000)
    for w in (None, weights):
        P = model.fit(X, D, sample_weight=w).predict(X)
        assert_allclose(P, exact.fit(X, D, sample_weight=w).predict(X), atol=1e-5)


def test_one_hot_distributions_give_the_classifier_itself():
    y = D.argmax(axis=1)
    one_hot = np.eye(3)[y]
    for classifier in (
        LogisticRegression(),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=2),
    ):
        expected = classifier.fit(X, y).predict_proba(X)
        for how in ("weights", "sample"):
            model = SoftLabelClassifier(classifier, how=how, n_draws=1)
            assert_allclose(model.fit(X, one_hot).predict(X), expected, atol=1e-10)


def test_forest_of_distributions_needs_no_link():
    forest = RandomForestRegressor(10, random_state=0)
    model = DistributionRegressor(forest, smoothing=0.0).fit(X, D)
    assert_allclose(model.predict(X), forest.fit(X, D).predict(X), atol=1e-12)
    mixed = DistributionRegressor(forest, smoothing=0.25).fit(X, D).predict(X)
    base = 0.75 * D.mean(axis=0) + 0.25 / 3
    assert_allclose(mixed, 0.75 * model.predict(X) + 0.25 * base)


def test_links_by_hand():
    base = 0.95 * D.mean(axis=0) + 0.05 / 3
    logs = np.log(0.95 * D + 0.05 * base)
    scores = Ridge(2.0).fit(X, logs).predict(X)
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for link in LINKS[1:]:  # ridge regression is linear in its targets
        model = DistributionRegressor(Ridge(2.0), link=link, smoothing=0.05)
        assert_allclose(model.fit(X, D).predict(X), expected, atol=1e-10)
    first, second = (
        DistributionRegressor(SVR(), link=link, smoothing=0.05).fit(X, D).predict(X)
        for link in ("softmax", "clr")
    )
    assert np.abs(first - second).max() > 1e-3  # a tube around the targets is not


def test_rows_without_a_positive_number_become_the_mean():
    class Negative(Ridge):
        def predict(self, X):
            P = np.full((len(X), 3), -1.0)
            P[0] = [3.0, 1.0, -5.0]
            return P

    weights = np.arange(60.0)
    model = DistributionRegressor(Negative(), smoothing=0.0).fit(X, D, weights)
    P = model.predict(X)
    assert_allclose(P[0], [0.75, 0.25, 0.0])
    assert_allclose(P[1:], np.tile(np.average(D, axis=0, weights=weights), (59, 1)))


def test_predictions_that_are_no_numbers():
    class Broken(Ridge):
        def predict(self, X):
            return np.where(np.arange(len(X))[:, None] == 4, np.nan, D[: len(X)])

    with pytest.raises(ValueError, match="Broken predicted NaN or infinity for row 4"):
        DistributionRegressor(Broken()).fit(X, D).predict(X)

    class Lost(LogisticRegression):
        def predict_proba(self, X):
            return np.zeros((len(X), 3))

    with pytest.raises(ValueError, match=r"Lost predicted.*row 0"):
        SoftLabelClassifier(Lost()).fit(X, D).predict(X)


@pytest.mark.parametrize("link", LINKS)
def test_weights_of_two_are_repeated_rows(link):
    weights = np.tile([1.0, 2.0, 0.0], 20)
    rows = np.repeat(np.arange(60), weights.astype(int))
    for inner in (Ridge(), make_pipeline(StandardScaler(), Ridge())):
        model = DistributionRegressor(inner, link=link)
        P = model.fit(X, D, sample_weight=weights).predict(X)
        assert_allclose(P, model.fit(X[rows], D[rows]).predict(X), atol=1e-8)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8))
    soft = SoftLabelClassifier(pipeline)
    P = soft.fit(X, D, sample_weight=weights).predict(X)
    assert_allclose(P, soft.fit(X[rows], D[rows]).predict(X), atol=1e-5)


def test_weights_reach_every_regressor_of_one_output():
    weights = np.random.default_rng(0).uniform(size=60)
    for inner in (SVR(), make_pipeline(StandardScaler(), SVR())):
        P = DistributionRegressor(inner).fit(X, D, sample_weight=weights).predict(X)
        assert np.abs(P - DistributionRegressor(inner).fit(X, D).predict(X)).max() > 0
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2)
    weighted = DistributionRegressor(search).fit(X, D, sample_weight=weights)
    expected = DistributionRegressor(Ridge()).fit(X, D, sample_weight=weights)
    assert_allclose(weighted.predict(X), expected.predict(X))


def test_weights_that_cannot_be_used():
    model = DistributionRegressor(KNeighborsRegressor())
    with pytest.raises(ValueError, match="KNeighborsRegressor does not take sample_w"):
        model.fit(X, D, sample_weight=np.ones(60))
    model.fit(X, D)


def test_draws():
    rng = np.random.RandomState(0)
    rows, labels = drawn_labels(D, None, 10, rng)
    assert_array_equal(np.bincount(rows), 10)
    counts = np.zeros(D.shape)
    np.add.at(counts, (rows, labels), 1)
    assert np.abs(counts - 10 * D).max() < 1 + 1e-9
    total = np.zeros(D.shape)
    for _ in range(400):
        np.add.at(total, drawn_labels(D, None, 1, rng), 1)
    assert_allclose(total / 400, D, atol=0.13)
    weights = np.tile([0.0, 1.0, 3.0], 20)
    rows, labels = drawn_labels(D, weights, 8, rng)
    assert len(rows) == 8 * 60
    wanted = 8 * weights / weights.mean()
    assert np.abs(np.bincount(rows, minlength=60) - wanted).max() <= 1 + 1e-9
    zeros = np.array([[0.0, 1.0, 0.0], [0.3, 0.7, 0.0]])
    assert 2 not in drawn_labels(np.tile(zeros, (500, 1)), None, 10, rng)[1]


def test_labels_that_are_never_seen():
    target = np.column_stack([np.zeros(60), D[:, :2] / D[:, :2].sum(1)[:, None]])
    for how in ("weights", "sample"):
        model = SoftLabelClassifier(how=how, random_state=0).fit(X, target)
        P = model.predict(X)
        assert_array_equal(model.labels_, [1, 2])
        assert_array_equal(P[:, 0], 0)
        assert_allclose(P[:, 1:].sum(axis=1), 1)
    only = SoftLabelClassifier().fit(X, np.eye(3)[np.ones(60, int)])
    assert only.classifier_ is None
    assert_array_equal(only.predict(X), np.tile([0.0, 1.0, 0.0], (60, 1)))


def test_missing_values_and_sparse_features_are_the_inner_models_business():
    holes = X.copy()
    holes[::7, 1] = np.nan
    for model in (
        DistributionRegressor(HistGradientBoostingRegressor(max_iter=3)),
        DistributionRegressor(make_pipeline(SimpleImputer(), Ridge())),
        SoftLabelClassifier(HistGradientBoostingClassifier(max_iter=3)),
        SoftLabelClassifier(make_pipeline(SimpleImputer(), LogisticRegression())),
    ):
        assert model.__sklearn_tags__().input_tags.allow_nan
        check_distribution(model.fit(holes, D).predict(holes))
    for model in (DistributionRegressor(), SoftLabelClassifier()):
        assert not model.__sklearn_tags__().input_tags.allow_nan
        assert model.__sklearn_tags__().input_tags.sparse
        P = model.fit(sp.csr_array(X), D).predict(sp.csr_array(X))
        assert_allclose(P, model.fit(X, D).predict(X), atol=1e-4)
        with pytest.raises(ValueError, match="NaN"):
            model.fit(holes, D)
    dense = DistributionRegressor(HistGradientBoostingRegressor())
    assert not dense.__sklearn_tags__().input_tags.sparse
    with pytest.raises(TypeError, match="(?i)sparse"):
        dense.fit(sp.csr_array(X), D)


def test_columns_by_name():
    table = pd.DataFrame(X, columns=list("abcd")).assign(
        colour=np.where(X[:, 0] > 0, "red", "blue")
    )
    columns = make_column_transformer(
        (OneHotEncoder(), ["colour"]), (StandardScaler(), ["a", "b"])
    )
    for model in (
        DistributionRegressor(make_pipeline(columns, Ridge())),
        SoftLabelClassifier(make_pipeline(columns, LogisticRegression())),
    ):
        check_distribution(model.fit(table, D).predict(table))
        assert_array_equal(model.feature_names_in_, [*"abcd", "colour"])
        with pytest.raises(ValueError, match="feature names"):
            model.predict(table[[*"bacd", "colour"]])


def test_one_warning_for_missing_names():
    model = DistributionRegressor().fit(pd.DataFrame(X, columns=list("abcd")), D)
    with pytest.warns(UserWarning, match="valid feature names") as caught:
        P = model.predict(X)
    assert len(caught) == 1
    assert_allclose(P, DistributionRegressor().fit(X, D).predict(X))


def test_nested_parameters():
    grid = {"regressor__alpha": [0.1, 10.0], "link": ["clip", "clr"]}
    search = GridSearchCV(DistributionRegressor(Ridge()), grid, cv=2).fit(X, D)
    assert len(search.cv_results_["params"]) == 4
    grid = {"classifier__C": [0.1, 10.0]}
    soft = SoftLabelClassifier(LogisticRegression())
    assert GridSearchCV(soft, grid, cv=2).fit(X, D).best_params_


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DistributionRegressor(KMeans), r"regressor must be an instance.*KMeans\(\)"),
        (SoftLabelClassifier(GaussianNB), r"classifier must be an instance"),
        (DistributionRegressor(link="log"), "link"),
        (DistributionRegressor(smoothing=1.0), "smoothing"),
        (
            DistributionRegressor(link="clr", smoothing=0.0),
            "row 0 of y contains a zero",
        ),
        (SoftLabelClassifier(RidgeClassifier()), "predict_proba"),
        (SoftLabelClassifier(SGDClassifier()), "predict_proba"),
        (SoftLabelClassifier(how="all"), "how"),
        (SoftLabelClassifier(n_draws=0), "n_draws"),
    ],
)
def test_bad_settings(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, np.eye(3)[D.argmax(axis=1)])


def test_saved_models(tmp_path):
    good = [
        DistributionRegressor(make_pipeline(StandardScaler(), Ridge()), link="ilr"),
        DistributionRegressor(BayesianRidge()),
        DistributionRegressor(ElasticNet(0.01), link="clr"),
        DistributionRegressor(KernelRidge(kernel="rbf")),
        DistributionRegressor(RidgeCV()),
        SoftLabelClassifier(GaussianNB()),
        SoftLabelClassifier(make_pipeline(StandardScaler(), LogisticRegression())),
    ]
    for model in good:
        again = load_model(save_model(model.fit(X, D), tmp_path / "m", y=D))
        # an array may come back in another order in memory
        assert_allclose(again.raw_predict(X), model.predict(X), atol=1e-14)
    forest = DistributionRegressor(RandomForestRegressor(2)).fit(X, D)
    with pytest.raises(ValueError, match=r"cannot be saved safely.*sklearn"):
        save_model(forest, tmp_path / "forest", y=D)
