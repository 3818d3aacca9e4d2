"""The command report writes a page from a store."""

import os
import stat

import numpy as np
import pandas as pd
import pytest

from skldl.benchmark import Plan, Split, run
from skldl.cli import main


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    plan = Plan(["synthetic"], ["AAkNN", "SABFGS"], Split(n_splits=2))
    run(plan, path, engine="serial", keep_predictions=2)
    return path


def call(arguments, capsys):
    code = 0
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stopped:
        code = stopped.code
    return code, capsys.readouterr()


def test_a_page_from_a_store(store, tmp_path, capsys):
    page = tmp_path / "new" / "page.html"
    options = ["--metrics", "clark, cosine", "--title", "Votes", "--control", "AAkNN"]
    code, said = call(["report", store, "-o", page, *options], capsys)
    assert code == 0
    assert said.out == f"The report is in {page.resolve()}\n"
    html = page.read_text()
    assert "<h1>Votes</h1>" in html
    assert "Methods on synthetic" in html
    assert "chebyshev" not in html
    assert "worse than AAkNN" in html


def test_from_a_table_of_votes_to_a_page(tmp_path, capsys):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(60, 3)), columns=["a", "b", "c"])
    table[["joy", "fear"]] = random.integers(1, 9, size=(60, 2))
    table.to_csv(tmp_path / "votes.csv", index=False)
    store, page = tmp_path / "s.sqlite", tmp_path / "page.html"
    code, said = call(
        ["compare", tmp_path / "votes.csv", "--labels", "joy,fear", "--normalize",
         "-m", "AAkNN", "--cv", "3", "--serial", "--keep-predictions", "4",
         "--store", store],
        capsys,
    )  # fmt: skip
    assert code == 0, said.err
    code, said = call(["report", store, "-o", page], capsys)
    assert code == 0, said.err
    html = page.read_text()
    assert "Comparison on votes" in html
    assert html.count("votes, sample ") == 4
    assert "60 samples of votes in two" in html  # the picture came from the store


def test_the_page_opens_if_asked(store, tmp_path, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("click.launch", opened.append)
    page = tmp_path / "page.html"
    assert call(["report", store, "-o", page, "--open"], capsys)[0] == 0
    assert opened == [page.resolve().as_uri()]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["missing.sqlite"], 1, "There is no store missing.sqlite"),
        (["."], 1, "There is no store"),
        (["{store}", "--metrics", "clarke"], 1, "clarke"),
        (["{store}", "--metrics", "accuracy"], 1, "no results of accuracy"),
        (["{store}", "--control", "nobody"], 1, "nobody"),
        (["{store}", "--split", "kfold-9"], 1, "no results with split=kfold-9"),
        (["{store}", "--tuned"], 1, "no results with tuned=True"),
        (["{store}", "--seed", "x"], 2, "seed"),
        (["{text}"], 1, "not a store"),
        ([], 2, "STORE"),
        (["{store}", "-o", "{folder}"], 2, "directory"),
        (["{store}", "-o", "c.tex"], 1, "'c.tex' must end in .html or .htm"),
        (["{store}", "-o", "c.md"], 1, "'c.md' must end in .html or .htm"),
        (["{store}", "-o", "page"], 1, "'page' must end in .html or .htm"),
        (["{store}", "-o", "{text}/page.html"], 1, "Error"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    arguments, code, words, store, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text("these are no results " * 20)
    places = {"store": store, "text": text, "folder": tmp_path}
    got, said = call(["report", *(a.format(**places) for a in arguments)], capsys)
    assert got == code
    assert words in said.err
    assert "Traceback" not in said.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(store, tmp_path, capsys):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    code, said = call(["report", store, "-o", tmp_path / "page.html"], capsys)
    tmp_path.chmod(stat.S_IRWXU)
    assert code == 1
    assert "denied" in said.err


def test_a_full_disk_leaves_the_old_page(store, tmp_path, capsys, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    code, said = call(["report", store, "-o", page, "--force"], capsys)
    assert code == 1
    assert "No space left" in said.err
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    assert page.read_text() == "old"
