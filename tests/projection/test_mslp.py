"""MSLP against a dense version written from the formulas."""

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.benchmark import Plan, Split, run
from skldl.datasets import make_dataset, make_ldl
from skldl.ldl import AAkNN
from skldl.methods import Tuning, make_method
from skldl.metrics import METRICS, evaluate, get_scorer, kl_divergence
from skldl.model_selection import PathSearchCV
from skldl.projection import LPP, MSLP, mslp_path


def dense_mslp(X, D, X_new, *, size, k, h, scale, beta, lam, decoder, center=False,
               relative=False):  # fmt: skip
    """All of it with n x n matrices and loops."""
    n, d = X.shape
    a = min(scale * k, n - 1)
    k = min(k, a)
    h = min(h, a - k)
    label = cdist(D, D, "sqeuclidean")
    feature = cdist(X, X)
    near, hetero = np.zeros((n, n), bool), np.zeros((n, n), bool)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        nx = sorted(others, key=lambda j: (feature[i, j], j))[:a]
        by_label = sorted(nx, key=lambda j: label[i, j])  # stable over feature order
        near[i, by_label[:k]] = True
        both = set(nx[:h]) & set(by_label[a - h :]) if h else set()
        hetero[i, list(both)] = True
    near, hetero = near | near.T, hetero | hetero.T
    sigma = label[near].mean()
    W = np.where(near, np.exp(-label / (sigma or 1.0)), 0.0)
    M = beta * (np.diag(W.sum(1)) - W)
    M -= (1 - beta) * (np.diag(hetero.sum(1)) - hetero)
    g = W.sum(1)
    mean = g @ X / g.sum() if center else np.zeros(d)
    Xc = X - mean
    B = Xc.T @ np.diag(g) @ Xc
    lam = lam * np.trace(B) / d if relative else lam
    A = Xc.T @ M @ Xc + lam * np.eye(d)
    # the range of B, by the singular vectors of the data
    s, Vt = np.linalg.svd(Xc, full_matrices=False)[1:]
    R = Vt[s > 1e-7 * s[0]].T
    values, inner = scipy.linalg.eigh(R.T @ A @ R, R.T @ B @ R)
    V = R @ inner[:, :size]
    distances = cdist((X_new - mean) @ V, Xc @ V)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :decoder]
    return V.T, values[:size], D[nearest].mean(axis=1), sigma, int(hetero.sum()) // 2


def data(n, d, m=4, seed=0):
    X, D = make_ldl(n + 20, d, m, random_state=seed)
    return X[:n], D[:n], X[n:]


def with_duplicates():
    X, D, new = data(40, 6)
    return np.vstack([X, X[:10]]), np.vstack([D, D[10:20]]), new


def with_useless_columns():
    X, D, new = data(50, 6)
    for M in (X, new):
        M[:, 2] = 0.0
        M[:, 3] = M[:, 4]
    return X, D, new


CASES = {
    "plain": (data(60, 8), {}),
    "more features than samples": (data(25, 40), {"size": 5, "k": 3}),
    "duplicates": (with_duplicates(), {}),
    "useless columns": (with_useless_columns(), {}),
    "clipped neighbourhood": (data(20, 5), {"scale": 6}),
    "no hetero graph": (data(60, 8), {"h": 0}),
    "attraction only": (data(60, 8), {"beta": 1.0}),
    "repulsion only": (data(60, 8), {"beta": 0.0}),
    "no ridge": (data(60, 8), {"lam": 0.0, "beta": 0.5}),
    "centred": (data(60, 8), {"center": True}),
    "relative ridge": (data(60, 8), {"relative": True}),
    "one component": (data(60, 8), {"size": 1}),
    "few hetero": (data(60, 8), {"h": 2}),
}


@pytest.mark.filterwarnings("ignore:The feature neighbourhood")
@pytest.mark.parametrize("name", CASES)
def test_equals_the_dense_version(name):
    (X, D, new), changes = CASES[name]
    s = {"size": 3, "k": 4, "h": 4, "scale": 3, "beta": 0.3, "lam": 0.5}
    s |= {"decoder": 4, "center": False, "relative": False} | changes
    V, values, P, sigma, pairs = dense_mslp(X, D, new, **s)
    model = MSLP(
        s["size"], n_neighbors=s["k"], n_hetero_neighbors=s["h"],
        neighborhood_factor=s["scale"], attraction_weight=s["beta"], reg=s["lam"],
        reg_mode="relative" if s["relative"] else "absolute",
        center=s["center"], n_decoder_neighbors=s["decoder"],
    ).fit(X, D)  # fmt: skip
    assert_allclose(model.predict(new), P, atol=1e-8)
    assert_allclose(model.eigenvalues_, values, rtol=1e-6, atol=1e-8)
    signs = np.sign((model.components_ * V).sum(axis=1, keepdims=True))
    assert_allclose(model.components_ * signs, V, atol=1e-6 * np.abs(V).max())
    assert_allclose(model.gamma_, 1 / (sigma or 1.0))
    assert model.n_hetero_pairs_ == pairs
    assert_allclose(model.embedding_, model.transform(X))


