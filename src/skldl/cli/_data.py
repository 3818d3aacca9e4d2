"""DATA on the command line: a table, arrays or the name of a data set."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from skldl._text import listed
from skldl.cli._options import split_commas
from skldl.datasets import (
    Dataset,
    existing_columns,
    from_target,
    list_datasets,
    load,
    load_table,
    numbered,
    to_numbers,
)
from skldl.datasets.readers import TABLE_READERS, read_csv, read_mat, read_npz
from skldl.validation import (
    RowError,
    UnnormalizedError,
    check_indicator,
    check_target,
)

ARRAY_READERS = {".npz": read_npz, ".mat": read_mat}
_X_NAMES = ("features", "feature", "X", "x", "fea", "data")
_D_NAMES = ("labels", "label", "D", "Y", "y", "target", "targets", "distribution",
            "distributions", "gnd")  # fmt: skip
_COUNTED = "(Rows are counted from 0, without the header.)"
_NORMALIZE = "If the columns are counts of votes or percentages, add --normalize."


@dataclass(frozen=True)
class Request:
    """What the options say about DATA."""

    labels: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    normalize: bool = False
    arrays: tuple[str, ...] = ()
    text: tuple[str, ...] = ()  # columns that a model wants as text

    @classmethod
    def of(cls, options: dict[str, Any]) -> "Request":
        """Read the options, and take them out."""
        lists = {
            name: tuple(split_commas(options.pop(name, None)))
            for name in ("labels", "features", "ignore", "arrays")
        }
        if len(lists["arrays"]) > 2:
            raise click.UsageError("--arrays takes two names, as in --arrays X,D.")
        return cls(normalize=options.pop("normalize", False), **lists)


@dataclass(frozen=True)
class Table:
    """Columns, and those that are known to be labels."""

    name: str
    frame: pd.DataFrame
    labels: tuple[str, ...] = ()
    dataset: Dataset | None = None


def load_data(entry: str, request: Request, kind: str | None = None) -> Dataset:
    """Load DATA with its target.

    Parameters
    ----------
    entry : str
        A path or the name of a data set.
    request : Request
        Which columns.
    kind : {"distribution", "indicator", "classes"} or None, default=None
        What the target of a table shall be; None takes classes for one column, else
        distributions.

    Returns
    -------
    dataset : Dataset
    """
    table = read_table(entry, request)
    if table.dataset is not None and not (request.labels or request.features):
        return _without(table.dataset, request.ignore)
    labels = request.labels or table.labels
    if not labels and Path(entry).suffix.lower() in ARRAY_READERS:
        raise click.UsageError(
            f"{entry} has no array of labels that is known by its name; name the "
            "arrays of features and labels, as in --arrays X,D."
        )
    if not labels:
        raise click.UsageError(
            f"Name the label columns of {entry}, as in --labels joy,fear. It has "
            f"{listed(list(table.frame.columns), 20)}."
        )
    if len(set(labels)) < len(labels):
        twice = next(name for name in labels if labels.count(name) > 1)
        raise click.UsageError(f"--labels names {twice!r} twice.")
    labels = tuple(existing_columns(labels, table.frame.columns, "--labels"))
    if kind is None:
        kind = "classes" if len(labels) == 1 else "distribution"
    with options_in_errors():
        # labels that the data set knows and the user left out are no features
        features = feature_columns(table.frame, (*labels, *table.labels), request)
        return _dataset(table, list(labels), features, request, kind)


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
        Its only feature is the number of the row.
    """
    number = "".join(request.labels) + "_"  # longer than any label, so not one of them
    rows = range(len(table.frame))
    frame = table.frame[list(request.labels)].assign(**{number: rows})
    alone = replace(table, frame=frame)
    with options_in_errors():
        return _dataset(alone, list(request.labels), [number], request, kind)


@contextmanager
def options_in_errors(counted: str = _COUNTED) -> Iterator[None]:
    """Errors about rows say how rows are counted, and name options as remedies."""
    try:
        yield
    except UnnormalizedError as error:
        raise ValueError(f"{error.finding} {_NORMALIZE} {counted}") from None
    except RowError as error:
        raise ValueError(f"{error} {counted}") from None


def _dataset(
    table: Table, labels: list[str], features: list[str], request: Request, kind: str
) -> Dataset:
    X = to_numbers(table.frame[features])
    named = pd.DataFrame(X, columns=features)
    if kind == "distribution":
        if len(labels) == 1:
            raise click.UsageError(
                "A distribution needs at least two label columns; --labels names one. "
                "For classes name a classifier, such as --method SVM."
            )
        whole = named.join(table.frame[labels].reset_index(drop=True))
        loaded = load_table(whole, labels, features, normalize=request.normalize)
        ordered = bool(table.dataset and table.dataset.ordered)
        return replace(loaded, name=table.name, source=table.name, ordered=ordered)
    if kind == "classes" and len(labels) > 1:
        raise click.UsageError("Classes stand in one column; --labels names several.")
    raw = table.frame[labels[0]] if kind == "classes" else table.frame[labels]
    if kind == "indicator":
        check_indicator(raw, name="labels")  # its words are clearer
    if kind == "classes" and raw.dtype.kind == "O":
        raw = raw.astype(str).where(raw.notna(), None)
    target = check_target(raw, kinds=(kind,), name="labels")  # type: ignore[arg-type]
    names = np.array(labels if kind == "indicator" else target.classes).astype(str)
    return from_target(
        table.name, X, target, feature_names=np.array(features), label_names=names
    )


