"""What became of verdicts since the tables were first run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from skldl.reproduce._protocol import Paper
from skldl.reproduce._summary import HONEST
from skldl.reproduce._verdicts import BETTER, SAME, WORSE

CELL = ["table", "dataset", "method", "metric"]
Cells = Sequence[tuple[Paper, pd.DataFrame]]


def verdicts_before(path: str | Path) -> pd.DataFrame:
    """Read the verdicts of the first runs, one row per published cell.

    Parameters
    ----------
    path : str or Path
        A CSV file with paper, table, dataset, method, metric and verdict.

    Returns
    -------
    before : DataFrame
    """
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def verdict_changes(cells_of: Cells, before: pd.DataFrame) -> pd.DataFrame:
    """Count the judged cells of the first runs by what they are now.

    Parameters
    ----------
    cells_of : sequence of (Paper, DataFrame)
        With what :func:`compare_paper` gave.
    before : DataFrame
        What :func:`verdicts_before` gave.

    Returns
    -------
    table : DataFrame
        One row per paper and verdict of the first runs, a column per verdict of today.
    """
    rows = []
    for paper, cells in cells_of:
        both = _joined(paper, cells, before)
        for old in (BETTER, SAME, WORSE):
            now = both[both["before"] == old]["verdict"].value_counts()
            counts = {name: now.get(name, 0) for name in _names(cells_of)}
            first = {"paper": paper.name, "first runs": old, "cells": now.sum()}
            rows.append(first | counts)
    table = pd.DataFrame(rows)
    sums = table.groupby("first runs", sort=False).sum(numeric_only=True).reset_index()
    sums.insert(0, "paper", "all")
    return pd.concat([table[table["cells"] > 0], sums], ignore_index=True)


def _names(cells_of: Cells) -> list[str]:
    found = {v for _, cells in cells_of for v in cells[cells["main"]]["verdict"]}
    return [name for name in (BETTER, SAME, WORSE, "no verdict") if name in found]


def _joined(paper: Paper, cells: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    own = before[before["paper"] == paper.key].rename(columns={"verdict": "before"})
    return cells[cells["main"]].merge(own.drop(columns="paper"), on=CELL)


def worse_groups(cells_of: Cells, reasons: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Group the cells that are worse by the reason that is known of them.

    Parameters
    ----------
    cells_of : sequence of (Paper, DataFrame)
        With what :func:`compare_paper` gave.
    reasons : sequence of mapping
        Each with ``paper``, ``reason`` and, to narrow it, lists ``methods``,
        ``datasets`` and ``metrics``. Of several that fit a cell the first counts.

    Returns
    -------
    table : DataFrame
        Columns paper, methods, data sets, cells, reason and how many of the cells
        another honest form with all folds reaches or exceeds; a cell without any reason
        is in a row that says "unexplained".
    """
    rows: dict[tuple[str, int], list[Any]] = {}
    reached: set[tuple[str, ...]] = set()
    for paper, cells in cells_of:
        reached |= _reached(paper, cells)
        worse = cells[cells["main"] & (cells["verdict"] == WORSE)]
        for cell in worse.to_dict("records"):
            place = next(
                (i for i, r in enumerate(reasons) if _fits(r, paper.key, cell)),
                len(reasons),
            )
            rows.setdefault((paper.name, place), []).append(cell)
    known = [*(r["reason"] for r in reasons), "unexplained"]
    return pd.DataFrame(
        [
            {
                "paper": name,
                "methods": ", ".join(dict.fromkeys(c["method"] for c in found)),
                "data sets": ", ".join(dict.fromkeys(c["dataset"] for c in found)),
                "cells": len(found),
                "another form reaches": sum(_at(name, c) in reached for c in found),
                "reason": known[place],
            }
            for (name, place), found in rows.items()
        ]
    )


def _reached(paper: Paper, cells: pd.DataFrame) -> set[tuple[str, ...]]:
    """Cells that another form reaches with all folds, chosen without the test folds."""
    honest = cells["column"].str.startswith(HONEST, na=False)
    whole = cells["n_folds"] == cells["n_expected"]
    reaches = cells["verdict"].isin((BETTER, SAME))
    others = cells[~cells["main"] & honest & whole & reaches]
    return {_at(paper.name, cell) for cell in others.to_dict("records")}


def _at(paper: str, cell: Mapping[str, Any]) -> tuple[str, ...]:
    return paper, *(cell[name] for name in CELL)


def _fits(reason: Mapping[str, Any], paper: str, cell: Mapping[str, Any]) -> bool:
    return reason["paper"] == paper and all(
        cell[name] in reason.get(f"{name}s", [cell[name]])
        for name in ("method", "dataset", "metric")
    )
