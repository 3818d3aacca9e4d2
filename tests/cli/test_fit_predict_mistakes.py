"""Mistakes, broken files, full disks and Ctrl-C in fit, predict and evaluate."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skldl.cli import predict
from skldl.cli._data import options_in_errors
from skldl.datasets import load
from skldl.validation import RowError, UnnormalizedError
from votes_table import FIT, LABELS, run


def leftovers(folder):
    """Files that a failed command must not leave."""
    return [p.name for p in Path(folder).iterdir() if p.name.startswith(".")]


BROKEN = {
    "empty": "",
    "header": "bright,contrast,hue,joy,fear,calm\n",
    "infinite": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,1,1\n1,inf,3,1,1,1\n",
    "word": "bright,contrast,hue,joy,fear,calm\n"
    + "1,2,3,1,1,1\n" * 30
    + "1,x,3,1,1,1",
    "negative": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,1,1\n1,2,3,1,-1,1\n",
    "zero column": "bright,contrast,hue,joy,fear,calm\n1,2,3,1,0,1\n1,2,3,1,0,2\n",
    "text labels": "bright,joy,fear,calm\n1,a,b,c\n2,a,b,c\n",
    "twice": "bright,bright,joy,fear,calm\n1,2,1,1,1\n",
    "no features": "name,joy,fear,calm\n" + "ann,1,1,1\nann,1,1,2\n" * 3,
    "long row": "bright,joy,fear,calm\n1,2,3,4,5,6\n",
}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "is empty"),
        ("header", "has no rows"),
        ("infinite", "'contrast' contains infinity in 1 row (line 3)"),
        ("word", "'contrast' does not contain numbers, such as 'x'"),
        ("negative", "'fear' must be non-negative, but has -1 (1 such cell, line 3)"),
        ("zero column", "Label fear is zero in every row"),
        ("text labels", "'joy' does not contain numbers, such as 'a'"),
        ("twice", "more than one column 'bright'"),
        ("no features", "No column is left to learn from: 'name' left out"),
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
        "fit", tmp_path / "t.csv", "-l", "joy,fear", "--encoding", "utf-8",
        "-o", tmp_path / "m",
    )  # fmt: skip
    assert code == 1
    assert "it has another encoding" in message
    assert "--encoding cp1252" in message


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{votes}", "-l", "bright,hue", "-o", "m"], 1, "non-negative"),
        (["{votes}", "-l", "joy", "--labels-after", "x", "-o", "m"], 1, "not both"),
        (["{votes}", "--labels-after", "calm", "-o", "m"], 1, "No column follows"),
        (["{votes}", "-o", "m"], 2, "Name the label columns"),
        (["{votes}", "-l", "joy,feer", "-o", "m"], 1, "Did you mean 'fear'"),
        (["{votes}", "-l", "joy,joy", "-o", "m"], 2, "names 'joy' twice"),
        (["{votes}", "-l", "joy", "-o", "m"], 2, "at least two label columns"),
        (["{votes}", "-l", "joy,fear", "-m", "SVM", "-o", "m"], 2, "in one column"),
        (["{votes}", "-l", "joy,fear", "-m", "MLkNN", "-o", "m"], 1, "only 0 and 1"),
        (["{votes}", *FIT, "--features", "hua", "-o", "m"], 1, "Did you mean 'hue'"),
        (["{votes}", *FIT, "--features", "joy", "-o", "m"], 2, "which is also a label"),
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
        (["toy", "--scoring", "clark", "-m", "AAkNN", "-o", "m"], 2, "give both"),
        (["toy", "--tune", "-o", "m"], 2, "AutoLDL tunes automatically"),
        (
            ["toy", "--jobs", "2", "-m", "AAkNN", "-o", "m"],
            2,
            "--jobs is only for AutoLDL",
        ),
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
        (["{new}", "{new}"], 1, "is not a model"),
        (["{cut}", "{new}"], 1, "damaged or was cut off"),
        (["{model}", "{new}", "--keep", "idd"], 1, "Did you mean 'id'"),
        (["{model}", "{votes}", "--keep", "joy"], 2, "also a predicted column"),
        (["{model}", "{new}", "-o", "x.doc"], 2, "must end in"),
        (["{model}", "{new}", "-o", "{new}"], 2, "cannot be the output"),
        (["{model}", "{header}", "-o", "x.csv"], 1, "has no rows"),
        (
            ["{model}", "{late}", "-o", "x.csv"],
            1,
            "'hue' must contain numbers, but row 50",
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
        (["{test}", "--labels", "joy,fear"], "has 3 labels, but --labels names 2"),
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
    again = ("-o", tmp_path / "m", "--force")
    assert "no array of labels" in refused("fit", path, *again)[1]
    run("predict", tmp_path / "m", path, "-o", tmp_path / "p.csv")
    np.savez(path, X=data.X, D=data.D.T)
    assert "Transpose" in refused("fit", path, *again)[1]
    assert refused("fit", path, "--arrays", "a,b,c", *again)[0] == 2


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
        "predict", tables / "model.skldl", tables / "new.csv", "-o", out, "--force"
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


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RowError("Row 3 is empty.", 3), "Row 3 is empty. (Rows are counted from 0"),
        (UnnormalizedError("It sums to 2.", "Pass it.", 3), "It sums to 2. If the"),
        (UnnormalizedError("It sums to 2.", "Pass it.", 3), "add --normalize."),
    ],
)
def test_errors_name_options_and_how_rows_are_counted(error, words):
    with pytest.raises(ValueError, match=re.escape(words)), options_in_errors():
        raise error


def test_words_of_other_errors_are_left_alone():
    text = "There is no column 'narrow road' to pass normalize=True."
    with pytest.raises(ValueError, match=f"^{text}$"), options_in_errors():
        raise ValueError(text)
