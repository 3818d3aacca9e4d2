"""The command compare, from a table of votes to printed ranks."""

import json
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from skldl.benchmark import Store
from skldl.cli import main
from skldl.cli._compared import print_failures
from skldl.cli._options import split_commas
from skldl.cli._show import grid
from skldl.cli.compare import command
from skldl.datasets import set_data_home
from skldl.ldl import SABFGS
from skldl.methods import register


@pytest.fixture
def table(tmp_path):
    rows = 30
    votes = pd.DataFrame(
        {
            "age": range(rows),
            "pay": [i * 7 % 11 for i in range(rows)],
            "yes": [1 + i % 3 for i in range(rows)],
            "no": [1 + i % 2 for i in range(rows)],
        }
    )
    votes.to_csv(tmp_path / "votes.csv", index=False)
    return tmp_path / "votes.csv"


def compare(tmp_path, *arguments):
    store = tmp_path / "s.sqlite"
    result = CliRunner().invoke(
        command, [*map(str, arguments), "--store", str(store), "--serial"]
    )
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_table_of_votes(tmp_path, table):
    result = compare(
        tmp_path, table, "--labels", "yes,no", "--normalize", "--cv", 3,
        "-m", "AAkNN,standard+AAkNN(n_neighbors=3, weights='dudani')",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    for name in ("votes", "AAkNN", "standard+AAkNN", "MeanDistribution"):
        assert name in result.output
    with Store(tmp_path / "s.sqlite") as store:
        assert len(store.statuses()) == 9


def test_a_table_is_read_as_fit_reads_it(tmp_path, table):
    votes = pd.read_csv(table).assign(town="x", id=range(30))
    votes.to_csv(table, index=False)
    result = compare(
        tmp_path, table, "--labels", "yes,no", "--normalize", "--cv", 2,
        "-m", "AAkNN", "--ignore", "id",
    )  # fmt: skip
    with Store(tmp_path / "s.sqlite") as store:
        (facts,) = store.datasets().values()
    assert facts["n_features"] == 3  # town, which the encoder leaves out
    arrays = tmp_path / "votes.npz"
    shares = votes[["yes", "no"]].to_numpy(float)
    shares /= shares.sum(axis=1, keepdims=True)
    np.savez(arrays, X=votes[["age", "pay"]], D=shares)
    result = compare(tmp_path, arrays, "--cv", 2, "-m", "AAkNN", "--arrays", "X,D")
    assert "MeanDistribution" in result.output


def test_every_split_and_tuning(tmp_path):
    for options in (
        ["--test-size", 0.3, "--repeats", 2],
        ["--cv", 2, "--repeats", 2],
        ["--cv", 2, "--tune", "--scoring", "clark", "--seed", 3],
    ):
        result = compare(tmp_path, "synthetic", "-m", "AAkNN", *options)
        assert result.exit_code == 0, result.output
    with Store(tmp_path / "s.sqlite") as store:
        rows = store.statuses()
    # the second call's four folds include none of the first's two splits
    assert len(rows) == 2 * (2 + 4 + 2)
    assert rows["params"].str.contains("n_neighbors").sum() == 2


def test_json_export_and_reference(tmp_path):
    reference = pd.DataFrame(
        {"dataset": "synthetic", "method": "AAkNN", "metric": ["clark"], "value": 0.5}
    )
    reference.to_csv(tmp_path / "ref.csv", index=False)
    result = compare(
        tmp_path, "synthetic", "-m", "AAkNN", "--cv", 2, "--metrics", "clark,cosine",
        "--reference", tmp_path / "ref.csv", "--export", tmp_path / "rows.csv",
        "--json",
    )  # fmt: skip
    cells = json.loads(result.stdout)
    assert {cell["metric"] for cell in cells} == {"clark", "cosine"}
    known = [cell for cell in cells if cell["reference"] is not None]
    assert [(cell["method"], cell["reference"]) for cell in known] == [("AAkNN", 0.5)]
    assert len(pd.read_csv(tmp_path / "rows.csv")) > 10


def test_plan_file_and_ranks(tmp_path):
    (tmp_path / "plan.toml").write_text(
        'datasets = ["toy", "toy_noisy", "synthetic"]\n'
        'methods = ["AAkNN", "standard+AAkNN"]\nsplit = {n_splits = 2}\n'
        'metrics = ["clark"]\n'
    )
    result = compare(tmp_path, "--plan", tmp_path / "plan.toml")
    assert "Average ranks by clark over 3 data sets" in result.output
    assert "MeanDistribution 3.00" in result.output


def test_failures_are_shown_and_all_failing_is_an_error(tmp_path):
    result = compare(tmp_path, "synthetic", "-m", "AAkNN(n_neighbors=9999)", "--cv", 2)
    assert "2 folds failed: ValueError: n_neighbors=9999" in result.output
    with pytest.raises(ValueError, match="Every fold failed"):
        compare(tmp_path, "iris", "-m", "AAkNN", "--cv", 2)


def run_main(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in arguments])
    return stopped.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "Name data sets"),
        (["toy", "--plan", "x.toml"], 2, "not both"),
        (["--plan", "none.toml"], 1, "none.toml"),
        (["none.csv"], 1, "no file none.csv"),
        (["tyo"], 1, "Did you mean 'toy'"),
        (["{table}"], 2, "Name the label columns"),
        (["{table}", "--labels", "yes,nein"], 1, "no column 'nein'"),
        (["{table}", "--labels", "no", "--labels-after", "pay"], 1, "not both"),
        (["toy", "-m", "AAkN"], 1, "Did you mean 'AAkNN'"),
        (["toy", "--metrics", "clarc"], 1, "Did you mean 'clark'"),
        (["toy", "--fixed"], 1, "Every fold failed"),
        (["toy", "--cv", "1"], 2, "--cv"),
        (
            ["toy", "--time-limit", "5", "--serial"],
            1,
            "time_limit and memory_limit need",
        ),
        (["toy", "--export", "x.doc", "--serial", "--cv", "2"], 2, ".csv, .parquet"),
        (["toy", "--scoring", "clark"], 2, "give both"),
        (["toy", "--fixed", "--test-size", "0.1"], 2, "not both"),
        (["toy", "--serial", "--dask", "local"], 2, "not both"),
        (["--plan", "p.toml", "--cv", "3"], 2, "--cv cannot be used with --plan"),
        (
            ["toy", "--metrics", "accuracy", "--serial", "--cv", "2"],
            1,
            "None of the metrics acc",
        ),
    ],
)
def test_mistakes(arguments, code, words, table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    filled = [argument.format(table=table) for argument in arguments]
    got, message = run_main(["compare", *filled], capsys)
    assert got == code
    assert words in message
    assert "Traceback" not in message


def test_interrupt_and_go_on(tmp_path):
    command_line = [
        sys.executable, "-m", "skldl", "compare", "toy", "--store",
        str(tmp_path / "s.sqlite"), "--repeats", "20", "-m", "AAkNN", "-j", "1",
    ]  # fmt: skip
    # a test run in the background may have been told to ignore interrupts
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(command_line, stdout=-1, stderr=-1, preexec_fn=listen)
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        time.sleep(0.1)
        if (tmp_path / "s.sqlite").exists():
            with Store(tmp_path / "s.sqlite") as store:
                if len(store.statuses()) > 5:
                    break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors.decode()
    assert b"Interrupted" in errors
    assert b"run again to go on" in errors
    assert b"Traceback" not in errors


def test_commas_inside_brackets_do_not_split():
    assert split_commas("a, b(c=1, d=2) ,e") == ["a", "b(c=1, d=2)", "e"]
    assert split_commas(None) == []


def test_one_line_for_each_search_that_ended_at_an_edge(tmp_path):
    register("far", SABFGS, {"reg": [1e3, 1e4, 1e5]})
    options = ["--cv", 2, "--tune", "--scoring", "clark", "--serial"]
    methods = ["-m", "far", "-m", "standard+far", "-m", "AAkNN"]
    result = compare(tmp_path, "synthetic", "toy_noisy", *methods, *options)
    lines = [x for x in result.stderr.splitlines() if "edge of its grid" in x]
    assert lines == [
        f"{name}: in 4 of 4 folds the search chose the edge of its grid: smallest reg "
        "(4). A wider grid may do better."
        for name in ("far", "standard+far")
    ]


def test_all_stands_for_what_is_at_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("SKLDL_DATA", str(tmp_path / "empty"))
    set_data_home(None)
    result = compare(tmp_path, "all", "-m", "MeanDistribution", "--cv", 2)
    assert result.exit_code == 0, result.output
    assert "Left out, as they are not at hand: Yeast_alpha" in result.stderr
    assert "skldl datasets fetch Yeast_alpha" in result.stderr
    with Store(tmp_path / "s.sqlite") as store:
        assert set(store.rows()["dataset"]) == {"toy", "toy_noisy", "synthetic"}


def test_a_method_from_a_file_of_mine(tmp_path, table, monkeypatch):
    (tmp_path / "mine_kit.py").write_text(
        "from skldl.ldl import AAkNN\nclass Mine(AAkNN):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = compare(
        tmp_path, table, "--labels", "yes,no", "--cv", 2,
        "-m", "standard+mine_kit.py:Mine(n_neighbors=2)",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "mine_kit.py:Mine" in result.output


def test_the_end_of_the_output_names_the_best_and_the_next_command(tmp_path):
    result = compare(
        tmp_path, "synthetic", "toy", "-m", "MeanDistribution,LogisticLDL", "--cv", 2
    )
    lines = result.output.splitlines()
    assert "Best by chebyshev: LogisticLDL on synthetic, toy." in lines
    assert lines[-1].endswith(
        f"Next: skldl report {tmp_path / 's.sqlite'} -o report.html"
    )
    # the better method comes first, whatever the order of the command
    names = [line.split()[0] for line in lines if line.strip()]
    assert [n for n in names if n in ("LogisticLDL", "MeanDistribution")] == [
        "LogisticLDL", "MeanDistribution",
    ] * 2  # fmt: skip


def test_the_same_failure_is_told_once(tmp_path):
    result = compare(
        tmp_path, "synthetic", "-m",
        "LDSVR(max_samples=20),standard+LDSVR(max_samples=30),AAkNN", "--cv", 3,
    )  # fmt: skip
    said = [line for line in result.output.splitlines() if "folds failed" in line]
    assert len(said) == 1
    names = "LDSVR(max_samples=20), standard+LDSVR(max_samples=30)"
    assert said[0].startswith(f"{names}: 6 folds failed: ValueError: LDSVR keeps")


def test_how_a_fold_ended_is_said_in_words(capsys):
    rows = pd.DataFrame(
        [
            ("a", "first", "timeout", "Stopped after 3 s."),
            ("b", "second", "timeout", "Stopped after 12 s."),
            ("c", "second", "memory", "It needed 3,000 MB."),
            ("d", "third", "ok", ""),
        ],
        columns=["job", "method", "status", "message"],
    )
    print_failures(rows)
    assert capsys.readouterr().err.splitlines() == [
        "first, second: 2 folds took too long: Stopped after 3 s.",
        "second: 1 fold needed too much memory: It needed 3,000 MB.",
    ]


def test_methods_that_failed_in_a_fold_come_last():
    part = pd.DataFrame(
        [("a", 0.3, 0), ("late", 0.1, 1), ("b", 0.2, 0), ("never", np.nan, 2)],
        columns=["method", "mean", "failed"],
    ).assign(metric="clark", std=0.0)
    shown = [line[0] for line in grid(part, ["clark"], ("", ""))]
    assert shown == ["b", "a", "late", "never"]
    shown = [
        line[0] for line in grid(part.assign(metric="cosine"), ["cosine"], ("", ""))
    ]
    assert shown == ["a", "b", "late", "never"]
