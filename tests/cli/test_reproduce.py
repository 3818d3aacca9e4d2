"""The command reproduce writes pages from runs and from summaries."""

import shutil

import pytest
from click.testing import CliRunner

from skldl.cli import main
from skldl.cli.reproduce import PAPERS, command
from skldl.reproduce import list_papers, read_summary
from skldl.reproduce._columns import write_summary
from skldl.reproduce._papers import get_papers
from skldl.reproduce._summary import Results, summarize_paper


def reproduce(tmp_path, *arguments):
    base = ["--store", str(tmp_path / "s.sqlite"), "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(command, [*map(str, arguments), *base])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_choices_are_the_papers():
    assert list(PAPERS) == [*list_papers(), "all"]


def test_quick_run_writes_pages(tmp_path, real_data):
    real_data("SJAFFE")
    result = reproduce(tmp_path, "mslp", "--quick", "--methods", "AA-KNN", "--jobs", 1)
    assert result.exit_code == 0, result.output
    assert "the page is " in result.output
    page = tmp_path / "out" / "mslp-quick"
    assert "must not be compared" in page.with_suffix(".md").read_text()
    assert page.with_suffix(".html").read_text().startswith("<!doctype html>")
    assert "AAkNN" in page.with_suffix(".csv").read_text()
    # nor can a report take it for the full tables
    assert not (tmp_path / "out" / "mslp.csv").exists()


def test_report_from_summaries_alone(tmp_path):
    empty = summarize_paper(get_papers(["mslp"])[0], Results({}, {}, {}))
    folder = tmp_path / "results"
    write_summary(empty, folder / "mslp.csv")
    arguments = ["mslp", "--report", "--results", str(folder), "-o", str(tmp_path)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    assert "0 of 390 cells measured" in result.output
    assert not (tmp_path / "mslp.csv").exists()  # nothing new was measured


def test_new_results_are_laid_over_summaries(tmp_path, real_data):
    real_data("SJAFFE")
    empty = summarize_paper(get_papers(["mslp"])[0], Results({}, {}, {}))
    folder = tmp_path / "results"
    write_summary(empty, folder / "mslp.csv")
    arguments = ["mslp", "--results", folder, "--data-sets", "SJAFFE", "--max-folds", 1]
    result = reproduce(tmp_path, *arguments, "--methods", "BFGS-LDL", "--jobs", 1)
    assert result.exit_code == 0, result.output
    assert "6 of 390 cells measured" in result.output
    assert "SABFGS" in (tmp_path / "out" / "mslp.csv").read_text()


def test_folds_of_a_second_run_join_the_first(tmp_path, real_data):
    real_data("SJAFFE")
    chosen = ["--data-sets", "SJAFFE", "--methods", "BFGS-LDL", "--jobs", 1]
    reproduce(tmp_path, "mslp", *chosen, "--max-folds", 1)
    shutil.move(tmp_path / "out", tmp_path / "results")
    more = ["--results", tmp_path / "results", "--store", tmp_path / "second.sqlite"]
    more += ["--skip-folds", 1, "--max-folds", 2, "-o", tmp_path / "both"]
    result = CliRunner().invoke(command, list(map(str, ["mslp", *chosen, *more])))
    assert result.exit_code == 0, result.output
    found = read_summary(tmp_path / "both" / "mslp.csv")
    found = found[found["variant"] == ""]
    assert set(found["n_folds"]) == {2}
    assert found[["fold_0", "fold_1"]].notna().all(axis=None)


def test_report_from_a_store_that_is_not_there(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["reproduce", "mslp", "--report", "--store", str(tmp_path / "no.sqlite")])
    assert "There is no store" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "'nothing' is not one of"),
        ([], "Missing argument"),
        (["mslp", "--store", "other.sqlite"], "Give one --store"),
        (["mslp", "--best-on-test", "--skip-folds", "1"], "leave out --skip-folds"),
        (["mslp", "--results", ".", "--report", "--quick"], "leave out --quick"),
        (
            ["mslp", "--report", "--data-sets", "M2B"],
            "--data-sets has no effect on --report",
        ),
        (
            ["mslp", "--report", "--best-on-test"],
            "--best-on-test has no effect on --report",
        ),
        (["mslp", "--jobs", "0"], "0 is not in the range"),
        (["mslp", "--results", "/nowhere", "--report"], "does not exist"),
    ],
)
def test_options_that_make_no_sense(tmp_path, arguments, message):
    result = reproduce(tmp_path, *arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("name", ["Houston2013", "houston2013"])
def test_data_that_cannot_be_had_say_why(capsys, tmp_path, name):
    store = str(tmp_path / "s.sqlite")
    with pytest.raises(SystemExit):
        main(["reproduce", "jplay", "--data-sets", name, "--store", store])
    assert "not at hand" in capsys.readouterr().err


def test_unknown_method_is_one_sentence(capsys, tmp_path):
    store = str(tmp_path / "s.sqlite")
    with pytest.raises(SystemExit):
        main(["reproduce", "mslp", "--methods", "MSPL", "--store", store])
    assert "Did you mean 'MSLP'" in capsys.readouterr().err
