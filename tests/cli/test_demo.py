"""The demo, and how the program ends when something is wrong."""

import os
import signal
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from markupsafe import escape

from skldl.cli import _main, demo, main


def test_demo_writes_report_picture_and_tables_and_says_where(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "DATASETS", ("synthetic",))
    monkeypatch.setattr(demo, "CLASS_DATASETS", ("iris",))
    out = tmp_path / "out"
    result = CliRunner().invoke(demo.command, ["--output", str(out), "--folds", "2"])
    assert result.exit_code == 0, result.output
    report, picture = out / "report.html", out / "embedding.png"
    assert f"The report is in {report.resolve()}" in result.output
    assert f"The picture is in {picture.resolve()}" in result.output
    assert picture.read_bytes()[:4] == b"\x89PNG"
    rows = pd.read_csv(out / "folds.csv")
    assert set(rows["status"]) == {"ok"}
    # the seed methods are there, and the baseline
    wanted = {*demo.METHODS, *demo.CLASS_METHODS, "MeanDistribution"}
    assert set(rows["method"]) == wanted
    for name in ("MSLP", "LSELDL", "LWkNN", "LDkNN", "JPlay", "GraphEmbedding"):
        assert any(name in method for method in wanted)
    assert rows.groupby(["method", "metric"])["fold"].nunique().eq(2).all()
    assert "**" in (out / "comparison.md").read_text()
    page = report.read_text()
    for method in wanted:
        assert escape(method) in page
    assert "On classes" in page
    assert sorted(p.name for p in out.iterdir()) == [
        "comparison.md", "embedding.png", "folds.csv", "report.html", "results.sqlite",
    ]  # fmt: skip


def test_the_demo_runs_again_with_other_folds(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "DATASETS", ("synthetic",))
    monkeypatch.setattr(demo, "METHODS", ("AAkNN",))
    monkeypatch.setattr(demo, "CLASS_DATASETS", ("iris",))
    monkeypatch.setattr(demo, "CLASS_METHODS", ("1NN", "LDA"))
    for folds in ("3", "2"):
        arguments = ["--output", str(tmp_path), "--folds", folds, "--force"]
        result = CliRunner().invoke(demo.command, arguments)
        assert result.exit_code == 0, result.output
    assert "kfold-2" in (tmp_path / "report.html").read_text()


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
        (PermissionError(13, "denied"), 1, "Error: denied."),
        (OSError(28, "No space left"), 1, "Error: No space left."),
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


def test_nohup_is_respected(monkeypatch):
    numbers = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    before = {n: signal.getsignal(n) for n in numbers}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        monkeypatch.setattr(_main.cli, "main", lambda **_: None)
        main(["demo"])
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        with pytest.raises(KeyboardInterrupt):
            signal.getsignal(signal.SIGTERM)(signal.SIGTERM, None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_output_that_cannot_be_written(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code, message = run(["demo", "-o", str(blocked)], capsys)
    assert code != 0
    assert "is a file" in message


def test_a_plain_terminal_and_a_closed_pipe_do_no_harm(tmp_path):
    """Of a comparison, which prints the tables that the demo prints."""
    command = [sys.executable, "-m", "skldl", "compare", "toy", "-m", "AAkNN"]
    command += ["--cv", "2", "--serial", "--store", str(tmp_path / "a.sqlite")]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    piped = subprocess.run(  # quick: every fold is stored by now
        f"{' '.join(command)} | head -1", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in piped.stderr
