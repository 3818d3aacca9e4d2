"""Methods by name, with preparation, settings and grids."""

import pytest
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

from skldl._grids import check_grid
from skldl.discovery import TOOLS, all_estimators
from skldl.ldl import AAkNN, MeanDistribution
from skldl.methods import Method, list_methods, make_method, register
from skldl.methods import _methods as methods


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.setattr(methods, "_REGISTERED", {})


@pytest.mark.parametrize("name", ["AAkNN", "aaknn", "AA-kNN", "raw+aa_knn"])
def test_names_ignore_case_and_hyphens(name):
    method = make_method(name)
    assert isinstance(method.estimator, AAkNN)
    assert method.name == name


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [("standard", StandardScaler), ("minmax", MinMaxScaler), ("unit", Normalizer)],
)
def test_preprocessing_is_a_named_part(prefix, kind):
    method = make_method(f"{prefix}+AAkNN")
    assert isinstance(method.estimator, Pipeline)
    assert isinstance(method.estimator[0], kind)
    assert list(method.grid) == ["aaknn__n_neighbors"]


def test_settings_in_brackets_and_by_argument():
    method = make_method("standard+PCA(n_components=2)+AAkNN(n_neighbors=7)")
    assert method.estimator["pca"].n_components == 2
    assert method.estimator["aaknn"].n_neighbors == 7
    method = make_method(
        "standard+AAkNN",
        label="mine",
        params={"n_neighbors": 3},
        grid={"weights": ["x"]},
    )
    assert method.estimator["aaknn"].n_neighbors == 3
    assert method.grid == {"aaknn__weights": ["x"]}
    assert method.name == "mine"
    assert make_method("AAkNN", params={"n_neighbors": 9}).estimator.n_neighbors == 9
    scaled = make_method("standard+AAkNN", params={"standard__with_mean": False})
    assert not scaled.estimator["standard"].with_mean


def test_every_discovered_estimator_is_a_method_and_grids_fit():
    for name, estimator in all_estimators():
        tool = estimator.__module__.split(".")[1] in TOOLS
        assert (name in list_methods()) != tool
        assert not hasattr(estimator, "_search_grid")  # an earlier name of _grids
        for grid in getattr(estimator, "_grids", {"default": {}}).values():
            check_grid(estimator(), grid)


def test_registering_in_one_line():
    register("mine", MeanDistribution)
    register("near", AAkNN(3), {"n_neighbors": [1, 2]})
    assert isinstance(make_method("mine").estimator, MeanDistribution)
    near = make_method("minmax+near(weights='dudani')")
    assert near.estimator["near"].get_params()["n_neighbors"] == 3
    assert near.estimator["near"].weights == "dudani"
    assert near.grid == {"near__n_neighbors": [1, 2]}
    made = Method("x", AAkNN())
    assert make_method(made) is made
    with pytest.raises(ValueError, match="letters, digits"):
        register("a+b", AAkNN)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("AAkN", "Did you mean 'AAkNN'"),
        ("zzz", "Unknown method 'zzz'"),
        ("raw", "no estimator"),
        ("standard+PCA", "does not predict"),
        ("AAkNN+1NN", "does not transform"),
        ("standard+standard+AAkNN", "step standard twice"),
        ("AAkNN(n_neighbors=7)(weights='dudani')", "one pair of brackets"),
        ("raw(x=3)+AAkNN", "raw has no settings"),
        ("AAkNN(7)", "settings need names"),
        ("AAkNN(n_neighbors=", "Cannot read the settings"),
        ("AAkNN(n_neighbors=open('x'))", "Cannot read the settings"),
        ("AAkNN(neighbours=3)", "Wrong settings for AAkNN"),
    ],
)
def test_bad_names(spec, words):
    with pytest.raises(ValueError, match=words):
        make_method(spec)


def test_grid_of_an_unknown_parameter():
    with pytest.raises(ValueError, match="no parameter 'neighbours'"):
        make_method("AAkNN", grid={"neighbours": [1]})
    with pytest.raises(ValueError, match="must be a list"):
        make_method("AAkNN", grid={"n_neighbors": 5})
    with pytest.raises(ValueError, match="grid of 'n_neighbors' is empty"):
        make_method("AAkNN", grid={"n_neighbors": []})
