"""Results in one SQLite file that survives power cuts and shared use.

A finished job is one transaction. A process that takes a job writes a claim first, so
that two processes on one store never do a fold twice; claims of the dead are void.
"""

import json
import os
import platform
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self

import pandas as pd

from skldl._cells import safe_table
from skldl._files import is_same_file, replacing, write_text
from skldl._processes import process_exists
from skldl.benchmark._job import Job, Result
from skldl.benchmark._records import RECORDS_SCHEMA, Records
from skldl.benchmark._store_check import (
    StoreError,
    check_layout,
    check_numbers,
    check_results,
    read_spec,
    usable_store,
)

_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    job TEXT PRIMARY KEY, dataset TEXT, repetition INTEGER, fold INTEGER, method TEXT,
    status TEXT, message TEXT, params TEXT, fit_s REAL, predict_s REAL, peak_mb REAL,
    versions TEXT, finished REAL, spec TEXT
);
CREATE TABLE IF NOT EXISTS metrics (
    job TEXT, metric TEXT, value REAL, PRIMARY KEY (job, metric)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owners (
    owner TEXT PRIMARY KEY, host TEXT, pid INTEGER, heartbeat REAL
);
CREATE TABLE IF NOT EXISTS claims (job TEXT PRIMARY KEY, owner TEXT);
"""
_BUSY_S = 60.0  # how long a writer waits for another
_HEARTBEAT_S = 5.0
_DEAD_S = 60.0  # an owner this long without a heartbeat is dead

_COLUMNS = (
    "job, dataset, repetition, fold, method, status, message, params, fit_s, "
    "predict_s, peak_mb, versions, finished, spec"
)


class Store(Records):
    """Results of comparisons, in a file.

    Parameters
    ----------
    path : str or Path
        SQLite file, made if it is not there; ``":memory:"`` keeps results in memory.
    read_only : bool, default=False
        Whether to look only: nothing is made or changed, and the file must be there.

    Examples
    --------
    >>> from skldl.benchmark import Store
    >>> with Store(":memory:") as store:
    ...     len(store.rows())
    0
    """

    def __init__(
        self, path: str | os.PathLike[str], *, read_only: bool = False
    ) -> None:
        self.path = str(path)
        self.owner = uuid.uuid4().hex
        if read_only and not Path(self.path).is_file():
            raise FileNotFoundError(f"There is no store {self.path}.")
        if self.path != ":memory:" and not read_only:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        self._connection = self._open_to_read() if read_only else self._connect()
        try:
            self._check() if read_only else self._prepare()
        except StoreError:
            self._connection.close()
            raise
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise OSError(f"Cannot use the store {self.path}: {error}.") from error
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise ValueError(
                f"{self.path} is not a store of scikit-ldl ({error}). Name another "
                "file."
            ) from error

    def _connect(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(
                self.path,
                timeout=_BUSY_S,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.OperationalError as error:
            raise OSError(f"Cannot open the store {self.path}: {error}.") from error

    def _open_to_read(self) -> sqlite3.Connection:
        """Without a trace; in a folder that cannot be written, too.

        A connection that may write removes its shared memory in the end; one opened
        with ``mode=ro`` would leave it behind.
        """
        address = Path(self.path).resolve().as_uri()
        connection = sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=_BUSY_S)
        try:
            connection.execute("PRAGMA query_only=ON")
            connection.execute("SELECT name FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:  # no room for its shared memory
            connection.close()
            return sqlite3.connect(f"{address}?immutable=1", uri=True)
        except sqlite3.DatabaseError:  # said better by the caller
            pass
        return connection

    def _check(self) -> None:
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if not 0 < found <= _SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} is not a store of this version of scikit-ldl. Name "
                "another file."
            )
        check_layout(self._connection, self.path, _SCHEMA + RECORDS_SCHEMA)

    def _prepare(self) -> None:
        """Make the tables, or see that they are ours; several may do so at once."""
        _retry_while_locked(lambda: self._connection.execute("PRAGMA journal_mode=WAL"))
        # a finished fold is on the disk before the next one is asked for
        self._connection.execute("PRAGMA synchronous=FULL")
        with self._transaction() as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
            if found > _SCHEMA_VERSION or (tables and found == 0):
                raise StoreError(
                    f"{self.path} is a database of another program or of a later "
                    "version of scikit-ldl. Name another file."
                )
            if tables:
                check_layout(connection, self.path, _SCHEMA + RECORDS_SCHEMA)
            for statement in (_SCHEMA + RECORDS_SCHEMA).split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            # waits for others, so Ctrl-C often finds it here
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def working(self) -> Iterator[None]:
        """Show other processes that this one is alive, until the block ends."""
        stop = threading.Event()
        self._beat(self._connection)
        thread = threading.Thread(target=self._keep_beating, args=(stop,), daemon=True)
        if self.path != ":memory:":
            thread.start()
        try:
            yield
        finally:
            stop.set()
            if thread.is_alive():
                thread.join()
            if self._connection.in_transaction:  # left open by an interrupt
                self._connection.execute("ROLLBACK")
            with self._transaction() as connection:
                connection.execute("DELETE FROM claims WHERE owner = ?", (self.owner,))
                connection.execute("DELETE FROM owners WHERE owner = ?", (self.owner,))

    def _keep_beating(self, stop: threading.Event) -> None:
        connection = self._connect()
        while not stop.wait(_HEARTBEAT_S):
            self._beat(connection)
        connection.close()

    def _beat(self, connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO owners VALUES (?, ?, ?, ?)",
            (self.owner, _host(), os.getpid(), time.time()),
        )

    def claim(
        self, key: str, *, redo_before: float | None = None
    ) -> Literal["claimed", "done", "taken"]:
        """Take a job, unless it is done or another living process has it.

        Parameters
        ----------
        key : str
            The job's key.
        redo_before : float, default=None
            Take jobs again that did not end well before this time.

        Returns
        -------
        answer : {"claimed", "done", "taken"}
        """
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT status, finished FROM results WHERE job = ?", (key,)
            ).fetchone()
            if row and not _redo(row[0], row[1], redo_before):
                return "done"
            holder = connection.execute(
                "SELECT o.host, o.pid, o.heartbeat FROM claims c JOIN owners o "
                "ON o.owner = c.owner WHERE c.job = ? AND c.owner != ?",
                (key, self.owner),
            ).fetchone()
            if holder and _alive(*holder):
                return "taken"
            connection.execute(
                "INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, self.owner)
            )
        return "claimed"

    def done(self, *, redo_before: float | None = None) -> set[str]:
        """Keys of the jobs that need not run."""
        with usable_store(self.path, "results"):
            rows = self._connection.execute("SELECT job, status, finished FROM results")
            return {
                job
                for job, status, finished in rows
                if not _redo(status, finished, redo_before)
            }

    def save(self, job: Job, result: Result) -> None:
        """Keep a result and drop the claim, in one transaction.

        Parameters
        ----------
        job : Job
            What was done.
        result : Result
            What came of it.
        """
        facts = (
            job.key,
            job.dataset,
            job.repetition,
            job.fold,
            job.method,
            result.status,
            result.message,
            json.dumps(result.params, sort_keys=True),
            result.fit_s,
            result.predict_s,
            result.peak_mb,
            json.dumps(result.versions, sort_keys=True),
            time.time(),
            job.spec,
        )
        places = ", ".join("?" * len(facts))
        with self._transaction() as connection:
            connection.execute("DELETE FROM metrics WHERE job = ?", (job.key,))
            connection.execute("DELETE FROM predictions WHERE job = ?", (job.key,))
            connection.execute(
                f"INSERT OR REPLACE INTO results ({_COLUMNS}) VALUES ({places})", facts
            )
            connection.executemany(
                "INSERT INTO metrics VALUES (?, ?, ?)",
                [(job.key, name, value) for name, value in result.metrics.items()],
            )
            if result.predictions:
                connection.execute(
                    "INSERT INTO predictions VALUES (?, ?)",
                    (job.key, json.dumps(result.predictions)),
                )
            connection.execute("DELETE FROM claims WHERE job = ?", (job.key,))

    def statuses(self, keys: Iterable[str] | None = None) -> pd.DataFrame:
        """One row per finished job, without its metrics.

        Parameters
        ----------
        keys : iterable of str, default=None
            Only these jobs, in this order.

        Returns
        -------
        table : DataFrame
        """
        with usable_store(self.path, "results"):
            table = pd.read_sql(f"SELECT {_COLUMNS} FROM results", self._connection)
            specs = [read_spec(text) for text in table.pop("spec")]
            check_results(table)
        table["split"] = [_split_name(spec["split"]) for spec in specs]
        table["seed"] = [spec["seed"] for spec in specs]
        table["tuned_by"] = [spec.get("tuning", [None])[0] or "" for spec in specs]
        table["tuned"] = ["tuning" in spec for spec in specs]
        table["fingerprint"] = [spec["fingerprint"] for spec in specs]
        if keys is not None:
            place = {key: i for i, key in enumerate(keys)}
            table = table[table["job"].isin(place)]
            return table.sort_values(
                "job", key=lambda column: column.map(place), ignore_index=True
            )
        order = ["dataset", "method", "repetition", "fold", "job"]
        return table.sort_values(order, ignore_index=True)

    def specs(self) -> dict[str, str]:
        """What each finished job was, as JSON text.

        Returns
        -------
        specs : dict of str to str
            Key of a job to :attr:`Job.spec`, the oldest result first.
        """
        rows = "SELECT job, spec FROM results ORDER BY finished"
        with usable_store(self.path, "results"):
            found = dict(self._connection.execute(rows).fetchall())
            for text in found.values():
                read_spec(text)
        return found

    def rows(self, keys: Iterable[str] | None = None) -> pd.DataFrame:
        """Tidy results: one row per finished job and metric.

        Parameters
        ----------
        keys : iterable of str, default=None
            Only these jobs, in this order.

        Returns
        -------
        rows : DataFrame
            A job that did not end well has one row without metric and value.
        """
        with usable_store(self.path, "metrics"):
            metrics = pd.read_sql(
                "SELECT job, metric, value FROM metrics", self._connection
            )
            check_numbers(metrics["value"])
        rows = self.statuses(keys).merge(metrics, on="job", how="left")
        return rows.reset_index(drop=True)

    def export(self, path: str | os.PathLike[str], *, raw_cells: bool = False) -> Path:
        """Write the tidy results to a .csv or .parquet file.

        Parameters
        ----------
        path : str or Path
            The file; written under another name first, then moved.
        raw_cells : bool, default=False
            Whether text such as ``=1+1``, which a spreadsheet would run, is written to
            a CSV file as it is; otherwise an apostrophe stands in front.

        Returns
        -------
        path : Path
        """
        path = Path(path)
        if path.suffix not in (".csv", ".parquet"):
            raise ValueError(
                f"An export must end in .csv or .parquet, got {path.name}."
            )
        if is_same_file(path, self.path):
            raise ValueError(f"{path} is the store itself. Name another file.")
        rows = self.rows()
        if path.suffix == ".parquet":
            with replacing(path, binary=True) as file:
                rows.to_parquet(file, index=False)
            return path
        rows = rows if raw_cells else safe_table(rows)
        return write_text(path, rows.to_csv(index=False, lineterminator="\n"))


def _redo(status: str, finished: float, redo_before: float | None) -> bool:
    return status != "ok" and redo_before is not None and finished < redo_before


def _alive(host: str, pid: int, heartbeat: float) -> bool:
    silent = time.time() - heartbeat
    if host != _host():
        return silent <= _DEAD_S  # cannot look; its heartbeat must tell
    # a long silence: the number may belong to another process by now
    return process_exists(pid) and silent <= 10 * _DEAD_S


def _retry_while_locked(call: Callable[[], Any]) -> Any:
    """Try again while another process holds the lock that SQLite does not wait for."""
    until = time.monotonic() + _BUSY_S
    while True:
        try:
            return call()
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without its details
            locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not locked or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _split_name(split: dict[str, Any]) -> str:
    """Such as kfold-10 or shuffle-0.1-stratified."""
    size = split.get("n_splits", split.get("test_size", ""))
    parts = [split["kind"], str(size), "stratified" if split.get("stratify") else ""]
    return "-".join(part for part in parts if part)


def _host() -> str:
    """Name of the machine and its table of process numbers."""
    try:
        namespace = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        namespace = 0
    return f"{platform.node()}:{namespace}"
