"""All problems of a table in one go."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from skldl._text import listed, quoted
from skldl.datasets._degrees import cell_faults, degrees_of
from skldl.datasets._faults import number_faults, numbers_of, stray_words
from skldl.datasets._guess import guess_labels, guess_long
from skldl.datasets._pick import pick_labels
from skldl.datasets._read_frame import read_frame
from skldl.datasets._read_lines import frame_origin, name_rows
from skldl.datasets._roles import column_roles
from skldl.validation import UnnormalizedError

_LEFT_OUT = ("id", "constant", "empty")


@dataclass(frozen=True)
class TableCheck:
    """What :func:`check_table` found.

    Attributes
    ----------
    name : str
        Name of the table.
    n_rows : int
        Number of rows.
    columns : DataFrame
        One row per column of the table: ``use`` ("label", "feature", "left out"), and
        what :func:`column_roles` says.
    labels : list of str
        Label columns, named or guessed.
    guessed : bool
        Whether they were guessed.
    problems : list of str
        What stops a fit, a sentence each with the count and the first places.
    notes : list of str
        What will be converted, filled in or left out.
    long : dict or None
        Columns ``item``, ``annotator`` and ``label`` of a table that seems to have one
        vote per row.
    """

    name: str
    n_rows: int
    columns: pd.DataFrame = field(repr=False)
    labels: list[str]
    guessed: bool
    problems: list[str]
    notes: list[str]
    long: dict[str, str] | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing stops a fit."""
        return not self.problems

    def command(self, path: str, options: Sequence[str] = ()) -> str:
        """The ``skldl fit`` command to run next.

        Parameters
        ----------
        path : str
            The file.
        options : sequence of str, default=()
            Options and their values that were needed to read it.

        Returns
        -------
        command : str
            For a shell.
        """
        words = ["skldl", "fit", path, "--labels", self._labels_in_words()]
        if len(self.labels) == 1:
            words += ["--method", "standard+SVM"]
        return shlex.join([*words, *options, "-o", "model.skldl"])

    def _labels_in_words(self) -> str:
        places = [self.columns.index.get_loc(name) for name in self.labels]
        together = places == list(range(places[0], places[0] + len(places)))
        if together and len(places) > 6:
            return f"{quoted(self.labels[0])}..{quoted(self.labels[-1])}"
        return ",".join(quoted(name) for name in self.labels)


def check_table(
    source: Any,
    labels: str | Sequence[str] | None = None,
    *,
    labels_after: str | None = None,
    ignore: str | Sequence[str] = (),
    normalize: bool | None = None,
    **reading: Any,
) -> TableCheck:
    """Look for all problems of a table at once, and guess what its columns are.

    Parameters
    ----------
    source : str, Path, file object, pandas or polars DataFrame
        Whatever :func:`read_frame` reads; what it cannot read is its error.
    labels, labels_after : optional
        Label columns as in :func:`load_table`; without them they are guessed.
    ignore : str or sequence of str, default=()
        Columns that are neither labels nor features.
    normalize : bool or None, default=None
        As in :func:`load_table`.
    **reading : optional
        ``sep``, ``decimal``, ``encoding``, ``sheet`` and ``arrays`` of
        :func:`read_frame`.

    Returns
    -------
    check : TableCheck

    Examples
    --------
    >>> import pandas as pd
    >>> from skldl.datasets import check_table
    >>> table = pd.DataFrame({"age": [31, None], "yes": [0.7, 0.5], "no": [0.3, 0.5]})
    >>> check = check_table(table)
    >>> check.labels, check.ok
    (['yes', 'no'], True)
    >>> check.columns[["use", "role", "missing"]]
             use    role  missing
    age  feature  number        1
    yes    label  number        0
    no     label  number        0
    >>> check.command("votes.csv")
    'skldl fit votes.csv --labels yes,no -o model.skldl'
    """
    frame, notes = read_frame(source, **reading)
    roles = column_roles(frame)
    problems: list[str] = []
    picked, guessed = _labels(frame, roles, labels, labels_after, problems)
    ignored = _ignored_columns(frame, ignore, problems)
    if frame.empty:
        problems.append("The table has no rows.")
    uses = _uses(roles, picked, ignored)
    features = [str(name) for name in uses.index[uses == "feature"]]
    if not frame.empty:
        problems += _label_problems(frame, picked, normalize, notes)
        problems += _feature_problems(frame, features)
        notes += _feature_notes(frame, roles, features, uses, ignored)
    if not features:
        problems.append("No column is left to learn from.")
    columns = roles.copy()
    columns.insert(0, "use", uses)
    return TableCheck(
        frame_origin(frame)["name"], len(frame), columns, picked, guessed, problems,
        notes, guess_long(frame),
    )  # fmt: skip


