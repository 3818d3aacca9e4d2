"""Mixed tables in data sets, methods, comparisons and saved models."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mixed_table import LABELS, features_and_degrees
from skldl.benchmark import Plan, Split, Store, run
from skldl.benchmark._identity import fingerprint
from skldl.datasets import make_dataset
from skldl.ldl import SABFGS, AAkNN
from skldl.methods import Method, Tuning, for_dataset, make_method
from skldl.models import load_model, read_header, save_model
from skldl.preprocessing import TableEncoder


@pytest.fixture(scope="module")
def data():
    X, D = features_and_degrees()
    return make_dataset(X, pd.DataFrame(D, columns=LABELS), name="survey")


@pytest.fixture(scope="module")
def fitted(data):
    model = make_pipeline(TableEncoder(random_state=0), StandardScaler(), AAkNN())
    return model.fit(*data.frames())


def test_data_sets_keep_tables(data):
    assert data.mixed
    assert data.feature_names.tolist() == list(data.X.columns)
    facts = data.describe()
    assert facts["roles"]["number"] == 3
    assert facts["missing"] == data.X.isna().sum().sum()
    X, D = data.frames()
    X.loc[0, "income"] = -1.0
    assert data.X.loc[0, "income"] != -1.0
    part = data.subset([5, 2])
    assert part.X["income"].tolist() == data.X["income"].iloc[[5, 2]].tolist()
    np.testing.assert_array_equal(part.D, D.to_numpy()[[5, 2]])
    assert not make_dataset(data.X[["income", "flag"]], data.D).mixed


def test_fingerprints_of_tables(data):
    mark = fingerprint(data)
    assert fingerprint(replace(data, X=data.X.astype({"comment": object}))) == mark
    for column, value in (("region", "West"), ("age", 1.0), ("comment", None)):
        X = data.X.copy()
        X.loc[7, column] = value
        assert fingerprint(replace(data, X=X)) != mark
    turned = data.X[data.X.columns[::-1]]
    assert fingerprint(replace(data, X=turned)) != mark


def test_numbers_hash_as_before():
    X, D = np.arange(6.0).reshape(3, 2), np.eye(3)[:, :2] * 0.0 + 0.5
    # as stored results of earlier versions have it
    assert fingerprint(make_dataset(X, D)) == "8f98ab9c76733dbb73c1745e79b51c10"
    method = make_method("standard+AAkNN")
    assert for_dataset(method, make_dataset(X, D)) is method


def test_methods_get_the_encoder_once(data):
    data = replace(data, encoding={"categorical": ["zip"], "max_categories": 5})
    method = for_dataset(make_method("AAkNN"), data)
    assert [name for name, _ in method.estimator.steps] == ["table", "aaknn"]
    assert method.estimator[0].max_categories == 5
    assert method.grid
    assert all(key.startswith("aaknn__") for key in method.grid)
    explicit = for_dataset(make_method("table(text_components=3)+AAkNN"), data)
    assert explicit.estimator[0].text_components == 3
    assert explicit.estimator[0].categorical == ["zip"]
    assert for_dataset(explicit, data).estimator[0].max_categories == 5
    own = make_pipeline(ColumnTransformer([("n", "passthrough", ["income"])]), AAkNN())
    assert for_dataset(Method("own", own), data).estimator is own


@pytest.mark.parametrize("engine", ["serial", "process", "dask"])
def test_engines_agree_with_folds_by_hand(data, engine, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    plan = Plan([data], ["standard+AAkNN"], Split(n_splits=2))
    with Store(tmp_path / "s.sqlite") as store:
        rows = run(plan, store, engine=engine, n_jobs=1, keep_predictions=2)
        again = run(plan, store, engine="serial")
    assert (rows["status"] == "ok").all()
    assert len(again) == len(rows)
    wanted = []
    for fold in range(2):
        train, test = plan.split.rows(data, 0, 0, fold)
        model = make_pipeline(
            TableEncoder(text_components=30), StandardScaler(), AAkNN()
        )
        seen, new = data.subset(train), data.subset(test)
        model[0].set_params(random_state=0)
        P = model.fit(seen.X, seen.D).predict(new.X)
        wanted.append(np.abs(P - new.D).max(axis=1).mean())
    found = rows.query("method == 'standard+AAkNN' and metric == 'chebyshev'")["value"]
    # seeds of the text's projection differ, so the last digits do
    np.testing.assert_allclose(sorted(found), sorted(wanted), rtol=0.05)
    floor = rows.query("method == 'MeanDistribution' and metric == 'chebyshev'")[
        "value"
    ]
    assert found.mean() < 0.8 * floor.mean()


class Spy(TransformerMixin, BaseEstimator):
    """Keeps what the encoder in front of it has learned from."""

    seen: list = []

    def fit(self, X, y=None):
        """Remember the rows."""
        Spy.seen.append(np.asarray(X)[:, 0].copy())
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        """Nothing."""
        return X


def test_encoders_learn_from_training_rows_only():
    rng = np.random.default_rng(0)
    gaps = np.arange(40) % 2 == 0
    number = np.where(gaps, np.nan, rng.normal(size=40))
    table = pd.DataFrame({"a": number, "c": [f"k{i}" for i in range(20)] * 2})
    data = make_dataset(table, rng.dirichlet([1, 1, 1], 40), name="leak")
    Spy.seen.clear()
    method = for_dataset(Method("spied", make_pipeline(Spy(), AAkNN(3))), data)
    plan = Plan([data], [method], Split(n_splits=4))
    assert (run(plan, engine="serial")["status"] == "ok").all()
    for fold, seen in enumerate(Spy.seen):
        train, _ = plan.split.rows(data, 0, 0, fold)
        filled = seen[gaps[train]]
        assert (filled == np.nanmedian(number[train])).all()
    assert len(Spy.seen) == 4


def test_tuning_on_a_table(data):
    method = Method("kNN", AAkNN(), {"n_neighbors": [2, 20]})
    plan = Plan([data], [method], Split(n_splits=2), tuning=Tuning(n_splits=2))
    rows = run(plan, engine="serial")
    assert (rows["status"] == "ok").all()


def test_saved_equals_unsaved(data, fitted, tmp_path):
    X, D = data.frames()
    path = save_model(fitted, tmp_path / "m.skldl", y=D)
    saved = load_model(path)
    new = X.iloc[:50].assign(region="West", age=None, income=None, comment=None)
    for table in (X, new, X[X.columns[::-1]], X.drop(columns=["id", "same"])):
        given = table.reindex(columns=X.columns)
        np.testing.assert_array_equal(saved.predict(table), fitted.predict(given))
    assert saved.needed_features == [n for n in X.columns if n not in ("id", "same")]
    assert set(saved.text_features) == {"region", "zip", "day", "comment"}
    assert saved.header.columns == fitted[0].columns_.to_dict("records")
    assert read_header(path).columns[0]["role"] == "id"
    with pytest.raises(ValueError, match="lacks 1: zip"):
        saved.predict(X.drop(columns="zip"))
    with pytest.raises(ValueError, match=r"'income' must contain numbers.*row 3"):
        saved.predict(
            X.astype({"income": object}).replace({"income": {X.at[3, "income"]: "x"}})
        )


def test_saved_column_transformers_take_tables_as_they_are(data, tmp_path):
    X, D = data.frames()
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    categories = make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot)
    parts = ColumnTransformer(
        [
            ("number", numbers, ["age", "income"]),
            ("category", categories, ["region"]),
            ("words", TfidfVectorizer(max_features=20), "zip"),
            ("flag", "passthrough", make_column_selector(dtype_include=bool)),
        ],
        sparse_threshold=0,
    )  # fmt: skip
    X = X.astype({"region": object, "zip": object})
    X["region"] = X["region"].where(X["region"].notna(), np.nan)
    model = make_pipeline(parts, SABFGS(reg=0.01)).fit(X, D)
    saved = load_model(save_model(model, tmp_path / "c.skldl", y=D))
    new = X.iloc[:20].assign(region="West", age=np.nan)
    np.testing.assert_array_equal(saved.predict(new), model.predict(new))


@pytest.mark.parametrize(
    "words",
    [CountVectorizer(analyzer=str.split), CountVectorizer(input="filename")],
)
def test_vectorizers_that_call_or_open_are_not_saved(words, tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file in files:
        file.write_text(f"some words {file.name}")
    texts = [str(file) for file in files]
    model = make_pipeline(words, AAkNN(1)).fit(texts, [[0.2, 0.8], [0.6, 0.4]])
    with pytest.raises(ValueError, match="cannot be saved"):
        save_model(model, tmp_path / "w.skldl", feature_names=["text"])
    assert not (tmp_path / "w.skldl").exists()
