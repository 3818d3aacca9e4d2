import pickle

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score

from skldl.datasets import make_ldl
from skldl.ldl import AAkNN
from skldl.metrics import METRICS, SCORERS, get_metric, get_scorer

X, D = make_ldl(60, random_state=0)
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
    search = GridSearchCV(
        AAkNN(), {"n_neighbors": [1, 30]}, scoring=get_scorer("clark")
    )
    assert search.fit(X, D).best_params_ in ({"n_neighbors": 1}, {"n_neighbors": 30})
    again = pickle.loads(pickle.dumps(get_scorer("clark")))
    scores = [
        cross_val_score(AAkNN(), X, D, scoring=s) for s in (again, SCORERS["clark"])
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("lookup", [get_metric, get_scorer])
def test_unknown_names_get_a_hint(lookup):
    with pytest.raises(ValueError, match="Did you mean 'chebyshev'"):
        lookup("chebychev")
    with pytest.raises(ValueError, match="Unknown metric"):
        lookup(["clark"])
