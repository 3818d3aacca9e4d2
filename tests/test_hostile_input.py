"""Bad and extreme input of estimators: the right answer, or an error with the place."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils._param_validation import InvalidParameterError

from skldl import _memory
from skldl.auto import AutoLDL
from skldl.classifiers import CanonicalCorrelationForestClassifier
from skldl.discovery import all_estimators
from skldl.ldl import (
    AABP,
    CPNN,
    LALOT,
    LDLLC,
    LDLLDM,
    LDLM,
    LDLSCL,
    LSELDL,
    RWLM,
    SABFGS,
    SAIIS,
    AAkNN,
    DirichletLDL,
    DistributionRegressor,
    DistributionVoting,
    ExtraTreesLDL,
    LDkNN,
    LogisticLDL,
    LWkNN,
    PTBayes,
    StackedDistribution,
)
from skldl.linalg import require_products, tame_columns
from skldl.metrics import intersection
from skldl.model_selection import PathSearchCV
from skldl.projection import (
    CCA,
    LPP,
    LSDR,
    MSLP,
    NPE,
    AutoRULe,
    GraphEmbedding,
    JPlay,
)
from skldl.validation import check_distribution, check_folds

rng = np.random.default_rng(0)
N = 40
X = rng.normal(size=(N, 5))
D = np.exp(X @ rng.normal(size=(5, 4)) * 0.6 + rng.normal(size=(N, 4)) * 0.1)
D /= D.sum(axis=1, keepdims=True)
MEAN = intersection(D, np.tile(D.mean(axis=0), (N, 1)))


def quiet_fit(model, X, y=D):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may not converge
        return model.fit(X, y)


def columns(**factors):
    scale = np.ones(5)
    for name, factor in factors.items():
        scale[int(name[1:])] = factor
    return X * scale


# names and numbers


@pytest.mark.parametrize("model", [AAkNN(), LPP(), AutoLDL(), DistributionRegressor()])
def test_two_columns_of_one_name_are_refused(model):
    table = pd.DataFrame(X, columns=["a", "b", "a", "c", "d"])
    with pytest.raises(ValueError, match="X has 2 columns named 'a'"):
        model.fit(table, D)


@pytest.mark.parametrize(
    "model", [AAkNN(), CCA(), CanonicalCorrelationForestClassifier()]
)
def test_an_integer_too_large_for_a_float_is_found(model):
    cells = X.astype(object)
    cells[3, 2] = 10**400
    y = D.argmax(axis=1) if "Forest" in str(model) else D
    with pytest.raises(ValueError, match="too large for a float at row 3, column 2"):
        model.fit(cells, y)


def test_a_vote_too_large_for_a_float_is_found():
    votes = pd.DataFrame([[1, 2], [3, 10**400]], columns=["joy", "fear"], dtype=object)
    with pytest.raises(ValueError, match="row 1, column 'fear'"):
        check_distribution(votes)


def test_a_frame_after_an_array():
    model = AutoLDL(
        portfolio=[("near", AAkNN(3)), ("softmax", LogisticLDL(0.1))],
        cv=3,
        random_state=0,
    ).fit(X, D)
    with pytest.warns(UserWarning, match="without feature names"):
        P = model.predict(pd.DataFrame(X).add_prefix("c"))
    np.testing.assert_allclose(P, model.predict(X))


# sizes


@pytest.mark.parametrize(
    "model", [SAIIS(), AABP(random_state=0), CPNN(random_state=0)], ids=str
)
@pytest.mark.parametrize(
    "Z", [X * 1e8, X * 1e200, columns(c1=1e8), columns(c1=1e150)], ids=range(4)
)
def test_huge_features_are_scaled_inside(model, Z):
    P = quiet_fit(model, Z).predict(Z)
    assert intersection(D, P) > MEAN - 0.02


@pytest.mark.parametrize(
    "model",
    [SAIIS(20), AABP(max_iter=20, random_state=0), CPNN(max_iter=20, random_state=0)],
    ids=str,
)
def test_taming_is_a_change_of_units(model):
    """Columns times powers of two, which is what is divided by."""
    tamed = X * np.where(
        np.arange(5) == 2, 2.0 ** -np.frexp(np.abs(X[:, 2]).max())[1], 1
    )
    huge = tamed * np.where(np.arange(5) == 2, 2.0**40, 1)
    P = quiet_fit(model, tamed).predict(tamed)
    np.testing.assert_allclose(quiet_fit(model, huge).predict(huge), P, rtol=1e-9)
    sparse = quiet_fit(model, sp.csr_matrix(huge)).predict(sp.csr_matrix(huge))
    np.testing.assert_allclose(sparse, P, atol=1e-6)


def test_ordinary_columns_are_left_alone():
    assert tame_columns(X) == (X, None)
    assert tame_columns(X * 1e5)[1] is None
    assert np.abs(tame_columns(np.array([[1e308], [-1e308]]))[0]).max() < 8


@pytest.mark.parametrize(
    "model",
    [
        SABFGS(), LALOT(), LDLLC(), LDLLDM(random_state=0), LDLM(), RWLM(),
        LDLSCL(random_state=0), LSELDL(), LSDR(random_state=0), AutoRULe(), JPlay(),
        DistributionRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_what_cannot_be_multiplied_is_refused_by_column(model):
    Z = np.abs(X) + 1.0
    Z[3, 2] = 1e300
    with pytest.raises(ValueError, match="Column 2 of X has a number of size 1e.300"):
        quiet_fit(model, Z)


@pytest.mark.parametrize("model", [LWkNN(), LDkNN()])
def test_a_column_that_hides_the_others(model):
    table = pd.DataFrame(columns(c1=1e8)).add_prefix("c")
    with pytest.raises(ValueError, match="Column 'c1' of X varies by"):
        model.fit(table, D)
    model.fit(columns(c1=1e4), D)


def test_a_cell_far_from_all_others():
    Z = X.copy()
    Z[3, 2] = 1e15
    with pytest.raises(ValueError, match="Row 3 of X has 1e.15 in column 2"):
        PTBayes().fit(Z, D)
    Z[3, 2] = 1e5
    PTBayes().fit(Z, D)
    Z[:, 2] = 0  # a column of two values is not a mistake
    Z[3, 2] = 1
    PTBayes().fit(Z, D)


@pytest.mark.parametrize("model", [LogisticLDL(), DirichletLDL(reg=1.0)])
def test_features_below_the_normal_numbers(model):
    assert np.isfinite(model.fit(X * 1e-310, D).predict(X * 1e-310)).all()


def test_features_far_from_zero_in_words():
    with pytest.raises(ValueError, match="singular in double precision.*mean 1e.12"):
        quiet_fit(LSELDL(), X + 1e12)


@pytest.mark.parametrize("Z", [np.tile(X[0], (N, 1)), np.zeros((N, 5))], ids=range(2))
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_equal_samples_are_equally_near(Z, make):
    for model in (AAkNN(3), AAkNN(3, weights="distance"), AAkNN()):
        P = model.fit(make(Z), D).predict(make(Z[:2]))
        np.testing.assert_allclose(P, np.tile(D.mean(axis=0), (2, 1)))


def test_nearly_equal_samples_are_not():
    Z = np.zeros((N, 5))
    Z[0] = 1.0
    assert AAkNN(3).fit(Z, D).n_neighbors_ == 3


@pytest.mark.parametrize(
    "model",
    [
        RWLM(), SABFGS(), CanonicalCorrelationForestClassifier(10, random_state=0),
    ],
)  # fmt: skip
def test_the_layout_does_not_matter(model):
    classes = D.argmax(axis=1) if "Forest" in str(model) else D
    P, Q = (
        quiet_fit(model, Z, classes) and getattr(model, name)(X)
        for Z in (X, np.asfortranarray(X))
        for name in (["predict_proba"] if "Forest" in str(model) else ["predict"])
    )
    np.testing.assert_allclose(P, Q, atol=1e-6)


@pytest.mark.parametrize(("tol", "bound"), [(1e-3, 1e-3), (1e-7, 1e-5)])
def test_rounding_matters_to_rwlm_as_little_as_it_says(tol, bound):
    P, Q = (RWLM(tol=tol).fit(Z, D).predict(X) for Z in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(P, Q, atol=bound)


# parameters


def counts():
    for name, cls in all_estimators():
        for param, value in cls().get_params(deep=False).items():
            if type(value) is int and param not in ("random_state", "time_limit"):
                yield pytest.param(cls, param, id=f"{name}-{param}")


@pytest.mark.parametrize(("cls", "param"), list(counts()))
def test_absurd_counts_are_refused_before_work(cls, param):
    for wrong in (True,) if param == "cv" else (10**9, 10**30, True):
        with pytest.raises(ValueError, match=re.escape(param)):
            cls(**{param: wrong}).fit(
                X + 5, D if "Forest" not in cls.__name__ else D[:, 0]
            )


@pytest.mark.parametrize("n_jobs", [0, 10**9, -(10**9)])
@pytest.mark.parametrize("cls", [AAkNN, ExtraTreesLDL, JPlay])
def test_absurd_numbers_of_jobs_are_refused(cls, n_jobs):
    with pytest.raises(InvalidParameterError, match="'n_jobs' parameter .* -1 for all"):
        cls(n_jobs=n_jobs).fit(X + 5, D)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AABP(dict), "hidden_layer_sizes must have"),
        (CPNN([10**9]), "none over 100000"),
        (JPlay(layer_sizes=dict), "layer_sizes must be integers"),
        (JPlay(label_weight=1e30), "label_weight"),
        (JPlay(pretrain_smoothness_weight=1e30), "pretrain_smoothness_weight"),
        (JPlay(pretrain_smoothness_weight=1e9), "or lower smoothness_weight"),
        (LALOT(sharpness=1e9), "sharpness"),
        (LSELDL(n_components=10**6), "n_components must be at most"),
        (LSELDL(smoothness_weight=1e13), "'smoothness_weight' parameter of LSELDL"),
        (GraphEmbedding(label_distance=[1.0]), "label_distance must be"),
        (GraphEmbedding(label_distance=dict), "label_distance must be"),
        (MSLP(label_distance=dict), "label_distance must be"),
        pytest.param(
            MSLP(label_distance=lambda P, Q: 1.0),
            "one distance for each pair",
            id="MSLP-one-number",  # the address of a function is not a name
        ),
        (ExtraTreesLDL(oob_score=True), "bootstrap=True"),
        (ExtraTreesLDL(max_samples=0.5), "bootstrap=True"),
        (AutoLDL(store=3), "store"),
        (DistributionVoting(weights=["a"]), "one number for each"),
        (PathSearchCV(AAkNN(), scoring=dict), "scoring must be"),
        (PathSearchCV(AAkNN(), cv=10**9), "cv=1000000000 folds"),
        (DirichletLDL(cv=[1.0]), "cv must be a number of folds"),
        (StackedDistribution(cv=[]), "cv must be a number of folds"),
        (StackedDistribution(cv=10**9), "cv=1000000000 folds"),
        (LogisticLDL(cv=b"x"), "cv must be a number of folds"),
        (PathSearchCV(AAkNN(), scoring={}), "scoring is empty"),
        (NPE(1, n_neighbors=6, barycenter_reg=0), "larger reg.*barycenter_reg in NPE"),
        (GraphEmbedding(1, constraint=[1.0, 2.0]), r"constraint has shape \(2,\)"),
        (GraphEmbedding(1, constraint=["a"]), "constraint must be a dense matrix"),
        (GraphEmbedding(1, constraint={}), "constraint must be a dense matrix"),
    ],
    ids=lambda case: str(case)[:60],
)
def test_wrong_settings_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        quiet_fit(model, X + 5 if isinstance(model, JPlay) else X)


def test_folds_that_are_given_stay_as_they_are():
    pairs = [(np.arange(2), np.arange(2, 4))]
    assert check_folds(pairs, X[:4], D[:4]) == pairs


# memory


def test_what_cannot_fit_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(_memory, "total_memory", lambda: 2.0**30)
    with pytest.raises(MemoryError, match=r"order 20000.* 11.9 GiB .* 1.0 GiB"):
        require_products(20_000, 30_000)
    require_products(1_000, 30_000)
    with pytest.raises(MemoryError, match="Covariances of 30000 features"):
        PTBayes().fit(np.ones((3, 30_000)), D[:3])


def test_memory_of_this_machine_is_known():
    assert _memory.total_memory() > 2**27
