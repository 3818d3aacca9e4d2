"""The command check, and odd files on the command line."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from skldl.cli._main import cli
from skldl.models import read_header
from votes_table import run, votes

GERMAN = "id;größe;sehr gut;na, ja\n" + "".join(
    f"{i};{i * 7 % 11},5;{i % 4};{(i + 1) % 3}\n" for i in range(40)
)


def check(*arguments, **options):
    return CliRunner().invoke(cli, ["check", *map(str, arguments)], **options)


@pytest.fixture
def german(tmp_path):
    path = tmp_path / "my votes.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    return path


def test_the_printed_command_works(german, tmp_path, monkeypatch):
    done = check(german)
    assert done.exit_code == 0, done.output
    assert "Label columns, guessed: sehr gut, na, ja." in done.output
    command = shlex.split(done.output.splitlines()[-1].removeprefix("Next: "))
    monkeypatch.chdir(tmp_path)
    result = run(*command[1:])
    assert "cp1252" in result.stderr
    assert "rows without votes" in result.stderr
    header = read_header(tmp_path / "model.skldl")
    assert header.target_columns == ["sehr gut", "na, ja"]
    assert header.feature_names == ["größe"]
    run("evaluate", "model.skldl", german)
    run("predict", "model.skldl", german, "-o", "out.csv")
    assert len(pd.read_csv("out.csv")) == 40


def test_problems_are_an_exit_code(tmp_path):
    (tmp_path / "a.csv").write_text("a,yes,no\n1,-1,2\n2,x,1\n")
    done = check(tmp_path / "a.csv", "-l", "yes,no")
    assert done.exit_code == 1
    assert "(line 3)" in done.output
    assert "line 2)" in done.output
    facts = json.loads(check(tmp_path / "a.csv", "-l", "yes,no", "--json").stdout)
    assert len(facts["problems"]) == 2
    assert facts["next"].startswith("skldl fit")
    assert [column["use"] for column in facts["columns"]] == [
        "feature", "label", "label",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "suffix", ["csv", "xlsx", "parquet", "npz", "mat", "arff", "x"]
)
@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 99, b"a,b\n1", b"PK\x03\x04"])
def test_no_traceback_whatever_the_file(tmp_path, refused, suffix, content):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(content)
    code, message = refused("check", path)
    assert code == 1
    assert not message or message.startswith(("Error: ", "Note: "))


def test_labels_in_every_way(tmp_path):
    table = votes()[:60].rename(columns={"joy": "sad, angry"})
    table.to_csv(tmp_path / "t.csv", index=False)
    wanted = list(table.columns[-3:])
    places = [table.columns.get_loc(name) + 1 for name in wanted]
    for labels in (
        ["-l", f'"{wanted[0]}",{wanted[1]},{wanted[2]}'],
        ["-l", wanted[0], "-l", wanted[1], "-l", wanted[2]],
        ["-l", f"{places[0]}-{places[-1]}"],
        ["--labels-after", table.columns[places[0] - 2]],
    ):
        run("fit", tmp_path / "t.csv", *labels, "-m", "SABFGS", "-o", tmp_path / "m")
        assert read_header(tmp_path / "m").target_columns == wanted
        result = run("evaluate", tmp_path / "m", tmp_path / "t.csv", "--json")
        assert json.loads(result.stdout)["n_samples"] == 60


def test_standard_input_and_options(german, tmp_path):
    content = GERMAN.replace(";", "|").replace(",5", ".5").encode("utf-16")
    runner = CliRunner()
    for command in (
        ["fit", "-", "-l", "3-4", "-o", tmp_path / "m"],
        ["predict", tmp_path / "m", "-", "-o", tmp_path / "p.csv"],
        ["embed", "-", "-l", "3-4", "--keep", "id", "-m", "MSLP(n_components=1)",
         "-o", tmp_path / "e.csv"],
    ):  # fmt: skip
        done = runner.invoke(cli, [str(word) for word in command], input=content)
        assert done.exit_code == 0, done.output
    result = runner.invoke(
        cli, ["fit", str(german), "-l", "3-4", "--empty", "error", "-o", "m"]
    )
    assert "rows without votes (lines" in str(result.exception)


def test_sums_that_are_no_shares_name_the_option(tmp_path, refused):
    rows = np.column_stack([np.arange(9), np.full(9, 0.5), np.full(9, 0.7)])
    pd.DataFrame(rows, columns=["a", "yes", "no"]).to_csv(
        tmp_path / "t.csv", index=False
    )
    code, message = refused("fit", tmp_path / "t.csv", "-l", "yes,no", "-o", "m")
    assert code == 1
    assert "9 of 9 do not (lines 2, 3, 4, 5, 6, ...)" in message
    assert "add --normalize" in message
