import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import savemat
from votes_table import LABELS, NAMES, run, votes

from skldl.cli import predict
from skldl.datasets import load
from skldl.ldl import SABFGS
from skldl.models import load_model, read_header

FIT = ["-l", LABELS, "--normalize", "--ignore", "id"]


def leftovers(folder):
    """Files that a failed command must not leave."""
    return [p.name for p in Path(folder).iterdir() if p.name.startswith(".")]


def test_fit_says_what_it_did_and_the_file_says_it_again(tables, tmp_path):
    path = tmp_path / "m.skldl"
    result = run("fit", tables / "votes.csv", *FIT, "-m", "sabfgs(reg=0.1)", "-o", path)
    assert "300 rows of votes: 3 features, 3 labels" in result.output
    assert "Left out, as they hold no numbers: name" in result.output
    header = read_header(path)
    assert header.feature_names == NAMES
    assert header.label_names == header.target_columns == LABELS.split(",")
    assert (header.normalized, header.seed, header.tuned) == (True, 0, False)
    table = votes()[:300]
    counts = table[LABELS.split(",")].to_numpy(float)
    ours = SABFGS(reg=0.1).fit(table[NAMES], counts / counts.sum(1, keepdims=True))
    assert_allclose(load_model(path).predict(table[NAMES]), ours.predict(table[NAMES]))


def test_id_columns_are_pointed_out(tables, tmp_path):
    result = run("fit", tables / "votes.csv", "-l", LABELS, "--normalize",
                 "-o", tmp_path / "m")  # fmt: skip
    assert "'id' is used as a feature; leave it out with --ignore id" in result.output


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
    plain = run("fit", "toy", "-m", "MeanDistribution", "--tune", "-o", path)
    assert "no grid to search" in plain.output


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


