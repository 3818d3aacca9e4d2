"""Predictions of blocks, of Dask collections and of Parquet files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skldl
from skldl.blocks import Blocks, predict_blocks
from skldl.datasets import make_ldl
from skldl.ldl import SABFGS, AAkNN

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

X, D = make_ldl(240, 7, 4, random_state=3)
MODEL = AAkNN(3).fit(X, D)


def test_predictions_of_blocks():
    P = MODEL.predict(X)
    ragged = [(X[:1], D[:1]), (X[1:104], D[1:104]), (X[104:], D[104:])]
    for source in (X, ragged, iter([X[:0], X[:60], X[60:]])):
        parts = list(skldl.predict_blocks(MODEL, source, block_rows=50))
        np.testing.assert_array_equal(np.concatenate(parts), P)
    labels = predict_blocks(MODEL, lambda: iter([X[:9], X[9:]]), method="classify")
    np.testing.assert_array_equal(np.concatenate(list(labels)), MODEL.classify(X))
    with pytest.raises(ValueError, match="no method 'foretell'"):
        predict_blocks(MODEL, X, method="foretell")
    with pytest.raises(ValueError, match="path of Parquet files"):
        predict_blocks(MODEL, X, out="somewhere")


def test_predictions_of_dask_collections():
    lazy = da.from_array(X, chunks=((40, 0, 200), (3, 4)))
    P = predict_blocks(MODEL, lazy)
    assert P.shape == (240, 4)
    np.testing.assert_array_equal(P.compute(), MODEL.predict(X))
    labels = predict_blocks(MODEL, lazy, method="classify")
    assert labels.shape == (240,)
    np.testing.assert_array_equal(labels.compute(), MODEL.classify(X))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(
        X, D.argmax(axis=1)
    )
    proba = predict_blocks(model, lazy, method="predict_proba")
    np.testing.assert_allclose(proba.compute(), model.predict_proba(X))


@pytest.fixture
def table():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(7)])
    labels = pd.DataFrame(D, columns=["joy", "fear", "calm", "awe"])
    return frame, labels, AAkNN(3).fit(frame, labels)


def test_predictions_of_dask_frames(table):
    frame, labels, model = table
    P = predict_blocks(model, dd.from_pandas(frame, npartitions=3)).compute()
    assert list(P.columns) == list(labels.columns)
    pd.testing.assert_index_equal(P.index, frame.index)
    np.testing.assert_array_equal(P.to_numpy(), model.predict(frame))


@pytest.fixture
def folder(table, tmp_path):
    frame, labels, _ = table
    whole = pd.concat([frame, labels], axis=1).assign(key=np.arange(240))
    source = tmp_path / "in"
    (source / "late").mkdir(parents=True)
    whole[:100].to_parquet(source / "a.parquet", index=False)
    whole[100:].to_parquet(source / "late" / "b.parquet", index=False)
    return source


def test_predictions_of_parquet_files(table, folder, tmp_path):
    frame, labels, model = table
    out = predict_blocks(
        model, folder, out=tmp_path / "out", keep=["key"], block_rows=33
    )
    first = pd.read_parquet(out / "a.parquet")
    second = pd.read_parquet(out / "late" / "b.parquet")
    answers = pd.concat([first, second], ignore_index=True)
    assert list(answers.columns) == ["key", *labels.columns]
    np.testing.assert_array_equal(answers[labels.columns], model.predict(frame))
    np.testing.assert_array_equal(answers["key"], np.arange(240))
    with pytest.raises(FileExistsError, match="new folder"):
        predict_blocks(model, folder, out=out)


def test_nothing_is_left_of_a_prediction_that_failed(table, folder, tmp_path):
    _, _, model = table
    pd.DataFrame({"f0": [1.0]}).to_parquet(folder / "z.parquet")
    with pytest.raises(ValueError, match="no column 'f1'"):
        predict_blocks(model, folder, out=tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]
    with pytest.raises(ValueError, match="out is needed"):
        predict_blocks(model, folder)
    with pytest.raises(FileNotFoundError, match="no .parquet files"):
        predict_blocks(model, tmp_path / "nothing", out=tmp_path / "out")


def test_empty_parquet_files(table, folder, tmp_path):
    _, labels, model = table
    whole = pd.read_parquet(folder / "a.parquet")
    whole[:0].to_parquet(folder / "0.parquet", index=False)
    out = predict_blocks(model, folder, out=tmp_path / "out", keep=["key"])
    empty = pd.read_parquet(out / "0.parquet")
    assert empty.shape == (0, 5)
    assert list(empty.columns) == ["key", *labels.columns]
    assert len(pd.read_parquet(out)) == 240
    with pytest.raises(ValueError, match="0 rows in all"):
        predict_blocks(model, folder / "0.parquet", out=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_an_index_can_be_kept(table, folder, tmp_path):
    frame, _, model = table
    number = pd.Index(np.arange(240)[::-1], name="number")
    frame.set_axis(number).to_parquet(tmp_path / "named.parquet")
    frame[::-1].set_axis(range(5, 245)).to_parquet(tmp_path / "plain.parquet")
    out = predict_blocks(
        model, tmp_path / "named.parquet", out=tmp_path / "out", keep=["number"]
    )
    assert pd.read_parquet(out)["number"].tolist() == number.tolist()
    X, _ = Blocks(tmp_path / "plain.parquet").gather()
    np.testing.assert_array_equal(X, frame[::-1])


def test_unfinished_work_in_a_folder_is_not_read(table, folder, tmp_path):
    for name in (".hidden", "_temporary"):
        (folder / name).mkdir()
        pd.DataFrame({"x": [1.0]}).to_parquet(folder / name / "a.parquet")
    out = predict_blocks(table[2], folder, out=tmp_path / "out")
    assert len(pd.read_parquet(out)) == 240
    with pytest.raises(ValueError, match="folder of the samples"):
        predict_blocks(table[2], folder, out=folder / "answers")


def test_an_interrupted_prediction_leaves_nothing(table, folder, tmp_path):
    class Interrupted:
        def predict(self, X):
            if len(X) < 33:  # the end of the first file
                raise KeyboardInterrupt
            return X.to_numpy()

    with pytest.raises(KeyboardInterrupt):
        predict_blocks(Interrupted(), folder, out=tmp_path / "out", block_rows=33)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]


def test_bad_options_of_predictions(table, folder, tmp_path):
    class Short:
        def predict(self, X):
            return np.zeros(len(X) - 1)

    out = tmp_path / "out"
    for name in ("keep", "features"):
        with pytest.raises(ValueError, match=rf"{name} must be a list .* \['key'\]"):
            predict_blocks(table[2], folder, out=out, **{name: "key"})
    with pytest.raises(ValueError, match="features must be a list"):
        Blocks(folder, features="f0")
    with pytest.raises(ValueError, match="99 predictions for 100 rows"):
        predict_blocks(Short(), folder, out=out)
    assert not out.exists()


def test_fits_of_parquet_files(table, folder):
    frame, labels, _ = table
    blocks = Blocks(
        folder, features=frame.columns, labels=list(labels.columns), block_rows=64
    )
    model = SABFGS(0.1).fit(blocks)
    assert list(model.classes_) == list(labels.columns)
    np.testing.assert_allclose(
        model.coef_, SABFGS(0.1).fit(frame, labels).coef_, atol=1e-8
    )
    assert model.predict(frame).shape == (240, 4)
