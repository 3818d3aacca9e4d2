"""LDLSCL: its objective by hand, descent, codes and limits."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression

from skldl.datasets import make_ldl
from skldl.ldl import LDLSCL
from skldl.objectives import LDLSCLObjective

X, D = make_ldl(80, 4, 3, noise=0.5, random_state=0)


def test_objective_by_hand():
    rng = np.random.default_rng(0)
    centers = D[:2]
    objective = LDLSCLObjective(X, D, centers, (0.3, 0.2, 0.4))
    x = rng.normal(size=4 * 3 + 2 * 3 + 80 * 2)
    theta, W, log_codes = objective.point(x)
    codes = np.exp(log_codes)
    P = softmax(X @ theta + codes @ W, axis=1)
    expected = np.sum(D * np.log(D / P)) + 0.3 * np.sum(theta**2) + 0.2 * np.sum(W**2)
    for j, center in enumerate(centers):
        expected += 0.4 * codes[:, j] @ np.sum((P - center) ** 2, axis=1)
    assert_allclose(objective.value_and_grad(x)[0], expected)


@pytest.mark.filterwarnings("ignore:LDLSCL stopped")
def test_the_objective_falls_and_codes_are_positive():
    model = LDLSCL(random_state=0).fit(X, D)
    assert np.all(np.diff(model.objective_history_) <= 0)
    assert (model.codes_ > 0).all()
    assert model.codes_.shape == (80, 5)
    assert model.code_coef_.shape == (3, 5)


def test_it_can_converge():
    model = LDLSCL(
        2, random_state=0, reg=5.0, cluster_weight=1.0, max_iter=5000, tol=1e-4
    ).fit(X, D)
    assert model.n_iter_ < 5000
    shorter = LDLSCL(2, random_state=0, reg=5.0, cluster_weight=1.0, tol=1.0).fit(X, D)
    assert model.objective_ <= shorter.objective_


@pytest.mark.filterwarnings("ignore:LDLSCL stopped")
def test_codes_of_new_samples_come_from_a_regression():
    model = LDLSCL(code_reg=0.0, random_state=0).fit(X, D)
    regression = LinearRegression().fit(X, model.codes_)
    codes = regression.predict(X[:7])
    scores = X[:7] @ model.coef_.T + codes @ model.code_coef_.T
    assert_allclose(model.predict(X[:7]), softmax(scores, axis=1))


@pytest.mark.filterwarnings("ignore:LDLSCL stopped")
def test_sparse_features_change_nothing():
    few = np.where(np.abs(X) < 0.7, 0.0, X)
    model = LDLSCL(max_iter=10, random_state=0)
    expected = model.fit(few, D).predict(few)
    again = model.fit(sp.csr_array(few), D).predict(sp.csr_array(few))
    assert_allclose(again, expected, atol=1e-3)


def test_says_once_how_far_it_got():
    with pytest.warns(ConvergenceWarning, match="LDLSCL stopped after 2 ") as caught:
        LDLSCL(max_iter=2, random_state=0).fit(X, D)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("model", [LDLSCL(0), LDLSCL(reg=-1), LDLSCL(code_reg=-1)])
def test_bad_settings(model):
    with pytest.raises(ValueError, match="parameter of LDLSCL"):
        model.fit(X, D)
