"""Metrics by name: directions, scorers, hints for unknown names."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)

from skldl.datasets import make_ldl
from skldl.ldl import AAkNN
from skldl.metrics import METRICS, SCORERS, clark, get_metric, get_scorer, scorers

X, D = make_ldl(60, random_state=0)
RANKING = [m for m in METRICS if METRICS[m].kind == "multilabel"]
SOFT = [m for m in METRICS if METRICS[m].kind in ("distribution", "classification")]


def test_names_and_directions():
    assert set(SCORERS) == set(METRICS)
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.label.endswith("↑" if metric.greater_is_better else "↓")
    assert get_metric("cosine") is METRICS["cosine"]


@pytest.mark.parametrize("name", SOFT)
def test_scorers_are_greater_for_better_models(name):
    model = AAkNN(1).fit(X, D)  # predicts its training data perfectly
    poor = DummyRegressor().fit(X, D)
    scorer = get_scorer(name)
    assert scorer(model, X, D) > scorer(poor, X, D)
    metric = METRICS[name]
    sign = 1 if metric.greater_is_better else -1
    assert scorer(model, X, D) == sign * metric.fn(D, model.predict(X))


def test_scorers_serve_searches_and_pickle():
    search = GridSearchCV(AAkNN(), {"n_neighbors": [1, 8]}, scoring=get_scorer("clark"))
    search.fit(X, D)
    by_hand = [clark(D, cross_val_predict(AAkNN(k), X, D)) for k in (1, 8)]
    assert search.best_params_ == {"n_neighbors": (1, 8)[int(np.argmin(by_hand))]}
    assert_allclose(-search.cv_results_["mean_test_score"], by_hand)
    again = pickle.loads(pickle.dumps(get_scorer("clark")))
    scores = [
        cross_val_score(AAkNN(), X, D, scoring=s) for s in (again, SCORERS["clark"])
    ]
    np.testing.assert_array_equal(*scores)


class Ranker(ClassifierMixin, BaseEstimator):
    """Scores by a fixed order; its bipartition is another thing."""

    def fit(self, X, y):
        self.classes_ = np.arange(3)
        return self

    def predict_proba(self, X):
        return np.tile([0.9, 0.4, 0.1], (len(X), 1))

    def predict(self, X):
        return np.tile([0, 0, 1], (len(X), 1))


@pytest.mark.parametrize(
    "name", [m for m in METRICS if METRICS[m].kind == "multilabel"]
)
def test_ranking_scorers_use_scores(name):
    Y = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    model = Ranker().fit(Y, Y)
    metric = METRICS[name]
    answer = model.predict if name == "hamming_loss" else model.predict_proba
    sign = 1 if metric.greater_is_better else -1
    assert_allclose(get_scorer(name)(model, Y, Y), sign * metric.fn(Y, answer(Y)))


def test_scorers_are_copies():
    assert get_scorer("clark") is not get_scorer("clark")


@pytest.mark.parametrize("lookup", [get_metric, get_scorer])
def test_unknown_names_get_a_hint(lookup):
    with pytest.raises(ValueError, match="Did you mean 'chebyshev'"):
        lookup("chebychev")
    with pytest.raises(ValueError, match="Unknown metric"):
        lookup(["clark"])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("KL", "kl_divergence"), ("Chebyshev", "chebyshev"), ("Cheb ↓", "chebyshev"),
        ("Kullback-Leibler", "kl_divergence"), ("KL-divergence", "kl_divergence"),
        ("zero-one loss", "zero_one_loss"), ("0/1 loss", "zero_one_loss"),
        ("Ranking Loss", "ranking_loss"), ("Earth mover's distance", "emd"),
    ],
)  # fmt: skip
def test_names_of_papers_are_known(written, name):
    assert get_metric(written) is METRICS[name]


@pytest.mark.parametrize("name", METRICS)
def test_titles_are_names_too(name):
    assert get_metric(METRICS[name].title) is METRICS[name]


def test_scorers_by_list_and_by_kind():
    found = cross_validate(AAkNN(), X, D, cv=3, scoring=scorers(["clark", "KL"]))
    single = cross_val_score(AAkNN(), X, D, cv=3, scoring=get_scorer("kl_divergence"))
    assert_allclose(found["test_KL"], single)
    assert set(scorers("multilabel")) == set(RANKING)
    assert "emd" not in scorers("distribution")
    with pytest.raises(ValueError, match=r"as in \['clark'\], or a kind"):
        scorers("clark")
    with pytest.raises(ValueError, match="names is empty"):
        scorers([])
    with pytest.raises(ValueError, match="Unknown metric 'nothing'"):
        scorers(["nothing"])