def test_with_one_scale_and_labels_that_are_features_it_is_lpp():
    """X on the simplex as its own labels: the same neighbours, the same weights."""
    X = np.random.default_rng(0).dirichlet(np.ones(5), 80)
    mslp = MSLP(
        2,
        n_neighbors=6,
        neighborhood_factor=1,
        n_hetero_neighbors=0,
        attraction_weight=1.0,
        reg=0.0,
    ).fit(X, X)
    lpp = LPP(2, n_neighbors=6, center=False).fit(X)
    assert_allclose(mslp.eigenvalues_, lpp.eigenvalues_, atol=1e-12)
    assert_allclose(mslp.components_, lpp.components_, atol=1e-7)


def test_components_are_orthonormal_in_the_weighted_scatter():
    X, D, _ = data(60, 8)
    from skldl.graphs import (
        degrees,
        heat,
        linked_pairs,
        neighbor_graph,
        weights_from_pairs,
    )
    from skldl.projection._mslp_graphs import find_scales, resolve_label_distance

    model = MSLP(4, n_neighbors=5).fit(X, D)
    distance = resolve_label_distance("sqeuclidean")
    scales = find_scales(neighbor_graph(X, 25), D, 5, 5, distance)
    first, second, _ = linked_pairs(scales.near)
    W = weights_from_pairs(
        first, second, heat(distance(D[first], D[second]), "mean_squared"), len(X)
    )
    Z = model.embedding_
    assert_allclose(Z.T @ (degrees(W)[:, None] * Z), np.eye(4), atol=1e-8)


def test_rounding_of_constant_features_is_not_scaled_up():
    X, D = make_ldl(60, n_features=4, random_state=0)
    wide = np.column_stack([X, np.full((60, 3), 0.1)])
    settings = {"n_components": 3, "center": True, "reg": 0.0}
    plain, other = MSLP(**settings).fit(X, D), MSLP(**settings).fit(wide, D)
    assert_array_equal(other.components_[:, 4:], 0.0)
    assert_allclose(other.components_[:, :4], plain.components_, atol=1e-9)


def test_equal_samples_have_no_directions_once_centred():
    _, D = make_ldl(20, random_state=0)
    with pytest.raises(ValueError, match="All samples are equal"):
        MSLP(center=True, neighborhood_factor=2).fit(np.full((20, 3), 0.1), D)


def test_chunks_change_nothing(monkeypatch):
    X, D, new = data(60, 8)
    whole = MSLP(3).fit(X, D).predict(new)
    monkeypatch.setattr("skldl.projection._mslp_graphs._CHUNK", 500)
    assert_allclose(MSLP(3).fit(X, D).predict(new), whole)


@pytest.mark.parametrize(
    "metric", ["sqeuclidean", "cosine", "emd", "kl_divergence", "jensen_shannon"]
)
def test_label_distances_by_name(metric):
    X, D, new = data(60, 8)
    P = MSLP(3, label_distance=metric).fit(X, D).predict(new)
    assert_allclose(P.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "metric", ["sqeuclidean", "kl_divergence", "cosine", "intersection", "spearman"]
)
def test_every_label_distance_is_zero_at_equal_rows_alone(metric):
    from skldl.projection._mslp_graphs import resolve_label_distance

    P = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    distance = resolve_label_distance(metric)
    assert_allclose(distance(P, P), 0.0, atol=1e-12)
    assert distance(P, P[::-1]).min() > 0.1


def test_label_distance_by_function_and_symmetrised():
    X, D, new = data(60, 8)

    def squares(P, Q):
        return ((P - Q) ** 2).sum(axis=1)

    named = MSLP(3).fit(X, D)
    given = MSLP(3, label_distance=squares).fit(X, D)
    assert_allclose(given.predict(new), named.predict(new))
    divergence = MSLP(3, label_distance="kl_divergence").fit(X, D)
    assert divergence.gamma_ > 0
    with pytest.raises(
        ValueError, match="label_distance must be 'sqeuclidean', one of"
    ):
        MSLP(label_distance="hamming").fit(X, D)


def test_classes_count_as_one_hot_rows():
    X, D, new = data(60, 8)
    y = np.array(list("abcd"))[D.argmax(axis=1)]
    model = MSLP(3).fit(X, y)
    assert_array_equal(model.classes_, list("abcd"))
    hot = pd.get_dummies(y).astype(float)
    assert_allclose(model.predict(new), MSLP(3).fit(X, hot).predict(new))


