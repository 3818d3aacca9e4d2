"""Partial dependence curves are those of scikit-learn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.inspection import PartialDependenceDisplay, partial_dependence
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skldl.base import without_label_names
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN
from skldl.plotting import plot_partial_dependence

X, D = make_ldl(80, 3, 4, random_state=0)
X = pd.DataFrame(X, columns=["age", "size", "few"])
X["few"] = X["few"].round()
NAMES = ["joy", "neutral", "fear", "calm"]  # not in the order of the alphabet
D = pd.DataFrame(D, columns=NAMES)
MODELS = {
    "learner": SABFGS(reg=0.01),
    "pipeline": make_pipeline(StandardScaler(), AAkNN()),
    "search": GridSearchCV(SABFGS(), {"reg": [0.1, 0.01]}, cv=2),
}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("feature", ["age", "few", 1])
def test_lines_are_those_of_scikit_learn(kind, feature):
    model = clone(MODELS[kind]).fit(X, D)
    found = partial_dependence(model, X, [feature], grid_resolution=20)
    ax = plot_partial_dependence(model, X, feature, grid_resolution=20)
    lines = ax.get_lines()
    assert [line.get_label() for line in lines] == NAMES
    for line, expected in zip(lines, found["average"], strict=True):
        assert_allclose(line.get_xdata(), found["grid_values"][0])
        assert_allclose(line.get_ydata(), expected)
    assert_allclose(sum(line.get_ydata() for line in lines), 1.0)
    assert ax.get_xlabel() == ("size" if feature == 1 else feature)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == NAMES


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("named", [True, False])
def test_scikit_learns_display_takes_the_number_of_a_label(kind, named):
    model = clone(MODELS[kind]).fit(X, D if named else D.to_numpy())
    view = without_label_names(model)
    assert is_regressor(view)
    assert not hasattr(view, "classes_")
    assert_allclose(view.predict(X), model.predict(X))
    for target in (0, 3):
        display = PartialDependenceDisplay.from_estimator(
            view, X, ["age"], target=target, grid_resolution=10
        )
        drawn = display.lines_[0, 0].get_ydata()
        expected = partial_dependence(model, X, ["age"], grid_resolution=10)
        assert_allclose(drawn, expected["average"][target])


def test_arrays_whole_numbers_some_labels_and_a_given_axes():
    counts = np.random.default_rng(0).integers(0, 4, (80, 2))
    model = AAkNN(3).fit(counts, D.to_numpy())
    _, given = plt.subplots()
    ax = plot_partial_dependence(model, counts, 1, labels=[2, 0], ax=given, lw=3)
    assert ax is given
    assert [line.get_label() for line in ax.get_lines()] == ["2", "0"]
    assert ax.get_lines()[0].get_linewidth() == 3
    changed = counts.copy()
    changed[:, 1] = 2
    at_two = list(ax.get_lines()[0].get_xdata()).index(2)
    assert_allclose(
        ax.get_lines()[0].get_ydata()[at_two], model.predict(changed)[:, 2].mean()
    )
    assert ax.get_xlabel() == "feature 1"


def test_text_and_missing_values():
    region = np.random.default_rng(0).choice(["Nord", "Süd"], 80)
    table = X.assign(region=region)
    table.loc[::7, "age"] = np.nan
    steps = make_column_transformer(
        (SimpleImputer(), ["age"]), (OneHotEncoder(), ["region"])
    )
    model = make_pipeline(steps, SABFGS(reg=0.01)).fit(table, D)
    ax = plot_partial_dependence(model, table, "region", labels="neutral")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["Nord", "Süd"]
    expected = model.predict(table.assign(region="Süd"))[:, 1].mean()
    assert_allclose(ax.get_lines()[0].get_ydata()[1], expected)
    ages = plot_partial_dependence(model, table, "age").get_lines()[0].get_xdata()
    assert np.isfinite(ages).all()


def test_bad_arguments():
    model = AAkNN().fit(X, D)
    with pytest.raises(ValueError, match="'fun' is not a label; the model has joy"):
        plot_partial_dependence(model, X, "age", labels=["fun"])
    with pytest.raises(ValueError, match="labels is empty"):
        plot_partial_dependence(model, X, "age", labels=[])
    with pytest.raises(ValueError, match="'old' is not a column of X; it has age"):
        plot_partial_dependence(model, X, "old")
    with pytest.raises(ValueError, match="feature is 3, but X has 3 columns"):
        plot_partial_dependence(model, X, 3)
    with pytest.raises(ValueError, match="only missing values"):
        plot_partial_dependence(model, X.assign(age=np.nan), "age")
    classifier = LogisticRegression().fit(X, D.idxmax(axis=1))
    with pytest.raises(ValueError, match="predictor of distributions"):
        plot_partial_dependence(classifier, X, "age")