def _labels(
    frame: pd.DataFrame,
    roles: pd.DataFrame,
    labels: str | Sequence[str] | None,
    after: str | None,
    problems: list[str],
) -> tuple[list[str], bool]:
    """Label columns: as named, as the file knows them, or guessed."""
    if labels or after is not None:
        try:
            return pick_labels(frame.columns, labels, after=after), False
        except ValueError as error:
            problems.append(str(error))
    known = frame_origin(frame).get("labels")
    if known:
        return list(known), False
    found = guess_labels(frame, roles) if len(frame) else []
    if not found and not problems:
        problems.append(
            "No columns look like labels: none sum to 1, to 100 or to the same number "
            "of votes. Name them by --labels."
        )
    return found, True


def _ignored_columns(frame: pd.DataFrame, ignore: Any, problems: list[str]) -> set[str]:
    if not ignore:
        return set()
    try:
        return set(pick_labels(frame.columns, ignore, what="ignore"))
    except ValueError as error:
        problems.append(str(error))
        return set()


def _uses(roles: pd.DataFrame, labels: list[str], ignored: set[str]) -> pd.Series:
    uses = pd.Series("feature", index=roles.index, dtype=object)
    uses[roles["role"].isin(_LEFT_OUT) | roles.index.isin(list(ignored))] = "left out"
    uses[labels] = "label"
    return uses


def _label_problems(
    frame: pd.DataFrame, labels: list[str], normalize: bool | None, notes: list[str]
) -> list[str]:
    if len(labels) < 2:
        return []
    matrix = np.column_stack([numbers_of(frame[name]) for name in labels])
    blank = frame[labels].isna().all(axis=1).to_numpy()
    problems = [str(fault) for fault in cell_faults(frame, labels, matrix, blank)]
    never = [
        name
        for name, column in zip(labels, matrix.T, strict=True)
        if np.nansum(np.abs(column)) == 0 and not np.isnan(column).all()
    ]
    if never:
        problems.append(
            f"Nobody chose {listed(never)}: zero in every row, so nothing can be "
            "learned about it. Leave it out of the labels."
        )
    if not problems or problems[0].startswith("Nobody"):
        try:
            notes += degrees_of(frame, labels, normalize=normalize).notes
        except UnnormalizedError as error:
            remedy = "If the columns are counts or percentages, add --normalize."
            problems.append(f"{error.finding} {remedy}")
        except ValueError as error:
            problems.append(str(error))
    return problems


def _feature_problems(frame: pd.DataFrame, features: list[str]) -> list[str]:
    faults = stray_words(frame, features)
    numbers = [n for n in features if pd.api.types.is_numeric_dtype(frame[n])]
    for fault in number_faults(frame, numbers, "feature", gaps=True):
        if fault.kind == "infinity":
            faults.append(fault)
    return [str(fault) for fault in faults]


def _feature_notes(
    frame: pd.DataFrame,
    roles: pd.DataFrame,
    features: list[str],
    uses: pd.Series,
    ignored: set[str],
) -> list[str]:
    notes = []
    for name in features:
        missing = int(roles.loc[name, "missing"])
        if missing:
            places = name_rows(frame, frame[name].isna())
            more = "s" if missing > 1 else ""
            notes.append(
                f"Column {name!r} has {missing} missing value{more} ({places})."
            )
    sure = {fault.text for fault in stray_words(frame, features)}
    for fault in stray_words(frame, features, most=0.5):
        if fault.text not in sure:
            notes.append(f"{fault.text} So it is taken as text.")
    for role in _LEFT_OUT:
        there = (uses == "left out") & (roles["role"] == role)
        names = [str(name) for name in uses.index[there] if name not in ignored]
        if names:
            notes.append(f"Left out as {role}: {listed(names)}.")
    return notes + _twice(frame, features)


def _twice(frame: pd.DataFrame, features: list[str]) -> list[str]:
    """Rows that stand more than once, with all that is not an id."""
    try:
        again = frame.duplicated()
    except TypeError:  # lists and the like in cells
        return []
    count = int(again.sum())
    if not count:
        return []
    rows = name_rows(frame, again.to_numpy())
    return [f"{count} row{'s repeat' if count > 1 else ' repeats'} another ({rows})."]
