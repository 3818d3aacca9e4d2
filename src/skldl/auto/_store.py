"""Predictions that were made already, so that a run that was stopped goes on."""

import os
from pathlib import Path
from typing import Any, Self

import numpy as np

from skldl.auto._job import Job, Outcome

_MARK = 0x4C444C  # "LDL": this file is ours
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS outcomes (key TEXT PRIMARY KEY, candidate TEXT, "
    "status TEXT, message TEXT, rows INTEGER, labels INTEGER, prediction BLOB, "
    "fit_s REAL, predict_s REAL, peak_mb REAL)"
)
_COLUMNS = "status, message, rows, labels, prediction, fit_s, predict_s, peak_mb"


class Store:
    """Outcomes by the key of their job, in one SQLite file; without a path in none.

    Parameters
    ----------
    path : str, Path or None
        The file, made if it is not there; None keeps nothing.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._connection: Any = None
        self._path = path
        if path is None:
            return
        import sqlite3  # a fit without a store does without

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            found = self._connection.execute("PRAGMA application_id").fetchone()[0]
            tables = self._connection.execute("SELECT 1 FROM sqlite_master").fetchall()
            if tables and found != _MARK:
                raise sqlite3.DatabaseError("it belongs to another program")
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(_SCHEMA)
            self._connection.execute(f"PRAGMA application_id={_MARK}")
            self._connection.execute(f"SELECT {_COLUMNS} FROM outcomes LIMIT 1")
        except sqlite3.OperationalError as error:
            self.close()
            raise OSError(f"Cannot use the store {path}: {error}.") from error
        except sqlite3.DatabaseError as error:
            self.close()
            raise ValueError(
                f"{path} is not a store of AutoLDL ({error}). Name another file."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, job: Job) -> Outcome | None:
        """Outcome of a job that was done before, or None."""
        if self._connection is None:
            return None
        row = self._row(job.key)
        try:
            return None if row is None else _kept_outcome(job, *row)
        except (ArithmeticError, TypeError, ValueError):
            return None  # damaged: do it again

    def _row(self, key: str) -> Any:
        import sqlite3

        try:
            return self._connection.execute(
                f"SELECT {_COLUMNS} FROM outcomes WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.OperationalError:  # locked, or a disk that fails
            raise
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"The store {self._path} of AutoLDL is damaged ({error}). Name another "
                "file; the fits in it are then done again."
            ) from error

    def put(self, job: Job, outcome: Outcome) -> None:
        """Keep an outcome that would be the same next time, so not a time-out."""
        if self._connection is None or outcome.status not in ("ok", "failed"):
            return
        P = outcome.prediction
        facts = (
            job.key,
            job.candidate,
            outcome.status,
            outcome.message,
            None if P is None else P.shape[0],
            None if P is None else P.shape[1],
            None if P is None else P.tobytes(),
            outcome.fit_s,
            outcome.predict_s,
            outcome.peak_mb,
        )
        self._connection.execute(
            f"INSERT OR REPLACE INTO outcomes VALUES ({', '.join('?' * len(facts))})",
            facts,
        )


def _kept_outcome(
    job: Job, status: str, message: str, n_rows: Any, n_labels: Any, blob: Any,
    *times: Any,
) -> Outcome:  # fmt: skip
    """An outcome as it was kept; an error if it cannot have been kept so."""
    if status not in ("ok", "failed") or not isinstance(message, str):
        raise ValueError("status")
    prediction = None
    predicted = status == "ok" and job.test is not None
    if (blob is not None) != predicted:
        raise ValueError("prediction")
    if blob is not None:
        prediction = np.frombuffer(blob, dtype=np.float64)
        prediction = prediction.reshape(len(job.test), n_labels).copy()
        if len(prediction) != n_rows or not np.isfinite(prediction).all():
            raise ValueError("prediction")
    return Outcome(status, message, prediction, None, *map(_number, times))


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
