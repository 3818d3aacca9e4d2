"""LSELDL: what it minimises, what it selects, how it predicts."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skldl
from skldl.benchmark import Plan, Split, run
from skldl.datasets import make_dataset, make_ldl
from skldl.ldl import LSELDL, AAkNN, MeanDistribution, lse_path
from skldl.ldl._lse_start import label_laplacian
from skldl.methods import Tuning, make_method
from skldl.metrics import clark, get_scorer
from skldl.model_selection import PathSearchCV

X, D = make_ldl(80, 8, 4, noise=0.3, random_state=0)


def planted(n_noise=12, seed=0):
    """Four features that matter among others that do not, in random places."""
    rng = np.random.default_rng(seed)
    useful, labels = make_ldl(200, 4, 4, random_state=seed)
    everything = np.hstack([useful, rng.normal(size=(200, n_noise))])
    order = rng.permutation(4 + n_noise)
    return everything[:, order], labels, np.flatnonzero(order < 4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [1.0, 10.0])
def test_planted_features_come_first(seed, weight):
    features, labels, relevant = planted(seed=seed)
    model = LSELDL(encoding_weight=weight, n_selected_features=4).fit(features, labels)
    assert set(model.ranking_[:4]) == set(relevant)
    assert_array_equal(np.flatnonzero(model.get_support()), relevant)
    assert_allclose(model.transform(features), features[:, relevant])
    assert np.all(np.diff(model.feature_scores_[model.ranking_]) <= 0)


def test_attributes_agree_with_the_objective():
    model = LSELDL(refit_coef=False).fit(X, D)
    assert model.latent_coef_.shape == (4, 3)
    assert model.components_.shape == (3, 8)
    assert_allclose(model.feature_scores_, np.linalg.norm(model.components_, axis=0))
    assert np.all(np.diff(model.objective_history_) <= 1e-12)
    assert_allclose(model.objective_history_[-1], model.objective_)
    assert_allclose(model.latent_coef_.sum(axis=0), 0, atol=1e-4)  # the softmax's shift
    gram = model.latent_coef_.T @ model.latent_coef_
    assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-9)
    assert np.all(np.diff(np.diag(gram)) <= 0)


def test_one_linear_map_from_features_to_scores():
    model = LSELDL(2).fit(X, D)
    assert model.coef_.shape == (4, 8)
    assert model.intercept_.shape == (4,)
    Z = X @ model.components_.T + model.latent_intercept_
    scores = Z @ model.latent_coef_.T
    assert_allclose(X @ model.coef_.T + model.intercept_, scores, atol=1e-12)
    assert_allclose(model.feature_importances_.sum(), 1)
    assert_allclose(
        model.feature_importances_ * model.feature_scores_.sum(), model.feature_scores_
    )
    with pytest.raises(NotFittedError):
        _ = LSELDL().feature_importances_


@pytest.mark.parametrize("getter", ["auto", "feature_importances_"])
@pytest.mark.parametrize("seed", range(3))
def test_scikit_learns_selectors_find_the_planted_features(seed, getter):
    features, labels, relevant = planted(seed=seed)
    model = LSELDL(n_selected_features=4)
    for selector in (
        model,
        RFE(LSELDL(), n_features_to_select=4, importance_getter=getter),
        SelectFromModel(LSELDL(), importance_getter=getter),
        SelectFromModel(
            LSELDL(), max_features=4, threshold=-np.inf, importance_getter=getter
        ),
    ):
        found = selector.fit(features, labels).get_support(indices=True)
        assert_array_equal(found, relevant)
        assert_allclose(selector.transform(features), features[:, relevant])


def test_predicts_from_the_best_features_for_any_number_of_them():
    model = LSELDL().fit(X, D)
    sizes = [1, 3, 0.5, 1.0, None]
    for size, count, P in zip(
        sizes, [1, 3, 4, 8, 8], model.predict_path(X, sizes), strict=True
    ):
        masked = np.zeros_like(X)
        kept = model.ranking_[:count]
        masked[:, kept] = X[:, kept]
        Z = masked @ model.components_.T + model.latent_intercept_
        assert_allclose(P, softmax(Z @ model.latent_coef_.T, axis=1))
        model.set_params(n_selected_features=size)
        assert_allclose(model.predict(X), P)
        assert model.get_support().sum() == count
        assert model.transform(X).shape == (80, count)


def test_names_of_selected_features():
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(8)])
    labels = pd.DataFrame(D, columns=list("abcd"))
    model = LSELDL(n_selected_features=2).fit(frame, labels)
    expected = [f"gene {i}" for i in sorted(model.ranking_[:2])]
    assert list(model.get_feature_names_out()) == expected
    assert_array_equal(model.classes_, list("abcd"))


def test_larger_beta_shrinks_the_features():
    lengths = [
        LSELDL(sparsity_weight=b).fit(X, D).feature_scores_.sum()
        for b in (0.01, 1.0, 30.0)
    ]
    assert np.all(np.diff(lengths) < 0)
    assert_allclose(LSELDL(sparsity_weight=1e4).fit(X, D).predict(X), 0.25, atol=1e-3)


def test_permuted_features_and_labels_permute_the_answer():
    model = LSELDL().fit(X, D)
    columns, labels = np.arange(8)[::-1], [2, 0, 3, 1]
    other = LSELDL().fit(X[:, columns], D[:, labels])
    assert_allclose(other.objective_, model.objective_, rtol=1e-8)
    assert_allclose(other.feature_scores_, model.feature_scores_[columns], atol=1e-4)
    assert_allclose(
        other.predict(X[:, columns]), model.predict(X)[:, labels], atol=1e-4
    )


def test_refitted_coefficients_fit_what_is_predicted_from():
    settings = {"encoding_weight": 0.01, "sparsity_weight": 0.1, "reg": 0.1}
    plain = LSELDL(**settings, refit_coef=False).fit(X, D)
    refit = LSELDL(**settings).fit(X, D)
    assert_allclose(refit.components_, plain.components_)
    Z = X @ plain.components_.T + plain.latent_intercept_

    def cost(model):
        P = model.predict(X)
        return (D * np.log(D / P)).sum() + 0.1 * (model.latent_coef_**2).sum()

    assert cost(refit) < cost(plain)
    slope = (refit.predict(X) - D).T @ Z + 0.2 * refit.latent_coef_
    assert np.abs(slope).max() < 1e-5


def test_label_graph_by_hand():
    L = label_laplacian(D, 0.05, 1 / 0.09).toarray()  # 4 of 80
    squares = ((D[:, None] - D[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    near = np.zeros((80, 80), bool)
    for i in range(80):
        near[i, np.argsort(squares[i], kind="stable")[:4]] = True
    S = np.where(near | near.T, np.exp(-squares / 0.09), 0.0)
    assert_allclose(L, np.diag(S.sum(axis=1)) - S, atol=1e-12)
    many = np.random.default_rng(0).dirichlet(np.ones(3), 300)
    assert_allclose(
        label_laplacian(many, 0.9, 1.0).toarray(),
        label_laplacian(many, 50, 1.0).toarray(),
    )


def test_the_papers_loop_lowers_the_same_objective():
    slow = LSELDL(solver="gradient", max_iter=300, random_state=0)
    with pytest.warns(ConvergenceWarning, match="LSELDL stopped after 300 iterations"):
        slow.fit(X, D)
    assert np.all(np.diff(slow.objective_history_) <= 1e-9)
    assert slow.objective_ > LSELDL().fit(X, D).objective_
    again = LSELDL(solver="gradient", max_iter=300, random_state=0)
    with pytest.warns(ConvergenceWarning):
        assert_allclose(again.fit(X, D).coef_, slow.coef_)


def test_classes_count_as_one_hot_rows():
    y = np.array(list("abcd"))[D.argmax(axis=1)]
    hot = pd.get_dummies(y).astype(float)
    assert_allclose(LSELDL().fit(X, y).predict(X), LSELDL().fit(X, hot).predict(X))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_selected_features": 9}, "n_selected_features=9 is more than n_features=8"),
        ({"n_components": 10, "solver": "gradient"}, "n_components=10 is more than"),
        ({"encoding_weight": 0}, "'encoding_weight' parameter of LSELDL"),
        ({"sparsity_weight": -1}, "'sparsity_weight' parameter of LSELDL"),
        ({"smoothness_weight": -1}, "'smoothness_weight' parameter of LSELDL"),
        ({"reg": 0.0}, "'reg' parameter of LSELDL"),
        ({"n_neighbors": 1.5}, "'n_neighbors' parameter of LSELDL"),
        ({"solver": "adam"}, "'solver' parameter of LSELDL"),
    ],
)
def test_bad_settings(settings, words):
    with pytest.raises(ValueError, match=words):
        LSELDL(**settings).fit(X, D)


@pytest.mark.parametrize("model", [LSELDL(), PathSearchCV(LSELDL(), cv=2)])
def test_a_single_sample_is_too_few(model):
    with pytest.raises(ValueError, match="at least two .*n_samples=1"):
        model.fit(X[:1], D[:1])


def test_every_fold_needs_two_samples():
    with pytest.raises(ValueError, match="n_samples=1; with cross-validation"):
        PathSearchCV(LSELDL(), cv=2).fit(X[:2], D[:2])


def test_it_says_when_it_was_stopped():
    with pytest.warns(ConvergenceWarning, match="after 3 iterations") as caught:
        LSELDL(max_iter=3).fit(X, D)
    assert len(caught) == 1


def test_selects_in_a_pipeline():
    features, labels, _ = planted()
    model = make_pipeline(LSELDL(n_selected_features=4), AAkNN())
    every = cross_val_score(AAkNN(), features, labels, cv=3).mean()
    assert cross_val_score(model, features, labels, cv=3).mean() > every


@pytest.mark.parametrize("size", [None, 6, 12])
def test_sjaffe_reaches_the_known_minimum(real_data, size):
    data = real_data("SJAFFE")
    model = LSELDL(
        size,
        encoding_weight=1.0,
        sparsity_weight=0.1,
        smoothness_weight=0.01,
        reg=0.1,
        n_neighbors=2,
    )
    model.fit(StandardScaler().fit_transform(data.X), data.D)
    assert_allclose(model.objective_, 3.152372, atol=1e-6)
    assert model.latent_coef_.shape == (6, size or 5)


def test_defaults_learn_where_a_small_beta_hardly_does(real_data):
    data = real_data("SJAFFE")
    train, test = next(KFold(5, shuffle=True, random_state=0).split(data.X))

    def loss(model):
        fitted = make_pipeline(StandardScaler(), model).fit(
            data.X[train], data.D[train]
        )
        return clark(data.D[test], fitted.predict(data.X[test]))

    chance = loss(MeanDistribution())
    assert loss(LSELDL()) < 0.8 * chance
    # the former defaults, most of which is the mean distribution
    assert loss(LSELDL(sparsity_weight=0.1, refit_coef=False)) > 0.85 * chance


GRID = {
    "encoding_weight": [1.0, 10.0],
    "sparsity_weight": [0.1, 1.0],
    "smoothness_weight": [0.001],
    "reg": [0.1],
}


def test_path_equals_single_fits():
    settings = [
        {"sparsity_weight": b, "smoothness_weight": g}
        for b in (0.01, 1.0)
        for g in (0.0, 0.1)
    ]
    base = LSELDL(tol=1e-7, fit_intercept=False)
    path = list(lse_path(X, D, X[:9], settings, base, n_selected_features=[2, None]))
    assert len(path) == 8
    for params, P in path:
        single = LSELDL(tol=1e-7, fit_intercept=False).set_params(**params).fit(X, D)
        assert_allclose(P, single.predict(X[:9]), atol=1e-4)


def test_search_is_a_grid_search():
    folds = KFold(3, shuffle=True, random_state=0)
    grid = {**GRID, "n_selected_features": [3, None]}
    search = PathSearchCV(LSELDL(), grid, scoring="clark", cv=folds).fit(X, D)
    assert len(search.cv_results_["mean_test_score"]) == 8
    by_hand = cross_val_score(
        LSELDL(**search.best_params_), X, D, cv=folds, scoring=get_scorer("clark")
    )
    assert_allclose(search.best_score_, by_hand.mean(), rtol=1e-4)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    refit = LSELDL(**search.best_params_).fit(X, D)
    assert_allclose(search.predict(X), refit.predict(X))
    assert_array_equal(search.get_support(), refit.get_support())


@pytest.mark.filterwarnings("ignore::skldl.GridEdgeWarning")
def test_search_takes_a_random_part_of_the_grid():
    search = PathSearchCV(LSELDL(), "published", n_candidates=3, cv=2, random_state=0)
    results = [search.fit(X, D).cv_results_ for _ in range(2)]
    assert len(results[0]["mean_test_score"]) == 3
    assert_array_equal(
        results[0]["param_encoding_weight"], results[1]["param_encoding_weight"]
    )


def test_search_settings_that_do_not_fit():
    with pytest.raises(ValueError, match="sparsity_weight is empty"):
        PathSearchCV(LSELDL(), {"sparsity_weight": []}).fit(X, D)
    with pytest.raises(ValueError, match="'encoding_weight' parameter of LSELDL"):
        PathSearchCV(LSELDL(), {"encoding_weight": [1.0, -1.0]}).fit(X, D)


def test_comparisons_use_the_search_also_behind_a_scaler():
    methods = [make_method(name, grid=GRID) for name in ("LSELDL", "standard+LSELDL")]
    plan = Plan(
        [make_dataset(X, D)], methods, Split(n_splits=2), tuning=Tuning("clark", 2)
    )
    rows = run(plan, engine="serial")
    assert (rows["status"] == "ok").all(), rows["message"].unique()
    tuned = rows[rows["method"] != "MeanDistribution"].drop_duplicates("job")
    assert tuned["params"].str.contains("sparsity_weight").all()


@pytest.mark.filterwarnings("ignore::skldl.GridEdgeWarning")
@pytest.mark.parametrize("state", [None, np.random.RandomState(0), 3])
def test_every_fold_tries_the_same_settings(state):
    search = PathSearchCV(
        LSELDL(), "published", n_candidates=3, cv=2, random_state=state
    ).fit(X, D)
    assert len(search.cv_results_["mean_test_score"]) == 3


def test_shares_of_any_float_type_and_other_numbers():
    model = LSELDL(n_selected_features=np.float32(0.5), n_neighbors=np.float32(0.1))
    assert model.fit(X, D).get_support().sum() == 4
    for wrong in (-2, 0, 1.5, "a", True):
        model.set_params(n_selected_features=wrong)
        with pytest.raises(ValueError, match="n_selected_features"):
            model.predict(X)


def test_progress_counts_on():
    steps = []
    with skldl.progress(steps.append):
        model = LSELDL().fit(X, D)
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert done[-1] <= model.n_iter_
    with skldl.progress(steps.append):
        PathSearchCV(LSELDL(), {"sparsity_weight": (0.1, 1.0)}, cv=2).fit(X, D)
    assert [s.done for s in steps if s.task == "LSELDL: path"] == [1, 2, 1, 2]


def test_a_search_keeps_the_number_of_its_estimator_and_warns_once():
    grid = {
        "encoding_weight": 1.0,
        "sparsity_weight": (0.1, 1.0),
        "smoothness_weight": 0.001,
        "reg": 0.1,
    }
    base = LSELDL(n_selected_features=2)
    assert PathSearchCV(base, grid, cv=2).fit(X, D).get_support().sum() == 2
    with pytest.warns(ConvergenceWarning) as caught:
        PathSearchCV(LSELDL(max_iter=1), grid, cv=2).fit(X, D)
    assert len(caught) == 2  # of the folds together, and of the last fit
    assert caught[1].filename == __file__


def test_units_of_features_do_not_break_the_search():
    LSELDL(max_iter=5000).fit(X * 1e4, D)  # a warning would be an error


@pytest.mark.parametrize(
    "settings", [{"engine": NearestNeighbors(algorithm="brute")}, {"n_jobs": 2}]
)
def test_engine_and_threads_change_nothing(settings):
    expected = LSELDL(smoothness_weight=1.0, n_neighbors=4).fit(X, D)
    model = LSELDL(smoothness_weight=1.0, n_neighbors=4, **settings).fit(X, D)
    assert_allclose(model.components_, expected.components_)
