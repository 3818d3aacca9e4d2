"""One row of a summary for each published cell: the form that counts, if it has run."""

import pandas as pd

from skldl.reproduce._columns import label_columns
from skldl.reproduce._papers import get_papers
from skldl.reproduce._summary import HONEST


def counted_rows(
    paper: str, summary: pd.DataFrame, *, by_part: bool = False
) -> pd.DataFrame:
    """Give honest rows on raw features, one per data set, method and metric.

    A method's first entry counts. Where it has not run, the next form that has run
    takes its place, so that a comparison does not lack a rival.

    Parameters
    ----------
    paper : str
        Key.
    summary : DataFrame
        What :func:`read_summary` gave.
    by_part : bool, default=False
        Whether to give a row for each part of the paper that has the data set.

    Returns
    -------
    rows : DataFrame
        A part of the summary in the order of the paper's parts, with a further column
        ``first``: whether it is the form that counts.
    """
    own = ["part", "method", "features", "variant", *label_columns(summary)]
    order = _entry_order(paper, own)
    keys = list(zip(*(summary[name] for name in own), strict=True))
    found = [order.get(key, (len(order), False)) for key in keys]
    table = summary.assign(
        place=[place for place, _ in found], first=[first for _, first in found]
    )
    wanted = (
        (table["protocol"] == HONEST)
        & (table["features"] == "raw")
        & (table["published"] != "")
        & table["mean"].notna()
    )
    identity = ["dataset", "published", "metric", *label_columns(summary)]
    if by_part:
        identity.append("part")
    chosen = table[wanted].sort_values("place", kind="stable")
    return chosen.drop_duplicates(identity).drop(columns="place")


def _entry_order(paper: str, own: list[str]) -> dict[tuple[str, ...], tuple[int, bool]]:
    """Places of entries in the protocol, and which is the first of its kind."""
    (found,) = get_papers([paper])
    order: dict[tuple[str, ...], tuple[int, bool]] = {}
    for part in found.parts():
        seen = set()
        for entry in part.entries:
            names = {"part": part.name, **entry.columns}
            role = (entry.published, tuple(sorted(entry.labels.items())))
            key = tuple(names.get(name, "") for name in own)
            order.setdefault(key, (len(order), role not in seen))
            seen.add(role)
    return order
