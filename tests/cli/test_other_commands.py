"""Help, completion and the small commands."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from numpy.testing import assert_allclose

from skldl.cli import _main, _names
from skldl.datasets import list_datasets, load, set_data_home
from skldl.discovery import FAMILIES, all_estimators
from skldl.ldl import LSELDL, ranked_features
from skldl.methods import PREPROCESSING
from skldl.projection import MSLP
from votes_table import FIT, LABELS, NAMES, run

METHODS = sorted(name for family in FAMILIES for name, _ in all_estimators(family))


def test_names_for_help_are_the_real_ones():
    assert _names.FAMILIES == FAMILIES
    assert set(_names.PREPROCESSING) == set(PREPROCESSING)
    for family in FAMILIES:
        assert _names.method_names(family) == [n for n, _ in all_estimators(family)]
    assert _names.method_names() == METHODS
    assert _names.dataset_names() == list(list_datasets().index)


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ([], "pre", ["predict"]),
        (["fit", "toy", "--method"], "standard+lsel", ["standard+LSELDL"]),
        (["methods", "describe"], "ls", ["LSDR", "LSELDL", "LSQMID"]),
        (["datasets", "fetch"], "sj", ["SJAFFE"]),
        (["fit"], "toy", ["toy", "toy_noisy", "toy"]),  # the last is for files
    ],
)  # fmt: skip
def test_completion(words, incomplete, expected):
    complete = ShellComplete(_main.cli, {}, "skldl", "_SKLDL_COMPLETE")
    found = complete.get_completions(words, incomplete)
    assert [item.value for item in found] == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_line(shell):
    result = run("completion", shell)
    assert f"{shell}_source skldl" in result.stdout
    assert len(result.stdout.splitlines()) == 1


def test_help_imports_nothing_slow():
    code = (
        "import sys\n"
        "from skldl.cli import main\n"
        "from skldl.cli._main import COMMANDS\n"
        "pages = [[name] for name in COMMANDS]\n"
        "pages += [['datasets', 'describe'], ['methods', 'list'], []]\n"
        "for page in pages:\n"
        "    try: main([*page, '--help'])\n"
        "    except SystemExit as stop: assert not stop.code, page\n"
        "    slow = {'sklearn', 'numpy', 'pandas', 'scipy', 'matplotlib'}\n"
        "    assert not slow & set(sys.modules), page\n"
    )
    environment = {**os.environ, "COVERAGE_PROCESS_START": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env=environment, capture_output=True
    )
    text = done.stdout.decode()
    for name in ("fit", "predict", "evaluate", "embed", "select", "compare"):
        assert f"  skldl {name} " in text  # an example
    assert "\b" not in text  # the mark of a paragraph that is not to be filled


def test_every_option_has_help():
    context = _main.click.Context(_main.cli)
    for name in _main.COMMANDS:
        command = _main.cli.get_command(context, name)
        assert command.help, name
        for parameter in command.params:
            if isinstance(parameter, _main.click.Option):
                assert parameter.help, (name, parameter.name)


def test_unknown_commands_are_guessed(refused):
    code, message = refused("predcit")
    assert code == 2
    assert "Did you mean 'predict'" in message


def test_methods():
    rows = json.loads(run("methods", "list", "--json").stdout)
    assert sorted(row["name"] for row in rows) == METHODS
    assert "PathSearchCV" not in METHODS
    assert all(row["summary"] for row in rows)
    shown = run("methods", "list", "-k", "multilabel").stdout
    assert "MLkNN" in shown
    assert "AAkNN" not in shown
    assert "AAkNN" in run("methods").stdout
    assert not [row for row in rows if "`" in row["summary"]]


@pytest.mark.parametrize("command", ["datasets", "methods"])
def test_lists_fit_a_terminal_of_eighty_characters(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(command).stdout
    assert "…" not in shown  # nothing is cut
    if command == "datasets":  # and every data set has one line
        lines = [line for line in shown.splitlines() if line.strip()]
        names = [line.split()[0] for line in lines]
        assert all(names.count(name) == 1 for name in list_datasets().index)
        kinds = list_datasets()["kind"].nunique()
        assert len(lines) == len(list_datasets()) + 3 * kinds


def test_titles_of_data_sets_are_shown_where_there_is_room(monkeypatch):
    title = list_datasets().loc["iris", "title"]
    monkeypatch.setenv("COLUMNS", "160")
    assert title in run("datasets").stdout
    monkeypatch.setenv("COLUMNS", "80")
    assert title not in run("datasets").stdout


def test_numbered_labels_are_explained(real_data):
    real_data("M2B")
    note = "no public source was found that says which label is in which column"
    assert note in run("datasets", "describe", "M2B").stdout
    # made up, so numbers are right
    assert note not in run("datasets", "describe", "toy").stdout
    real_data("SJAFFE")
    shown = run("datasets", "describe", "SJAFFE").stdout
    assert note not in shown
    assert "labels: happiness, sadness, surprise, anger, disgust, fear" in shown


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_is_described(name):
    facts = json.loads(run("methods", "describe", name.upper(), "--json").stdout)
    made = dict(all_estimators())[name]()
    assert facts["name"] == name
    assert {p["name"] for p in facts["parameters"]} == set(made.get_params(deep=False))
    for parameter in facts["parameters"]:
        assert parameter["text"], parameter["name"]
        assert parameter["type"], parameter["name"]


def test_description_to_read(refused):
    text = run("methods", "describe", "lse-ldl").stdout
    assert "sparsity_weight = 1.0" in text
    assert "--tune tries [0.1, 1.0, 10.0, 100.0]" in text
    assert "``" not in text
    code, message = refused("methods", "describe", "LSELD")
    assert code == 1
    assert "Did you mean 'LSELDL'" in message


def test_datasets(tmp_path, refused):
    set_data_home(tmp_path)
    rows = json.loads(run("datasets", "list", "--json").stdout)
    here = {row["name"]: row["here"] for row in rows}
    assert here["toy"]
    assert not here["SJAFFE"]
    assert "SJAFFE" in run("datasets").stdout
    assert "toy" not in run("datasets", "list", "-k", "indicator").stdout
    assert run("datasets", "where").stdout.strip() == str(tmp_path)
    facts = json.loads(run("datasets", "describe", "TOY", "--json").stdout)
    assert (facts["n_samples"], facts["labels"][0]) == (3000, "label_1")
    assert "n samples: 150" in run("datasets", "describe", "iris").stdout
    assert "needs no files" in run("datasets", "fetch", "toy").stderr
    code, message = refused("datasets", "describe", "tyo")
    assert code == 1
    assert "Did you mean 'toy'" in message


def test_fetch_prints_paths(real_data):
    real_data("SJAFFE")
    assert run("datasets", "fetch", "sjaffe").stdout.strip().endswith("SJAFFE.mat")


def test_embedding(tables, tmp_path):
    out, plot = tmp_path / "e.csv", tmp_path / "e.png"
    result = run("embed", "toy", "-m", "mslp(n_neighbors=5)", "-o", out, "--plot", plot)
    assert "2 coordinates of 3000 rows" in result.output
    table = pd.read_csv(out)
    data = load("toy")
    Z = MSLP(2, n_neighbors=5).fit_transform(data.X, data.D)
    assert_allclose(np.abs(table[["z1", "z2"]]), np.abs(Z), atol=1e-9)
    assert list(table["label"]) == list(data.label_names[data.D.argmax(axis=1)])
    assert plot.read_bytes().startswith(b"\x89PNG")
    run("embed", tables / "votes.csv", "-l", LABELS, "--normalize", "--ignore", "id",
        "-c", 1, "--keep", "name", "-o", out, "--plot", tmp_path / "e.svg")  # fmt: skip
    assert list(pd.read_csv(out)) == ["name", "z1", "label"]
    run("embed", "iris", "-m", "LFDA", "--plot", plot)
    run("embed", "iris", "-m", "PCA(n_components=3)", "-o", out)
    assert list(pd.read_csv(out)) == ["z1", "z2", "z3", "label"]


def test_selection(tmp_path):
    out, plot = tmp_path / "s.csv", tmp_path / "s.png"
    tuned = run("select", "toy", "-m", "LSELDL", "--tune", "--json").stdout
    assert len(json.loads(tuned)) == 3
    shown = run("select", "synthetic", "--top", 3, "-m", "LSELDL", "-o", out).output
    data = load("synthetic")
    X, D = data.frames()
    expected = ranked_features(LSELDL().fit(X, D))
    table = pd.read_csv(out)
    assert list(table["feature"]) == list(expected["feature"])
    assert "17 more" in shown
    assert expected["feature"].iloc[0] in shown
    rows = json.loads(
        run("select", "synthetic", "-m", "LSELDL", "--json", "--plot", plot).stdout
    )
    assert [row["feature"] for row in rows] == list(expected["feature"])
    assert plot.is_file()


def test_selection_tells_the_names_of_the_table(tables, tmp_path):
    out = tmp_path / "s.csv"
    with pd.option_context("mode.string_storage", "python"):  # as without pyarrow
        shown = run("select", tables / "votes.csv", *FIT, "-o", out).output
        said = run("select", tables / "votes.csv", *FIT, "--json").stdout
    assert all(name in shown for name in NAMES)
    assert sorted(pd.read_csv(out)["feature"]) == sorted(NAMES)
    assert sorted(row["feature"] for row in json.loads(said)) == sorted(NAMES)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["embed", "toy"], 2, "Name an output"),
        (["embed", "toy", "-m", "AAkNN", "-o", "e.csv"], 1, "does not transform"),
        (["embed", "toy", "-o", "e.doc"], 2, "must end in"),
        (["embed", "toy", "--plot", "e.csv"], 2, "must end in .png"),
        (["embed", "toy", "-c", "9", "-o", "e.csv"], 1, "9 components"),
        (["select", "toy", "-m", "AAkNN"], 2, "does not rank features"),
        (["select", "iris"], 1, "'classes'"),
        (["select", "toy", "--metric", "clarc"], 1, "Did you mean 'clark'"),
        (["completion", "tcsh"], 2, "tcsh"),
        (["methods", "lst"], 2, "lst"),
    ],
)
def test_mistakes_elsewhere(arguments, code, words, tmp_path, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)
    got, message = refused(*arguments)
    assert got == code, message
    assert words in message
    assert not list(tmp_path.iterdir())


def test_warnings_are_one_line(refused, tmp_path, monkeypatch, capsys):
    import warnings

    def warn(**_):
        warnings.warn("it did not converge", UserWarning, stacklevel=1)

    monkeypatch.setattr(_main.cli, "main", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        _main.main([])
    assert capsys.readouterr().err == "Warning: it did not converge\n"


def test_too_little_memory(refused, monkeypatch):
    def fail(**_):
        raise MemoryError

    monkeypatch.setattr(_main.cli, "main", fail)
    assert refused()[1] == "Error: there is not enough memory for this.\n"


def test_version():
    assert "skldl, version" in CliRunner().invoke(_main.cli, ["--version"]).output
