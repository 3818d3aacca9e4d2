"""The store keeps rows, claims and their order, and refuses foreign files."""

import sqlite3
import threading
import time
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from skldl.benchmark import Job, Result, Split, Store, summarize
from skldl.benchmark import _store as module
from skldl.ldl import AAkNN
from skldl.methods import Tuning


def job(fold=0):
    return Job("d", "f", Split(n_splits=5), 0, fold, "m", AAkNN())


OK = Result("ok", metrics={"clark": 0.5, "cosine": 0.9}, params={"k": 3}, fit_s=1.0)
BAD = Result("failed", "no luck")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "results.sqlite"


def test_results_come_back_as_tidy_rows(path):
    with Store(path) as store:
        store.save(job(0), OK)
        store.save(job(1), BAD)
    with Store(path) as store:
        rows = store.rows()
    assert len(rows) == 3
    good = rows[rows["status"] == "ok"].set_index("metric")["value"]
    assert good.to_dict() == {"clark": 0.5, "cosine": 0.9}
    bad = rows[rows["status"] == "failed"].iloc[0]
    assert bad["message"] == "no luck"
    assert pd.isna(bad["metric"])
    assert rows["params"].iloc[0] == '{"k": 3}'
    assert "numpy" in rows["versions"].iloc[0]


def test_rows_keep_the_order_of_the_keys(path):
    with Store(path) as store:
        for fold in range(4):
            store.save(job(fold), OK)
        keys = [job(fold).key for fold in (2, 0)]
        assert store.statuses(keys)["fold"].tolist() == [2, 0]


def test_saving_again_replaces(path):
    with Store(path) as store:
        store.save(job(), OK)
        store.save(job(), BAD)
        assert store.rows()["metric"].isna().all()
        assert len(store.statuses()) == 1


def test_claims_are_exclusive_among_the_living(path):
    with Store(path) as first, Store(path) as second:
        with first.working(), second.working():
            assert first.claim("a") == "claimed"
            assert second.claim("a") == "taken"
            assert second.claim("b") == "claimed"
        assert second.claim("a") == "claimed"  # the first has ended


def test_done_is_done_and_failures_are_redone_on_request_only(path):
    with Store(path) as store, store.working():
        store.save(job(0), OK)
        store.save(job(1), BAD)
        assert store.claim(job(0).key) == store.claim(job(1).key) == "done"
        later = time.time() + 1
        assert store.claim(job(0).key, redo_before=later) == "done"
        assert store.claim(job(1).key, redo_before=later) == "claimed"
        assert store.done() == {job(0).key, job(1).key}
        assert store.done(redo_before=later) == {job(0).key}


def test_claims_of_the_dead_are_void(path, monkeypatch):
    with Store(path) as store, Store(path) as other, other.working():
        connection = sqlite3.connect(path)
        connection.execute(
            "INSERT INTO owners VALUES ('gone', ?, 2147483000, ?)",
            (module._host(), time.time()),
        )
        connection.execute("INSERT INTO claims VALUES ('a', 'gone')")
        connection.execute(
            "INSERT INTO owners VALUES ('elsewhere', 'another machine', 1, ?)",
            (time.time(),),
        )
        connection.execute("INSERT INTO claims VALUES ('b', 'elsewhere')")
        connection.commit()
        connection.close()
        assert store.claim("a") == "claimed"  # no such process here
        assert store.claim("b") == "taken"  # cannot look there, but it beats
        monkeypatch.setattr(module, "_DEAD_S", -1.0)
        assert store.claim("b") == "claimed"  # its heart has stopped


class Interrupted:
    """A connection that Ctrl-C finds while it waits for a transaction."""

    def __init__(self, connection):
        self.connection = connection
        self.waiting = True

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def execute(self, *args):
        answer = self.connection.execute(*args)
        if args[0].startswith("BEGIN") and self.waiting:
            self.waiting = False
            raise KeyboardInterrupt
        return answer


def test_an_interrupt_leaves_no_transaction_and_no_claims(path):
    with Store(path) as store:
        with suppress(KeyboardInterrupt), store.working():
            store.claim("first")
            store._connection = Interrupted(store._connection)
            store.claim("second")
            pytest.fail("nothing was interrupted")
        assert not store._connection.in_transaction
        left = store._connection.execute("SELECT count(*) FROM claims").fetchone()
        assert left == (0,)


def test_heartbeat_goes_on(path, monkeypatch):
    monkeypatch.setattr(module, "_HEARTBEAT_S", 0.02)
    with Store(path) as store, store.working():
        query = "SELECT heartbeat FROM owners"
        before = store._connection.execute(query).fetchone()[0]
        time.sleep(0.2)
        assert store._connection.execute(query).fetchone()[0] > before


def test_rows_say_which_comparison_they_belong_to(path):
    jobs = [
        Job("d", "f", split, 0, 0, "m", AAkNN(), {"n_neighbors": [1]}, tuning, seed)
        for split, tuning, seed in (
            (Split(n_splits=5), None, 0),
            (Split("shuffle", test_size=0.3, stratify=True), Tuning("clark"), 3),
        )
    ]
    with Store(path) as store:
        for one in jobs:
            store.save(one, OK)
        rows = store.rows()
    assert set(rows["split"]) == {"kfold-5", "shuffle-0.3-stratified"}
    assert set(rows["seed"]) == {0, 3}
    assert set(rows["tuned"]) == {True, False}
    with pytest.raises(ValueError, match="rows mix comparisons"):
        summarize(rows)


def test_many_open_a_new_store_at_once(tmp_path):
    faults = []

    def open_it(path):
        try:
            Store(path).close()
        except Exception as error:
            faults.append(error)

    for number in range(20):
        path = tmp_path / f"{number}.sqlite"
        threads = [threading.Thread(target=open_it, args=(path,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not faults


def test_many_writers(path):
    def write(start):
        with Store(path) as store:
            for fold in range(start, start + 25):
                store.save(job(fold), OK)

    threads = [threading.Thread(target=write, args=(100 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store(path) as store:
        assert len(store.statuses()) == 100
        assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_export(path, suffix):
    target = path.parent / "out" / f"rows{suffix}"
    with Store(path) as store:
        store.save(job(), OK)
        assert store.export(target) == target
        expected = store.rows()
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    assert_allclose(read(target)["value"], expected["value"])
    assert [p.name for p in target.parent.iterdir()] == [target.name]


def test_bad_files(path, tmp_path):
    with Store(path) as store, pytest.raises(ValueError, match=r"\.csv or \.parquet"):
        store.export("rows.xlsx")
    (tmp_path / "text").write_text("no database at all, only words " * 50)
    with pytest.raises(ValueError, match="not a store of scikit-ldl"):
        Store(tmp_path / "text")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE things (x)")
    other.commit()
    other.close()
    with pytest.raises(ValueError, match="another program"):
        Store(tmp_path / "other.db")
    with pytest.raises(OSError, match="Cannot open"):
        Store(tmp_path)


def test_memory():
    with Store(":memory:") as store, store.working():
        store.save(job(), OK)
        assert np.isclose(store.rows()["value"].sum(), 1.4)
