"""Rows of a summary that count: the first form of each published method."""

import pandas as pd

from skldl.reproduce._columns import label_columns
from skldl.reproduce._papers import get_papers
from skldl.reproduce._summary import HONEST


def main_rows(paper: str, summary: pd.DataFrame) -> pd.DataFrame:
    """Give the honest rows of the entries whose verdicts count, all metrics.

    Parameters
    ----------
    paper : str
        Key.
    summary : DataFrame
        What :func:`read_summary` gave.

    Returns
    -------
    rows : DataFrame
        A part of the summary.
    """
    (found,) = get_papers([paper])
    own = ["method", "features", "variant", *label_columns(summary)]
    wanted = set()
    for part in found.parts():
        seen = set()
        for entry in part.entries:
            role = (entry.published, tuple(sorted(entry.labels.items())))
            if entry.published and role not in seen:
                seen.add(role)
                key = tuple(entry.columns.get(name, "") for name in own)
                wanted.add((part.name, *key))
    keys = zip(summary["part"], *(summary[name] for name in own), strict=True)
    chosen = [key in wanted for key in keys]
    return summary[pd.Series(chosen, index=summary.index, dtype=bool)].loc[
        lambda rows: rows["protocol"] == HONEST
    ]
