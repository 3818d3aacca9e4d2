"""classify through pipelines and searches; learners as classifiers."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl import as_classifier, classify
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN

X, D = make_ldl(80, 2, 3, random_state=0)
NAMED = pd.DataFrame(D, columns=["joy", "calm", "fear"])  # not in sorted order
Y = NAMED.columns.to_numpy()[D.argmax(axis=1)]


class Unweighted(AAkNN):
    def fit(self, X, y):
        return super().fit(X, y)


def models():
    pipeline = make_pipeline(StandardScaler(), AAkNN(3))
    return [AAkNN(3), pipeline, GridSearchCV(pipeline, {"aaknn__n_neighbors": [3]})]


@pytest.mark.parametrize("model", models(), ids=["learner", "pipeline", "search"])
def test_classify_names_the_largest_label(model):
    model.fit(X, NAMED)
    expected = NAMED.columns.to_numpy()[model.predict(X).argmax(axis=1)]
    assert_array_equal(classify(model, X), expected)


def test_classify_refuses_what_predicts_no_distributions():
    with pytest.raises(NotFittedError):
        classify(AAkNN(), X)
    with pytest.raises(ValueError, match="LinearRegression, which has no classes_"):
        classify(LinearRegression().fit(X, D), X)
    with pytest.raises(ValueError, match="predicts labels already"):
        classify(LogisticRegression().fit(X, Y), X)


@pytest.mark.parametrize("model", models(), ids=["learner", "pipeline", "search"])
def test_a_fitted_model_is_viewed_with_sorted_classes(model):
    model.fit(X, NAMED)
    view = as_classifier(model)
    assert is_classifier(view)
    assert view.classes_.tolist() == ["calm", "fear", "joy"]
    assert_allclose(view.predict_proba(X), model.predict(X)[:, [1, 2, 0]])
    assert_array_equal(view.predict(X), classify(model, X))
    assert view.score(X, Y) == np.mean(classify(model, X) == Y)
    again = clone(view).fit(X[:5], Y[:5])  # frozen
    assert_array_equal(again.predict_proba(X), view.predict_proba(X))


def test_it_learns_classes_as_distributions_with_one_label():
    view = as_classifier(SABFGS(reg=0.1)).fit(X, Y)
    names = np.unique(Y)
    one_hot = (Y[:, None] == names).astype(float)
    assert_allclose(view.predict_proba(X), SABFGS(reg=0.1).fit(X, one_hot).predict(X))
    from_degrees = as_classifier(SABFGS(reg=0.1)).fit(X, NAMED)
    plain = SABFGS(reg=0.1).fit(X, NAMED).predict(X)
    assert_allclose(from_degrees.predict_proba(X), plain[:, [1, 2, 0]])
    weights = np.linspace(0.1, 2, len(X))
    weighted = as_classifier(SABFGS(reg=0.1)).fit(X, Y, sample_weight=weights)
    expected = SABFGS(reg=0.1).fit(X, one_hot, sample_weight=weights).predict(X)
    assert_allclose(weighted.predict_proba(X), expected)
    assert cross_val_score(as_classifier(AAkNN()), X, Y).shape == (5,)


def test_tools_of_scikit_learn_take_it():
    model = AAkNN(5).fit(X, NAMED)
    view = as_classifier(model)
    DecisionBoundaryDisplay.from_estimator(
        view, X, response_method="predict_proba", class_of_interest="joy",
        grid_resolution=5,
    )  # fmt: skip
    calibrated = CalibratedClassifierCV(view).fit(X, Y)
    assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    assert calibrated.classes_.tolist() == view.classes_.tolist()
    CalibrationDisplay.from_predictions(Y == "joy", view.predict_proba(X)[:, 2])
    plt.close("all")
    flowers, kinds = load_iris(return_X_y=True)
    members = [("near", as_classifier(AAkNN())), ("far", as_classifier(SABFGS()))]
    vote = VotingClassifier(members, voting="soft").fit(flowers, kinds)
    parts = [part.predict_proba(flowers) for part in vote.estimators_]
    assert_allclose(vote.predict_proba(flowers), np.mean(parts, axis=0))
    assert vote.score(flowers, kinds) > 0.9


def test_what_is_no_learner_is_refused():
    with pytest.raises(ValueError, match="model must be a learner"):
        as_classifier(StandardScaler())
    with pytest.raises(ValueError, match="has no classes_"):
        as_classifier(LinearRegression().fit(X, D))
    with pytest.raises(ValueError, match="one class only"):
        as_classifier(AAkNN()).fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="Unweighted does not take sample_weight"):
        as_classifier(Unweighted()).fit(X, Y, sample_weight=np.ones(len(X)))
    with pytest.raises(NotFittedError):
        as_classifier(AAkNN()).predict(X)


def test_partial_dependence_takes_the_name_of_a_label():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = AAkNN(5).fit(frame, NAMED)
    for place, name in enumerate(NAMED.columns):
        display = PartialDependenceDisplay.from_estimator(
            as_classifier(model), frame, ["a"], target=name, grid_resolution=4
        )
        drawn = display.pd_results[0]
        moved = model.predict(frame.assign(a=drawn["grid_values"][0][2]))
        shown = drawn["average"][display.target_idx][2]
        assert_allclose(shown, moved[:, place].mean())
    plt.close("all")
