"""What a store keeps besides scores: runs, data sets, predictions of chosen samples."""

import json
import shlex
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl.benchmark._store_check import check_numbers, usable_store
from skldl.datasets import Dataset

RECORDS_SCHEMA = """
CREATE TABLE IF NOT EXISTS predictions (job TEXT PRIMARY KEY, content TEXT);
CREATE TABLE IF NOT EXISTS datasets (
    fingerprint TEXT PRIMARY KEY, name TEXT, facts TEXT
);
CREATE TABLE IF NOT EXISTS runs (started REAL, command TEXT, versions TEXT);
"""
MOST_PREDICTIONS = 100  # samples of a data set: a store is not a copy of the data
_DIGITS = 6
_FACTS = ("kind", "n_samples", "n_features", "labels", "source")


class Records:
    """The part of a store that scores do not need, but their readers do."""

    path: str
    _connection: sqlite3.Connection

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        raise NotImplementedError

    def _read(self, table: str, columns: str) -> list[tuple[Any, ...]]:
        """All rows; a store of an earlier version need not have the table."""
        found = self._connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
        if not found:
            return []
        return self._connection.execute(f"SELECT {columns} FROM {table}").fetchall()

    def note_run(self, command: str, versions: dict[str, str]) -> None:
        """Keep the command that adds results.

        Parameters
        ----------
        command : str
            As typed.
        versions : dict of str to str
            Of Python and the libraries.
        """
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?)",
                (time.time(), command, json.dumps(versions, sort_keys=True)),
            )

    def runs(self) -> pd.DataFrame:
        """Commands that added results.

        Returns
        -------
        table : DataFrame
            Columns started (seconds since 1970), command, versions.
        """
        columns = ["started", "command", "versions"]
        with usable_store(self.path, "runs"):
            rows = self._read("runs", ", ".join(columns))
            table = pd.DataFrame(rows, columns=columns)
            check_numbers(table["started"])
        return table.sort_values("started", ignore_index=True)

    def note_dataset(
        self, fingerprint: str, dataset: Dataset, picture: Any, floors: Any = None
    ) -> None:
        """Keep what a reader wants to know of a data set.

        Parameters
        ----------
        fingerprint : str
            Hash of its content.
        dataset : Dataset
            The data.
        picture : dict or None
            Plane coordinates of some samples; None keeps those that are there.
        floors : dict of str to float, default=None
            What a perfect model would score by each metric, where the labels are counts
            of votes; None keeps those that are there.
        """
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT facts FROM datasets WHERE fingerprint = ?", (fingerprint,)
            ).fetchone()
            with usable_store(self.path, "data sets"):
                old = json.loads(row[0]) if row else {}
            facts = {
                "kind": dataset.kind,
                "n_samples": dataset.n_samples,
                "n_features": dataset.n_features,
                "labels": [str(name) for name in dataset.label_names],
                "source": dataset.source,
                "picture": picture or old.get("picture"),
                "noise_floor": floors or old.get("noise_floor"),
            }
            connection.execute(
                "INSERT OR REPLACE INTO datasets VALUES (?, ?, ?)",
                (fingerprint, dataset.name, json.dumps(facts)),
            )

    def datasets(self) -> dict[str, dict[str, Any]]:
        """Facts of the data sets by fingerprint.

        Returns
        -------
        facts : dict of str to dict
            Each with name, kind, n_samples, n_features, labels, source, picture
            (None, or plane coordinates of some samples) and noise_floor (None, or what
            a perfect model would score by each metric).
        """
        with usable_store(self.path, "data sets"):
            rows = self._read("datasets", "fingerprint, name, facts")
            found = {m: {"name": name, **json.loads(text)} for m, name, text in rows}
            for facts in found.values():
                _ = [facts[name] for name in _FACTS]
        return found

    def predictions(self) -> pd.DataFrame:
        """True and predicted degrees of the chosen samples.

        Returns
        -------
        table : DataFrame
            Columns job, sample (row number in the data set), label, true, predicted,
            and name, the id of the row where the table has ids.
        """
        columns = ["job", "sample", "label", "true", "predicted", "name"]
        with usable_store(self.path, "predictions"):
            kept = self._read("predictions", "job, content")
            lines = [one for job, text in kept for one in _lines(job, json.loads(text))]
            table = pd.DataFrame(lines, columns=columns)
            check_numbers(table["true"])
            check_numbers(table["predicted"])
        return table


def _lines(job: str, content: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    names = content.get("names") or [None] * len(content["samples"])
    for sample, name, true, predicted in zip(
        content["samples"], names, content["true"], content["predicted"], strict=True
    ):
        for label, d, p in zip(content["labels"], true, predicted, strict=True):
            yield job, sample, label, d, p, name


def choose_predictions(
    n_kept: int, dataset: Dataset, test: Any, predicted: Any
) -> dict[str, Any]:
    """Predictions of samples from the clearest to the most mixed of a test part.

    The choice knows the true distributions only, so it favours no method.
    """
    if not n_kept or dataset.kind != "distribution":
        return {}
    true = dataset.target[test]
    order = np.argsort(-true.max(axis=1), kind="stable")
    places = np.unique(np.linspace(0, len(order) - 1, min(n_kept, len(order))).round())
    chosen = order[places.astype(int)]
    samples = np.asarray(test)[chosen]
    names = dataset.extra.get("row_names")
    return {
        "samples": samples.tolist(),
        "names": None if names is None else [str(name) for name in names[samples]],
        "labels": [str(name) for name in dataset.label_names],
        "true": true[chosen].round(_DIGITS).tolist(),
        "predicted": np.asarray(predicted)[chosen].round(_DIGITS).tolist(),
    }


def this_command() -> str:
    """The command of this process as one would type it."""
    program, *arguments = sys.argv or [""]
    if program in ("", "-c"):
        return "a Python session"
    name = Path(program).name
    if name == "__main__.py":
        name = f"python -m {Path(program).parent.name}"
    return f"{name} {shlex.join(arguments)}".strip()
