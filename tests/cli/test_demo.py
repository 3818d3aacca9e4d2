import os
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

from skldl.benchmark._methods import learner_names
from skldl.cli import _main, demo, main


def test_demo_writes_the_table_and_says_where(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "DATASETS", ("synthetic",))
    result = CliRunner().invoke(
        demo.command, ["--output", str(tmp_path / "out"), "--folds", "2"]
    )
    assert result.exit_code == 0, result.output
    report = tmp_path / "out" / "comparison.md"
    assert f"The report lies in {report.resolve()}" in result.output
    rows = pd.read_csv(tmp_path / "out" / "folds.csv")
    methods = set(rows["method"])
    for name in {"MeanDistribution", *learner_names()} - {*demo.SLOW}:
        assert any(method.startswith(name) for method in methods)
    assert {"AAkNN", "standard+AAkNN", "MeanDistribution"} <= methods
    assert rows.groupby(["method", "metric"])["fold"].nunique().eq(2).all()
    assert "**" in report.read_text()


def run(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return stopped.value.code, capsys.readouterr().err


def test_wrong_options_and_commands(capsys):
    code, message = run(["demo", "--folds", "1"], capsys)
    assert code == 2
    assert "folds" in message
    assert run(["nothing"], capsys)[0] == 2
    assert run(["demo", "--nothing"], capsys)[0] == 2


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("row 3 is empty"), 1, "Error: row 3 is empty"),
        (PermissionError(13, "denied"), 1, "denied"),
        (KeyboardInterrupt(), 130, "Interrupted"),
    ],
)
def test_errors_are_one_sentence_without_a_traceback(
    error, code, words, capsys, monkeypatch
):
    def fail(**_):
        raise error

    monkeypatch.setattr(_main.cli, "main", fail)
    got, message = run(["demo"], capsys)
    assert got == code
    assert words in message
    assert "Traceback" not in message


def test_output_that_cannot_be_written(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code, message = run(["demo", "-o", str(blocked)], capsys)
    assert code != 0
    assert "is a file" in message


def test_a_plain_terminal_and_a_closed_pipe_do_no_harm(tmp_path):
    command = [sys.executable, "-m", "skldl", "demo", "--folds", "2"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "a")], env=environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a" / "comparison.md").is_file()
    piped = subprocess.run(
        f"{' '.join(command)} -o {tmp_path / 'b'} | head -1",
        shell=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "Traceback" not in piped.stderr
