"""Published numbers beside ours, and what to say of each cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student_t

from skldl.benchmark import read_reference
from skldl.metrics import get_metric
from skldl.reproduce._baseline import learner_key, like_mean
from skldl.reproduce._columns import label_columns
from skldl.reproduce._papers import get_papers
from skldl.reproduce._protocol import TIMES, Entry, Paper, Part
from skldl.reproduce._summary import BEST, HONEST

BETTER, SAME, WORSE = "better", "same within noise", "worse"
UNPUBLISHED = "no published value"
NO_VERDICT = "no verdict"
PENDING = "not measured yet"
NOT_AT_HAND = "not run here"
FAILED = "did not run"
VERDICTS = (
    BETTER, SAME, WORSE, NO_VERDICT, UNPUBLISHED, FAILED, PENDING, NOT_AT_HAND,
)  # fmt: skip
# chance alone makes two means of ten folds differ by more than one deviation, or by
# three standard errors of one of them, about once in thirty times
N_DEVIATIONS, N_ERRORS = 1.0, 3.0
#: With fewer folds of several there is no verdict.
LEAST_FOLDS = 5


@dataclass(frozen=True)
class Place:
    """Where a published cell is measured.

    Attributes
    ----------
    part : Part
        The protocol.
    entries : list of Entry
        Methods that stand for the published one, the main one first.
    metric : str
        Ours.
    scale : float
        Published values are this many times ours.
    """

    part: Part
    entries: list[Entry]
    metric: str
    scale: float


def find_places(parts: Sequence[Part], cell: Mapping[str, Any]) -> list[Place]:
    """Give the parts that measure a published cell, the main one first.

    Parameters
    ----------
    parts : sequence of Part
        Of the cell's paper.
    cell : mapping
        With table, dataset, method and metric.

    Returns
    -------
    places : list of Place
        Empty if nothing here measures it.
    """
    places = []
    for part in parts:
        known = cell["dataset"] in part.all_datasets
        if cell["table"] not in part.tables or not known:
            continue
        found = [
            e
            for e in part.entries
            if e.published == cell["method"] and cell["metric"] in part.metrics_of(e)
        ]
        if found:
            metric, scale = part.metrics_of(found[0])[cell["metric"]]
            places.append(Place(part, found, metric, scale))
    return places


def missing_reason(paper: Paper, cell: Mapping[str, Any]) -> str:
    """Say why a cell cannot be measured.

    Parameters
    ----------
    paper : Paper
        The cell's paper.
    cell : mapping
        With dataset and method.

    Returns
    -------
    reason : str
        Empty if nothing is known to stand in the way.
    """
    return paper.missing.get(cell["dataset"], paper.missing.get(cell["method"], ""))


def greater_is_better(metric: str) -> bool:
    """Give the direction of a metric or a time.

    Parameters
    ----------
    metric : str
        Our name.

    Returns
    -------
    greater : bool
    """
    return metric not in TIMES and get_metric(metric).greater_is_better


def judge(
    published: float,
    measured: float,
    *,
    noise: float,
    greater_is_better: bool,
    printed: float = 0.0,
) -> str:
    """Say how a measured number stands to a published one.

    Parameters
    ----------
    published, measured : float
        The numbers.
    noise : float
        A difference up to this is chance.
    greater_is_better : bool
        Direction.
    printed : float, default=0.0
        Half a unit of the last digit that was printed.

    Returns
    -------
    verdict : str

    Examples
    --------
    >>> from skldl.reproduce._verdicts import judge
    >>> judge(0.35, 0.33, noise=0.01, greater_is_better=False)
    'better'
    """
    if np.isnan(measured):
        return PENDING
    if np.isnan(published):
        return UNPUBLISHED
    difference = measured - published
    if abs(difference) <= max(noise, 0.0) + printed:
        return SAME
    return BETTER if (difference > 0) == greater_is_better else WORSE


def compare_paper(paper: Paper | str, summary: pd.DataFrame) -> pd.DataFrame:
    """Set every published cell of a paper beside what was measured.

    Parameters
    ----------
    paper : Paper or str
        Which one; a key of :func:`list_papers` that has published tables.
    summary : DataFrame
        What :func:`read_summary` gave.

    Returns
    -------
    cells : DataFrame
        One row per published cell and column (honest or best on test, raw or
        standardised, variant) with a number; a cell without any has one row that
        says why. ``main`` marks the row that counts: the first form of the method that
        was measured, honest and on raw features; ``stands_in`` says that it is not the
        form that should count. ``ours`` is our metric; ``like_mean`` marks learners
        that are hardly different from the mean distribution.
    """
    if isinstance(paper, str):
        (paper,) = get_papers([paper])
    if not paper.name:
        raise ValueError(f"{paper.key!r} has no published tables to compare with.")
    index = Index(summary)
    parts = paper.parts()
    rows: list[dict[str, Any]] = []
    for cell in read_reference(paper=paper.name).to_dict("records"):
        places = find_places(parts, cell)
        found = [
            row
            for place in places
            for row in _measured(paper, parts, place, cell, index)
        ]
        count_first(found)
        if not any(row["main"] for row in found):
            reason = missing_reason(paper, cell)
            verdict = NOT_AT_HAND if reason else PENDING
            labels = places[0].entries[0].labels if places else {}
            found.insert(
                0,
                {**cell, **labels, "verdict": verdict, "reason": reason, "main": True},
            )
        rows += found
    return pd.DataFrame(rows, columns=[*CELL_COLUMNS, *index.labels])


CELL_COLUMNS = [
    "table", "dataset", "method", "metric", "value", "std", "column", "ours",
    "measured", "deviation", "n_folds", "n_expected", "difference", "unit", "verdict",
    "reason", "params", "main", "stands_in", "digits", "like_mean", "settings",
]  # fmt: skip


def count_first(found: list[dict[str, Any]]) -> None:
    """Mark the row that counts; rows are in the order in which they should count."""
    able = [row for row in found if row.pop("able")]
    whole = [row for row in able if row["verdict"] not in (NO_VERDICT, FAILED)]
    chosen = (whole or able)[:1]
    for row in found:
        first = row.pop("first")
        row["main"] = any(row is one for one in chosen)
        row["stands_in"] = row["main"] and not first


class Index:
    """Rows of a summary, found by what they are.

    Parameters
    ----------
    summary : DataFrame
        What :func:`summarize_paper` gave.
    """

    def __init__(self, summary: pd.DataFrame) -> None:
        self.labels = label_columns(summary)
        self._own = ["method", "features", "variant", *self.labels]
        keys = ["part", "dataset", "protocol", "metric", *self._own]
        columns = [summary[key] for key in keys]
        rows = summary.to_dict("records")
        self._rows = dict(zip(zip(*columns, strict=True), rows, strict=True))
        self._alike = like_mean(summary)

    def find(
        self, part: str, dataset: str, protocol: str, metric: str, entry: Entry
    ) -> dict[str, Any] | None:
        """Give the row of an entry, or None."""
        own = [entry.columns.get(name, "") for name in self._own]
        return self._rows.get((part, dataset, protocol, metric, *own))

    def is_alike(self, row: Mapping[str, Any]) -> bool:
        """Whether a row belongs to a learner that is about the mean distribution."""
        return learner_key(row) in self._alike


def _measured(
    paper: Paper,
    parts: Sequence[Part],
    place: Place,
    cell: Mapping[str, Any],
    index: Index,
) -> list[dict[str, Any]]:
    alike = [p for p in parts if _overlap(p, place.part)]
    where = place.part.name if len(alike) > 1 else ""
    usual = [p for p in alike if cell["dataset"] in p.datasets] or alike
    found = []
    for protocol in (HONEST, BEST):
        for entry in place.entries:
            row = index.find(
                place.part.name, cell["dataset"], protocol, place.metric, entry
            )
            if row is None:
                continue
            words = (protocol, entry.features, entry.variant, where)
            found.append(
                {
                    **cell,
                    "column": ", ".join(filter(None, words)),
                    "able": protocol == HONEST and entry.features == "raw",
                    "first": entry is place.entries[0] and place.part is usual[0],
                    "like_mean": index.is_alike(row),
                    **entry.labels,
                    **_compare(paper, place, cell, row),
                }
            )
    return found


def _overlap(first: Part, second: Part) -> bool:
    """Whether two parts fill the same cells in different ways."""
    tables = set(first.tables) & set(second.tables)
    return bool(tables and set(first.all_datasets) & set(second.all_datasets))


def _compare(
    paper: Paper, place: Place, cell: Mapping[str, Any], row: Mapping[str, Any]
) -> dict[str, Any]:
    measured, spread = row["mean"] * place.scale, row["std"] * place.scale
    error = _error(place, cell, row)
    value, std = cell["value"], cell["std"]
    over_folds = paper.deviation == "folds" and not np.isnan(std)
    folds = max(row["n_folds"], 1), row["n_expected"]
    noise = _deviations(*folds) * std if over_folds else _errors(*folds) * error
    # a difference is said in the unit that judges it
    unit, size = ("published deviation", std) if over_folds else (
        "our standard error", error)  # fmt: skip
    verdict = judge(
        value,
        measured,
        noise=0.0 if np.isnan(noise) else noise,
        greater_is_better=greater_is_better(place.metric),
        printed=0.5 * 10.0 ** -cell["digits"],
    )
    verdict, reason = _without_verdict(place, row) or (verdict, row["reason"])
    return {
        "ours": place.metric,
        "measured": measured,
        "deviation": spread,
        "n_folds": row["n_folds"],
        "n_expected": row["n_expected"],
        "difference": (measured - value) / size if size and size > 0 else np.nan,
        "unit": unit,
        "verdict": verdict,
        "reason": reason,
        "params": row["params"],
        "settings": row["settings"],
    }


def _without_verdict(place: Place, row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Why a number says nothing about the published one, if it does not."""
    if row["n_folds"] == 0:
        return FAILED, row["reason"]
    if place.metric in TIMES:
        return NO_VERDICT, "a time on another machine"
    if row["n_expected"] > 1 and row["n_folds"] < LEAST_FOLDS:
        return NO_VERDICT, f"fewer than {LEAST_FOLDS} folds"
    return None


