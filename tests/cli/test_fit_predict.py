"""The commands fit, predict and evaluate on a table of votes."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import savemat

import skldl
from skldl.cli import predict
from skldl.datasets import load
from skldl.ldl import SABFGS
from skldl.methods import register
from skldl.models import load_model, read_header
from votes_table import FIT, LABELS, NAMES, run, votes


def test_fit_says_what_it_did_and_the_file_says_it_again(tables, tmp_path):
    path = tmp_path / "m.skldl"
    result = run("fit", tables / "votes.csv", *FIT, "-m", "sabfgs(reg=0.1)", "-o", path)
    assert "300 rows of votes: 3 features, 3 labels" in result.output
    header = read_header(path)
    assert header.feature_names == NAMES
    assert header.label_names == header.target_columns == LABELS.split(",")
    assert (header.normalized, header.seed, header.tuned) == (True, 0, False)
    table = votes()[:300]
    counts = table[LABELS.split(",")].to_numpy(float)
    ours = SABFGS(reg=0.1).fit(table[NAMES], counts / counts.sum(1, keepdims=True))
    assert_allclose(load_model(path).predict(table[NAMES]), ours.predict(table[NAMES]))


def test_id_columns_are_left_out(tables, tmp_path):
    result = run("fit", tables / "votes.csv", "-l", LABELS, "--normalize",
                 "-o", tmp_path / "m")  # fmt: skip
    assert "they only number the rows: id." in result.stderr
    assert "id" not in read_header(tmp_path / "m").feature_names
    run("fit", tables / "votes.csv", "-l", LABELS, "--features", "id,hue",
        "-o", tmp_path / "m")  # fmt: skip
    assert read_header(tmp_path / "m").feature_names == ["id", "hue"]


def test_tuning_saves_the_best_model(tmp_path):
    path = tmp_path / "m"
    for method, key in (
        ("standard+AAkNN", "aaknn__n_neighbors"),
        ("AAkNN", "n_neighbors"),
    ):
        result = run("fit", "synthetic", "-m", method, "--tune", "--scoring", "clark",
                     "--seed", 3, "--json", "-o", path)  # fmt: skip
        header = json.loads(result.stdout)
        assert header["tuned"]
        assert header["seed"] == 3
        assert key in header["params"]
        load_model(path)
    register("far", SABFGS, {"reg": [1e3, 1e4, 1e5]})
    with pytest.warns(skldl.GridEdgeWarning, match="reg=1000 is the smallest"):
        run("fit", "synthetic", "-m", "far", "--tune", "-o", path)
    plain = run("fit", "toy", "-m", "MeanDistribution", "--tune", "-o", path)
    assert "no grid to search" in plain.stderr


@pytest.mark.parametrize(
    ("data", "method", "kind"),
    [("iris", "SVM", "classes"), ("toy", "aaknn", "distribution")],
)
def test_named_data_sets_and_their_kinds(data, method, kind, tmp_path):
    run("fit", data.upper(), "-m", method, "-o", tmp_path / "m")
    assert read_header(tmp_path / "m").target == kind
    result = run("predict", tmp_path / "m", data)
    lines = result.stdout.splitlines()
    assert len(lines) == load(data).n_samples + 1
    assert lines[0].endswith("label")
    run("evaluate", tmp_path / "m", data)


def test_labels_left_out_are_no_features(tmp_path):
    run("fit", "toy", "-l", "label_1,label_3", "--normalize", "-o", tmp_path / "m")
    header = read_header(tmp_path / "m")
    assert header.feature_names == ["feature_1", "feature_2", "feature_3"]
    assert header.label_names == ["label_1", "label_3"]
    run("evaluate", tmp_path / "m", "toy")


def test_label_sets(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    table["x"], table["y"] = (table["a"] > 0) * 1, (table["b"] > 0) * 1
    table.to_csv(tmp_path / "t.csv", index=False)
    run("fit", tmp_path / "t.csv", "-l", "x,y", "-m", "MLkNN(n_neighbors=3)",
        "-o", tmp_path / "m")  # fmt: skip
    run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    out = pd.read_csv(tmp_path / "p.csv", keep_default_na=False)
    assert set(out["label"]) <= {"", "x", "y", "x|y"}
    assert_array_equal(out["label"].str.contains("x"), out["x"] >= 0.5)
    result = run("evaluate", tmp_path / "m", tmp_path / "t.csv", "--json")
    names = [row["metric"] for row in json.loads(result.stdout)["metrics"]]
    assert "hamming_loss" in names


def test_a_column_of_classes(tmp_path):
    X, y = load("iris").frames()
    X.assign(kind=y).to_csv(tmp_path / "t.csv", index=False)
    run("fit", tmp_path / "t.csv", "-l", "kind", "-m", "SVM", "-o", tmp_path / "m")
    result = run("evaluate", tmp_path / "m", tmp_path / "t.csv", "--json")
    rows = {row["metric"]: row for row in json.loads(result.stdout)["metrics"]}
    assert rows["accuracy"]["model"] > 0.9
    assert_allclose(rows["accuracy"]["mean"], 1 / 3)


@pytest.mark.parametrize("suffix", ["npz", "mat", "arff", "parquet", "tsv"])
def test_formats(suffix, tmp_path):
    data = load("synthetic")
    path = tmp_path / f"d.{suffix}"
    frame = data.frames()[0].join(data.frames()[1])
    labels = ["-l", ",".join(data.label_names)]
    if suffix == "npz":
        np.savez(path, X=data.X, D=data.D, feature_names=data.feature_names)
        labels = []
    elif suffix == "mat":
        savemat(path, {"features": data.X, "labels": data.D, "more": [[1, 2, 3]]})
        labels = ["-l", "a,b,c,d,e"]  # names for columns that have none
    elif suffix == "arff":
        head = "".join(f"@attribute {c} numeric\n" for c in frame.columns)
        rows = frame.to_csv(index=False, header=False)
        path.write_text(f"@relation r\n{head}@data\n{rows}")
    elif suffix == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t", index=False)
    run("fit", path, *labels, "-m", "SABFGS(reg=0.1)", "-o", tmp_path / "m")
    header = read_header(tmp_path / "m")
    assert header.feature_names == list(data.feature_names)
    if suffix == "mat":
        assert header.label_names == list("abcde")
    run("predict", tmp_path / "m", path, "-o", tmp_path / "p.csv")
    expected = SABFGS(reg=0.1).fit(data.X, data.D).predict(data.X)
    got = pd.read_csv(tmp_path / "p.csv")[header.label_names]
    assert_allclose(got, expected, atol=1e-6)
    run("evaluate", tmp_path / "m", path)


def test_predictions_have_names_and_what_is_kept(tables, tmp_path):
    out = tmp_path / "p.csv"
    result = run("predict", tables / "model.skldl", tables / "new.csv", "--keep",
                 "name,id", "-o", out)  # fmt: skip
    assert "Predicted 100 rows" in result.output
    table = pd.read_csv(out)
    assert list(table.columns) == ["name", "id", *LABELS.split(","), "label"]
    new = pd.read_csv(tables / "new.csv")
    expected = load_model(tables / "model.skldl").predict(new[NAMES])
    assert_allclose(table[LABELS.split(",")], expected, rtol=1e-15)
    assert list(table["label"]) == list(expected.idxmax(axis=1))
    assert list(table["id"]) == list(new["id"])


def test_pieces_make_the_same_file(tables, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    pd.read_csv(tables / "new.csv").to_parquet(tmp_path / "new.parquet")
    run("predict", tables / "model.skldl", tables / "new.csv", "-o", tmp_path / "a.csv")
    whole = (tmp_path / "a.csv").read_bytes()
    monkeypatch.setattr(predict, "_CELLS", 1)
    monkeypatch.setattr(predict, "_ROWS", 7)
    for data in (tables / "new.csv", tmp_path / "new.parquet"):
        run("predict", tables / "model.skldl", data, "-o", tmp_path / "b.csv")
        assert (tmp_path / "b.csv").read_bytes() == whole
    run("predict", tables / "model.skldl", tables / "new.csv",
        "-o", tmp_path / "b.parquet")  # fmt: skip
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "b.parquet"), pd.read_csv(tmp_path / "a.csv"),
        check_dtype=False, rtol=1e-15,
    )  # fmt: skip


def test_reordered_and_extra_columns(tables, tmp_path):
    new = pd.read_csv(tables / "new.csv")
    new[["hue", "name", "bright", "contrast"]].to_csv(tmp_path / "r.csv", index=False)
    first = run("predict", tables / "model.skldl", tables / "new.csv")
    second = run("predict", tables / "model.skldl", tmp_path / "r.csv")
    assert first.stdout == second.stdout
    assert second.stderr.count("Ignored") == 1
    assert (
        "do not know"
        not in run(
            "predict", tables / "model.skldl", tables / "test.csv", "--keep", "id,name"
        ).stderr
    )  # labels of the model are no surprise
    short = run("predict", tables / "model.skldl", tables / "new.csv", "--digits", 2)
    assert len(short.stdout.splitlines()[1].split(",")[0]) <= 5


def test_row_names_of_pandas_and_spaces_in_headers(tables, tmp_path):
    new = pd.read_csv(tables / "new.csv")[NAMES]
    first = run("predict", tables / "model.skldl", tables / "new.csv")
    new.to_csv(tmp_path / "index.csv")  # a first column without a name
    text = (tmp_path / "index.csv").read_text().replace(",contrast", ", contrast", 1)
    (tmp_path / "index.csv").write_text(text)
    second = run("predict", tables / "model.skldl", tmp_path / "index.csv")
    assert first.stdout == second.stdout


def test_evaluate_beside_the_mean(tables):
    result = run("evaluate", tables / "model.skldl", tables / "test.csv", "--json",
                 "--metrics", "clark,intersection")  # fmt: skip
    facts = json.loads(result.stdout)
    assert facts["n_samples"] == 100
    counts = pd.read_csv(tables / "test.csv")[LABELS.split(",")].to_numpy(float)
    D = counts / counts.sum(1, keepdims=True)
    means = read_header(tables / "model.skldl").label_means
    expected = np.minimum(D, means).sum(1).mean()
    assert_allclose(facts["metrics"][1]["mean"], expected)
    shown = run("evaluate", tables / "model.skldl", tables / "test.csv").output
    assert "mean of training labels" in shown
