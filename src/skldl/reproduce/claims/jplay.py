"""Claims of J-Play."""

import pandas as pd

from skldl.benchmark import read_reference
from skldl.reproduce.claims._claim import Claim, Evidence, judge_share
from skldl.reproduce.figures.jplay import first_whole_part

_BEST_DEPTHS = (4, 5)
_OWN = "J-Play"


def _wide_accuracy(evidence: Evidence) -> pd.DataFrame:
    """Data sets and classifiers by method: all methods on the same form of the data."""
    return first_whole_part(evidence.counted("jplay", "accuracy", by_part=True))


def _wide_published() -> pd.DataFrame:
    rows = read_reference(paper="J-Play")
    return rows.pivot_table(
        index=["dataset", "metric"], columns="method", values="value"
    )


def _best_share(table: pd.DataFrame) -> tuple[int, int]:
    own = [name for name in table if str(name).startswith(_OWN)]
    ahead = table[own].max(axis=1) > table.drop(columns=own).max(axis=1)
    return int(ahead.sum()), len(table)


def _depth_share(table: pd.DataFrame) -> tuple[int, int]:
    own = [name for name in table if str(name).startswith(_OWN)]
    depths = table[own].idxmax(axis=1).str.removeprefix(_OWN).astype(int)
    return int(depths.isin(_BEST_DEPTHS).sum()), len(table)


def _best(evidence: Evidence) -> tuple[str, str]:
    found, total = _best_share(_wide_published())
    return judge_share(*_best_share(_wide_accuracy(evidence)), found / total)


def _depth(evidence: Evidence) -> tuple[str, str]:
    found, total = _depth_share(_wide_published())
    return judge_share(*_depth_share(_wide_accuracy(evidence)), found / total)


def _deeper(evidence: Evidence) -> tuple[str, str]:
    found, total = _deeper_share(_wide_published())
    return judge_share(*_deeper_share(_wide_accuracy(evidence)), found / total)


def _deeper_share(table: pd.DataFrame) -> tuple[int, int]:
    return int((table[f"{_OWN}4"] > table[f"{_OWN}1"]).sum()), len(table)


def _cases(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]} data sets and classifiers"


CLAIMS = [
    Claim("J-Play is more accurate than all other projections",
          lambda: _cases(_best_share(_wide_published())), _best, "tables 1 and 2"),
    Claim("Accuracy is best with 4 or 5 layers",
          lambda: _cases(_depth_share(_wide_published())), _depth, "depth curves"),
    Claim("Four layers are better than one",
          lambda: _cases(_deeper_share(_wide_published())), _deeper, "depth curves"),
]  # fmt: skip