def _error(place: Place, cell: Mapping[str, Any], row: Mapping[str, Any]) -> float:
    """Standard error of our mean; of a single run, that of a share.

    A mean of numbers in [0, 1] varies no more than a share does.
    """
    if row["n_folds"] > 1:
        return float(row["std"] * place.scale / np.sqrt(row["n_folds"]))
    n_test = place.part.test_sizes.get(cell["dataset"])
    if n_test is None or np.isnan(row["mean"]):
        return float("nan")
    share = row["mean"]
    return float(place.scale * np.sqrt(share * (1 - share) / n_test))


def _deviations(n_folds: int, n_expected: int) -> float:
    """Deviations of a fold that chance explains: more if folds are missing.

    The difference of two means has the variance of a fold times 1 / m + 1 / n.
    """
    return N_DEVIATIONS * float(np.sqrt((1 + n_expected / n_folds) / 2))


def _errors(n_folds: int, n_expected: int) -> float:
    """Standard errors that chance explains: as rare with the folds that are there."""
    if n_folds >= n_expected or n_folds < 2:
        return N_ERRORS
    rare = student_t.sf(N_ERRORS, n_expected - 1)
    return float(student_t.isf(rare, n_folds - 1))


def count_verdicts(cells: pd.DataFrame) -> pd.Series:
    """Count the verdicts of the rows that count.

    Parameters
    ----------
    cells : DataFrame
        What :func:`compare_paper` gave.

    Returns
    -------
    counts : Series
        By verdict, all of them in a fixed order.
    """
    main = cells[cells["main"]]
    return main["verdict"].value_counts().reindex(list(VERDICTS), fill_value=0)


def coverage(cells: pd.DataFrame) -> tuple[int, int]:
    """Count cells with a measured value, and cells whose data are at hand.

    Parameters
    ----------
    cells : DataFrame
        What :func:`compare_paper` gave.

    Returns
    -------
    measured, possible : int
    """
    main = cells[cells["main"]]
    known = main["measured"].notna() & (main["verdict"] != PENDING)
    return int(known.sum()), int((main["verdict"] != NOT_AT_HAND).sum())
