"""Regions of a saved model are those of the model."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from skldl.auto import AutoLDL
from skldl.conformal import ConformalDistribution
from skldl.datasets import make_ldl
from skldl.ldl import AAkNN, LogisticLDL
from skldl.models import load_model, save_model
from skldl.preprocessing import TableEncoder

X, D = make_ldl(200, n_features=3, n_labels=3, random_state=0)
SETTINGS = [
    {"distance": "kl"},
    {"method": "cross", "cv": 3},
    {"difficulty": "prediction", "n_bins": 2},
    {"difficulty": Ridge(), "distance": "aitchison"},
    {"target": "underlying"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_round_trip(tmp_path, settings):
    model = ConformalDistribution(LogisticLDL(), random_state=0, **settings)
    votes = 10 if "target" in settings else None
    model.fit(X, D, n_votes=votes)
    saved = load_model(save_model(model, tmp_path / "m.skldl", y=D)).estimator
    one = model.predict_region(X, coverage=0.8)
    two = saved.predict_region(X, coverage=0.8)
    assert_array_equal(one.radius, two.radius)
    assert_array_equal(one.upper, two.upper)


def test_groups_are_saved(tmp_path):
    groups = np.where(X[:, 0] > 0, "a", "b")
    model = ConformalDistribution(AAkNN(), random_state=0).fit(X, D, groups=groups)
    saved = load_model(save_model(model, tmp_path / "m.skldl", y=D)).estimator
    assert_array_equal(
        model.predict_region(X, groups=groups).radius,
        saved.predict_region(X, groups=groups).radius,
    )


def mixed_table():
    table = pd.DataFrame(X, columns=list("abc"))
    table["place"] = np.where(X[:, 0] > 0, "north", "south")
    table.loc[::7, "b"] = np.nan
    return table


def test_tables_with_categories_and_gaps(tmp_path):
    table = mixed_table()
    learner = make_pipeline(TableEncoder(), LogisticLDL())
    model = ConformalDistribution(learner, random_state=0).fit(table, D)
    saved = load_model(save_model(model, tmp_path / "m.skldl", y=D))
    assert saved.feature_kinds[-1] == "words"
    assert [record["column"] for record in saved.header.columns] == [*"abc", "place"]
    again = saved.estimator.predict_region(saved.columns(table))
    assert_array_equal(again.upper, model.predict_region(table).upper)


def test_a_saved_auto_gives_regions(tmp_path):
    table = mixed_table()
    auto = AutoLDL(portfolio=[("near", AAkNN())], cv=3, random_state=0).fit(table, D)
    saved = load_model(save_model(auto, tmp_path / "m.skldl", y=D)).estimator
    one, two = (ConformalDistribution.from_fitted(m) for m in (auto, saved))
    assert_array_equal(one.predict_region(table).upper, two.predict_region(table).upper)
    whole = ConformalDistribution(auto, method="oof", random_state=0).fit(table, D)
    kept = load_model(save_model(whole, tmp_path / "w.skldl", y=D))
    assert kept.header.verdict == whole.estimators_[0].verdict_
