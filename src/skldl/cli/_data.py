"""DATA on the command line: a table, arrays or the name of a data set."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from skldl._text import listed, split_names
from skldl.datasets import (
    Dataset,
    column_roles,
    frame_origin,
    list_datasets,
    load,
    load_table,
    name_rows,
    pick_labels,
    read_frame,
    to_numbers,
)
from skldl.validation import RowError, UnnormalizedError

_ARRAYS = (".npz", ".mat")
_COUNTED = "(Rows are counted from 0, without the header.)"
_NORMALIZE = "If the columns are counts of votes or percentages, add --normalize."


@dataclass(frozen=True)
class Request:
    """What the options say about DATA."""

    labels: tuple[str, ...] = ()
    labels_after: str | None = None
    features: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    normalize: bool = False
    empty: str = "drop"
    arrays: tuple[str, ...] = ()
    text: tuple[str, ...] = ()  # columns that a model wants as text
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    @classmethod
    def of(cls, options: dict[str, Any]) -> "Request":
        """Read the options, and take them out."""
        given: dict[str, Any] = {}
        for name in ("labels", "features", "ignore"):
            value = options.pop(name, None) or ()
            given[name] = (value,) if isinstance(value, str) else tuple(value)
        given["arrays"] = tuple(split_names(options.pop("arrays", None) or ""))
        if len(given["arrays"]) > 2:
            raise click.UsageError("--arrays takes two names, as in --arrays X,D.")
        for name in ("labels_after", "sep", "decimal", "encoding", "sheet"):
            given[name] = options.pop(name, None)
        if given["sep"] == r"\t":  # a tab is hard to type
            given["sep"] = "\t"
        given["empty"] = options.pop("empty", None) or "drop"
        return cls(normalize=bool(options.pop("normalize", False)), **given)

    def reading(self) -> dict[str, Any]:
        """What :func:`read_frame` has to know."""
        names = ("sep", "decimal", "encoding", "sheet", "arrays", "text")
        facts = {name: getattr(self, name) for name in names}
        return {**facts, "label_names": self.labels}


@dataclass(frozen=True)
class Table:
    """Columns, and those that are known to be labels."""

    name: str
    frame: pd.DataFrame
    labels: tuple[str, ...] = ()
    dataset: Dataset | None = None
    names: Any = None  # of the rows, where they are not a column


def load_data(
    entry: str,
    request: Request,
    kind: str | None = None,
    *,
    mixed: bool = False,
    table: Table | None = None,
) -> Dataset:
    """Load DATA with its target.

    Parameters
    ----------
    entry : str
        A path, ``-`` for standard input or the name of a data set.
    request : Request
        Which columns.
    kind : {"distribution", "indicator", "classes"} or None, default=None
        What the target of a table shall be; None takes classes for one column, else
        distributions.
    mixed : bool, default=False
        Whether features may be text and have gaps; otherwise text is left out with a
        note, and gaps are an error.
    table : Table or None, default=None
        What was read already; None reads DATA.

    Returns
    -------
    dataset : Dataset
        ``extra["label_columns"]`` names the columns of a table that are its target.
    """
    table = table or read_table(entry, request)
    named = request.labels or request.labels_after or request.features
    if table.dataset is not None and not named:
        return _without(table.dataset, request.ignore)
    labels = label_columns(table, entry, request)
    if kind is None:
        kind = "classes" if len(labels) == 1 else "distribution"
    _check_number(labels, kind)
    with options_in_errors(frame=table.frame):
        features = _chosen_features(table, labels, request)
        if not mixed:
            # labels that the data set knows and the user left out are not features
            chosen = features or feature_columns(
                table.frame, (*labels, *table.labels), request
            )
            return _dataset(_numbers(table, chosen), labels, chosen, request, kind)
        return _dataset(table, labels, features, request, kind)


def label_columns(table: Table, entry: str, request: Request) -> list[str]:
    """The columns that the options name as labels, or that the file knows."""
    if request.labels_after is not None:
        return pick_labels(
            table.frame.columns, request.labels, after=request.labels_after,
            what="--labels",
        )  # fmt: skip
    if not request.labels:
        if table.labels:
            return list(table.labels)
        _ask_for_labels(table, entry)
    names = [name for text in request.labels for name in split_names(text)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise click.UsageError(f"--labels names {twice[0]!r} twice.")
    if len(names) == len(table.labels) and names == list(table.labels):
        return names  # they name the columns of arrays
    return pick_labels(table.frame.columns, request.labels, what="--labels")


def _ask_for_labels(table: Table, entry: str) -> None:
    if Path(entry).suffix.lower() in _ARRAYS:
        raise click.UsageError(
            f"{entry} has no array of labels that is known by its name; name the "
            "arrays of features and labels, as in --arrays X,D."
        )
    raise click.UsageError(
        f"Name the label columns of {entry}, as in --labels joy,fear. It has "
        f"{listed(list(table.frame.columns), 20)}. skldl check {entry} guesses them."
    )


def _check_number(labels: Sequence[str], kind: str) -> None:
    if kind == "distribution" and len(labels) == 1:
        raise click.UsageError(
            "A distribution needs at least two label columns; --labels names one. "
            "For classes name a classifier, such as --method SVM."
        )
    if kind == "classes" and len(labels) > 1:
        raise click.UsageError("Classes are in one column, but --labels names several.")


def load_target(table: Table, request: Request, kind: str) -> Dataset:
    """The target alone, for features that only a model can read.

    Parameters
    ----------
    table : Table
        What was read.
    request : Request
        Which columns are labels.
    kind : {"distribution", "indicator", "classes"}
        What the target shall be.

    Returns
    -------
    dataset : Dataset
        Its only feature is the number of the row: rows without votes are left out.
    """
    number = "".join(request.labels) + "_"  # longer than any label, so not one of them
    frame = table.frame[list(request.labels)].copy(deep=False)
    frame[number] = range(len(frame))
    alone = replace(table, frame=frame)
    with options_in_errors(frame=frame):
        return _dataset(alone, list(request.labels), [number], request, kind)


@contextmanager
def options_in_errors(
    counted: str = _COUNTED, frame: pd.DataFrame | None = None
) -> Iterator[None]:
    """Errors name options as remedies, and rows by the line of the file."""
    try:
        yield
    except UnnormalizedError as error:
        raise ValueError(f"{error.finding} {_NORMALIZE}") from None
    except RowError as error:
        if frame is not None and frame_origin(frame).get("first_line"):
            counted = f"(This is {name_rows(frame, [error.row])} of the file.)"
        raise ValueError(f"{error} {counted}") from None


def _numbers(table: Table, features: list[str]) -> Table:
    """A table whose features are complete numbers, or an error."""
    frame = table.frame.copy(deep=False)
    frame[features] = to_numbers(frame[features])
    return replace(table, frame=frame)


def _dataset(
    table: Table,
    labels: list[str],
    features: list[str] | None,
    request: Request,
    kind: str,
) -> Dataset:
    loaded = load_table(
        table.frame,
        labels,
        features,
        ignore=() if features else _ignored(table, labels, request),
        normalize=request.normalize or None,
        empty=request.empty,
        kind=kind,  # type: ignore[arg-type]
        text=request.text,
    )
    for text in loaded.extra["notes"]:
        note(text)
    ordered = bool(table.dataset and table.dataset.ordered)
    extra = {**loaded.extra, "label_columns": list(labels)}
    return replace(
        loaded, name=table.name, source=table.name, ordered=ordered, extra=extra
    )


def _ignored(table: Table, labels: Sequence[str], request: Request) -> list[str]:
    """What the user leaves out, and labels that he does not name."""
    known = [name for name in table.labels if name not in set(labels)]
    if not request.ignore:
        return known
    named = pick_labels(table.frame.columns, request.ignore, what="--ignore")
    return list(dict.fromkeys([*named, *known]))


def _chosen_features(
    table: Table, labels: Sequence[str], request: Request
) -> list[str] | None:
    """Features that the user names, or nothing."""
    if not request.features:
        return None
    chosen = pick_labels(table.frame.columns, request.features, what="--features")
    taken = {*labels, *_ignored(table, labels, request)}
    both = [name for name in chosen if name in taken]
    if both:
        raise click.UsageError(
            f"--features names {both[0]!r}, which is also a label or is left out. Name "
            "it once."
        )
    return chosen


def _without(dataset: Dataset, ignore: Sequence[str]) -> Dataset:
    """A data set without some features."""
    if not ignore:
        return dataset
    known = list(dataset.feature_names)
    gone = set(pick_labels(known, ignore, what="--ignore"))
    kept = [i for i, name in enumerate(known) if name not in gone]
    X = dataset.X
    X = X.iloc[:, kept] if isinstance(X, pd.DataFrame) else X[:, kept]
    return replace(dataset, X=X, feature_names=dataset.feature_names[kept])


def known_name(entry: str) -> str | None:
    """The data set that an entry names, in any case, unless a file has that name."""
    by_name = {name.lower(): name for name in list_datasets().index}
    return None if Path(entry).is_file() else by_name.get(entry.lower())


def read_table(entry: str, request: Request) -> Table:
    """Read DATA as a table, whatever it is, and print what the reader says."""
    known = known_name(entry)
    if known is not None:
        return _named(load(known))
    path = Path(entry).expanduser()
    if entry != "-" and not path.exists():
        if path.suffix or len(path.parts) > 1:
            raise FileNotFoundError(f"There is no file {entry}.")
        load(entry)  # says what is known
    frame, notes = _from_stdin(request) if entry == "-" else read_frame(
        entry, **request.reading()
    )  # fmt: skip
    for text in notes:
        note(text)
    if frame.empty:
        raise ValueError(f"{entry} has no rows; at least one sample is needed.")
    facts = frame_origin(frame)
    return Table(facts["name"], frame, tuple(facts.get("labels", ())))


def _from_stdin(request: Request) -> tuple[pd.DataFrame, list[str]]:
    """Standard input can be read once, but a command may ask twice."""
    context = click.get_current_context(silent=True)
    kept = {} if context is None else context.find_root().meta
    if "skldl.stdin" not in kept:
        kept["skldl.stdin"], notes = read_frame("-", **request.reading())
        return kept["skldl.stdin"], notes
    return kept["skldl.stdin"], []


def _named(dataset: Dataset) -> Table:
    X, target = dataset.frames()
    target = pd.DataFrame(target)
    clash = set(X.columns) & set(target.columns)
    if clash:
        target = target.add_prefix("label_")
    labels = tuple(map(str, target.columns))
    frame = X.join(target)
    frame.columns = frame.columns.astype(str)
    return Table(dataset.name, frame, labels, dataset)


def feature_columns(
    frame: pd.DataFrame, labels: Sequence[str], request: Request
) -> list[str]:
    """Columns of numbers that are neither labels nor ids nor ignored."""
    taken = {*labels}
    if request.ignore:
        taken |= {*pick_labels(frame.columns, request.ignore, what="--ignore")}
    free = [column for column in frame.columns if column not in taken]
    numbers = [column for column in free if _is_numeric(frame[column])]
    text = [column for column in free if column not in set(numbers)]
    if text:
        note(
            f"Left out, as they have no numbers: {listed(text)}. Encode them as "
            "numbers if they matter."
        )
    roles = column_roles(frame[numbers])["role"]
    ids = [column for column in numbers if roles[column] == "id"]
    if ids:
        note(
            f"Left out, as they only number the rows: {listed(ids)}. Name them by "
            "--features if they matter."
        )
    numbers = [column for column in numbers if column not in set(ids)]
    if not numbers:
        raise ValueError(
            "No columns of numbers are left to learn from. Name some by --features, or "
            "encode other columns as numbers."
        )
    return numbers


def _is_numeric(values: pd.Series) -> bool:
    """Whether a column contains numbers, or was meant to."""
    if pd.api.types.is_numeric_dtype(values):
        return True
    if pd.api.types.is_datetime64_any_dtype(values):
        return False
    present = values.dropna()
    parsed = pd.to_numeric(present, errors="coerce").notna()
    # a few words among numbers are a fault in the table, not a column of text
    return bool(len(present)) and float(parsed.mean()) > 0.5


def require_votes(dataset: Dataset) -> None:
    """Refuse labels that nobody ever chose."""
    if dataset.kind == "classes":
        return
    empty = dataset.target.sum(axis=0) == 0
    if empty.any():
        names = [str(n) for n in dataset.label_names[empty]]
        raise ValueError(
            f"Label {listed(names)} is zero in every row, so nothing can be learned "
            "about it. Leave it out of --labels, or check the column."
        )


def note(text: str) -> None:
    """Show the user a note that is not part of the result."""
    click.echo(f"Note: {text}", err=True)
