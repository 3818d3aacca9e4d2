"""Searches say when their best setting is at the edge of the grid."""

import re
import warnings

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skldl
from skldl._edges import edge_notes
from skldl.benchmark import Plan, Split, run
from skldl.datasets import make_dataset, make_ldl
from skldl.ldl import LDSVR, SABFGS, AAkNN, PTBayes
from skldl.methods import Tuning, make_method, search_for
from skldl.projection import MSLP

X, D = make_ldl(90, 5, 4, noise=0.3, random_state=0)


def notes(estimator, name, values, scores):
    grid = {name: values}
    settings = [{name: value} for value in values]
    return edge_notes(estimator, grid, settings, np.array(scores, dtype=float))


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1, 2, 3], r"reg=10 is the largest value \(try 100, too\)"),
        ([3, 2, 1], r"reg=0.1 is the smallest value \(try 0.01, too\)"),
        ([1, 3, 2], None),
        ([1, np.nan, 3], "reg=10"),
        ([np.nan, np.nan, 3], "reg=10"),
        ([np.nan, np.nan, np.nan], None),
        ([2, 2, 2], None),  # the first of equal ones is at the edge by chance
        ([1, 2, 2.0001], None),
    ],
)
def test_both_edges_and_plateaus(scores, words):
    found = notes(SABFGS(), "reg", [0.1, 1.0, 10.0], scores)
    assert len(found) == (words is not None)
    assert not found or re.search(words, found[0])


@pytest.mark.parametrize(
    ("estimator", "name", "values", "scores"),
    [
        (SABFGS(), "reg", [0.0, 0.1, 1.0], [3, 2, 1]),
        (AAkNN(), "n_neighbors", [1, 3, 5], [3, 2, 1]),
        (KNeighborsRegressor(), "n_neighbors", [1, 3, 5], [3, 2, 1]),
        (MSLP(), "attraction_weight", [0.0, 0.5, 1.0], [1, 2, 3]),
        (MSLP(), "n_components", [0.1, 0.5, 1.0], [1, 2, 3]),
        (PTBayes(), "shrinkage", [0.1, 0.5, 1.0], [1, 2, 3]),
        (AAkNN(), "n_neighbors", [3, 5], [1, 2]),
        (SABFGS(), "fit_intercept", [False, True], [1, 2]),
        (AAkNN(), "weights", ["uniform", "dudani", "distance"], [1, 2, 3]),
        (LDSVR(), "gamma", ["mean", 1.0, 2.0], [1, 2, 3]),
        (LDSVR(), "gamma", ["mean", 1.0, 2.0, 4.0], [4, 1, 2, 3]),
    ],
)
def test_natural_bounds_words_and_short_axes_are_no_edges(
    estimator, name, values, scores
):
    assert notes(estimator, name, values, scores) == []


def test_values_to_try():
    assert "try 53," in notes(AAkNN(), "n_neighbors", [5, 17, 30], [1, 2, 3])[0]
    assert "try 2," in notes(AAkNN(), "n_neighbors", [3, 5, 9], [3, 2, 1])[0]
    assert "try 4," in notes(AAkNN(), "n_neighbors", [5, 6, 9], [3, 2, 1])[0]
    words = notes(PTBayes(), "shrinkage", [0.1, 0.2, 0.7], [1, 2, 3])[0]
    assert "try larger ones, too" in words  # 2.45 is not allowed
    mixed = notes(LDSVR(), "gamma", ["mean", 1.0, 2.0, 4.0], [1, 1, 2, 3])[0]
    assert "gamma=4 is the largest value (try 8, too)" in mixed


def test_only_the_axis_that_matters_is_named():
    grid = {"C": [1.0, 10.0, 100.0], "epsilon": [0.01, 0.1, 1.0]}
    settings = [{"C": c, "epsilon": e} for c in grid["C"] for e in grid["epsilon"]]
    scores = np.array([np.log(s["C"]) - (s["epsilon"] - 0.1) ** 2 for s in settings])
    (note,) = edge_notes(LDSVR(), grid, settings, scores)
    assert note.startswith("C=100")


def test_steps_of_a_pipeline():
    model = make_pipeline(StandardScaler(), AAkNN())
    values, name = [1, 5, 9], "aaknn__n_neighbors"
    assert notes(model, name, values, [3, 2, 1]) == []
    assert (
        "aaknn__n_neighbors=9 is the largest"
        in notes(model, name, values, [1, 2, 3])[0]
    )


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(
    ("model", "grid"),
    [(SABFGS(), {"reg": [1e3, 1e4, 1e5]}), (AAkNN(), {"n_neighbors": [20, 30, 40]})],
)
def test_tuning_warns_once_and_where_it_was_called(model, grid, scaled):
    if scaled:
        name = type(model).__name__.lower()
        grid = {f"{name}__{key}": values for key, values in grid.items()}
        model = make_pipeline(StandardScaler(), model)
    search = search_for(model, grid, Tuning("kl_divergence", 3), "distribution", 0)
    with pytest.warns(skldl.GridEdgeWarning, match="is the smallest value") as caught:
        search.fit(X, D)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_search_inside_its_grid_is_silent():
    grid = {"n_neighbors": [2, 6, 59]}
    search = search_for(AAkNN(), grid, Tuning("kl_divergence", 3), "distribution", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert search.fit(X, D).best_params_ == {"n_neighbors": 6}


def test_a_comparison_keeps_the_note_and_does_not_warn():
    methods = [make_method("standard+SABFGS", grid={"reg": [1e3, 1e4, 1e5]})]
    plan = Plan([make_dataset(X, D)], methods, Split(n_splits=2), Tuning("clark", 3))
    rows = run(plan, engine="serial").drop_duplicates("job")
    tuned = rows[rows["method"] == "standard+SABFGS"]
    assert (tuned["status"] == "ok").all()
    assert tuned["message"].str.startswith("GridEdgeWarning: The best setting").all()
