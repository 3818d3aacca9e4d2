"""Saved trees are plain arrays, checked before compiled code follows them."""

import copy
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from skldl.datasets import make_ldl
from skldl.ldl import BoostingLDL, ExtraTreesLDL, LightGBMLDL, RandomForestLDL
from skldl.models import ModelFileError, load_model, save_model

X, D = make_ldl(80, 4, 3, random_state=0)
X[::9, 1] = np.nan
SMALL = {"max_iter": 4, "min_samples_leaf": 3, "random_state": 0}
MODELS = [
    ExtraTreesLDL(5, random_state=0),
    RandomForestLDL(5, oob_score=True, random_state=0),
    BoostingLDL(**SMALL),
    LightGBMLDL(**SMALL),
]


@pytest.fixture(params=MODELS, ids=lambda m: type(m).__name__)
def model(request):
    if isinstance(request.param, LightGBMLDL):
        pytest.importorskip("lightgbm")
    if isinstance(request.param, RandomForestLDL):
        with pytest.warns(UserWarning, match="OOB"):
            return copy.deepcopy(request.param).fit(X, D)
    return copy.deepcopy(request.param).fit(X, D)


def spoiled(model, change):
    """The model's state after a change of its table of trees."""
    state = copy.deepcopy(model.__getstate__())
    change(state["forest_" if "forest_" in state else "trees_"], state)
    return state


def load(model, state):
    again = type(model).__new__(type(model))
    again.__setstate__(state)
    return again


def test_predictions_and_importances_are_the_same_to_the_bit(model, tmp_path):
    loaded = load_model(save_model(model, tmp_path / "m", y=D)).estimator
    for again in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_array_equal(again.predict(X), model.predict(X))
        assert_array_equal(again.feature_importances_, model.feature_importances_)
    # and once more, from what was loaded
    twice = load_model(save_model(loaded, tmp_path / "n", y=D)).estimator
    assert_array_equal(twice.predict(X), model.predict(X))


def test_the_file_holds_plain_types_only(model, tmp_path):
    with zipfile.ZipFile(save_model(model, tmp_path / "m", y=D)) as archive:
        schema = archive.read("schema.json").decode()
    for name in ("TreeNode", '"sklearn.', '"lightgbm', "ReduceNode"):
        assert name not in schema


def test_an_unfitted_model_can_be_copied(model):
    again = copy.deepcopy(type(model)())
    assert not hasattr(again, "classes_")


def put(name, value, node=0):
    def change(table, _):
        table[name] = table[name].copy()
        table[name][node] = value

    return change


def drop(name):
    return lambda table, _: table.pop(name)


def as_objects(table, _):
    table["left"] = table["left"].astype(object)


def shorter(table, _):
    table["right"] = table["right"][:-1]


def one_more(table, _):
    table["sizes"] = np.append(table["sizes"], 1)


def meet_again(table, _):
    inner = np.flatnonzero(table["left"] >= 0)[0]
    table["right"][inner] = table["left"][inner]


def fewer_features(_, state):
    state["n_features_in_"] = 1


def no_number_of_features(_, state):
    state["n_features_in_"] = "4"


def more_labels(_, state):
    state["classes_"] = np.arange(7)


@pytest.mark.parametrize(
    "change",
    [
        put("left", 0),  # its own child: a walk without end
        put("left", 10**6),
        put("right", -5),
        put("right", -1),
        put("left", -1),
        put("feature", 4),
        put("feature", -1),
        put("feature", 2**31 - 1),
        put("threshold", np.nan),
        put("value", np.nan),
        put("value", np.inf),
        put("sizes", 0),
        put("sizes", 2**62),
        put("sizes", -3),
        drop("left"),
        drop("sizes"),
        as_objects,
        shorter,
        one_more,
        meet_again,
        fewer_features,
        no_number_of_features,
        more_labels,
    ],
)
def test_wrong_tables_are_refused(model, change):
    with pytest.raises((ValueError, TypeError)):
        load(model, spoiled(model, change))
    load(model, spoiled(model, lambda table, state: None)).predict(X)


def test_leaves_must_hold_distributions():
    model = ExtraTreesLDL(3).fit(X, D)
    for value in (-0.5, 2.0):
        with pytest.raises(ValueError, match="leaf distributions"):
            load(model, spoiled(model, put("value", value)))


def test_compiled_state_in_a_file_is_not_used():
    model = BoostingLDL(**SMALL).fit(X, D)
    state = {**model.__getstate__(), "_walker": "anything"}
    assert_array_equal(load(model, state).predict(X), model.predict(X))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_table_that_passes_can_be_walked(data):
    for model in FITTED:
        state = spoiled(model, lambda table, state: None)
        table = state["forest_" if "forest_" in state else "trees_"]
        name = data.draw(st.sampled_from(["left", "right", "feature", "sizes"]))
        node = data.draw(st.integers(0, len(table[name]) - 1))
        table[name][node] = data.draw(st.integers(-3, len(table["left"]) + 3))
        try:
            again = load(model, state)
        except (ValueError, TypeError):
            continue
        P = again.predict(X)
        assert np.isfinite(P).all()
        np.testing.assert_allclose(P.sum(axis=1), 1.0)


FITTED = [ExtraTreesLDL(3, random_state=0).fit(X, D), BoostingLDL(**SMALL).fit(X, D)]


def test_a_spoiled_file_is_called_damaged(model, tmp_path):
    path = save_model(model, tmp_path / "m", y=D)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    table = "forest_" if hasattr(model, "forest_") else "trees_"
    state = json.loads(members["schema.json"])["content"]["content"][table]
    part = state["content"]["left"]["file"]
    left = np.load(io.BytesIO(members[part]))
    left[0] = 10**6
    spoiled_part = io.BytesIO()
    np.save(spoiled_part, left)
    members[part] = spoiled_part.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)
