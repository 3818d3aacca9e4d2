"""Projections that choose all that the MSLP paper chooses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from skldl.datasets import make_ldl
from skldl.ldl import AAkNN
from skldl.metrics import kl_divergence
from skldl.projection import CCA, LPP, NPE
from skldl.reproduce import _peers
from skldl.reproduce._peers import NEIGHBORS, TunedPeer, neighbor_means, size_of

X, D = make_ldl(90, 10, 4, noise=0.3, random_state=0)


def pipeline(name, choice):
    """The setting by the estimators of the package."""
    size = size_of(choice["share"], X.shape[1])
    kernel, k = choice["kernel"], choice["n_neighbors"]
    if name == "PCA":
        step = PCA(size, svd_solver="full") if kernel is None else None
    elif name == "CCA":
        step = CCA(kernel=kernel)
    else:
        made = {"LPP": LPP, "NPE": NPE}[name]
        step = made(size, n_neighbors=k, kernel=kernel)
    return step and make_pipeline(step, AAkNN(choice["k"]))


@pytest.mark.parametrize("name", ["PCA", "LPP", "NPE", "CCA"])
def test_losses_are_those_of_single_pipelines(name):
    train, test = np.arange(60), np.arange(60, 90)
    losses = list(TunedPeer(name)._losses(X[train], D[train], X[test], D[test]))
    sizes = {"PCA": 2 * 10 * 3, "CCA": 2 * 3}
    assert len({choice for choice, _ in losses}) == sizes.get(name, 2 * 3 * 10 * 3)
    for choice, loss in losses[:: max(1, len(losses) // 12)]:
        model = pipeline(name, choice._asdict())
        if model is None:
            continue
        P = model.fit(X[train], D[train]).predict(X[test])
        assert loss == pytest.approx(kl_divergence(D[test], P), rel=1e-6), choice


@pytest.mark.parametrize("name", ["PCA", "CCA"])
def test_the_best_on_folds_is_taken_and_recorded(name):
    model = TunedPeer(name, n_splits=3).fit(X, D)
    totals: dict = {}
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        for choice, loss in model._losses(X[train], D[train], X[test], D[test]):
            totals[choice] = totals.get(choice, 0.0) + loss
    assert model.best_params_ == min(totals, key=totals.__getitem__)._asdict()
    alone = pipeline(name, model.best_params_)
    if alone is not None:
        assert_allclose(model.predict(X[:5]), alone.fit(X, D).predict(X[:5]), atol=1e-9)


def test_many_rows_are_chosen_on_one_part_of_them(monkeypatch):
    monkeypatch.setattr(_peers, "MOST_ROWS", 40)
    (only,) = TunedPeer()._folds(90)
    assert [len(rows) for rows in only] == [40, 50]  # the rest tests


def test_means_of_neighbours_come_from_one_search():
    for k, P in neighbor_means(X[:60], D[:60], X[60:]):
        assert_allclose(P, AAkNN(k).fit(X[:60], D[:60]).predict(X[60:]))
    assert [k for k, _ in neighbor_means(X[:60], D[:60], X[60:])] == list(NEIGHBORS)
