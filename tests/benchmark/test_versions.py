"""Results of another version in a store are named before they are taken over."""

import json
import sqlite3
import warnings
from contextlib import closing

import pandas as pd
import pytest

from skldl import __version__
from skldl.benchmark import (
    OtherVersionWarning,
    Plan,
    Split,
    Store,
    run,
    select_comparison,
)
from skldl.cli import main
from skldl.report import write_report

PLAN = Plan(["toy"], ["AAkNN"], Split(n_splits=3))
LARGER = Plan(["toy"], ["AAkNN", "AAkNN(n_neighbors=3)"], Split(n_splits=3))
OLD = json.dumps({"scikit-ldl": "0.0.1", "python": "3.11.1"})


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.sqlite"
    run(PLAN, path, engine="serial")
    return path


def make_old(path, where="1"):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE results SET versions = ? WHERE {where}", (OLD,))
        connection.commit()


def test_run_names_versions_and_remedy(path):
    make_old(path, "fold < 2 AND method = 'AAkNN'")
    expected = (
        f"s.sqlite has 2 folds by scikit-ldl 0.0.1, and this is {__version__}. .* "
        "Use another store"
    )
    with pytest.warns(OtherVersionWarning, match=expected):
        run(LARGER, path, engine="serial")


def test_silent_when_nothing_is_taken_over(path, tmp_path):
    make_old(path, "method = 'AAkNN'")
    other = Plan(["toy"], ["AAkNN(n_neighbors=3)"], Split(n_splits=3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(PLAN, tmp_path / "new.sqlite", engine="serial")
        run(PLAN, tmp_path / "new.sqlite", engine="serial")
        run(other, path, engine="serial")


def test_failed_jobs_that_run_again_are_not_taken_over(path):
    make_old(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE results SET status = 'failed'")
        connection.commit()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = run(PLAN, path, engine="serial", retry_failed=True)
    assert all(__version__ in text for text in rows["versions"])


@pytest.mark.filterwarnings("default")
def test_compare_warns_once(path, capsys):
    make_old(path, "fold = 0 AND method = 'AAkNN'")
    main(["compare", "toy", "-m", "AAkNN", "--cv", "3", "--serial", "--store",
          str(path)])  # fmt: skip
    errors = capsys.readouterr().err
    assert errors.count("has 1 fold by scikit-ldl 0.0.1") == 1
    assert "Use another store" in errors


def test_page_names_versions(path, tmp_path):
    page = tmp_path / "page.html"
    assert "other versions" not in write_report(path, page).read_text()
    make_old(path, "fold < 2 AND method = 'AAkNN'")
    text = write_report(path, page).read_text()
    assert "Of 6 folds other versions computed 2 folds by scikit-ldl 0.0.1" in text


@pytest.mark.parametrize("text", ["not json", "[]", "{}"])
def test_tables_with_odd_versions(path, text):
    with Store(path, read_only=True) as store:
        rows = store.rows().assign(versions=text)
    _, notes = select_comparison(rows, {})
    assert "6 folds by scikit-ldl of unknown version" in notes[0]
    unknown = pd.DataFrame(rows.drop(columns="versions"))
    assert select_comparison(unknown, {})[1] == []
