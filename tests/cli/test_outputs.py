"""One rule for every output of every command: nothing that is there is destroyed."""

import inspect
import os
import stat
from pathlib import Path

import click
import pandas as pd
import pytest

from skldl.cli._main import COMMANDS, LazyGroup
from skldl.datasets import set_data_home
from votes_table import LABELS, run

TABLE = ("-l", LABELS, "--normalize")
PLAN = "datasets = [{path = 'data.csv', labels = ['x', 'y']}]\nmethods = ['AAkNN']\n"
# command, its inputs and its outputs; {} stands for the folder
CASES = {
    "fit -o": ("fit {}/data.csv -o {}/out.skldl", ["data.csv"]),
    "fit -o, answers": (
        "fit {}/data.csv --annotations {}/answers.csv -o {}/out.skldl",
        ["data.csv", "answers.csv"],
    ),
    "predict -o": (
        "predict {}/model.skldl {}/data.csv -o {}/out.csv",
        ["model.skldl", "data.csv"],
    ),
    "embed -o": ("embed {}/data.csv -o {}/out.csv", ["data.csv"]),
    "embed --plot": ("embed {}/data.csv --plot {}/out.png", ["data.csv"]),
    "select -o": ("select {}/data.csv -o {}/out.csv", ["data.csv"]),
    "select --plot": ("select {}/data.csv --plot {}/out.svg", ["data.csv"]),
    "votes -o": (
        "votes {}/data.csv --features {}/answers.csv -o {}/out.csv",
        ["data.csv", "answers.csv"],
    ),
    "votes --annotators": (
        "votes {}/data.csv --features {}/answers.csv --annotators {}/out.csv",
        ["data.csv", "answers.csv"],
    ),
    "compare --export": (
        "compare {}/data.csv --reference {}/answers.csv --store {}/store.sqlite "
        "--export {}/out.csv",
        ["data.csv", "answers.csv", "store.sqlite"],
    ),
    "compare --plan --export": (
        "compare --plan {}/plan.toml --store {}/store.sqlite --export {}/out.csv",
        ["plan.toml", "data.csv", "store.sqlite"],
    ),
    "fit --report": (
        "fit {}/data.csv -o {}/m.skldl --report {}/out.html",
        ["data.csv"],
    ),
    "evaluate --html": (
        "evaluate {}/model.skldl {}/data.csv --annotations {}/answers.csv "
        "--html {}/out.html",
        ["model.skldl", "data.csv", "answers.csv"],
    ),
    "table -o": ("table {}/store.sqlite -o {}/out.csv", ["store.sqlite"]),
    "report -o": ("report {}/store.sqlite -o {}/out.html", ["store.sqlite"]),
}
# a store is gone on with, so only inputs are refused
STORES = {
    "fit --store": ("fit {}/data.csv -o {}/m.skldl --store {}/out.csv", ["data.csv"]),
    "compare --store": ("compare {}/data.csv --store {}/out.sqlite", ["data.csv"]),
    "compare --plan --store": (
        "compare --plan {}/plan.toml --store {}/out.sqlite",
        ["plan.toml", "data.csv"],
    ),
}
FOLDERS = {
    "demo": ("demo -o {}", "report.html"),
    "reproduce": ("reproduce mslp -o {} --store {}/s.sqlite", "mslp.csv"),
    "reproduce --quick": ("reproduce mslp --quick -o {}", "mslp-quick.html"),
    "reproduce all": ("reproduce all -o {}", "README.md"),
    "reproduce --results": ("reproduce mslp --report --results {} -o {}", "mslp.md"),
}


@pytest.fixture
def folder(tmp_path):
    for name in ("data.csv", "answers.csv", "model.skldl", "store.sqlite"):
        (tmp_path / name).write_text(f"{name} of mine")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def words(line, folder):
    return line.replace("{}", str(folder)).split()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("case", CASES)
def test_a_file_that_is_there_needs_force(folder, refused, case):
    arguments = words(CASES[case][0], folder)
    Path(arguments[-1]).write_text("mine")
    before = contents(folder)
    code, message = refused(*arguments)
    assert code == 2
    assert "exists already. Add --force" in message
    assert contents(folder) == before


@pytest.mark.parametrize("how", ["itself", "symlink", "hard link"])
@pytest.mark.parametrize("case", [*CASES, *STORES])
def test_no_output_is_an_input(folder, refused, case, how):
    line, inputs = {**CASES, **STORES}[case]
    *arguments, out = words(line, folder)
    for place, name in enumerate(inputs):
        path = folder / name
        link = folder / f"link{place}{Path(out).suffix}"
        if how == "symlink":
            link.symlink_to(path)
        elif how == "hard link":
            os.link(path, link)
        elif path.suffix != Path(out).suffix and "--store" not in case:
            # outputs with a suffix of their own cannot be this file
            renamed = path.with_suffix(Path(out).suffix)
            path.rename(renamed)
            arguments = [a.replace(str(path), str(renamed)) for a in arguments]
            link = renamed
        else:
            link = path
        before = contents(folder)
        code, message = refused(*arguments, link, *forced(case))
        assert code == 2
        assert (
            "is an input, so it cannot be the output" in message or "twice" in message
        )
        assert contents(folder) == before


def forced(case):
    return () if case in STORES else ("--force",)


@pytest.mark.parametrize("case", FOLDERS)
def test_folders_are_not_overwritten_either(tmp_path, refused, case):
    line, name = FOLDERS[case]
    (tmp_path / name).write_text("mine")
    code, message = refused(*words(line, tmp_path))
    assert code == 2
    assert f"{name} exists already. Add --force" in message
    assert contents(tmp_path) == {name: b"mine"}


def test_two_outputs_are_two_files(folder, refused):
    out = folder / "new.csv"
    code, message = refused(
        "votes", folder / "data.csv", "-o", out, "--annotators", out
    )
    assert code == 2
    assert "named twice" in message


def test_files_of_a_data_set_by_name_are_inputs(tmp_path, refused):
    path = tmp_path / "SJAFFE" / "features.csv"
    from skldl.datasets import registry

    file = registry()["SJAFFE"]["files"][0]["file"]
    path = tmp_path / "SJAFFE" / file
    path.parent.mkdir()
    path.write_text("mine")
    set_data_home(tmp_path)
    try:
        _, message = refused("fit", "SJAFFE", "-o", path, "--force")
    finally:
        set_data_home(None)
    assert "is an input" in message


def test_force_overwrites_and_a_private_file_stays_private(tables, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")
    out.chmod(0o600)
    model, new = tables / "model.skldl", tables / "new.csv"
    run("predict", model, new, "-o", out, "--force")
    assert len(pd.read_csv(out)) == len(pd.read_csv(new))
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_every_command_that_writes_has_force():
    """An option that is a path to write must come with the rule."""
    group = LazyGroup("skldl")
    context = click.Context(group)
    writing = {"output", "export", "plot", "annotators", "html", "report"}
    for name in COMMANDS:
        command = group.get_command(context, name)
        options = {o.name for o in command.params if isinstance(o, click.Option)}
        if options & writing:
            assert "force" in options, name
            assert "check_" in inspect.getsource(inspect.getmodule(command.callback))
