"""The table of claims: what each paper says, what it printed, what we find."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from skldl.reproduce._papers import get_papers
from skldl.reproduce._render import Chapter, Table
from skldl.reproduce.claims import hamming, jplay, lse, lwknn, mslp
from skldl.reproduce.claims._claim import CLAIM_RULES, Claim, Evidence

__all__ = ["CLAIMS", "CLAIM_RULES", "claim_chapters", "claims_table"]

#: Claims by the key of their paper.
CLAIMS: dict[str, list[Claim]] = {
    "mslp": mslp.CLAIMS,
    "lse-ldl": lse.CLAIMS,
    "lwknn": lwknn.CLAIMS,
    "jplay": jplay.CLAIMS,
    "generalized-hamming": hamming.CLAIMS,
}


def claims_table(
    summaries: Mapping[str, pd.DataFrame], figures: str | Path | None
) -> pd.DataFrame:
    """Judge the headline claims of papers by our numbers.

    Parameters
    ----------
    summaries : mapping of str to DataFrame
        What :func:`read_summary` gave, by the key of a paper.
    figures : str or Path or None
        Folder with the rows of figures.

    Returns
    -------
    table : DataFrame
        One row per claim: paper, claim, printed, ours, verdict, from. A claim whose
        numbers are missing is "not measured".
    """
    evidence = Evidence(summaries, None if figures is None else Path(figures))
    lines = [
        claim.line(paper.name, evidence)
        for paper in get_papers([key for key in CLAIMS if key in summaries])
        for claim in CLAIMS[paper.key]
    ]
    columns = ["paper", "claim", "printed", "ours", "verdict", "from"]
    return pd.DataFrame(lines, columns=columns)


def claim_chapters(
    summaries: Mapping[str, pd.DataFrame], figures: str | Path | None
) -> list[Chapter]:
    """Give the table of claims as the first chapter of a page.

    Parameters
    ----------
    summaries, figures
        As for :func:`claims_table`.

    Returns
    -------
    chapters : list of Chapter
        Empty without any claim.
    """
    table = claims_table(summaries, figures)
    if table.empty:
        return []
    shown = Table(table, "Headline claims, the printed figure and ours")
    return [Chapter("What the papers claim", [shown, CLAIM_RULES])]
