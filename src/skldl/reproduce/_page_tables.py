"""Published numbers beside those that count, and other forms below."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._render import Chapter, Table
from skldl.reproduce._verdicts import FAILED, NOT_AT_HAND

ALIKE = "\N{ALMOST EQUAL TO}"


def table_chapters(cells: pd.DataFrame) -> Iterator[Chapter]:
    """Give a chapter for each published table, without data that are not at hand.

    Parameters
    ----------
    cells : DataFrame
        What :func:`compare_paper` gave.

    Yields
    ------
    chapter : Chapter
        For each data set a table of the numbers that count, and a folded one of the
        other forms.
    """
    for name, whole in cells.groupby("table", sort=False):
        blocks: list[Any] = []
        for dataset, part in whole.groupby("dataset", sort=False):
            if (part["verdict"] == NOT_AT_HAND).all():
                continue
            whose = f"{name}: {dataset}"
            found: list[Any] = [Table(counting_table(part), whose)]
            others = other_forms(part)
            if len(others):
                below = Table(others, f"{whose}, forms that do not count")
                heading = f"Other forms on {dataset}"
                found.append(Chapter(heading, [below], folded=True))
            blocks.append(Chapter(str(dataset), found))
        if blocks:
            yield Chapter(str(name), blocks)


def counting_table(part: pd.DataFrame) -> pd.DataFrame:
    """Give one line per method and metric: published, what counts, and the verdict.

    Parameters
    ----------
    part : DataFrame
        Cells of one published table and data set.

    Returns
    -------
    table : DataFrame
    """
    return pd.DataFrame(
        {
            "method": row["method"],
            "metric": metric_words(row["metric"]),
            "published": printed(row),
            "ours": _counting_text(row),
            "difference": difference(row),
            "verdict": row["verdict"],
        }
        for row in part[part["main"]].to_dict("records")
    )


def other_forms(part: pd.DataFrame) -> pd.DataFrame:
    """Give one line per number that does not count.

    Parameters
    ----------
    part : DataFrame
        Cells of one published table and data set.

    Returns
    -------
    table : DataFrame
        Empty if there are none.
    """
    rest = part[~part["main"] & part["column"].notna()]
    return pd.DataFrame(
        {
            "method": row["method"],
            "metric": metric_words(row["metric"]),
            "form": row["column"],
            "value": measured(row),
            "verdict": row["verdict"],
        }
        for row in rest.to_dict("records")
    )


def _counting_text(row: Mapping[str, Any]) -> str:
    """The number, and its form if that is not the first."""
    if pd.isna(row["column"]):
        return ""
    form = row["column"].split(", ", 2)[2:] if row["stands_in"] is True else []
    return ", ".join([measured(row), *form])


def printed(row: Mapping[str, Any]) -> str:
    """Write a published number with the digits that were printed."""
    if pd.isna(row["value"]):
        return ""
    digits = int(row["digits"])
    text = f"{row['value']:.{digits}f}"
    return text if pd.isna(row["std"]) else f"{text} ± {row['std']:.{digits}f}"


def number(value: float, spread: float = np.nan) -> str:
    """Write a measured number with its deviation."""
    if pd.isna(value):
        return ""
    digits = 2 if abs(value) >= 5 else 4
    text = f"{value:.{digits}f}"
    return text if pd.isna(spread) else f"{text} ± {spread:.{digits}f}"


def measured(row: Mapping[str, Any]) -> str:
    """Write a measured number, folds that are missing, and the mark of a mean."""
    text = number(row["measured"], row["deviation"]) or FAILED
    if 0 < row["n_folds"] < row["n_expected"]:
        text += f" ({row['n_folds']:.0f} of {row['n_expected']:.0f} folds)"
    return f"{text} {ALIKE}" if row["like_mean"] is True else text


def difference(row: Mapping[str, Any]) -> str:
    """Write how far a number is from the published one, in the unit that judged."""
    if pd.isna(row["difference"]):
        return ""
    suffix = " se" if row["unit"] == "our standard error" else ""
    text = f"{row['difference']:+.1f}"
    return f"{text if float(text) else '0.0'}{suffix}"
