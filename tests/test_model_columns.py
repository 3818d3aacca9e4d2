"""Saved pipelines take what their steps take: gaps, text, numbers."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skldl.cli import main
from skldl.datasets import make_ldl
from skldl.datasets.readers import csv_pieces
from skldl.ldl import SABFGS, AAkNN
from skldl.models import load_model, save_model
from skldl.models._kinds import feature_kinds

RNG = np.random.default_rng(0)
N = 90
# digits, then words: the first rows of this column look like numbers
CODE = np.r_[RNG.choice(["1", "2"], 60), RNG.choice(["1", "A3"], 30)]
X = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(40, 9, N)),
        "region": pd.Series(RNG.choice(["Nord", "Süd", ""], N)).replace("", np.nan),
        "code": CODE,
        "size": RNG.integers(0, 9, N),
    }
)
LABELS = ["joy", "fear", "calm"]
D = pd.DataFrame(make_ldl(N, 2, 3, random_state=0)[1], columns=LABELS)


def mixed(columns=(["age"], ["region"], ["code"], ["size"]), fill="most_frequent"):
    filled = SimpleImputer(strategy=fill, fill_value="none")
    parts = [
        ("age", make_pipeline(SimpleImputer(), StandardScaler()), columns[0]),
        ("region", make_pipeline(filled, OneHotEncoder()), columns[1]),
        ("code", OneHotEncoder(handle_unknown="ignore"), columns[2]),
        ("size", StandardScaler(), columns[3]),
    ]
    return make_pipeline(ColumnTransformer(parts), SABFGS(reg=0.01))


def call(*arguments):
    """Run the whole program; give its exit code."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stopped:
        return stopped.code or 0
    return 0


@pytest.fixture
def path(tmp_path):
    return save_model(mixed().fit(X, D), tmp_path / "m.skldl", y=D)


def test_gaps_and_text_reach_the_pipeline(path):
    saved = load_model(path)
    expected = saved.estimator.predict(X)
    assert_array_equal(saved.predict(X), expected)
    assert_array_equal(saved.predict(X[["size", "code", "region", "age"]]), expected)
    assert_array_equal(saved.predict(X.to_numpy(object)), expected)
    nullable = X.astype({"age": "Float64", "size": "Int64"})
    assert_allclose(saved.predict(nullable), expected)
    assert list(saved.predict(X[50:]).index) == list(range(50, N))
    gone = X.assign(age=np.nan, region=np.nan)
    assert_array_equal(saved.predict(gone), saved.estimator.predict(gone))


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("age", "old", "'age' must contain numbers, but row 4 has 'old'"),
        ("age", np.inf, "'age' contains infinity in row 4"),
        ("size", np.nan, "'size' has a missing value in row 4"),
        ("region", 7, "'region' must have text as in training, but row 4 has 7"),
    ],
)
def test_cells_that_no_step_takes_are_named(path, column, cell, words):
    table = X.astype(object)
    table.loc[4, column] = cell
    with pytest.raises(ValueError, match=words):
        load_model(path).predict(table)


def test_plain_models_want_finite_numbers(tmp_path):
    numbers = X[["age", "size"]].fillna(40.0)
    model = make_pipeline(StandardScaler(), AAkNN()).fit(numbers, D)
    saved = load_model(save_model(model, tmp_path / "m"))
    assert saved.feature_kinds == ["number", "number"]
    gap = int(np.argmax(X["age"].isna()))
    with pytest.raises(ValueError, match=f"'age' has a missing value in row {gap}"):
        saved.predict(X[["age", "size"]])


@pytest.mark.parametrize(
    "columns",
    [
        ([0], [1], [2], [3]),
        (slice(0, 1), slice("region", "region"), slice(-2, -1), [-1]),
        ([True, False, False, False], ["region"], ["code"], slice("size", None)),
    ],
)
@pytest.mark.parametrize("fill", ["most_frequent", "constant"])
def test_kinds_are_told_by_the_fitted_steps(columns, fill):
    model = mixed(columns, fill).fit(X, D)
    assert feature_kinds(model, list(X)) == ["gap", "text", "text", "number"]