BROKEN = {
    "empty": "",
    "header": "bright,contrast,hue,joy,fear,calm\n",
    "missing": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,1,1\n1,,3,1,1,1\n",
    "infinite": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,1,1\n1,inf,3,1,1,1\n",
    "word": "bright,contrast,hue,joy,fear,calm\n" + "1,2,3,1,1,1\n" * 3 + "1,x,3,1,1,1",
    "negative": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,1,1\n1,2,3,1,-1,1\n",
    "zero row": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,1,1\n1,2,3,0,0,0\n",
    "zero column": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,0,1\n1,2,3,1,0,2\n",
    "text labels": "bright,joy,fear,calm\n1,a,b,c\n2,a,b,c\n",
    "twice": "bright,bright,joy,fear,calm\n1,2,1,1,1\n",
    "no features": "name,joy,fear,calm\nann,1,1,1\n",
    "long row": "bright,joy,fear,calm\n1,2,3,4,5,6\n",
}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "is empty"),
        ("header", "has no rows"),
        ("missing", "'contrast' has a missing value in row 1"),
        ("infinite", "'contrast' holds infinity in row 1"),
        ("word", "'contrast' must hold numbers, but row 3 holds 'x'"),
        ("negative", "non-negative, but row 1, column 'fear' holds -1"),
        ("zero row", "Row 1 of labels sums to zero"),
        ("zero column", "Label fear is zero in every row"),
        ("text labels", "'joy' does not hold numbers, such as 'a'"),
        ("twice", "more than one column 'bright'"),
        ("no features", "No columns of numbers"),
        ("long row", "more fields than the header"),
    ],
)
def test_broken_tables(name, words, tmp_path, refused):
    (tmp_path / "t.csv").write_text(BROKEN[name])
    code, message = refused(
        "fit", tmp_path / "t.csv", "-l", LABELS, "--normalize", "-o", tmp_path / "m"
    )
    assert code == 1
    assert words in message
    assert message.count("\n") <= 2  # a note may come first
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_bytes_that_are_no_text(tmp_path, refused):
    (tmp_path / "t.csv").write_bytes("größe,joy,fear\n1,1,1\n".encode("latin1"))
    code, message = refused(
        "fit", tmp_path / "t.csv", "-l", "joy,fear", "-o", tmp_path / "m"
    )
    assert code == 1
    assert "not in UTF-8" in message
    assert "iconv" in message


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{votes}", "-l", LABELS, "-o", "m"], 1, "add --normalize"),
        (["{votes}", "-o", "m"], 2, "Name the label columns"),
        (["{votes}", "-l", "joy,feer", "-o", "m"], 1, "Did you mean 'fear'"),
        (["{votes}", "-l", "joy,joy", "-o", "m"], 2, "names 'joy' twice"),
        (["{votes}", "-l", "joy", "-o", "m"], 2, "at least two label columns"),
        (["{votes}", "-l", "joy,fear", "-m", "SVM", "-o", "m"], 2, "in one column"),
        (["{votes}", "-l", "joy,fear", "-m", "MLkNN", "-o", "m"], 1, "only 0 and 1"),
        (["{votes}", *FIT, "--features", "hua", "-o", "m"], 1, "Did you mean 'hue'"),
        (["{votes}", *FIT, "--features", "joy", "-o", "m"], 2, "something else"),
        (["{votes}", *FIT], 2, "--output"),
        (["{votes}", *FIT, "-o", "{votes}"], 2, "cannot be the output"),
        (["{votes}", *FIT, "-o", "{folder}"], 1, "Is a folder"),
        (["{votes}", *FIT, "-o", "{votes}/x"], 1, "Not a folder"),
        (["none.csv", *FIT, "-o", "m"], 1, "no file none.csv"),
        (["{folder}", *FIT, "-o", "m"], 1, "is a folder"),
        (["tyo", "-o", "m"], 1, "Did you mean 'toy'"),
        (["iris", "-o", "m"], 1, "--method standard+SVM"),
        (["iris", "-m", "1NN", "-o", "m"], 1, "algorithm='brute'"),
        (["toy", "-m", "AAkN", "-o", "m"], 1, "Did you mean 'AAkNN'"),
        (["toy", "-m", "AAkNN(k=3)", "-o", "m"], 1, "Wrong settings"),
        (["toy", "-m", "AAkNN(n_neighbors=9999)", "-o", "m"], 1, "n_neighbors=9999"),
        (["toy", "-m", "LPP", "-o", "m"], 1, "does not predict"),
        (["toy", "--scoring", "clark", "-o", "m"], 2, "give both"),
        (["toy", "--ignore", "size", "-o", "m"], 1, "no column 'size'"),
        (["toy", "--seed", "-1", "-o", "m"], 2, "--seed"),
    ],
)
def test_mistakes_in_fit(
    arguments, code, words, tables, tmp_path, refused, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names = {"votes": tables / "votes.csv", "folder": tables}
    got, message = refused("fit", *(a.format(**names) for a in arguments))
    assert got == code, message
    assert words in message
    assert not list(tmp_path.iterdir())
    assert not leftovers(tables)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{model}", "{lacking}"], 1, "lacks 1: hue"),
        (["{model}", "toy"], 1, "lacks 3: bright, contrast, hue"),
        (["{model}", "none.csv"], 1, "no file none.csv"),
        (["none", "{new}"], 1, "no file none"),
        (["{new}", "{new}"], 1, "is no model"),
        (["{cut}", "{new}"], 1, "damaged or was cut off"),
        (["{model}", "{new}", "--keep", "idd"], 1, "Did you mean 'id'"),
        (["{model}", "{votes}", "--keep", "joy"], 2, "clashes"),
        (["{model}", "{new}", "-o", "x.doc"], 2, "must end in"),
        (["{model}", "{new}", "-o", "{new}"], 2, "cannot be the output"),
        (["{model}", "{header}", "-o", "x.csv"], 1, "has no rows"),
        (
            ["{model}", "{late}", "-o", "x.csv"],
            1,
            "'hue' must hold numbers, but row 50",
        ),
    ],
)
def test_mistakes_in_predict(
    arguments, code, words, tables, tmp_path, refused, monkeypatch
):
    inputs = tmp_path / "in"
    inputs.mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    monkeypatch.setattr(predict, "_CELLS", 1)
    monkeypatch.setattr(predict, "_ROWS", 20)
    new = pd.read_csv(tables / "new.csv").astype({"hue": object})
    new.drop(columns="hue").to_csv(inputs / "lacking.csv", index=False)
    new[:0].to_csv(inputs / "header.csv", index=False)
    new.loc[50, "hue"] = "oops"
    new.to_csv(inputs / "late.csv", index=False)
    content = (tables / "model.skldl").read_bytes()
    (inputs / "cut").write_bytes(content[:-100])
    names = {name: tables / f"{name}.csv" for name in ("votes", "new")}
    names |= {name: inputs / f"{name}.csv" for name in ("lacking", "header", "late")}
    names |= {"model": tables / "model.skldl", "cut": inputs / "cut"}
    got, message = refused("predict", *(a.format(**names) for a in arguments))
    assert got == code, message
    assert words in message
    assert not list((tmp_path / "out").iterdir())
    assert not leftovers(tables)


