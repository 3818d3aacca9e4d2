"""LWkNN and LDkNN: equations, limits, edge cases, real optima."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold

import skldl
from skldl.benchmark import Plan, Split, run
from skldl.datasets import make_dataset, make_ldl
from skldl.graphs import neighbor_graph
from skldl.ldl import AAkNN, LDkNN, LWkNN, neighbor_path
from skldl.ldl._margin_knn_base import entropy_weights, resolve_margin
from skldl.methods import Tuning, make_method
from skldl.metrics import get_scorer, zero_one_loss
from skldl.model_selection import PathSearchCV
from skldl.objectives import NeighborMargin

BOTH = pytest.mark.parametrize("Model", [LWkNN, LDkNN])


def data(n=80, d=5, m=4, seed=0):
    X, D = make_ldl(n + 20, d, m, noise=0.3, random_state=seed)
    return X[:n], D[:n], X[n:]


def objective_by_loops(model, X, D):
    """The printed objective at the learned weights."""
    graph = neighbor_graph(X, model.n_neighbors)
    rho, lam2, lam1 = model.margin, model.margin_weight, model.reg
    total = lam1 / 2 * (model.neighbor_coef_**2).sum()
    for i, d in enumerate(D):
        A = D[graph.indices[i]].T
        r = graph.distances[i]
        norm = getattr(model, "distance_norm", None)
        if norm is None:
            w = model.neighbor_coef_
        elif norm == "row":
            w = model.neighbor_coef_ @ (r / r.mean())
        elif norm == "global":
            w = model.neighbor_coef_ @ (r / graph.distances.mean())
        else:
            w = model.neighbor_coef_ @ r
        p = A @ w
        top = np.argmax(d)
        rivals = [j for j in range(len(d)) if j != top]
        total += np.abs(d - p).sum()
        total += lam2 / rho * sum(max(0, rho - (p[top] - p[j])) for j in rivals)
    return total


@pytest.mark.parametrize(
    "model",
    [
        LWkNN(4, margin=0.2, reg=0.5),
        LWkNN(4, margin_weight=0.0),
        LDkNN(3, margin=0.3),
        LDkNN(3, distance_norm="global", reg=2.0),
        LDkNN(3, distance_norm="none", margin_weight=0.5),
    ],
    ids=str,
)
def test_the_objective_is_the_printed_one_and_cannot_be_lowered(model):
    X, D, _ = data()
    model.fit(X, D)
    assert_allclose(model.objective_, objective_by_loops(model, X, D))
    assert model.dual_gap_ <= model.tol
    best = model.neighbor_coef_
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        model.neighbor_coef_ = best + size * rng.normal(size=best.shape)
        around = objective_by_loops(model, X, D)
        assert around >= model.objective_ * (1 - model.dual_gap_)


@BOTH
def test_prediction_clips_and_normalises(Model):
    X, D, new = data()
    model = Model(15).fit(X, D)
    graph = neighbor_graph(X, 15).query(new)
    expected = []
    for r, near in zip(graph.distances, graph.indices, strict=True):
        w = (
            model.neighbor_coef_
            if Model is LWkNN
            else model.neighbor_coef_ @ (r / r.mean())
        )
        w = np.maximum(w, 0)
        expected.append(w @ D[near] / w.sum())
    assert (np.asarray(model.neighbor_coef_) < 0).any()
    assert_allclose(model.predict(new), expected)


def test_weights_that_all_vanish_become_uniform():
    X, D, new = data()
    model = LWkNN(4).fit(X, D)
    assert model.n_fallback_ == 0
    model.neighbor_coef_ = -np.ones(4)
    assert_allclose(model.predict(new), AAkNN(4).fit(X, D).predict(new))


def test_samples_whose_neighbours_coincide_with_them_fall_back():
    X, D, _ = data(30)
    X = np.repeat(X, 4, axis=0)
    D = np.random.default_rng(0).dirichlet(np.ones(4), len(X))
    model = LDkNN(3).fit(X, D)
    assert model.n_fallback_ == len(X)
    assert_allclose(model.predict(X), AAkNN(3).fit(X, D).predict(X))


def test_row_norm_can_only_improve_on_common_weights():
    X, D, _ = data()
    common = LWkNN(5, reg=0.0).fit(X, D)
    mapped = LDkNN(5, reg=0.0).fit(X, D)
    assert mapped.objective_ <= common.objective_ * (1 + 1e-5)
    # the very weights of LWkNN, written as a map
    same = LDkNN(5, reg=0.0).fit(X, D)
    same.neighbor_coef_ = np.repeat(common.neighbor_coef_[:, None], 5, axis=1) / 5
    assert_allclose(same.predict(X), common.predict(X))


def test_distances_in_other_units_change_nothing_after_normalising():
    X, D, new = data()
    for norm in ("row", "global"):
        model = LDkNN(4, distance_norm=norm)
        P = model.fit(X, D).predict(new)
        assert_allclose(model.fit(1000 * X, D).predict(1000 * new), P, atol=1e-6)
    raw = LDkNN(4, distance_norm="none", reg=10.0)
    ratio = raw.fit(X, D).objective_ / raw.fit(1000 * X, D).objective_
    assert abs(ratio - 1) > 1e-3  # there the ridge depends on the units


@BOTH
@given(seed=st.integers(0, 1000), k=st.integers(1, 12), m=st.integers(2, 6))
@settings(max_examples=15, deadline=None)
def test_any_problem_is_solved_and_predicted(Model, seed, k, m):
    X, D = make_ldl(30, 3, m, noise=1.0, random_state=seed)
    model = Model(k).fit(X, D)
    assert model.dual_gap_ <= 1e-5
    P = model.predict(X)
    assert P.min() >= 0
    assert_allclose(P.sum(axis=1), 1)


@BOTH
def test_one_neighbour_is_copied(Model):
    X, D, new = data()
    P = Model(1).fit(X, D).predict(new)
    assert_allclose(P, AAkNN(1).fit(X, D).predict(new))


@BOTH
def test_all_others_as_neighbours_and_no_more(Model):
    X, D, _ = data(12)
    Model(11).fit(X, D)
    with pytest.raises(ValueError, match="n_neighbors=12 is more than the 11 other"):
        Model(12).fit(X, D)
    with pytest.raises(ValueError, match="n_neighbors=12"):
        PathSearchCV(Model(), {"n_neighbors": [12]}, cv=2).fit(X, D)
    with pytest.warns(UserWarning, match="n_neighbors=8 is left out") as caught:
        search = PathSearchCV(Model(), {"n_neighbors": [2, 8]}, cv=2).fit(X, D)
    assert len(caught) == 1
    assert search.best_params_ == {"n_neighbors": 2}


@BOTH
def test_two_labels_ties_and_duplicates(Model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    X[20:] = X[:20]
    share = rng.choice([0.5, 0.2, 0.9], 40)
    D = np.column_stack([share, 1 - share])
    model = Model(5).fit(X, D)
    assert model.dual_gap_ <= 1e-5
    # a tied row leads with its first label
    alone = Model(5, margin=0.2).fit(X[:, ::-1], D)
    assert_allclose(model.predict(X).sum(axis=1), 1)
    assert alone.objective_ > 0


@BOTH
def test_unscaled_features(Model):
    """Columns of very different size: the answer of that metric, or words about it."""
    X, D, new = data()
    factors = np.array([1e-6, 1.0, 1e5, 1.0, 1e-3])
    P = Model(4).fit(X * factors, D).predict(new * factors)
    only = Model(4).fit(X[:, [2]], D).predict(new[:, [2]])
    assert_allclose(P, only, atol=1e-4)
    factors[2] = 1e8
    with pytest.raises(ValueError, match="Column 2 of X varies by"):
        Model(4).fit(X * factors, D)


def test_margins():
    D = np.array([[0.7, 0.2, 0.1], [0.4, 0.4, 0.2], [0.1, 0.3, 0.6]])
    assert resolve_margin(0.2, 3.0, D) == (0.2, 15.0)
    margin, slope = resolve_margin("mean", 1.0, D)
    assert_allclose([margin, slope], [0.8 / 3, 3 / 0.8])
    leads, slope = resolve_margin("sample", 1.0, D)
    assert_allclose(leads, [0.5, 0.0, 0.3])
    assert_allclose(slope, 3 / 0.8)
    assert resolve_margin("mean", 1.0, np.full((3, 2), 0.5)) == (0.0, 0.0)


def test_entropy_weights():
    D = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    assert_allclose(entropy_weights(D), [[np.log(2) / 2, np.log(2) / 2, 0], [0, 0, 0]])
    X, D, new = data()
    plain = LWkNN(4).fit(X, D).predict(new)
    weighted = LWkNN(4, loss_weight="entropy").fit(X, D).predict(new)
    assert np.abs(plain - weighted).max() > 1e-3


@BOTH
def test_more_weight_on_the_margin_violates_it_less(Model):
    X, D, _ = data(150)
    graph = neighbor_graph(X, 7)
    u = graph.distances / graph.distances.mean(axis=1, keepdims=True)
    inputs = None if Model is LWkNN else u
    with_margin = NeighborMargin(D, graph.indices, inputs, slope=1.0)
    without = NeighborMargin(D, graph.indices, inputs, slope=0.0)
    violations = []
    for weight in (0.0, 0.1, 1.0, 10.0):
        w = Model(7, margin_weight=weight).fit(X, D).neighbor_coef_
        violations.append(with_margin.value(w) - without.value(w))
    assert np.all(np.diff(violations) < 0)


@BOTH
def test_solvers_agree(Model):
    X, D, new = data()
    newton = Model(4, solver="newton", tol=1e-7).fit(X, D)
    other = Model(4, solver="lbfgs", tol=1e-4, max_iter=5000).fit(X, D)
    assert_allclose(other.objective_, newton.objective_, rtol=1e-4)
    assert np.abs(other.predict(new) - newton.predict(new)).max() < 0.05


def test_stopped_early_it_warns_once():
    X, D, _ = data()
    with pytest.warns(ConvergenceWarning, match="after 2 iterations") as caught:
        LWkNN(4, max_iter=2).fit(X, D)
    assert len(caught) == 1


@BOTH
def test_float32_and_sparse_features(Model):
    X, D, new = data()
    P = Model(4).fit(X, D).predict(new)
    single = Model(4).fit(X.astype(np.float32), D)
    assert single.index_.rows_.dtype == np.float32
    assert_allclose(single.predict(new.astype(np.float32)), P, atol=1e-3)
    sparse = Model(4).fit(sp.csr_array(X), D).predict(sp.csr_array(new))
    assert_allclose(sparse, P, atol=1e-6)


@pytest.mark.parametrize("k", [5, 21])
def test_single_precision_is_certified_like_double(k):
    X, D, _ = data()
    single = LDkNN(k).fit(X.astype(np.float32), D)
    double = LDkNN(k).fit(X.astype(np.float32).astype(float), D)
    assert single.dual_gap_ <= 1e-5
    assert_allclose(single.objective_, double.objective_, rtol=3e-5)


def test_real_duplicates_in_single_precision(real_data):
    dataset = real_data("Yeast_cold")
    X = dataset.X.astype(np.float32)
    far = cdist(X.astype(float), X.astype(float))
    np.fill_diagonal(far, np.inf)
    expected = np.argsort(far, axis=1, kind="stable")[:, :11]
    assert_array_equal(neighbor_graph(X, 11).indices, expected)


def test_an_unfinished_fit_is_not_fitted():
    X, D, new = data()

    def stop(step):
        raise KeyboardInterrupt

    model = LWkNN(4)
    with pytest.raises(KeyboardInterrupt), skldl.progress(stop):
        model.fit(X, D)
    with pytest.raises(NotFittedError):
        model.predict(new)
    with pytest.raises(TypeError, match="hook must be a function"), skldl.progress(3):
        pass


def test_prediction_in_chunks(monkeypatch):
    X, D, new = data()
    model = LWkNN(4).fit(X, D)
    whole = model.predict(new)
    monkeypatch.setattr("skldl.ldl._margin_knn_base._PREDICT_ROWS", 7)
    steps = []
    with skldl.progress(steps.append):
        assert_allclose(model.predict(new), whole)
    assert [s.done for s in steps] == [7, 14, 20]
    assert {s.task for s in steps} == {"LWkNN: predict"}


def test_progress_draws_bars_on_standard_error(capfd):
    X, D, _ = data()
    with skldl.progress():
        LWkNN(4).fit(X, D)
    out, err = capfd.readouterr()
    assert out == ""
    assert "LWkNN: weights" in err
    assert "objective" in err
    LWkNN(4).fit(X, D)
    assert capfd.readouterr() == ("", "")


@BOTH
def test_path_equals_single_fits(Model):
    X, D, new = data()
    grid = {"n_neighbors": [1, 3, 6], "reg": [0.1, 1.0]}
    seen = 0
    for params, P in neighbor_path(X, D, new, grid, Model(margin=0.2)):
        single = Model(margin=0.2, **params).fit(X, D)
        assert_allclose(P, single.predict(new), atol=1e-8)
        seen += 1
    assert seen == 6


def test_the_path_checks_what_it_gets():
    X, D, new = data()
    whole = np.rint(10 * X).astype(int)
    path = neighbor_path(whole, 7 * D, whole[:3], {"n_neighbors": [3]}, LDkNN())
    with pytest.warns(UserWarning, match="do not sum to 1"):
        ((_, P),) = path
    assert_allclose(P, LDkNN(3).fit(whole, D).predict(whole[:3]))
    frame = pd.DataFrame(X)
    ((_, P),) = neighbor_path(frame, D.tolist(), new.tolist(), {}, LWkNN(4))
    assert_allclose(P, LWkNN(4).fit(X, D).predict(new))
    with pytest.raises(ValueError, match="n_neighbors is empty"):
        list(neighbor_path(X, D, new, {"n_neighbors": []}, LWkNN()))


def test_search_picks_what_single_scores_pick():
    X, D, _ = data(120)
    folds = KFold(3, shuffle=True, random_state=0)
    search = PathSearchCV(
        LDkNN(reg=1.0), {"n_neighbors": (2, 5)}, scoring="zero_one_loss", cv=folds
    ).fit(X, D)
    scores = [
        np.mean([
            -zero_one_loss(D[b], LDkNN(k, reg=1.0).fit(X[a], D[a]).predict(X[b]))
            for a, b in folds.split(X)
        ])
        for k in (2, 5)
    ]  # fmt: skip
    assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_params_["n_neighbors"] == (2, 5)[int(np.argmax(scores))]
    assert isinstance(search.best_estimator_, LDkNN)
    with pytest.raises(ValueError, match="n_neighbors is empty"):
        PathSearchCV(LWkNN(), {"n_neighbors": []}).fit(X, D)
    with pytest.raises(ValueError, match="n_neighbors lists 3 twice"):
        PathSearchCV(LWkNN(), {"n_neighbors": [3, 3]}).fit(X, D)
    with pytest.warns(ConvergenceWarning, match="LWkNN stopped") as w:
        PathSearchCV(
            LWkNN(max_iter=1), {"n_neighbors": [2, 3], "margin": ["mean"]}, cv=3
        ).fit(X, D)
    assert len(w) == 2  # the folds together, and the best setting on all samples
    assert "6 such warnings in the search" in str(w[0].message)
    with pytest.raises(ValueError, match="'margin' parameter of LWkNN"):
        PathSearchCV(LWkNN(), {"margin": -1.0}).fit(X, D)


def test_the_engine_uses_the_path():
    X, D, _ = data(120)
    dataset = make_dataset(X, D, name="own")
    method = make_method("standard+LWkNN", grid={"n_neighbors": [3, 5]})
    rows = run(
        Plan([dataset], [method], Split(n_splits=2), Tuning("zero_one_loss", 2)),
        engine="serial",
    )
    assert set(rows["status"]) == {"ok"}
    with pytest.raises(ValueError, match="does not vary 'engine' of LWkNN"):
        list(neighbor_path(X, D, X[:2], {"engine": ["exact"]}, LWkNN()))


def test_average_neighbours_share_the_search():
    X, D, new = data(120)
    grid = {"n_neighbors": [1, 4, 9], "weights": ["uniform", "dudani"]}
    scorer = get_scorer("kl_divergence")
    ours = PathSearchCV(AAkNN(), grid, scoring=scorer, cv=KFold(3)).fit(X, D)
    theirs = GridSearchCV(AAkNN(), grid, scoring=scorer, cv=KFold(3)).fit(X, D)
    assert ours.best_params_ == theirs.best_params_
    assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )
    assert_allclose(ours.predict(new), theirs.predict(new))


def test_names_are_kept():
    X, D, new = data()
    X, new = (pd.DataFrame(A, columns=list("abcde")) for A in (X, new))
    D = pd.DataFrame(D, columns=["joy", "fear", "calm", "rage"])
    model = PathSearchCV(LWkNN(), {"n_neighbors": 3}).fit(X, D)
    assert set(model.classify(new)) <= set(D.columns)
    assert list(model.best_estimator_.classes_) == list(D.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(new[list("bacde")])


@pytest.mark.parametrize(
    ("name", "common", "raw", "by_row", "tolerance"),
    [
        # no two samples are equally far from a third one: the optimum is unique
        ("SBU_3DFE", 10318.916980, 10519.318895, 9601.626, 1e-4),
        # equal samples with different distributions: the optimum depends on which of
        # them counts as nearer, by about 3e-3 over orders of the rows
        ("SJAFFE", 615.638341, 589.989822, None, 3e-3),
        ("Yeast_cold", 6769.361032, 7221.683056, 6238.363, 3e-3),
    ],
)
def test_known_optima(real_data, name, common, raw, by_row, tolerance):
    dataset = real_data(name)
    expected = {
        LWkNN(15): common,
        LDkNN(15, distance_norm="none"): raw,
        LDkNN(15): by_row,
    }
    for model, value in expected.items():
        model.fit(dataset.X, dataset.D)
        assert model.dual_gap_ <= 1e-5
        if value is not None:
            assert_allclose(model.objective_, value, rtol=tolerance)


@BOTH
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_the_history_ends_at_the_objective(Model, solver):
    X, D, _ = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Model(7, reg=0.1, solver=solver).fit(X, D)
    history = model.objective_history_
    assert len(history) >= 2
    assert history.min() == model.objective_
    assert history[-1] <= history[0]
    # the first is that of the start, equal weights
    start = clone(model)
    start.neighbor_coef_ = model._start(None if Model is LWkNN else _inputs(model, X))
    if solver == "newton":
        assert model.objective_ < history[0]
        assert_allclose(history[0], objective_by_loops(start, X, D))


def _inputs(model, X):
    return model._inputs(neighbor_graph(X, model.n_neighbors).distances)


def test_the_global_scale_is_the_mean_distance():
    X, D = make_ldl(30, random_state=0)
    model = LDkNN(3, distance_norm="global").fit(X, D)
    distances = model.index_.graph(3).distances
    np.testing.assert_allclose(model.scale_, distances.mean())
    assert LDkNN(3, distance_norm="global").fit(0 * X, D).scale_ == 1.0