def test_kinds_of_other_chains():
    def kinds(*steps, table=X):
        model = make_pipeline(*steps).fit(table, D)
        return feature_kinds(model, list(table))

    numbers = X[["age", "size"]]
    # missing values go through the scaler to a step that fills them
    assert kinds(StandardScaler(), SimpleImputer(), AAkNN(), table=numbers) == [
        "gap", "gap",
    ]  # fmt: skip
    assert kinds(StandardScaler(), table=numbers) == ["gap", "gap"]
    coded = SimpleImputer(missing_values=-1)
    filled = numbers.fillna(-1)
    assert kinds(coded, AAkNN(), table=filled) == ["number", "number"]
    some = ColumnTransformer([("a", OneHotEncoder(), ["size"])])
    assert kinds(some, AAkNN()) == ["any", "any", "any", "gap"]
    passed = ColumnTransformer([("a", "passthrough", ["size"])])
    assert kinds(passed, AAkNN())[:3] == ["any"] * 3


@pytest.mark.parametrize("remainder", ["drop", "passthrough"])
def test_columns_that_pass_through_are_saved(tmp_path, remainder):
    parts = [("region", OneHotEncoder(), ["region"]), ("size", "passthrough", ["size"])]
    table = X[["region", "size"]].assign(other=np.arange(N) / N)
    model = make_pipeline(
        ColumnTransformer(parts, remainder=remainder), SABFGS(reg=0.01)
    ).fit(table, D)
    saved = load_model(save_model(model, tmp_path / "m", y=D))
    assert_array_equal(saved.predict(table), model.predict(table))
    assert saved.feature_kinds == ["text", "any", "any"]


def test_a_model_without_names_takes_matrices(tmp_path):
    model = mixed(([0], [1], [2], [3])).fit(X.to_numpy(object), D)
    names = ["a", "b", "c", "d"]
    saved = load_model(save_model(model, tmp_path / "m", feature_names=names))
    assert saved.feature_kinds == ["gap", "text", "text", "number"]
    expected = model.predict(X.to_numpy(object))
    assert_array_equal(saved.predict(X.set_axis(names, axis=1)), expected)


def test_text_stays_text_in_every_piece_of_a_file(tmp_path):
    (tmp_path / "a.csv").write_text("id, code ,x\n1,01,1\n2,2,\n3,A3,3\n4,,4\n")
    pieces = list(csv_pieces(tmp_path / "a.csv", 1, ["code", "x"], text=["code"]))
    assert [p["code"].dropna().tolist() for p in pieces] == [["01"], ["2"], ["A3"], []]
    assert {p["code"].dtype for p in pieces} == {pieces[0]["code"].dtype}


@pytest.mark.parametrize("rows", [7, 10_000])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_prediction_of_a_file(path, tmp_path, monkeypatch, rows, kind):
    monkeypatch.setattr("skldl.cli.predict._CELLS", 0)
    monkeypatch.setattr("skldl.cli.predict._ROWS", rows)
    new, out = tmp_path / f"new.{kind}", tmp_path / "out.csv"
    table = X[["code", "size", "age", "region"]]  # the first 60 codes are digits
    if kind == "csv":
        table.to_csv(new, index=False)
    else:
        table.to_parquet(new)
    assert call("predict", path, new, "-o", out) == 0
    expected = load_model(path).estimator.predict(X)
    assert_allclose(pd.read_csv(out)[LABELS], expected, rtol=1e-12)


def test_rows_of_later_pieces_are_counted_on(path, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("skldl.cli.predict._CELLS", 0)
    monkeypatch.setattr("skldl.cli.predict._ROWS", 7)
    table = X.astype({"size": float})
    table.loc[33, "size"] = np.nan
    table.to_csv(tmp_path / "new.csv", index=False)
    assert call("predict", path, tmp_path / "new.csv") == 1
    assert "'size' has a missing value in row 33" in capsys.readouterr().err


def test_evaluation_of_a_file(path, tmp_path, capsys):
    X.join(D).to_csv(tmp_path / "test.csv", index=False)
    labels = ["--labels", ",".join(LABELS)]
    assert call("evaluate", path, tmp_path / "test.csv", *labels, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["metrics"]
    shown = {row["metric"]: row["model"] for row in rows}
    saved = load_model(path)
    assert shown["intersection"] == pytest.approx(saved.estimator.score(X, D))
