"""Ridge regressions in closed form: leave-one-out equals as many refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from skldl.datasets import make_ldl
from skldl.ldl import KernelRidgeLDL, LogisticLDL, LogRatioRidgeLDL
from skldl.ldl._equal_rows import folds, merge_equal_rows, row_keys
from skldl.ldl._left_out import linear_path
from skldl.linalg import clr, inverse_ilr, replace_zeros
from skldl.metrics import kl_divergence

RNG = np.random.default_rng(0)
X, D = make_ldl(40, n_features=5, n_labels=4, random_state=0)
WEIGHTS = RNG.uniform(0.2, 3.0, 40)
PLAIN = {"link": "identity", "smoothing": 0.0, "standardize": False, "whiten": False}


def rest(i):
    return np.delete(np.arange(len(X)), i)


@pytest.mark.parametrize("n_features", [3, 5, 60])
@pytest.mark.parametrize("reg", [1e-6, 0.5, 1e3])
def test_linear_path_equals_scikit_learn_and_refits(n_features, reg):
    X = RNG.normal(size=(25, n_features))
    Z, weights = RNG.normal(size=(25, 2)), RNG.uniform(0.2, 3.0, 25)
    centred = X - np.average(X, axis=0, weights=weights)
    path, axes = linear_path(centred, Z, weights)
    model = Ridge(reg, solver="svd").fit(X, Z, sample_weight=weights)
    coef = axes @ (np.sqrt(path.values)[:, None] * path.solve(reg))
    assert_allclose(coef.T, model.coef_, atol=1e-6)
    ((_, left_out),) = path.left_out(np.array([reg, 7.0]))
    for i in range(25):
        others = np.delete(np.arange(25), i)
        refit = Ridge(reg, solver="svd").fit(X[others], Z[others], weights[others])
        assert_allclose(left_out[i, 0], refit.predict(X[[i]])[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "rational"])
@pytest.mark.parametrize("reg", [1e-3, 0.5])
@pytest.mark.parametrize("weights", [np.ones(40), WEIGHTS])
def test_kernel_left_out_equals_refits(kernel, reg, weights):
    settings = {"gamma": 0.3, "reg": reg, "kernel": kernel, **PLAIN}
    model = KernelRidgeLDL(**settings).fit(X, D, sample_weight=weights)
    for i in range(0, 40, 3):
        own = rest(i)
        refit = KernelRidgeLDL(**settings).fit(X[own], D[own], weights[own])
        assert_allclose(model.loo_prediction_[i], refit.predict(X[[i]])[0], atol=1e-8)
    loss = kl_divergence(D, model.loo_prediction_, sample_weight=weights)
    assert_allclose(model.loo_loss_, loss)


def test_landmark_left_out_equals_refits_on_the_same_landmarks():
    settings = {"gamma": 0.3, "reg": 0.1, "n_components": 12, **PLAIN}
    model = KernelRidgeLDL(random_state=0, **settings).fit(X, D, WEIGHTS)
    K = 1 / (1 + 0.3 * ((X[:, None] - model.mean_ - model.X_fit_) ** 2).sum(axis=2))
    inner = 1 / (1 + 0.3 * ((model.X_fit_[:, None] - model.X_fit_) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(inner)
    features = K @ vectors / np.sqrt(values)
    for i in range(0, 40, 5):
        refit = Ridge(0.1, solver="svd").fit(
            features[rest(i)], D[rest(i)], WEIGHTS[rest(i)]
        )
        expected = np.maximum(refit.predict(features[[i]])[0], 0)
        expected /= expected.sum()
        assert_allclose(model.loo_prediction_[i], expected, atol=1e-7)


def test_kernel_ridge_equals_scikit_learn_on_centred_targets():
    # scikit-learn has no intercept: a constant added to the kernel acts as one
    model = KernelRidgeLDL(0.3, reg=0.5, kernel="rbf", **PLAIN).fit(X, D)
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    peer = KernelRidge(alpha=0.5, kernel="precomputed").fit(K + 1e6, D)
    expected = np.maximum(peer.predict(K + 1e6), 0)
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(model.predict(X), expected, atol=1e-5)


@pytest.mark.parametrize("link", ["identity", "clr", "mix"])
def test_all_rows_as_landmarks_are_the_exact_solution(link, monkeypatch):
    settings = {"gamma": 0.3, "reg": 0.5, "link": link, "smoothing": 0.01}
    exact = KernelRidgeLDL(**settings).fit(X, D, WEIGHTS)
    order = lambda self, n_rows: np.random.default_rng(0).permutation(n_rows)  # noqa: E731
    monkeypatch.setattr(KernelRidgeLDL, "_draw", order)
    landmarks = KernelRidgeLDL(**settings).fit(X, D, WEIGHTS)
    assert_allclose(landmarks.predict(X + 0.1), exact.predict(X + 0.1), atol=1e-7)
    assert_allclose(landmarks.loo_prediction_, exact.loo_prediction_, atol=1e-7)


def test_the_choice_is_the_best_of_refits():
    model = KernelRidgeLDL(whiten=False).fit(X, D)
    for gamma in model.gammas_:
        loss = KernelRidgeLDL(gamma, whiten=False).fit(X, D).loo_loss_
        assert loss >= model.loo_loss_ - 1e-12
        assert_allclose(loss, model.loo_losses_[model.gammas_ == gamma][0])
    both = KernelRidgeLDL().fit(X, D)
    assert both.loo_loss_ <= model.loo_loss_
    assert both.whiten_ == (both.loo_loss_ < model.loo_loss_)


def test_widths_are_compared_on_some_rows_and_all_else_on_all(monkeypatch):
    monkeypatch.setattr("skldl.ldl._kernel_ridge._SEARCH", 25)
    model = KernelRidgeLDL().fit(X, D)
    same = KernelRidgeLDL(model.gamma_, whiten=model.whiten_)
    monkeypatch.undo()
    assert_allclose(same.fit(X, D).predict(X), model.predict(X), atol=1e-12)
    assert_allclose(same.loo_prediction_, model.loo_prediction_, atol=1e-12)
    assert same.loo_loss_ not in model.loo_losses_  # those are of 25 rows


@pytest.mark.parametrize(
    ("model", "atol"),
    [
        (KernelRidgeLDL(reg=1e12, link="identity"), 1e-9),
        (KernelRidgeLDL(reg=1e12, link="identity", n_components=10), 1e-9),
        # each sample's own part in the mean is missing where it is left out
        (KernelRidgeLDL(reg=1e12, link="clr"), 1e-3),
        (LogRatioRidgeLDL(reg=1e12), 1e-3),
        (LogRatioRidgeLDL("ilr", reg=1e12, smoothing=0.3), 1e-3),
    ],
)
def test_a_very_strong_ridge_gives_the_mean_distribution(model, atol):
    spiky = np.where(D < 0.2, 0.0, D)
    spiky /= spiky.sum(axis=1, keepdims=True)
    mean = np.average(spiky, axis=0, weights=WEIGHTS)
    P = model.fit(X, spiky, sample_weight=WEIGHTS).predict(X)
    assert_allclose(P, np.tile(mean, (40, 1)), rtol=0, atol=atol)


def test_log_ratio_ridge_is_a_ridge_of_log_ratios():
    settings = {"reg": 2.0, "smoothing": 0.05, "standardize": False}
    model = LogRatioRidgeLDL(**settings).fit(X, D, WEIGHTS)
    mean = np.average(D, axis=0, weights=WEIGHTS)
    Z = clr(replace_zeros(D, 0.05, base=mean))
    peer = Ridge(2.0, solver="svd").fit(X, Z, sample_weight=WEIGHTS)
    assert_allclose(model.coef_, peer.coef_, atol=1e-7)
    # what is added to the intercept gives left-out predictions the right mean
    left_out = np.average(model.loo_prediction_, axis=0, weights=WEIGHTS)
    assert_allclose(left_out, mean, atol=1e-4)
    isometric = LogRatioRidgeLDL("ilr", **settings).fit(X, D, WEIGHTS)
    assert isometric.ilr_coef_.shape == (3, 5)
    coordinates = X @ isometric.ilr_coef_.T + isometric.ilr_intercept_
    assert_allclose(inverse_ilr(coordinates), model.predict(X), atol=1e-12)


def test_units_of_features_do_not_matter():
    units = np.array([1e-9, 1e12, 1.0, 1e3, 1e-3])
    for model in (LogRatioRidgeLDL(), KernelRidgeLDL()):
        P = model.fit(X, D).predict(X)
        assert_allclose(model.fit(X * units, D).predict(X * units), P, atol=1e-6)


def test_equal_rows_are_merged_and_left_out_together():
    repeats = RNG.integers(0, 4, 40)
    X_repeated, D_repeated = (
        np.repeat(X, repeats, axis=0),
        np.repeat(D, repeats, axis=0),
    )
    for model in (LogRatioRidgeLDL(), KernelRidgeLDL(random_state=0, n_components=15)):
        weighted = model.fit(X, D, sample_weight=repeats)
        P, left_out = weighted.predict(X), weighted.loo_prediction_
        assert np.isnan(left_out[repeats == 0]).all()
        repeated = model.fit(X_repeated, D_repeated)
        assert_allclose(repeated.predict(X), P, rtol=1e-9)
        expected = np.repeat(left_out, repeats, axis=0)
        assert_allclose(repeated.loo_prediction_, expected, rtol=1e-9)


def test_merged_rows():
    Z = np.arange(6.0).reshape(3, 2)
    merged = merge_equal_rows(
        np.array([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0]]), Z, np.array([1.0, 5.0, 3.0])
    )
    assert len(merged.X) == 2
    assert merged.of_row[0] == merged.of_row[2] != merged.of_row[1]
    assert_allclose(merged.Z[merged.of_row[0]], (Z[0] + 3 * Z[2]) / 4)
    assert_allclose(merged.weights[merged.of_row], [4, 5, 4])


def test_keys_tell_rows_apart():
    many = RNG.integers(0, 3, (5000, 8)).astype(float)
    distinct = len(np.unique(many, axis=0))
    assert len(np.unique(row_keys(many))) == distinct


def test_folds_keep_equal_rows_together_whatever_their_order():
    twice = np.vstack([X, X])
    order = RNG.permutation(80)
    for rows in (twice, twice[order]):
        tests = [test for _, test in folds(5, rows, None, np.ones(80))]
        assert sorted(np.concatenate(tests)) == list(range(80))
        assert {len(test) for test in tests} == {16}
        groups = [set(row_keys(rows[test])) for test in tests]
        assert sum(map(len, groups)) == len(set.union(*groups)) == 40
        chosen = sorted(sorted(group) for group in groups)
        assert chosen == sorted(
            sorted(set(row_keys(twice[test])))
            for _, test in folds(5, twice, None, np.ones(80))
        )


def test_too_many_centres_and_features_are_refused(monkeypatch):
    monkeypatch.setattr("skldl.ldl._kernel_map._MOST_CENTERS", 30)
    with pytest.raises(ValueError, match="40 centres.*at most 30"):
        KernelRidgeLDL().fit(X, D)
    monkeypatch.setattr("skldl.ldl._design._MOST_ORDER", 4)
    with pytest.raises(ValueError, match="n_features are both 5.*PCA"):
        LogRatioRidgeLDL().fit(X, D)


def test_squares_that_overflow_are_refused():
    for model in (KernelRidgeLDL, LogRatioRidgeLDL, LogisticLDL):
        with pytest.raises(ValueError, match="too large"):
            model(standardize=False).fit(X * 1e200, D)
        assert_allclose(model().fit(X * 1e200, D).predict(X * 1e200).sum(axis=1), 1)


def test_many_rows_take_landmarks_by_themselves(monkeypatch):
    monkeypatch.setattr("skldl.ldl._kernel_ridge._MOST_EXACT", 30)
    monkeypatch.setattr("skldl.ldl._kernel_ridge._CENTERS", 8)
    model = KernelRidgeLDL(random_state=0).fit(X, D)
    assert model.X_fit_.shape[0] == 8
    assert model.loo_loss_ < kl_divergence(D, np.tile(D.mean(axis=0), (40, 1)))


def test_whitening_is_tried_only_where_leave_one_out_can_judge_it():
    wide = RNG.normal(size=(40, 21))
    wide[:, :5] = X
    assert not KernelRidgeLDL().fit(wide, D).whiten_
    assert KernelRidgeLDL().fit(wide, D).axes_.shape == (21,)
    assert KernelRidgeLDL(whiten=True).fit(wide, D).axes_.shape == (21, 21)


def test_whitening_is_tried_with_two_samples_per_feature(monkeypatch):
    tried = []
    search = KernelRidgeLDL._search

    def follow(self, front, *others):
        tried.append(front.axes.ndim)
        return search(self, front, *others)

    monkeypatch.setattr(KernelRidgeLDL, "_search", follow)
    KernelRidgeLDL().fit(RNG.normal(size=(40, 20)), D)
    assert tried == [1, 2]
