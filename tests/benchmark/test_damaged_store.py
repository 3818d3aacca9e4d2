"""Damaged and foreign stores: an error that names the store and what to do."""

import sqlite3
from contextlib import closing

import pytest

from skldl.benchmark import Plan, Split, Store, run
from skldl.cli import main
from skldl.report import write_report

PLAN = Plan(["toy"], ["AAkNN"], Split(n_splits=2))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "whole.sqlite"
    with Store(path) as store:
        run(PLAN, store, engine="serial", keep_predictions=3)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, whole):
    path = tmp_path / "s.sqlite"
    path.write_bytes(whole)
    return path


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


DAMAGE = {
    "spec without seed": "UPDATE results SET spec = replace(spec, 'seed', 'sead')",
    "spec is a list": "UPDATE results SET spec = '[]'",
    "spec is empty": "UPDATE results SET spec = '{}'",
    "spec is not JSON": "UPDATE results SET spec = 'not json'",
    "spec is missing": "UPDATE results SET spec = NULL",
    "params are not JSON": "UPDATE results SET params = 'x'",
    "versions are a number": "UPDATE results SET versions = '3'",
    "a number for a name": "UPDATE results SET method = X'00'",
    "text in a fold": "UPDATE results SET fold = 'first'",
    "text in a time": "UPDATE results SET fit_s = 'long'",
    "text in a value": "UPDATE metrics SET value = 'abc'",
    "a huge value": "UPDATE metrics SET value = 1e308",
    "an infinite value": "UPDATE metrics SET value = 9e999",
    "bytes in a value": "UPDATE metrics SET value = X'FF'",
    "facts are a list": "UPDATE datasets SET facts = '[]'",
    "facts are empty": "UPDATE datasets SET facts = '{}'",
    "predictions cut": "UPDATE predictions SET content = substr(content, 1, 20)",
    "predictions without truth": "UPDATE predictions SET content = '{\"samples\": []}'",
    "text in a start": "UPDATE runs SET started = 'now'",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_entries(path, what):
    change(path, DAMAGE[what])
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"store .*s\.sqlite is damaged.*--store"):
        write_report(path, path.with_suffix(".html"))
    assert path.read_bytes() == before
    assert not path.with_suffix(".html").exists()


FOREIGN = {
    "other tables": ["DROP TABLE results", "DROP TABLE metrics"],
    "a table is gone": ["DROP TABLE metrics"],
    "a view": [
        "ALTER TABLE metrics RENAME TO m2",
        "CREATE VIEW metrics AS SELECT * FROM m2",
    ],
    "other columns": ["ALTER TABLE results RENAME COLUMN spec TO spec2"],
    "a later version": ["PRAGMA user_version=99"],
    "no version": ["PRAGMA user_version=0"],
}


@pytest.mark.parametrize("what", FOREIGN)
def test_foreign_stores(path, what):
    change(path, *FOREIGN[what])
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(ValueError, match=r"s\.sqlite is (no|a|not a) .*another"):
            Store(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_cut_stores(path, whole, share, capsys):
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(SystemExit) as stopped:
        main(["report", str(path), "-o", str(path.with_suffix(".html"))])
    message = capsys.readouterr().err
    assert stopped.value.code == 1
    assert "s.sqlite" in message
    assert "Traceback" not in message


def test_pages_of_rubbish(path, whole):
    """Whatever page is overwritten, the answer is an error in words or the rows."""
    size, said = 4096, []
    for page in range(1, len(whole) // size):
        content = bytearray(whole)
        content[page * size : page * size + 64] = b"\xff" * 64
        path.write_bytes(bytes(content))
        try:
            with Store(path, read_only=True) as store:
                rows = store.rows()
        except ValueError as error:
            said.append(str(error))
        else:
            assert (rows["status"] == "ok").all()
    assert said
    assert all("s.sqlite" in text for text in said)