def test_clipping_warns_once():
    X, D, _ = data(20, 5)
    with pytest.warns(UserWarning, match="clipped to 19") as caught:
        MSLP(2, n_neighbors=5, neighborhood_factor=5).fit(X, D)
    assert len(caught) == 1


def test_undetermined_directions_warn():
    X, D, _ = data(60, 8)
    D[:] = D[0]  # no label differs: nothing is far, but ties make hetero pairs
    with pytest.warns(UserWarning, match="arbitrary"):
        MSLP(8, attraction_weight=0.0, reg=0.0, n_hetero_neighbors=0).fit(X, D)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_components": 9}, "9 components were asked for, but .* rank 8"),
        ({"n_hetero_neighbors": 21}, "n_hetero_neighbors=21 must not be more"),
        (
            {"n_decoder_neighbors": 61},
            "n_decoder_neighbors=61 is more than n_samples=60",
        ),
        ({"n_components": 1.5}, "'n_components' parameter of MSLP"),
        ({"attraction_weight": 2}, "'attraction_weight' parameter of MSLP"),
        ({"reg": -1}, "'reg' parameter of MSLP"),
        ({"reg_mode": "other"}, "'reg_mode' parameter of MSLP"),
        ({"neighborhood_factor": 0}, "'neighborhood_factor' parameter of MSLP"),
    ],
)
def test_bad_settings(settings, words):
    X, D, _ = data(60, 8)
    with pytest.raises(ValueError, match=words):
        MSLP(**settings).fit(X, D)


GRID = {
    "n_neighbors": [3, 5],
    "neighborhood_factor": [2, 4],
    "attraction_weight": [0.0, 0.5],
    "reg": [0.1, 1.0],
    "n_components": [1, 0.5],
    "n_decoder_neighbors": [2, "auto"],
}


@pytest.mark.parametrize(
    "settings",
    [
        {"reg_mode": "absolute"},
        {"center": True, "reg_mode": "relative", "n_hetero_neighbors": 1},
    ],
)
@pytest.mark.parametrize("shape", [(50, 6), (20, 30)])
@pytest.mark.filterwarnings("ignore:The feature neighbourhood")
def test_path_equals_single_fits(shape, settings):
    X, D, new = data(*shape)
    base = MSLP(**settings)
    count = 0
    for params, P in mslp_path(X, D, new, GRID, base):
        single = MSLP(**settings).set_params(**params).fit(X, D)
        assert_allclose(P, single.predict(new), atol=1e-8)
        count += 1
    assert count == 64


def test_path_searches_once_and_solves_once_per_pencil(monkeypatch):
    from skldl.projection import _mslp_path as module

    calls = {"search": 0, "solve": 0, "graphs": 0}

    def counted(name, function):
        def wrapper(*args, **kwargs):
            calls[name] += 1
            return function(*args, **kwargs)

        return wrapper

    for name, attribute in (
        ("search", "neighbor_graph"),
        ("solve", "generalized_eigh"),
        ("graphs", "find_scales"),
    ):
        function = counted(name, getattr(module, attribute))
        monkeypatch.setattr(module, attribute, function)
    X, D, new = data(50, 6)
    assert len(list(mslp_path(X, D, new, GRID, MSLP()))) == 64
    assert calls == {"search": 1, "solve": 16, "graphs": 4}


def test_the_decoder_is_chosen_as_the_neighbours_of_the_embedding_are():
    X, D, new = data(60, 8)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    for sample_weight in (None, weights):
        model = MSLP(3).fit(X, D, sample_weight=sample_weight)
        near = AAkNN().fit(model.embedding_, D, sample_weight=sample_weight)
        assert model.n_decoder_neighbors_ == near.n_neighbors_
        assert_allclose(model.predict(new), near.predict(model.transform(new)))
    given = MSLP(3, n_decoder_neighbors=near.n_neighbors_)
    given.fit(X, D, sample_weight=weights)
    assert_allclose(given.predict(new), model.predict(new))


def test_the_published_grid_is_of_absolute_ridges():
    X, D, _ = data(60, 8)
    search = PathSearchCV(MSLP(), "published", cv=2, n_candidates=3, random_state=0)
    search.fit(X, D)
    assert search.best_estimator_.reg_mode == "absolute"


