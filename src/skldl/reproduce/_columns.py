"""The columns of a summary, and its file.

Besides the common columns a summary has those labels that a paper's entries need (such
as the classifier behind a projection), and one column per fold. Versions of packages
and settings of methods are in files beside the summary, ``versions.csv`` and
``settings.csv``, searches among the settings: a row of the summary has their keys.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl._cells import plain_table, safe_table
from skldl._files import write_text

IDENTITY = ["part", "dataset", "method", "published", "features", "variant"]
FACTS = [
    "protocol", "metric", "mean", "std", "n_folds", "n_expected", "failed", "reason",
    "fit_s", "predict_s", "peak_mb", "params", "versions", "settings", "search",
]  # fmt: skip
COLUMNS = [*IDENTITY, *FACTS]
VERSIONS_FILE = "versions.csv"
SETTINGS_FILE = "settings.csv"
_NUMBERS = ("mean", "std", "fit_s", "predict_s", "peak_mb")
_COUNTS = ("n_folds", "n_expected", "failed")
_IN_SETTINGS = ("settings", "search")
_FOLD = "fold_"


def make_summary(
    rows: Iterable[dict[str, Any]], labels: Iterable[str] = ()
) -> pd.DataFrame:
    """Make a summary from rows.

    Parameters
    ----------
    rows : iterable of dict
        With the common columns, labels, and ``folds``: one number per fold, missing
        where a fold did not end well.
    labels : iterable of str, default=()
        Columns that tell the entries of this paper apart; empty in rows without.

    Returns
    -------
    summary : DataFrame
    """
    labels, made = list(labels), []
    for row in rows:
        folds = {f"{_FOLD}{i}": v for i, v in enumerate(row.get("folds", ()))}
        made.append({**dict.fromkeys(labels, ""), **row, **folds})
    n_folds = max((len(row.get("folds", ())) for row in made), default=0)
    names = [*IDENTITY, *labels, *FACTS, *(f"{_FOLD}{i}" for i in range(n_folds))]
    table = pd.DataFrame(made, columns=names)
    for name in ("versions", *_IN_SETTINGS):
        table[name] = table[name].astype(object).where(table[name].notna(), "")
    return table


def label_columns(summary: pd.DataFrame) -> list[str]:
    """Columns that only this paper's entries need."""
    return [c for c in summary if c not in COLUMNS and not is_fold(c)]


def fold_columns(summary: pd.DataFrame) -> list[str]:
    """Columns with the numbers of the folds."""
    return [c for c in summary if is_fold(c)]


def is_fold(name: str) -> bool:
    """Whether a column has the numbers of a fold."""
    return name.startswith(_FOLD)


def fold_values(summary: pd.DataFrame) -> np.ndarray:
    """Numbers of the folds, one row per row of the summary, NaN where missing."""
    return summary[fold_columns(summary)].to_numpy(dtype=np.float64)


def write_summary(summary: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a summary to a CSV file, every digit kept, and versions beside it.

    Parameters
    ----------
    summary : DataFrame
        What :func:`summarize_paper` gave.
    path : str or Path
        Where to.

    Returns
    -------
    path : Path
    """
    table = summary.copy()
    table["versions"] = [_content_key("v", text) for text in summary["versions"]]
    _add_versions(summary["versions"], Path(path).with_name(VERSIONS_FILE))
    for name in _IN_SETTINGS:
        table[name] = [_content_key("s", text) for text in summary[name]]
        _add_settings(summary[name], Path(path).with_name(SETTINGS_FILE))
    for name in fold_columns(summary):
        table[name] = ["" if np.isnan(v) else f"{v:.6g}" for v in summary[name]]
    return write_text(path, safe_table(table).to_csv(index=False, lineterminator="\n"))


def read_summary(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a summary, the table of numbers behind a paper's page.

    Parameters
    ----------
    path : str or Path
        The CSV file that :func:`reproduce` wrote; ``versions.csv`` and
        ``settings.csv`` must be beside it.

    Returns
    -------
    summary : DataFrame
        One row per data set, method, column and metric: labels, mean and deviation,
        costs, what tuning chose, the versions, the settings of the method and what
        its search chose from (these four as JSON), and the numbers of the folds in
        ``fold_0``, ``fold_1`` and so on.
    """
    # through float(), which gets every digit back with any version of pandas
    table = plain_table(pd.read_csv(path, dtype=str, keep_default_na=False))
    missing = set(COLUMNS) - set(table.columns)
    if missing:
        raise ValueError(f"{path} is not a summary: it lacks {min(missing)!r}.")
    for name in (*_NUMBERS, *fold_columns(table)):
        table[name] = [float(text or "nan") for text in table[name]]
    for name in _COUNTS:
        table[name] = [int(text) for text in table[name]]
    beside = {
        "versions": (VERSIONS_FILE, _read_versions),
        **dict.fromkeys(_IN_SETTINGS, (SETTINGS_FILE, _read_settings)),
    }
    for name, (file, read) in beside.items():
        known = read(Path(path).with_name(file))
        unknown = set(table[name]) - set(known) - {""}
        if unknown:
            raise ValueError(
                f"{path} names the {name} {min(unknown)!r}, which are not in {file} "
                "beside it; keep the files together."
            )
        table[name] = [known[key] if key else "" for key in table[name]]
    return table


def _content_key(letter: str, text: str) -> str:
    if not text:
        return ""
    # from the content: files that were written apart agree
    content = json.dumps(json.loads(text), sort_keys=True)
    return letter + hashlib.sha256(content.encode()).hexdigest()[:7]


def _read_settings(path: Path) -> dict[str, str]:
    """Settings as JSON, by key."""
    if not path.exists():
        return {}
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return dict(zip(table["key"], table["settings"], strict=True))


def _add_settings(texts: Iterable[str], path: Path) -> None:
    known = _read_settings(path)
    new = {_content_key("s", text): text for text in texts if text}
    if set(new) <= set(known):
        return
    rows = sorted((known | new).items(), key=lambda row: (row[1], row[0]))
    table = pd.DataFrame(rows, columns=["key", "settings"])
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def _read_versions(path: Path) -> dict[str, str]:
    """Versions as JSON, by key."""
    if not path.exists():
        return {}
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    return {
        str(row.pop("versions")): json.dumps({k: v for k, v in row.items() if v})
        for row in rows
    }


def _add_versions(texts: Iterable[str], path: Path) -> None:
    known = _read_versions(path)
    new = {_content_key("v", text): text for text in texts if text}
    if set(new) <= set(known):
        return
    rows = [{"versions": k, **json.loads(v)} for k, v in (known | new).items()]
    names = sorted({name for row in rows for name in row} - {"versions"})
    table = pd.DataFrame(rows, columns=["versions", *names]).fillna("")
    write_text(path, table.to_csv(index=False, lineterminator="\n"))