def _without(dataset: Dataset, ignore: Sequence[str]) -> Dataset:
    """A data set without some features."""
    if not ignore:
        return dataset
    known = list(dataset.feature_names)
    existing_columns(ignore, known, "--ignore")
    kept = [i for i, name in enumerate(known) if name not in set(ignore)]
    return replace(
        dataset, X=dataset.X[:, kept], feature_names=dataset.feature_names[kept]
    )


def known_name(entry: str) -> str | None:
    """The data set that an entry names, in any case, unless a file has that name."""
    by_name = {name.lower(): name for name in list_datasets().index}
    return None if Path(entry).is_file() else by_name.get(entry.lower())


def read_table(entry: str, request: Request) -> Table:
    """Read DATA as a table, whatever it is."""
    known = known_name(entry)
    if known is not None:
        return _named(load(known))
    path = Path(entry).expanduser()
    if not path.exists():
        if path.suffix or len(path.parts) > 1:
            raise FileNotFoundError(f"There is no file {entry}.")
        load(entry)  # says what is known
    if path.is_dir():
        raise ValueError(f"{entry} is a folder; name a file in it.")
    suffix = path.suffix.lower()
    if suffix in ARRAY_READERS:
        return _from_arrays(path, ARRAY_READERS[suffix](path), request)
    if suffix not in TABLE_READERS:
        kinds = ", ".join([*TABLE_READERS, *ARRAY_READERS])
        raise ValueError(
            f"{entry}: cannot read files of type {suffix or '(none)'}; use {kinds}."
        )
    reader = TABLE_READERS[suffix]
    frame = reader(path, request.text) if reader is read_csv else reader(path)
    if frame.empty:
        raise ValueError(f"{entry} has no rows; at least one sample is needed.")
    frame.columns = frame.columns.astype(str)
    return Table(path.stem, frame)


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


def _from_arrays(path: Path, content: dict[str, Any], request: Request) -> Table:
    matrices = {n: a for n, a in content.items() if a.dtype.kind in "fiub"}
    shapes = ", ".join(f"{n} {a.shape}" for n, a in content.items()) or "no arrays"
    wanted = [[name] for name in request.arrays] or [[*_X_NAMES], [*_D_NAMES]]
    found = [next((n for n in names if n in matrices), None) for names in wanted]
    if found[0] is None or (request.arrays and None in found):
        raise ValueError(
            f"{path.name} has {shapes}. Say which hold the features and the labels, as "
            "in --arrays X,D."
        )
    X = matrices[found[0]]
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"{path.name}: {found[0]} has shape {X.shape}, not a table's.")
    names = _column_names(content, "feature", X.shape[1])
    frame = pd.DataFrame(X, columns=names)
    if len(found) < 2 or found[1] is None:
        return Table(path.stem, frame)
    target = _target_rows(matrices[found[1]], len(X), f"{path.name}: {found[1]}")
    labels = _column_names(content, "label", target.shape[1], request.labels)
    return Table(path.stem, frame.join(pd.DataFrame(target, columns=labels)), labels)


def _target_rows(target: Any, n_rows: int, what: str) -> Any:
    if target.ndim == 1 or target.shape == (1, n_rows):
        target = target.reshape(-1, 1)
    if target.ndim != 2 or len(target) != n_rows:
        raise ValueError(
            f"{what} has shape {target.shape}, but there are {n_rows} rows of features;"
            " both need one row per sample. Transpose the one that has not."
        )
    return target


def _column_names(
    content: dict[str, Any], what: str, count: int, given: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names that the file or the user gives, else numbers."""
    stored = content.get(f"{what}_names")
    if stored is not None and stored.size == count and stored.dtype.kind == "U":
        return tuple(str(name).strip() for name in stored.ravel())
    if len(given) == count:
        return tuple(given)
    return tuple(map(str, numbered(what, count)))


def feature_columns(
    frame: pd.DataFrame, labels: Sequence[str], request: Request
) -> list[str]:
    """Columns of numbers that are neither labels nor ignored."""
    ignored = {*labels}
    if request.ignore:
        ignored |= {*existing_columns(request.ignore, frame.columns, "--ignore")}
    if request.features:
        chosen = existing_columns(request.features, frame.columns, "--features")
        both = [name for name in chosen if name in ignored]
        if both:
            raise click.UsageError(f"{both[0]!r} is a feature and something else, too.")
        return chosen
    numbers: list[str] = []
    text: list[str] = []
    for column in frame.columns:
        if column in ignored:
            continue
        (numbers if _is_numeric(frame[column]) else text).append(column)
    if text:
        note(
            f"Left out, as they hold no numbers: {listed(text)}. Encode them as "
            "numbers if they matter."
        )
    if not numbers:
        raise ValueError("No columns of numbers are left to learn from.")
    _warn_of_ids(frame, numbers)
    return numbers


def _is_numeric(values: pd.Series) -> bool:
    """Whether a column holds numbers, or was meant to."""
    if pd.api.types.is_numeric_dtype(values):
        return True
    if pd.api.types.is_datetime64_any_dtype(values):
        return False
    present = values.dropna()
    parsed = pd.to_numeric(present, errors="coerce").notna()
    # a few words among numbers are a fault in the table, not a column of text
    return bool(len(present)) and float(parsed.mean()) > 0.5


def _warn_of_ids(frame: pd.DataFrame, columns: list[str]) -> None:
    for column in columns:
        if column.lower() in ("id", "index", "row", "nr", "number"):
            note(
                f"Column {column!r} is used as a feature; leave it out with --ignore "
                f"{column} if it only numbers the rows."
            )


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
    """A word to the user that is no result."""
    click.echo(f"Note: {text}", err=True)
