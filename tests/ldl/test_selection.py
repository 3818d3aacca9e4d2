"""Tables of selected features."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skldl.datasets import make_ldl
from skldl.ldl import LSELDL, AAkNN, ranked_features, selection_curve
from skldl.metrics import clark
from skldl.model_selection import PathSearchCV

X, D = make_ldl(60, 10, 3, random_state=0)


def small_search(**settings):
    return PathSearchCV(LSELDL(**settings), {"sparsity_weight": [0.1, 1.0]}, cv=2)


@pytest.mark.parametrize("make", [LSELDL, small_search])
def test_ranked_features_with_names(make):
    names = [f"f{i}" for i in range(10)]
    model = make(n_selected_features=3).fit(pd.DataFrame(X, columns=names), D)
    table = ranked_features(model)
    assert list(table.index) == list(range(1, 11))
    assert table["score"].is_monotonic_decreasing
    assert_allclose(table["share"].sum(), 1.0)
    assert table["selected"].tolist() == [True] * 3 + [False] * 7
    inner = getattr(model, "best_estimator_", model)
    assert table["feature"].tolist() == [names[i] for i in inner.ranking_]
    assert sorted(table["feature"][:3]) == sorted(model.get_feature_names_out())


def test_ranked_features_without_names_are_numbers():
    model = LSELDL().fit(X, D)
    assert ranked_features(model)["feature"].tolist() == model.ranking_.tolist()


def test_curve_equals_fits_with_so_many_features():
    folds = KFold(3, shuffle=True, random_state=0)
    pipeline = make_pipeline(StandardScaler(), LSELDL())
    table = selection_curve(
        pipeline, X, D, shares=[0.3, 1.0], metrics=["clark", "cosine"], cv=folds
    )
    assert table["metric"].tolist() == ["clark"] * 2 + ["cosine"] * 2
    assert table["n_features"].tolist() == [3, 10] * 2
    values = []
    for train, test in folds.split(X):
        pipeline.set_params(lseldl__n_selected_features=3).fit(X[train], D[train])
        values.append(clark(D[test], pipeline.predict(X[test])))
    assert_allclose(table["mean"][0], np.mean(values))
    assert_allclose(table["std"][0], np.std(values, ddof=1))


def test_a_search_and_one_step_work_too():
    one = make_pipeline(small_search())
    table = selection_curve(one, X, D, shares=[0.5], metrics=["clark"], cv=2)
    assert len(table) == 1
    behind = PathSearchCV(
        make_pipeline(StandardScaler(), LSELDL()),
        {"lseldl__sparsity_weight": [0.1, 1.0]},
        cv=2,
    )
    table = selection_curve(behind, X, D, shares=[0.5], metrics=["clark"], cv=2)
    assert len(table) == 1
    names = list("abcdefghij")
    behind.fit(pd.DataFrame(X, columns=names), D)
    assert sorted(ranked_features(behind)["feature"]) == names


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="AAkNN does not predict from chosen"):
        selection_curve(AAkNN(), X, D)
    for shares in ([0.0], [1.5], []):
        with pytest.raises(ValueError, match="shares must be above 0"):
            selection_curve(LSELDL(), X, D, shares=shares)
    with pytest.raises(ValueError, match="clarck"):
        selection_curve(LSELDL(), X, D, metrics=["clarck"])


def test_pipelines_keep_names_and_may_drop_features():
    X, D = make_ldl(60, 6, 3, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["g"] = 1.0
    model = make_pipeline(VarianceThreshold(), LSELDL()).fit(frame, D)
    assert set(ranked_features(model)["feature"]) == set("abcdef")
    table = selection_curve(
        make_pipeline(VarianceThreshold(), LSELDL()), frame, D, metrics="clark", cv=2
    )
    assert table["n_features"].max() == 6
    assert table["std"].notna().all()