def test_mistakes_in_evaluate(tables, refused):
    model = tables / "model.skldl"
    for arguments, words in (
        (["{new}"], "lacks the label columns joy, fear, calm"),
        (["{test}", "--metrics", "clarc"], "Did you mean 'clark'"),
        (["{test}", "--metrics", "accuracy"], "does not fit"),
        (["{test}", "--labels", "joy,fear"], "has 3 labels, --labels names 2"),
    ):
        names = {name: tables / f"{name}.csv" for name in ("new", "test")}
        code, message = refused(
            "evaluate", model, *(a.format(**names) for a in arguments)
        )
        assert code != 0
        assert words in message


def test_arrays_without_known_names(tmp_path, refused):
    path = tmp_path / "d.npz"
    data = load("synthetic")
    np.savez(path, foo=data.X, bar=data.D, names=np.array(["a"]))
    code, message = refused("fit", path, "-o", tmp_path / "m")
    assert code == 1
    assert "foo (500, 20), bar (500, 5)" in message
    assert "--arrays X,D" in message
    run("fit", path, "--arrays", "foo,bar", "-o", tmp_path / "m")
    np.savez(path, X=data.X)
    assert "no array of labels" in refused("fit", path, "-o", tmp_path / "m")[1]
    run("predict", tmp_path / "m", path, "-o", tmp_path / "p.csv")
    np.savez(path, X=data.X, D=data.D.T)
    assert "Transpose" in refused("fit", path, "-o", tmp_path / "m")[1]
    assert refused("fit", path, "--arrays", "a,b,c", "-o", tmp_path / "m")[0] == 2


def test_no_permission(tables, tmp_path, refused, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    code, message = refused(
        "predict", tables / "model.skldl", tables / "new.csv", "-o", tmp_path / "p.csv"
    )
    assert code == 1
    assert message == f"Error: Permission denied: {tmp_path / 'p.csv'}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_full_disk(tables, refused):
    for arguments in (
        ["predict", tables / "model.skldl", tables / "new.csv", "-o", "/dev/full"],
        ["fit", tables / "votes.csv", *FIT, "-o", "/dev/full"],
    ):
        code, message = refused(*arguments)
        assert code == 1
        assert "Error: No space left on device: /dev/full" in message
    assert Path("/dev/full").is_char_device()  # written to, not replaced


def test_a_disk_that_fills_on_the_way(tables, tmp_path, refused, monkeypatch):
    out = tmp_path / "p.csv"
    out.write_text("old")
    writes = []

    def full(self, *arguments, **options):
        writes.append(1)
        if len(writes) > 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(predict, "_CELLS", 1)
    monkeypatch.setattr(predict, "_ROWS", 20)
    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    code, message = refused(
        "predict", tables / "model.skldl", tables / "new.csv", "-o", out
    )
    assert code == 1
    assert f"No space left on device: {out}" in message
    assert out.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["p.csv"]


def test_interrupt(tables, tmp_path):
    header, row = (tables / "new.csv").read_text().splitlines()[:2]
    (tmp_path / "long.csv").write_text(f"{header}\n" + f"{row}\n" * 500_000)
    out = tmp_path / "out"
    out.mkdir()
    command = [sys.executable, "-m", "skldl", "predict", str(tables / "model.skldl"),
               str(tmp_path / "long.csv"), "-o", str(out / "p.csv")]  # fmt: skip
    # a test run in the background may have been told to ignore interrupts
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(command, stdout=-1, stderr=-1, preexec_fn=listen)
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if list(out.iterdir()):
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    # where the interpreter ends by the signal itself, a shell says 130, too
    assert process.returncode in (130, -signal.SIGINT), errors.decode()
    assert b"Interrupted" in errors
    assert b"Traceback" not in errors
    assert not list(out.iterdir())
