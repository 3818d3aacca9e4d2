"""Options about columns that are not numbers, and what they mean for the data."""

from dataclasses import replace
from typing import Any

import click

from skldl.cli._options import split_commas

_ROLES = ("categorical", "text", "dates")


def mixed_options(function: Any) -> Any:
    """What the columns of a mixed table are."""
    for option in reversed(
        (
            click.option(
                "--categorical", metavar="A,B,...",
                help="Columns of categories, also if they contain numbers.",
            ),
            click.option(
                "--text", metavar="A,B,...", help="Columns of free text.",
            ),
            click.option(
                "--dates", metavar="A,B,...", help="Columns of dates.",
            ),
            click.option(
                "--missing", type=click.Choice(["impute", "drop", "error"]),
                default="impute", show_default=True,
                help="Fill gaps in features, drop rows that have some, or refuse them.",
            ),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def take_mixed(options: dict[str, Any]) -> dict[str, Any]:
    """Take those options out: parameters of the encoder, and ``missing``."""
    roles = {name: split_commas(options.pop(name, None)) for name in _ROLES}
    given = {name: columns for name, columns in roles.items() if columns}
    return given | {"missing": options.pop("missing", "impute")}


def read_as_text(mixed: dict[str, Any]) -> tuple[str, ...]:
    """Columns that keep their zeros in front, such as those of postal codes."""
    return (*mixed.get("categorical", ()), *mixed.get("text", ()))


def with_roles(dataset: Any, mixed: dict[str, Any]) -> Any:
    """A data set that knows what was said about its columns; rows with gaps dropped.

    Parameters
    ----------
    dataset : Dataset
        As read.
    mixed : dict
        What :func:`take_mixed` gave.

    Returns
    -------
    dataset : Dataset
    """
    from skldl.datasets import existing_columns

    given = {name: mixed[name] for name in _ROLES if name in mixed}
    known = [str(name) for name in dataset.feature_names]
    for name, columns in given.items():
        existing_columns(columns, known, f"--{name}")
    if given and not dataset.mixed:
        dataset = replace(dataset, X=dataset.frames()[0])
    if not dataset.mixed:
        return dataset
    if mixed["missing"] == "drop":
        dataset = _without_gaps(dataset)
    missing = "error" if mixed["missing"] == "error" else "impute"
    return replace(dataset, encoding={**given, "missing": missing})


def _without_gaps(dataset: Any) -> Any:
    from skldl.cli._data import note
    from skldl.datasets import column_roles

    roles = column_roles(dataset.X)["role"]
    used = [n for n in dataset.X.columns if roles[n] not in ("id", "constant", "empty")]
    whole = dataset.X[used].notna().all(axis=1).to_numpy()
    if whole.all():
        return dataset
    if not whole.any():
        raise ValueError(
            "Every row has a missing value, so --missing drop leaves none; take "
            "--missing impute, or --ignore the columns with gaps."
        )
    note(f"Dropped {int((~whole).sum())} of {len(whole)} rows with missing values.")
    return dataset.subset(whole)


def tell_columns(records: list[dict[str, Any]]) -> list[str]:
    """What was done to each column, a line each."""
    width = max((len(record["column"]) for record in records), default=0)
    width = min(width, 40)
    return [
        f"  {r['column']:<{width}}  {r['role']:<8}  {r['done']}"
        + (f" ({r['n_features']} features)" if r["n_features"] > 1 else "")
        for r in records
    ]
