"""Which settings a page's numbers come from, in words made of the stored settings."""

import pandas as pd

from skldl.reproduce._protocol import Paper
from skldl.reproduce._settings import is_published, settings_words

AS_PUBLISHED, OTHERWISE, OWN = "as published", "not as published", ""


def settings_table(paper: Paper, summary: pd.DataFrame) -> pd.DataFrame:
    """Say for each published method and column with which settings it ran.

    Parameters
    ----------
    paper : Paper
        Whose methods.
    summary : DataFrame
        What :func:`read_summary` gave; the words come from its settings alone.

    Returns
    -------
    table : DataFrame
        Columns method, column, settings, preset (whether the settings are those of the
        published preset; empty if the method has none), searched.
    """
    searched = {
        (e.published, e.columns["method"], e.variant): ", ".join(
            name.rpartition("__")[2] for name in e.method.grid
        )
        for part in paper.parts()
        for e in part.entries
    }
    rows = []
    known = summary[(summary["published"] != "") & (summary["features"] == "raw")]
    known = known[known["settings"] != ""]
    own = ["published", "method", "variant", "settings"]
    for row in known.drop_duplicates(own)[own].itertuples(index=False):
        grid = searched.get((row.published, row.method, row.variant), "")
        rows.append(
            {
                "method": row.published,
                "column": row.variant or "counts",
                "settings": settings_words(row.settings),
                "preset": _preset(row.settings, grid),
                "searched": grid,
            }
        )
    return pd.DataFrame(rows).drop_duplicates() if rows else pd.DataFrame()


def _preset(settings: str, grid: str) -> str:
    """A searched parameter may be anything, so a search is not a preset."""
    same = is_published(settings)
    if same is None or grid:
        return OWN
    return AS_PUBLISHED if same else OTHERWISE


def preset_sentence(summary: pd.DataFrame) -> str:
    """Say which methods count with their published settings, from what is stored.

    Parameters
    ----------
    summary : DataFrame
        What :func:`read_summary` gave.

    Returns
    -------
    sentence : str
        Empty if no method has a published preset.
    """
    known = summary[(summary["published"] != "") & (summary["features"] == "raw")]
    known = known[(known["variant"] == "") & (known["params"].isin(["", "{}"]))]
    found: dict[bool, list[str]] = {True: [], False: []}
    for published, rows in known.groupby("published", sort=False):
        same = [is_published(text) for text in rows["settings"].unique()]
        if same and None not in same:
            found[all(same)].append(str(published))
    parts = []
    if found[True]:
        names = ", ".join(found[True])
        parts.append(f"With the settings of their own papers ran: {names}.")
    if found[False]:
        names = ", ".join(found[False])
        parts.append(
            f"With other settings than those of their own papers ran: {names}."
        )
    return " ".join(parts)
