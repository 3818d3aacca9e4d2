"""Stacked, voting and bagged distributions."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import BaggingRegressor
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from skldl.base import DistributionPredictorMixin
from skldl.datasets import make_ldl
from skldl.ldl import (
    SABFGS,
    AAkNN,
    BaggedDistribution,
    DistributionRegressor,
    DistributionVoting,
    MeanDistribution,
    SoftLabelClassifier,
    StackedDistribution,
    combine,
    fit_pool,
)
from skldl.metrics import intersection, kl_divergence
from skldl.models import load_model, save_model
from skldl.validation import check_distribution

X, D = make_ldl(90, 4, 3, random_state=0)
MEMBERS = [
    ("softmax", make_pipeline(StandardScaler(), SABFGS(0.1, fit_intercept=True))),
    ("near", AAkNN(7)),
    ("mean", MeanDistribution()),
]


class Failing(DistributionPredictorMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("no luck today")

    def predict(self, X):
        """Nobody gets here."""


@pytest.mark.parametrize("pool", ["linear", "log"])
def test_voting_by_hand(pool):
    model = DistributionVoting(MEMBERS, weights=[2, 1, 1], pool=pool).fit(X, D)
    members = np.stack([clone(m).fit(X, D).predict(X) for _, m in MEMBERS])
    assert_allclose(model.predict(X), combine(members, [0.5, 0.25, 0.25], pool=pool))
    assert_array_equal(list(model.named_estimators_), ["softmax", "near", "mean"])


@pytest.mark.parametrize("pool", ["linear", "log"])
@pytest.mark.parametrize("cv", [4, ShuffleSplit(3, random_state=1)], ids=["4", "other"])
def test_stack_by_hand(pool, cv):
    weights = np.random.default_rng(0).uniform(0.5, 2, size=90)
    model = StackedDistribution(MEMBERS, pool=pool, cv=cv, random_state=3)
    model.fit(X, D, sample_weight=weights)
    splitter = KFold(4, shuffle=True, random_state=3) if cv == 4 else cv
    parts = [[], [], []]
    tests = []
    for train, test in splitter.split(X):
        tests.append(test)
        w = weights[train]
        keys = [
            {"standardscaler__sample_weight": w, "sabfgs__sample_weight": w},
            {"sample_weight": w},
            {"sample_weight": w},
        ]
        for part, (_, member), key in zip(parts, MEMBERS, keys, strict=True):
            fitted = clone(member).fit(X[train], D[train], **key)
            part.append(fitted.predict(X[test]))
    tests = np.concatenate(tests)
    unseen = np.stack([np.concatenate(part) for part in parts])
    expected = fit_pool(unseen, D[tests], pool=pool, sample_weight=weights[tests])
    assert_allclose(model.weights_, expected.weights)
    assert_allclose(model.oof_score_, expected.value)
    scores = [kl_divergence(D[tests], P, sample_weight=weights[tests]) for P in unseen]
    assert_allclose(list(model.oof_scores_.values()), scores)
    found = [m.predict(X) for m in model.estimators_]
    assert_allclose(model.predict(X), expected.combine(np.stack(found)))


@pytest.mark.parametrize("metric", ["chebyshev", "clark", "cosine", "zero_one_loss"])
def test_stack_for_another_metric(metric):
    model = StackedDistribution(MEMBERS, metric=metric, shrinkage=0.0, random_state=0)
    model.fit(X, D)
    scores = list(model.oof_scores_.values())
    if metric == "cosine":
        assert model.oof_score_ >= max(scores) - 1e-12
    else:
        assert model.oof_score_ <= min(scores) + 1e-12


def test_a_member_that_fails_leaves():
    members = [*MEMBERS, ("bad", Failing())]
    with pytest.warns(
        FitFailedWarning, match="'bad'.*left out of the pool.*no luck today"
    ):
        model = StackedDistribution(members, random_state=0).fit(X, D)
    expected = StackedDistribution(MEMBERS, random_state=0).fit(X, D)
    assert model.names_ == ["softmax", "near", "mean"]
    assert_allclose(model.predict(X), expected.predict(X))
    with pytest.raises(ValueError, match="All members.*'bad'.*RuntimeError: no luck"):
        StackedDistribution([("bad", Failing())]).fit(X, D)
    with pytest.raises(RuntimeError, match="no luck"):
        DistributionVoting(members).fit(X, D)


def test_members_that_predict_no_distributions():
    members = [("near", AAkNN(7)), ("numbers", Ridge())]
    with pytest.warns(FitFailedWarning, match=r"'numbers'.*DistributionRegressor"):
        StackedDistribution(members).fit(X, D)
    model = DistributionVoting([("y", Ridge())]).fit(X, D)
    with pytest.raises(ValueError, match="Member 'y' does not predict distributions"):
        model.predict(X)
    trees = [("tree", DecisionTreeRegressor()), ("near", KNeighborsRegressor())]
    P = StackedDistribution(trees, random_state=0).fit(X, D).predict(X)
    check_distribution(P, on_unnormalized="raise")


@pytest.mark.parametrize("kind", [DistributionVoting, StackedDistribution])
def test_named_members(kind):
    model = kind(MEMBERS)
    assert model.get_params()["near__n_neighbors"] == 7
    model.set_params(near__n_neighbors=3, mean="drop")
    assert model.get_params()["near"].n_neighbors == 3
    model.fit(X, D)
    assert model.names_ == ["softmax", "near"]
    model.set_params(near=AAkNN(9), mean=MeanDistribution())
    assert model.fit(X, D).named_estimators_["near"].n_neighbors == 9
    search = GridSearchCV(kind(MEMBERS), {"near__n_neighbors": [3, 5]}, cv=2)
    assert search.fit(X, D).best_params_
    assert kind().get_params()["estimators"] is None
    MEMBERS[1][1].set_params(n_neighbors=7)


def test_weights_of_dropped_members():
    members = [*MEMBERS[:2], ("mean", "drop")]
    model = DistributionVoting(members, weights=[1, 3, 9]).fit(X, D)
    assert_allclose(model.weights_, [0.25, 0.75])


@pytest.mark.parametrize("kind", [DistributionVoting, StackedDistribution])
@pytest.mark.parametrize(
    ("estimators", "words"),
    [
        ([], "no members"),
        ([("a", "drop")], "no members"),
        ([AAkNN()], "list of pairs"),
        ([("a", AAkNN()), ("a", AAkNN())], "not unique"),
        ([("a__b", AAkNN())], "__"),
        ([("pool", AAkNN())], "conflict"),
        ([("a", AAkNN)], "Member 'a'"),
        ([("a", StandardScaler())], "Member 'a'"),
    ],
)
def test_bad_members(kind, estimators, words):
    with pytest.raises(ValueError, match=words):
        kind(estimators).fit(X, D)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DistributionVoting(MEMBERS, weights=[1, 2]), "each of the 3 members"),
        (DistributionVoting(MEMBERS, weights=[1, 2, -1]), "not be negative"),
        (DistributionVoting(MEMBERS, weights=[0, 0, 0]), "positive sum"),
        (DistributionVoting(MEMBERS, pool="mean"), "pool"),
        (
            StackedDistribution(MEMBERS, metric="accuracy"),
            "not a metric of predicted distributions",
        ),
        (StackedDistribution(MEMBERS, shrinkage=-1), "shrinkage"),
        (StackedDistribution(MEMBERS, cv=91), "n_samples=90"),
        (BaggedDistribution(n_estimators=0), "n_estimators"),
        (BaggedDistribution(max_features=5), "more than the 4 features"),
        (BaggedDistribution(max_samples=91, bootstrap=False), "n_samples=90"),
        (BaggedDistribution(bootstrap=False, oob_score=True), "bootstrap=True"),
        (BaggedDistribution(AAkNN), "estimator must be an instance"),
        (BaggedDistribution(Ridge()), "does not predict distributions"),
    ],
)
def test_bad_settings(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, D).predict(X)


def test_samples_of_weight_zero_do_not_count():
    weights = np.ones(90)
    weights[60:] = 0
    model = StackedDistribution(MEMBERS, random_state=0)
    P = model.fit(X, D, sample_weight=weights).predict(X)
    assert_allclose(P, model.fit(X[:60], D[:60]).predict(X))


def test_members_without_weights_are_fitted_without():
    members = [
        ("near", DistributionRegressor(KNeighborsRegressor())),
        ("bag", BaggedDistribution(KNeighborsRegressor(), bootstrap=False)),
        ("mean", MeanDistribution()),
    ]
    weights = np.arange(1.0, 91.0)
    model = DistributionVoting(members).fit(X, D, sample_weight=weights)
    mean = np.average(D, axis=0, weights=weights)
    assert_allclose(model.named_estimators_["mean"].distribution_, mean)


def test_frames_sparse_features_and_names():
    table = pd.DataFrame(X, columns=list("abcd"))
    target = pd.DataFrame(D, columns=["joy", "fear", "calm"])
    for model in (
        StackedDistribution(MEMBERS, random_state=0),
        DistributionVoting(MEMBERS),
        BaggedDistribution(max_features=2, random_state=0),
    ):
        model.fit(table, target)
        for member in model.estimators_:
            assert_array_equal(member.classes_, ["joy", "fear", "calm"])
        assert_array_equal(model.classes_, ["joy", "fear", "calm"])
        assert not model.__sklearn_tags__().input_tags.allow_nan
    members = [("near", AAkNN()), ("ridge", DistributionRegressor())]
    for model in (
        StackedDistribution(members, random_state=0),
        BaggedDistribution(DistributionRegressor(), max_features=3, random_state=0),
    ):
        assert model.__sklearn_tags__().input_tags.sparse
        P = model.fit(sp.csr_array(X), D).predict(sp.csr_array(X))
        assert_allclose(P, model.fit(X, D).predict(X), atol=1e-5)
    assert not StackedDistribution(MEMBERS).__sklearn_tags__().input_tags.sparse


def test_bagging_is_scikit_learns():
    """The same parts of the data give the same averages."""
    tree = DecisionTreeRegressor(random_state=0)
    bagging = BaggingRegressor(tree, 5, max_features=0.5, bootstrap=False).fit(X, D)
    ours = BaggedDistribution(tree, n_estimators=5).fit(X, D)
    ours.estimators_ = bagging.estimators_
    ours.estimators_features_ = bagging.estimators_features_
    assert_allclose(ours.predict(X), bagging.predict(X))
    whole = BaggedDistribution(AAkNN(3), n_estimators=4, bootstrap=False)
    assert_allclose(whole.fit(X, D).predict(X), AAkNN(3).fit(X, D).predict(X))


def test_out_of_bag_predictions_by_hand():
    model = BaggedDistribution(AAkNN(3), n_estimators=30, oob_score=True)
    model.set_params(random_state=5, max_features=0.5).fit(X, D)
    again = np.random.RandomState(5)
    total, counts = np.zeros(D.shape), np.zeros(90)
    for _ in range(30):
        rows = again.choice(90, 90)
        columns = np.sort(again.permutation(4)[:2])
        again.randint(np.iinfo(np.int32).max)
        out = np.setdiff1d(np.arange(90), rows)
        part = AAkNN(3).fit(X[rows][:, columns], D[rows])
        total[out] += part.predict(X[out][:, columns])
        counts[out] += 1
    assert_allclose(model.oob_prediction_, total / counts[:, None])
    assert_allclose(model.oob_score_, intersection(D, model.oob_prediction_))
    with pytest.warns(UserWarning, match="seen by every member"):
        few = BaggedDistribution(n_estimators=1, oob_score=True).fit(X, D)
    assert np.isnan(few.oob_prediction_).any()


def test_bagging_draws_by_weights():
    weights = np.zeros(90)
    weights[:10] = 1.0
    model = BaggedDistribution(AAkNN(1), random_state=0)
    P = model.fit(X, D, sample_weight=weights).predict(X)
    check_distribution(P, on_unnormalized="raise")
    for member in model.estimators_:
        rows = {tuple(row) for row in member.predict(X).round(12)}
        assert rows <= {tuple(row) for row in D[:10].round(12)}
    model = BaggedDistribution(KNeighborsRegressor(), bootstrap=False)
    with pytest.raises(ValueError, match="Regressor does not take sample_weight"):
        model.fit(X, D, sample_weight=weights)


def test_members_of_a_bag_differ_and_repeat_with_a_seed():
    tree = DecisionTreeRegressor(splitter="random")
    model = BaggedDistribution(tree, n_estimators=3, bootstrap=False, random_state=0)
    P = model.fit(X, D).predict(X)
    seeds = {member.random_state for member in model.estimators_}
    assert len(seeds) == 3
    assert_array_equal(clone(model).fit(X, D).predict(X), P)
    assert_array_equal(clone(model).set_params(n_jobs=2).fit(X, D).predict(X), P)


def test_jobs_do_not_change_the_stack():
    model = StackedDistribution(MEMBERS, random_state=0).fit(X, D)
    both = clone(model).set_params(n_jobs=2).fit(X, D)
    assert_array_equal(both.predict(X), model.predict(X))


def test_saved_models(tmp_path):
    members = [
        *MEMBERS,
        ("soft", SoftLabelClassifier(LogisticRegression())),
        ("ridge", DistributionRegressor(Ridge(), link="clr")),
    ]
    for model in (
        StackedDistribution(members, pool="log", fit_bias=True, random_state=0),
        DistributionVoting(members, weights=[1, 1, 1, 1, 2]),
        BaggedDistribution(oob_score=True, n_estimators=30, random_state=0),
    ):
        again = load_model(save_model(model.fit(X, D), tmp_path / "m", y=D))
        assert_array_equal(again.raw_predict(X), model.predict(X))
