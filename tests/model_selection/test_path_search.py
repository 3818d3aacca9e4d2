"""PathSearchCV: a grid search by another way."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import skldl
from skldl.datasets import make_ldl
from skldl.ldl import LSELDL, SABFGS, AAkNN, LDkNN, LWkNN
from skldl.metrics import get_scorer
from skldl.model_selection import GridEdgeWarning, PathSearchCV
from skldl.projection import MSLP

X, D = make_ldl(90, 6, 4, noise=0.5, random_state=0)
FOLDS = KFold(3, shuffle=True, random_state=0)
CASES = [
    (AAkNN(), {"n_neighbors": [1, 4, 9], "weights": ["uniform", "dudani"]}),
    (AAkNN(), {"metric": ["euclidean", "cosine"], "n_neighbors": [2, 7]}),
    (LWkNN(), {"n_neighbors": [2, 5], "reg": [0.01, 1.0]}),
    (LDkNN(), {"n_neighbors": [2, 4], "distance_norm": ["row", "none"]}),
    (LDkNN(tol=1e-8), {"reg": [0.1, 10.0], "engine": ["exact"]}),
    (
        MSLP(),
        {
            "n_neighbors": [3, 5],
            "neighborhood_factor": [2, 3],
            "attraction_weight": [0.1, 0.5],
            "reg": [0.1, 1.0],
            "n_components": [2, 0.5],
            "n_decoder_neighbors": [3, 8],
        },
    ),
    (
        MSLP(reg=0.1),
        {"reg_mode": ["absolute", "relative"], "attraction_weight": [0.1, 0.5]},
    ),
    (
        LSELDL(refit_coef=True),
        {"sparsity_weight": [0.1], "n_selected_features": [2, 0.5, None]},
    ),
    (SABFGS(), {"reg": [0.1, 10.0], "fit_intercept": [False, True]}),
]


def by_setting(search):
    results = search.cv_results_
    keys = [tuple(sorted(params.items(), key=str)) for params in results["params"]]
    names = ["mean_test_score", "std_test_score"]
    names += [f"split{i}_test_score" for i in range(search.n_splits_)]
    values = np.column_stack([results[name] for name in names])
    return dict(zip(keys, values, strict=True))


@pytest.mark.filterwarnings("ignore::skldl.GridEdgeWarning")
@pytest.mark.parametrize("scaled", [False, True], ids=["alone", "in a pipeline"])
@pytest.mark.parametrize(("model", "grid"), CASES, ids=lambda c: str(c)[:40])
def test_the_path_is_a_grid_search(model, grid, scaled):
    if scaled:
        step = type(model).__name__.lower()
        model = make_pipeline(StandardScaler(), model)
        grid = {f"{step}__{name}": values for name, values in grid.items()}
    scorer = get_scorer("kl_divergence")
    ours = PathSearchCV(model, grid, cv=FOLDS).fit(X, D)
    theirs = GridSearchCV(model, grid, scoring=scorer, cv=FOLDS).fit(X, D)
    ours_by, theirs_by = by_setting(ours), by_setting(theirs)
    assert ours_by.keys() == theirs_by.keys()
    for key, expected in theirs_by.items():
        assert_allclose(ours_by[key], expected, rtol=0, atol=1e-10)
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=0, atol=1e-10)
    best = by_setting(theirs)[tuple(sorted(ours.best_params_.items(), key=str))][0]
    assert_allclose(best, theirs.best_score_, atol=1e-10)
    same = GridSearchCV(
        model, {k: [v] for k, v in ours.best_params_.items()}, scoring=scorer, cv=2
    ).fit(X, D)
    assert_allclose(ours.predict(X[:5]), same.predict(X[:5]))


def test_starts_do_not_change_what_lseldl_finds():
    grid = {
        "encoding_weight": [1.0, 10.0],
        "sparsity_weight": [0.1, 1.0],
        "reg": [0.1],
    }
    model = LSELDL(tol=1e-10, max_iter=20000)  # another start, the same minimum
    ours = PathSearchCV(model, grid, cv=FOLDS).fit(X, D)
    scorer = get_scorer("kl_divergence")
    theirs = GridSearchCV(model, grid, scoring=scorer, cv=FOLDS).fit(X, D)
    for key, expected in by_setting(theirs).items():
        assert_allclose(by_setting(ours)[key], expected, rtol=0, atol=1e-8)
    assert ours.best_params_ == theirs.best_params_


def test_a_path_shares_its_work(monkeypatch):
    fits = []
    original = AAkNN.fit
    monkeypatch.setattr(
        AAkNN, "fit", lambda self, X, y: fits.append(self) or original(self, X, y)
    )
    PathSearchCV(AAkNN(), {"n_neighbors": [2, 5]}, cv=FOLDS).fit(X, D)
    assert len(fits) == 1  # the best one, on all samples
    calls = []
    path = AAkNN._path
    monkeypatch.setattr(
        AAkNN, "_path", lambda self, *a: calls.append(self.metric) or path(self, *a)
    )
    grid = {"metric": ["euclidean", "cosine"], "n_neighbors": [2, 5]}
    PathSearchCV(AAkNN(), grid, cv=FOLDS).fit(X, D)
    assert calls == ["euclidean", "cosine"] * 3


def test_a_slow_solver_has_no_path():
    grid = {"sparsity_weight": [0.1, 1.0]}
    model = LSELDL(solver="gradient", max_iter=5, tol=1e6, random_state=0)
    ours = PathSearchCV(model, grid, cv=FOLDS).fit(X, D)
    theirs = GridSearchCV(
        model, grid, scoring=get_scorer("kl_divergence"), cv=FOLDS
    ).fit(X, D)
    assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


@pytest.mark.filterwarnings("ignore::skldl.GridEdgeWarning")
def test_named_grids():
    search = PathSearchCV(AAkNN(), cv=3).fit(X, D)
    assert_array_equal(
        search.cv_results_["param_n_neighbors"],
        [k for k in AAkNN._grids["default"]["n_neighbors"] if k <= 60],
    )
    published = LSELDL._grids["published"]
    assert np.prod([len(values) for values in published.values()]) == 625
    model = make_pipeline(StandardScaler(), LSELDL(tol=1e-2))
    search = PathSearchCV(model, "published", cv=2, n_candidates=2, random_state=1)
    names = {f"lseldl__{name}" for name in published}
    assert set(search.fit(X, D).best_params_) == names
    with pytest.raises(
        ValueError, match=r"AAkNN has no grid of the name 'published' \("
    ):
        PathSearchCV(AAkNN(), "published").fit(X, D)
    with pytest.raises(ValueError, match="KNeighborsRegressor has no grid .*has none"):
        PathSearchCV(KNeighborsRegressor()).fit(X, D)


def test_a_random_part_of_the_grid():
    grid = {"n_neighbors": list(range(1, 21)), "weights": ["uniform", "dudani"]}
    every = [(k, w) for k in grid["n_neighbors"] for w in grid["weights"]]

    def tried(state, count=7):
        search = PathSearchCV(
            AAkNN(), grid, cv=2, n_candidates=count, random_state=state
        ).fit(X, D)
        return [(p["n_neighbors"], p["weights"]) for p in search.cv_results_["params"]]

    first = tried(0)
    assert len(set(first)) == 7
    assert first == sorted(first, key=every.index)
    assert first == tried(0)
    assert first != tried(1)
    assert tried(0, 100) == every


def test_names_are_kept():
    names, labels = list("abcdef"), ["joy", "fear", "calm", "rage"]
    frame, target = pd.DataFrame(X, columns=names), pd.DataFrame(D, columns=labels)
    for model in (AAkNN(), make_pipeline(StandardScaler(), AAkNN())):
        name = "n_neighbors" if model.__class__ is AAkNN else "aaknn__n_neighbors"
        search = PathSearchCV(model, {name: [2, 5]}, cv=3).fit(frame, target)
        assert_array_equal(search.classes_, labels)
        assert_array_equal(search.best_estimator_.classes_, labels)
        assert_array_equal(search.feature_names_in_, names)
        assert search.n_features_in_ == 6
        assert set(search.classify(frame)) <= set(labels)
        with pytest.raises(ValueError, match="feature names"):
            search.predict(frame[names[::-1]])


def test_without_refit():
    search = PathSearchCV(AAkNN(), {"n_neighbors": [2, 5]}, cv=3, refit=False)
    with pytest.raises(NotFittedError):
        search.predict(X)
    search.fit(X, D)
    assert set(search.best_params_) == {"n_neighbors"}
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError, match="refit=False"):
        search.predict(X)


def test_what_the_best_estimator_can_do():
    search = PathSearchCV(
        LSELDL(n_selected_features=2), {"sparsity_weight": [0.1, 1.0]}, cv=2
    )
    assert hasattr(search, "transform")
    search.fit(pd.DataFrame(X, columns=list("abcdef")), D)
    assert search.transform(
        X_frame := pd.DataFrame(X, columns=list("abcdef"))
    ).shape == (
        90,
        2,
    )
    assert len(search.get_support(indices=True)) == 2
    assert set(search.get_feature_names_out()) <= set(X_frame.columns)
    assert not hasattr(PathSearchCV(AAkNN()), "transform")
    assert not hasattr(PathSearchCV(MSLP()), "get_support")


def test_classes_and_sparse_features():
    y = np.array(list("abcd"))[D.argmax(axis=1)]
    hot = pd.get_dummies(y).astype(float)
    for model, grid in (
        (MSLP(), {"attraction_weight": [0.1, 0.5]}),
        (LSELDL(), {"sparsity_weight": [0.1, 1]}),
    ):
        from_classes = PathSearchCV(model, grid, cv=FOLDS).fit(X, y)
        from_rows = PathSearchCV(model, grid, cv=FOLDS).fit(X, hot)
        assert_array_equal(from_classes.classes_, list("abcd"))
        assert_allclose(from_classes.predict(X), from_rows.predict(X))
    search = PathSearchCV(AAkNN(), {"n_neighbors": [2, 5]}, cv=FOLDS)
    dense = search.fit(X, D).predict(X)
    assert_allclose(search.fit(sp.csr_array(X), D).predict(sp.csr_array(X)), dense)
    with pytest.raises(TypeError, match="[Ss]parse"):
        PathSearchCV(LSELDL(), {"sparsity_weight": [0.1, 1.0]}).fit(sp.csr_array(X), D)


def test_it_may_stand_inside_another_cross_validation():
    search = PathSearchCV(AAkNN(), {"n_neighbors": [2, 5]}, cv=3)
    assert np.isfinite(cross_val_score(search, X, D, cv=3)).all()


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_settings_that_cannot_be_tried():
    few, target = X[:12], D[:12]
    grid = {"n_neighbors": [2, 7]}  # folds of 6
    with pytest.warns(UserWarning, match="n_neighbors=7 is left out"):
        search = PathSearchCV(AAkNN(), grid, cv=2).fit(few, target)
    assert search.cv_results_["params"] == [{"n_neighbors": 2}]
    model = make_pipeline(FunctionTransformer(), KNeighborsRegressor())
    grid = {"kneighborsregressor__n_neighbors": [2, 7]}
    with pytest.warns(UserWarning, match="Scoring failed"):
        search = PathSearchCV(model, grid, cv=2).fit(few, target)
    assert search.best_params_ == {"kneighborsregressor__n_neighbors": 2}


class Refuses(AAkNN):
    _path_axes = ()

    def fit(self, X, y):
        if self.n_neighbors == 5:
            raise RuntimeError("five")
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_fits_that_fail_are_left_behind():
    with pytest.warns(FitFailedWarning, match="five"):
        search = PathSearchCV(Refuses(), {"n_neighbors": [2, 5]}, cv=3).fit(X, D)
    assert search.best_params_ == {"n_neighbors": 2}
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert_array_equal(search.cv_results_["rank_test_score"], [1, 2])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"param_grid": 3}, "'param_grid' parameter of PathSearchCV"),
        ({"param_grid": {"k": [1]}}, "Invalid parameter 'k'"),
        ({"param_grid": {"n_neighbors": [1.5]}}, "'n_neighbors' parameter of AAkNN"),
        ({"scoring": "klx"}, "klx"),
        ({"n_candidates": 0}, "'n_candidates' parameter of PathSearchCV"),
        ({"estimator": StandardScaler()}, "'estimator' parameter of PathSearchCV"),
        ({"scoring": lambda *_: np.nan}, "score of NaN"),
    ],
)
def test_bad_settings(settings, words):
    settings = {"estimator": AAkNN(), "param_grid": {"n_neighbors": [1, 2]}} | settings
    with pytest.raises(ValueError, match=words):
        PathSearchCV(**settings).fit(X, D)


def test_it_says_when_it_ends_at_an_edge():
    assert skldl.GridEdgeWarning is GridEdgeWarning
    search = PathSearchCV(AAkNN(), {"n_neighbors": [20, 30, 40]}, cv=3)
    with pytest.warns(GridEdgeWarning, match="n_neighbors=20 is the smallest") as seen:
        search.fit(X, D)
    assert seen[0].filename == __file__
    search = PathSearchCV(SABFGS(), {"reg": [1e3, 1e4, 1e5]}, cv=3)
    with pytest.warns(GridEdgeWarning, match="reg=1000 is the smallest"):
        search.fit(X, D)


@pytest.mark.parametrize(
    ("model", "grid"),
    [(AAkNN(), {"n_neighbors": [1, 5, 15]}), (SABFGS(), {"reg": [0.01, 10.0]})],
)
def test_several_scorings_see_the_same_predictions(model, grid):
    X, D = make_ldl(80, random_state=0)
    names = ("kl_divergence", "zero_one_loss")
    both = PathSearchCV(model, grid, scoring={n: n for n in names}, refit=False)
    table = both.fit(X, D).cv_results_
    assert not hasattr(both, "best_params_")
    for name in names:
        alone = PathSearchCV(model, grid, scoring=name).fit(X, D).cv_results_
        for key in ("mean_test", "std_test", "rank_test", "split0_test"):
            assert_allclose(table[f"{key}_{name}"], alone[f"{key}_score"])


def test_several_scorings_have_no_common_best():
    X, D = make_ldl(30, random_state=0)
    with pytest.raises(ValueError, match="no common best; use refit=False"):
        PathSearchCV(AAkNN(), scoring={"clark": "clark"}).fit(X, D)
