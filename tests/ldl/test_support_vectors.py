"""LDSVR and PTSVM: optimality, examples weighted or drawn, and their limits."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import pdist
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from skldl.datasets import make_ldl
from skldl.ldl import LDSVR, PTSVM, MeanDistribution
from skldl.ldl import _ptsvm_pairs as _pairs
from skldl.ldl._ldsvr import _cholesky, _inverse_diagonal, logits, quantiles
from skldl.ldl._ptsvm import drawn

X, D = make_ldl(60, 4, 3, noise=0.5, random_state=0)


def fitted(model):
    """Kernel, logits and regression values at the training samples."""
    kernel = rbf_kernel(X, gamma=model.gamma_)
    return kernel, logit(D), kernel @ model.dual_coef_ + model.intercept_


def objective(model, beta, b):
    kernel, z, _ = fitted(model)
    u = np.linalg.norm(z - kernel @ beta - b, axis=1)
    loss = np.sum(np.maximum(u / 4 - model.epsilon, 0) ** 2)
    return 0.5 * np.vdot(beta, kernel @ beta) + model.C * loss


@pytest.mark.parametrize("C", [0.5, 20.0])
def test_ldsvr_is_optimal(C):
    model = LDSVR(C, tol=1e-12).fit(X, D)
    _, z, values = fitted(model)
    u = np.linalg.norm(z - values, axis=1)
    weights = C * np.maximum(u - 4 * model.epsilon, 0) / (8 * u)
    expected = weights[:, None] * (z - values)
    assert_allclose(model.dual_coef_, expected, atol=1e-4)
    assert_allclose(model.dual_coef_.sum(axis=0), 0, atol=1e-8)
    value = objective(model, model.dual_coef_, model.intercept_)
    assert_allclose(model.objective_, value)
    assert np.all(np.diff(model.objective_history_) <= 0)


def test_ldsvr_agrees_with_a_general_method():
    model = LDSVR(5.0, tol=1e-12).fit(X, D)

    def flat(x):
        return objective(model, x[3:].reshape(60, 3), x[:3])

    start = np.concatenate([model.intercept_, model.dual_coef_.ravel()])
    found = minimize(flat, start + 1e-3, options={"maxiter": 30})
    assert model.objective_ <= found.fun + 1e-6


def test_a_wide_tube_needs_few_support_vectors():
    counts = [
        np.count_nonzero(LDSVR(5.0, e).fit(X, D).dual_coef_.any(axis=1))
        for e in (0.01, 0.2, 10.0)
    ]
    assert counts[0] > counts[1] > counts[2] == 0


def test_ldsvr_width_by_the_variance():
    model = LDSVR().fit(X, D)
    squares = np.square(X[:, None] - X[None]).sum(axis=2)
    # a half of the root mean square distance, of all pairs
    assert_allclose(1 / (2 * model.gamma_), squares.mean() / 4)
    moved = LDSVR().fit(X + 1000.0, D)
    assert_allclose(moved.gamma_, model.gamma_)
    weights = np.arange(len(X)) % 3
    weighted = LDSVR().fit(X, D, sample_weight=weights)
    repeated = LDSVR().fit(np.repeat(X, weights, 0), np.repeat(D, weights, 0))
    assert_allclose(weighted.gamma_, repeated.gamma_)
    assert LDSVR().fit(np.ones((5, 2)), D[:5]).gamma_ == 1.0


def test_ldsvr_predicts_sigmoids():
    model = LDSVR(smearing=False, gamma="mean").fit(X, D)
    P = expit(fitted(model)[2])
    assert_allclose(model.predict(X), P / P.sum(axis=1, keepdims=True))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert_allclose(model.gamma_, 1 / (2 * (distances.sum() / (60 * 59)) ** 2))
    assert LDSVR(gamma=2.0).fit(X, D).gamma_ == 2


def test_smearing_averages_over_the_errors():
    model = LDSVR().fit(X[:40], D[:40])
    kernel = rbf_kernel(X, X[:40], gamma=model.gamma_)
    values = kernel @ model.dual_coef_ + model.intercept_
    P = expit(values[:, None] + model.errors_[None]).mean(axis=1)
    assert_allclose(model.predict(X), P / P.sum(axis=1, keepdims=True))


def test_errors_are_those_of_samples_left_out():
    model = LDSVR(5.0, tol=1e-14).fit(X[:40], D[:40])
    kernel, z = rbf_kernel(X[:40], gamma=model.gamma_), logit(D[:40])
    inside = z - kernel @ model.dual_coef_ - model.intercept_
    u = np.linalg.norm(inside, axis=1)
    weights = 5.0 * np.maximum(u - 0.4, 0) / (8 * u)
    active = np.flatnonzero(weights > 0)
    assert 2 < len(active) < 40
    for i in range(40):
        rest = active[active != i]
        ones = np.ones((len(rest), 1))
        ridge = kernel[np.ix_(rest, rest)] + np.diag(1 / weights[rest])
        system = np.block([[ridge, ones], [ones.T, np.zeros((1, 1))]])
        found = np.linalg.solve(system, np.vstack([z[rest], np.zeros((1, 3))]))
        expected = z[i] - kernel[i, rest] @ found[:-1] - found[-1]
        if weights[i] == 0:
            expected = inside[i]
        assert_allclose(model.errors_[i], expected, atol=1e-5)


def test_quantiles_stand_for_many_errors():
    errors = np.random.default_rng(0).normal(size=(5000, 2)) + [0.0, 3.0]
    few, weights = quantiles(errors)
    assert_allclose(weights, 1)
    assert few.shape == (50, 2)
    assert_allclose(expit(few).mean(axis=0), expit(errors).mean(axis=0), atol=2e-3)


def test_smearing_mends_the_mean_where_degrees_are_zero():
    rng = np.random.default_rng(0)
    degrees = np.eye(4)[rng.choice(4, 60, p=[0.7, 0.1, 0.1, 0.1])]
    plain, smeared = (
        np.abs(model.fit(X, degrees).predict(X).mean(axis=0) - degrees.mean(axis=0))
        for model in (LDSVR(0.01, smearing=False), LDSVR(0.01))
    )
    assert smeared.max() < 0.5 * plain.max()


def test_logits_of_zeros():
    assert_allclose(expit(logits(np.array([[0.25, 0.75]]))), [[0.25, 0.75]])
    raised = expit(logits(np.array([[0.0, 1.0]])))
    assert_allclose(raised, np.array([[0.05, 1.0]]) / 1.05)


def sums_of_pairs(svm):
    """Decision values for three labels of a classifier of pairs."""
    a, b, c = svm.decision_function(X).T
    return np.column_stack([a + b, c - a, -b - c])


def decided(model):
    """Decision values by the definition."""
    kernel = rbf_kernel(X, model.support_vectors_, gamma=model.gamma_)
    return kernel @ model.dual_coef_ + model.intercept_


def test_examples_of_ptsvm_are_weighted():
    shares = np.round(D * 10)
    shares /= shares.sum(axis=1, keepdims=True)
    model = PTSVM(tol=1e-9, random_state=0).fit(X, shares)
    rows, labels = np.nonzero(shares)
    svm = SVC(gamma=1 / 4, decision_function_shape="ovo", tol=1e-9)
    svm.fit(X[rows], labels, sample_weight=3 * shares[rows, labels])
    assert_allclose(decided(model), sums_of_pairs(svm), atol=1e-6)
    inside = np.clip(sums_of_pairs(svm), *model.value_range_)
    assert_allclose(model.predict(X), model.calibration_.predict(inside), atol=1e-6)


def test_pairs_fitted_together_or_one_by_one(monkeypatch):
    together = decided(PTSVM(random_state=0).fit(X, D))
    monkeypatch.setattr(_pairs, "_AT_ONCE", 1)
    assert_allclose(decided(PTSVM(random_state=0).fit(X, D)), together, atol=1e-9)


def test_coefficients_of_pairs_are_balanced():
    model = PTSVM(0.5, random_state=0).fit(X, D)
    assert_allclose(model.dual_coef_.sum(axis=1), 0, atol=1e-12)
    assert_allclose(model.dual_coef_.sum(axis=0), 0, atol=1e-10)
    assert_allclose(model.intercept_.sum(), 0, atol=1e-12)


@pytest.mark.parametrize("gamma", ["auto", "scale", 0.3])
def test_widths(gamma):
    svm = SVC(gamma=gamma).fit(X, D.argmax(axis=1))
    assert_allclose(PTSVM(gamma=gamma, random_state=0).fit(X, D).gamma_, svm._gamma)


def test_examples_drawn_are_a_bootstrap():
    many = np.repeat(D, 2000, axis=0)
    weights = drawn(many, np.random.RandomState(0))
    assert_allclose(weights.sum(), 3 * len(many))
    shares = weights.reshape(60, 2000, 3).sum(axis=1) / weights.sum()
    assert_allclose(shares, D / 60, atol=6 * np.sqrt(1 / 60 / len(many)))
    used = weights.any(axis=1).mean()
    assert used == pytest.approx(1 - np.exp(-1), abs=0.01)
    one_hot = np.eye(3)[np.arange(60) % 3]
    weights = drawn(one_hot, np.random.RandomState(0))
    assert_array_equal(weights * (1 - one_hot), 0)


def test_resampled_ptsvm_is_a_classifier_of_repeated_rows():
    one_hot = np.eye(3)[D.argmax(axis=1)]
    model = PTSVM(resample=True, random_state=0).fit(X, one_hot)
    rng = np.random.RandomState(0)
    rows = rng.randint(60, size=60)
    svm = SVC(C=3.0, gamma=1 / 4, decision_function_shape="ovo")
    svm.fit(X[rows], D[rows].argmax(axis=1))
    assert_allclose(decided(model), sums_of_pairs(svm), atol=5e-3)


def test_resampled_ptsvm_follows_its_seed():
    first = PTSVM(resample=True, random_state=0).fit(X, D).predict(X)
    assert_array_equal(PTSVM(resample=True, random_state=0).fit(X, D).predict(X), first)
    other = PTSVM(resample=True, random_state=1).fit(X, D).predict(X)
    assert np.abs(other - first).max() > 1e-3


def test_labels_never_drawn_keep_a_degree():
    X, D = make_ldl(300, 4, 3, noise=0.5, random_state=0)
    wide = np.insert(0.999 * D, 1, 0.001, axis=1)
    model = PTSVM(resample=True, random_state=0).fit(X, wide)
    assert_array_equal(model.dual_coef_[:, 1], 0)
    assert (model.dual_coef_ != 0).any(axis=0).sum() == 3
    P = model.predict(X)
    assert_allclose(P[:, 1], 0.001, rtol=0.5)
    for column in (0, 2, 3):
        assert np.corrcoef(P[:, column], wide[:, column])[0, 1] > 0.5
    nearly = np.tile([1 - 1e-9, 1e-9], (300, 1))
    model = PTSVM(resample=True, random_state=0).fit(X, nearly)
    assert len(model.support_vectors_) == 0
    assert_allclose(model.predict(X), nearly, atol=1e-3)


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("resample", [False, True])
def test_columns_of_ptsvm_are_the_right_labels(n_labels, resample):
    X, D = make_ldl(400 if resample else 150, 3, n_labels, random_state=1)
    model, mean = (
        PTSVM(resample=resample, random_state=0).fit(X, D),
        MeanDistribution().fit(X, D),
    )
    assert model.score(X, D) > mean.score(X, D) + 0.08
    for column in range(n_labels):
        assert np.corrcoef(model.predict(X)[:, column], D[:, column])[0, 1] > 0.8


def test_labels_of_nobody():
    padded = np.insert(D, 1, 0.0, axis=1)
    P = PTSVM(random_state=0).fit(X, padded).predict(X)
    assert_allclose(P[:, 1], 0, atol=0)
    assert_allclose(P[:, [0, 2, 3]].sum(axis=1), 1)
    alone = PTSVM(random_state=0).fit(X, np.tile([0.0, 1.0], (60, 1)))
    assert len(alone.support_vectors_) == 0
    assert_allclose(alone.predict(X), np.tile([0.0, 1.0], (60, 1)))


def test_rare_labels_may_be_missing_from_folds():
    rare = np.tile([1.0, 0.0, 0.0], (60, 1))
    rare[0], rare[1] = [0, 1, 0], [0, 0, 1]
    P = PTSVM(random_state=0).fit(X, rare).predict(X)
    assert_allclose(P.sum(axis=1), 1)
    assert_allclose(
        PTSVM(random_state=0).fit(X[:3], np.eye(3)[[0, 0, 1]]).predict(X).sum(axis=1), 1
    )


def test_too_much_is_refused_with_the_memory():
    with pytest.raises(ValueError, match=r"GB for n_samples=60.*max_samples=50"):
        LDSVR(max_samples=50).fit(X, D)
    with pytest.raises(ValueError, match=r"GB for n_samples=60.*max_samples=50"):
        PTSVM(max_samples=50, random_state=0).fit(X, D)
    with pytest.raises(ValueError, match="n_samples=2"):
        PTSVM(random_state=0).fit(X[:2], D[:2])


@pytest.mark.parametrize("Model", [LDSVR, PTSVM])
def test_warns_once_that_it_stopped_early(Model):
    name = Model.__name__
    with pytest.warns(ConvergenceWarning, match=f"{name} stopped after") as caught:
        Model(max_iter=1).fit(X, D)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_ptsvm_says_how_far_it_was():
    with pytest.warns(ConvergenceWarning, match=r"3 steps .* slope of [0-9.]+ \(tol="):
        PTSVM(max_iter=3, random_state=0).fit(X, D)
    # rounding ends it, not max_iter
    with pytest.warns(ConvergenceWarning, match="slope of [0-9.]+e-1[3-7] ") as caught:
        model = PTSVM(tol=1e-300, random_state=0).fit(X, D)
    assert model.n_iter_ < 100_000
    assert len(caught) == 1


def test_ptsvm_warns_of_folds_that_stopped_early(monkeypatch):
    def early(X, weights, **options):
        found = _pairs.fit_pairs(X, weights, **options)
        return found if len(X) == 60 else found._replace(residual=0.5, n_iter=7)

    monkeypatch.setattr("skldl.ldl._ptsvm.fit_pairs", early)
    with pytest.warns(ConvergenceWarning, match="after 7 steps .* slope of 0.5"):
        PTSVM(random_state=0).fit(X, D)


@pytest.mark.parametrize("degree", [1e-13, 1e-16, 1e-20, 1e-300])
def test_a_degree_lost_in_the_sums_of_others(degree):
    wide = np.insert(D, 1, 0.0, axis=1)
    wide[3, 1] = degree
    model = PTSVM(random_state=0).fit(X, wide)
    assert_allclose(model.intercept_[1], -3, atol=1e-2)  # -1 for each other label
    assert_allclose(model.predict(X)[:, 1], 0, atol=1e-2)


@pytest.mark.parametrize(
    "model", [LDSVR(0), LDSVR(epsilon=-1), LDSVR(gamma=0), PTSVM(0), PTSVM(cv=1)]
)
def test_bad_settings(model):
    with pytest.raises(ValueError, match=f"parameter of {type(model).__name__}"):
        model.fit(X, D)


def test_ldsvr_does_not_see_where_the_origin_is():
    expected = LDSVR().fit(X, D).predict(X)
    assert_allclose(LDSVR().fit(X + 1e7, D).predict(X + 1e7), expected, atol=1e-6)


@pytest.mark.parametrize("Model", [LDSVR, PTSVM])
def test_numbers_too_large_for_distances_are_refused(Model):
    with pytest.raises(ValueError, match="distances overflow"):
        Model().fit(X * 1e160, D)


def test_weights_too_large_for_products_are_refused():
    with pytest.raises(ValueError, match="C is so large"):
        PTSVM(1e200, random_state=0).fit(X, D)


@pytest.mark.parametrize("gamma", [1e300, 1.7e308])
def test_a_gamma_whose_products_are_not_numbers(gamma):
    # only a sample itself is near
    P = LDSVR(gamma=gamma, smearing=False).fit(X, D).predict(X)
    assert_allclose(P.sum(axis=1), 1)
    far = LDSVR(gamma=5e199, smearing=False).fit(X, D).predict(X)
    assert_allclose(P, far)


@pytest.mark.parametrize("Model", [LDSVR, PTSVM])
def test_far_points_get_what_is_left_without_a_kernel(Model):
    model = Model().fit(X, D)
    far = model.predict(np.full((1, X.shape[1]), 1e4))
    assert_allclose(model.predict(np.full((1, X.shape[1]), 1e200)), far)


def test_ptsvm_does_not_see_where_the_origin_is():
    expected = PTSVM(random_state=0).fit(X, D).predict(X)
    # products of rows this far out have hardly a digit left
    assert_allclose(
        PTSVM(random_state=0).fit(X + 1e7, D).predict(X + 1e7), expected, atol=1e-3
    )


def test_ptsvm_needs_two_copies_of_wide_features():
    wide = np.random.default_rng(0).normal(size=(60, 20_000))
    tracemalloc.start()
    PTSVM(random_state=0).fit(wide, D)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * wide.nbytes


def test_diagonal_of_an_inverse():
    A = rbf_kernel(X) + np.diag(np.linspace(0.1, 2, len(X)))
    diagonal = _inverse_diagonal(_cholesky(A.copy()))
    assert_allclose(diagonal, np.diag(np.linalg.inv(A)))


def test_a_width_of_the_mean_distance():
    X, D = make_ldl(40, 3, 3, random_state=0)
    model = PTSVM(gamma="mean", random_state=0).fit(X, D)
    mean = pdist(X).mean()
    assert model.gamma_ == pytest.approx(1 / (2 * mean**2))
    assert LDSVR(gamma="mean").fit(X, D).gamma_ == pytest.approx(model.gamma_)