def test_search_is_a_grid_search():
    X, D, _ = data(60, 6)
    folds = KFold(3, shuffle=True, random_state=0)
    grid = {
        "n_neighbors": [3],
        "neighborhood_factor": [3],
        "attraction_weight": [0.1, 0.5],
        "reg": [0.1, 1.0],
        "n_components": [1, 3],
        "n_decoder_neighbors": [3, 5],
    }
    search = PathSearchCV(MSLP(), grid, scoring="clark", cv=folds).fit(X, D)
    assert len(search.cv_results_["mean_test_score"]) == 16
    best = int(np.argmax(search.cv_results_["mean_test_score"]))
    by_hand = cross_val_score(
        MSLP(**search.best_params_), X, D, cv=folds, scoring=get_scorer("clark")
    )
    assert_allclose(search.best_score_, by_hand.mean())
    assert_allclose(search.cv_results_["std_test_score"][best], by_hand.std())
    assert search.cv_results_["param_reg"][best] == search.best_params_["reg"]
    refit = MSLP(**search.best_params_).fit(X, D)
    assert_allclose(search.predict(X), refit.predict(X))
    assert_allclose(search.transform(X), refit.transform(X))


def test_search_settings_that_do_not_fit():
    X, D, _ = data(60, 6)
    with pytest.raises(ValueError, match="reg is empty"):
        PathSearchCV(MSLP(), {"reg": []}).fit(X, D)
    with pytest.raises(ValueError, match="'attraction_weight' parameter of MSLP"):
        PathSearchCV(MSLP(), {"attraction_weight": [0.1, 3.0]}).fit(X, D)
    base = MSLP(
        1.0, n_neighbors=3, neighborhood_factor=3, attraction_weight=0.5, reg=1.0
    )
    search = PathSearchCV(base, {"n_decoder_neighbors": [3, 50]}, cv=5).fit(X, D)
    assert search.best_params_["n_decoder_neighbors"] == 3  # 50 fits no fold of 48


def test_comparisons_use_the_path_tool_also_behind_a_scaler():
    X, D, _ = data(60, 6)
    grid = {"reg": [0.1, 10.0], "n_decoder_neighbors": [3, 5]}
    methods = [
        make_method(
            name,
            label=name,
            params={"n_neighbors": 3, "neighborhood_factor": 3},
            grid=grid,
        )
        for name in ("MSLP", "standard+MSLP")
    ]
    plan = Plan(
        [make_dataset(X, D)], methods, Split(n_splits=2), tuning=Tuning("clark", 3)
    )
    rows = run(plan, engine="serial")
    assert (rows["status"] == "ok").all(), rows["message"].unique()
    tuned = rows[rows["method"] != "MeanDistribution"].drop_duplicates("job")
    assert tuned["params"].str.contains("n_decoder_neighbors").all()
    assert tuned["fit_s"].notna().all()


def test_in_a_pipeline_with_names():
    X, D, new = data(60, 6)
    labels = pd.DataFrame(D, columns=list("abcd"))
    model = make_pipeline(StandardScaler(), MSLP(2, reg_mode="relative", reg=0.1))
    model.fit(X, labels)
    assert_array_equal(model.classes_, list("abcd"))
    frame = MSLP(2).set_output(transform="pandas").fit(X, labels).transform(new)
    assert list(frame.columns) == ["mslp0", "mslp1"]


def test_prototype_numbers_on_sjaffe(real_data):
    """The specification's measured row: ten shuffled folds, seed 0, raw features."""
    data = real_data("SJAFFE")
    metrics = [
        "chebyshev",
        "clark",
        "canberra",
        "kl_divergence",
        "cosine",
        "intersection",
    ]
    values = []
    for train, test in KFold(10, shuffle=True, random_state=0).split(data.X):
        model = MSLP(
            24,
            n_neighbors=10,
            neighborhood_factor=10,
            attraction_weight=0.5,
            reg=0.01,
            reg_mode="absolute",
            n_decoder_neighbors=5,
        )
        P = model.fit(data.X[train], data.D[train]).predict(data.X[test])
        values.append(list(evaluate(data.D[test], P, metrics=metrics).values()))
    expected = [0.0909, 0.3268, 0.6740, 0.0459, 0.9562, 0.8845]
    assert_allclose(np.mean(values, axis=0), expected, atol=6e-5)


def test_every_distribution_metric_works_as_a_label_distance():
    X, D, _ = data(40, 5)
    for metric in METRICS.values():
        if metric.kind == "distribution":
            model = MSLP(
                2, n_neighbors=3, neighborhood_factor=3, label_distance=metric.name
            ).fit(X, D)
            assert np.isfinite(model.embedding_).all()
    assert kl_divergence(D, D) == 0


def test_gamma_by_the_mean_label_distance_or_given():
    X, D, new = data(60, 8)
    model = MSLP(3).fit(X, D)
    given = MSLP(3, gamma=model.gamma_).fit(X, D)
    assert_allclose(given.components_, model.components_)
    narrow = MSLP(3, gamma=50 * model.gamma_).fit(X, D)
    assert narrow.gamma_ == 50 * model.gamma_
    assert not np.allclose(narrow.eigenvalues_, model.eigenvalues_)
    assert_allclose(MSLP(3, n_jobs=2).fit(X, D).predict(new), model.predict(new))
