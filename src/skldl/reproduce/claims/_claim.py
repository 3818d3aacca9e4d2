"""What a claim is, what it is judged from, and by which rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from skldl.benchmark import read_reference
from skldl.reproduce._counted import counted_rows
from skldl.reproduce._verdicts import LEAST_FOLDS, greater_is_better

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
UNMEASURED = "not measured"
#: A share that is this much below the printed one still confirms it.
TOLERANCE = 0.05
CLAIM_RULES = (
    "Ours is computed from the summaries and from the rows of the figures. A claim "
    "about a share of cases holds if our share is at least the printed one less five "
    "points, and in part if it is at least half of the printed one. A claim about "
    "every case holds if all cases here agree, and in part if at least half do. "
    "Rivals count in the form of the paper, or in the next form that has run. A data "
    "set counts where every method that is compared has at least five folds, or all "
    "of its folds; times count from any number of splits."
)


class NotMeasuredError(Exception):
    """What a claim needs has not been measured."""


@dataclass(frozen=True)
class Evidence:
    """Numbers that claims are judged from.

    Attributes
    ----------
    summaries : mapping of str to DataFrame
        By the key of a paper.
    folder : Path or None
        Where the rows of figures are.
    """

    summaries: Mapping[str, pd.DataFrame]
    folder: Path | None = None

    def summary(self, paper: str) -> pd.DataFrame:
        """Give a paper's summary."""
        if paper not in self.summaries or self.summaries[paper].empty:
            raise NotMeasuredError(paper)
        return self.summaries[paper]

    def counted(
        self,
        paper: str,
        metric: str | None = None,
        *,
        by_part: bool = False,
        least_folds: int = LEAST_FOLDS,
    ) -> pd.DataFrame:
        """Give the rows that count and have enough folds, perhaps of one metric."""
        summary = self.summary(paper)
        wanted = summary["n_expected"].clip(upper=least_folds)
        enough = summary[summary["n_folds"] >= wanted]
        rows = counted_rows(paper, enough, by_part=by_part)
        rows = rows if metric is None else rows[rows["metric"] == metric]
        if rows.empty:
            raise NotMeasuredError(metric)
        return rows

    def rows(self, name: str) -> pd.DataFrame:
        """Give the rows of a figure."""
        path = None if self.folder is None else self.folder / f"{name}.csv"
        if path is None or not path.exists():
            raise NotMeasuredError(name)
        return pd.read_csv(path)


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that numbers can confirm or refute.

    Attributes
    ----------
    text : str
        What the paper claims.
    printed : str or callable
        The paper's figure; a function counts it in the published table.
    judge : callable
        Evidence to our figure and the verdict.
    source : str
        Where our figure is.
    """

    text: str
    printed: str | Callable[[], str]
    judge: Callable[[Evidence], tuple[str, str]]
    source: str

    def line(self, paper: str, evidence: Evidence) -> dict[str, str]:
        """Give the claim's line of the table.

        Parameters
        ----------
        paper : str
            Name for the first column.
        evidence : Evidence
            What to judge from.

        Returns
        -------
        line : dict of str to str
        """
        try:
            ours, verdict = self.judge(evidence)
        except NotMeasuredError:
            ours, verdict = "", UNMEASURED
        printed = self.printed if isinstance(self.printed, str) else self.printed()
        return {
            "paper": paper,
            "claim": self.text,
            "printed": printed,
            "ours": ours,
            "verdict": verdict,
            "from": self.source,
        }


def judge_share(found: int, total: int, printed: float) -> tuple[str, str]:
    """Judge a share of cases against the printed share.

    Parameters
    ----------
    found, total : int
        Cases that agree, and all.
    printed : float
        The paper's share.

    Returns
    -------
    ours, verdict : str
    """
    if not total:
        raise NotMeasuredError
    share = found / total
    verdict = FAILS
    if share >= printed - TOLERANCE:
        verdict = HOLDS
    elif share >= printed / 2:
        verdict = IN_PART
    return f"{found} of {total}", verdict


def judge_cases(found: int, total: int) -> tuple[str, str]:
    """Judge a claim about every case.

    Parameters
    ----------
    found, total : int
        Cases that agree, and all.

    Returns
    -------
    ours, verdict : str
    """
    if not total:
        raise NotMeasuredError
    verdict = HOLDS if found == total else IN_PART if 2 * found >= total else FAILS
    return f"{found} of {total}", verdict


def with_forms(judged: tuple[str, str], rows: pd.DataFrame) -> tuple[str, str]:
    """Say how many methods are not in the form of the paper.

    Parameters
    ----------
    judged : (str, str)
        Our figure and the verdict.
    rows : DataFrame
        What :func:`counted_rows` gave. Data sets without a number of every method do
        not count.

    Returns
    -------
    ours, verdict : str
    """
    counted = {(m, name) for m, t in wide_tables(rows).items() for name in t.index}
    places = zip(rows["metric"], rows["dataset"], strict=True)
    used = rows.loc[[place in counted for place in places]]
    methods = used.groupby("published")["first"].all()
    others = int((~methods).sum())
    note = f" ({others} of {len(methods)} methods partly in another form)"
    return judged[0] + (note if others else ""), judged[1]


def wide_tables(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Give data sets by method for each metric, smaller made better.

    Parameters
    ----------
    rows : DataFrame
        What :func:`counted_rows` gave.

    Returns
    -------
    tables : dict of str to DataFrame
        Data sets without a number of every method are left out.
    """
    tables = {}
    for metric, part in rows.groupby("metric", sort=False):
        wide = part.pivot_table(index="dataset", columns="published", values="mean")
        sign = -1.0 if greater_is_better(str(metric)) else 1.0
        tables[str(metric)] = sign * wide.dropna()
    return tables


def count_first(tables: Mapping[str, pd.DataFrame], method: str) -> tuple[int, int]:
    """Count cells where a method is first, ties included, and all cells."""
    if any(method not in table for table in tables.values()):
        raise NotMeasuredError(method)
    first = sum(
        int((table[method] <= table.min(axis=1)).sum()) for table in tables.values()
    )
    return first, sum(map(len, tables.values()))


def average_ranks(tables: Mapping[str, pd.DataFrame]) -> pd.Series:
    """Average ranks of methods over all cells, the best first."""
    ranks = pd.concat([table.rank(axis=1) for table in tables.values()])
    return ranks.mean().sort_values(kind="stable")


def count_below(
    table: pd.DataFrame, better: tuple[str, ...], worse: tuple[str, ...]
) -> tuple[int, int]:
    """Count pairs where one of the first methods is below one of the second."""
    pairs = [(a, b) for a in better for b in worse]
    wins = sum(int((table[a] < table[b]).sum()) for a, b in pairs)
    return wins, len(pairs) * len(table)


def published_table(paper: str, metric: str) -> pd.DataFrame:
    """Give published numbers of a metric, data sets by method."""
    rows = read_reference(paper=paper)
    rows = rows[rows["metric"] == metric]
    return rows.pivot_table(index="dataset", columns="method", values="value")
