"""Claims of J-Play."""

from functools import partial

import pandas as pd

from skldl.benchmark import read_reference
from skldl.reproduce.claims._claim import Claim, Evidence, judge_share
from skldl.reproduce.figures.jplay import first_whole_part, released_rows

_OWN = "J-Play"
#: The numbers of layers that the paper calls best, and of which data sets it does.
_PINES = ((4, 5), ("Indian_Pines",))
_HOUSTON = ((2, 3), ("Houston2013",))
_FACES = ((4, 5), ("YaleB_32x32", "AR_60x43"))
_Depths = tuple[tuple[int, ...], tuple[str, ...]]


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


def _depth_share(table: pd.DataFrame, said: _Depths) -> tuple[int, int]:
    """Classifiers with the best number of layers among some, of some data sets."""
    best, names = said
    table = table[table.index.get_level_values("dataset").isin(names)]
    own = [name for name in table if str(name).startswith(_OWN)]
    if table.empty:
        return 0, 0
    depths = table[own].idxmax(axis=1).str.removeprefix(_OWN).astype(int)
    return int(depths.isin(best).sum()), len(table)


def _best(evidence: Evidence) -> tuple[str, str]:
    found, total = _best_share(_wide_published())
    return judge_share(*_best_share(_wide_accuracy(evidence)), found / total)


def _depth(said: _Depths, evidence: Evidence) -> tuple[str, str]:
    found, total = _depth_share(_wide_published(), said)
    counts = _depth_share(_wide_accuracy(evidence), said)
    ours, verdict = judge_share(*counts, found / total)
    script = released_rows(evidence.summary("jplay"))
    if said != _PINES or script.empty:
        return ours, verdict
    best = script.loc[script.groupby("panel")["y"].idxmax(), "x"]
    good = f"{int(best.isin(said[0]).sum())} of {len(best)}"
    return f"{ours}; with the weights of the authors' script {good}", verdict


def _deeper(evidence: Evidence) -> tuple[str, str]:
    found, total = _deeper_share(_wide_published())
    return judge_share(*_deeper_share(_wide_accuracy(evidence)), found / total)


def _deeper_share(table: pd.DataFrame) -> tuple[int, int]:
    return int((table[f"{_OWN}4"] > table[f"{_OWN}1"]).sum()), len(table)


def _cases(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]} data sets and classifiers"


def _depth_claim(where: str, layers: str, said: _Depths) -> Claim:
    return Claim(
        f"{where}: accuracy is best with {layers} layers",
        lambda: _cases(_depth_share(_wide_published(), said)),
        partial(_depth, said),
        "depth curves",
    )


CLAIMS = [
    Claim("J-Play is more accurate than all other projections",
          lambda: _cases(_best_share(_wide_published())), _best, "tables 1 and 2"),
    _depth_claim("Indian Pines", "around 4 or 5", _PINES),
    _depth_claim("Houston", "2 or 3", _HOUSTON),
    _depth_claim("Faces", "around 4 or 5", _FACES),
    Claim("Four layers are better than one",
          lambda: _cases(_deeper_share(_wide_published())), _deeper, "depth curves"),
]  # fmt: skip
