"""Published tables that are not of the runs: of the data, and of what figures show."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from skldl.benchmark import stats
from skldl.reproduce._data_facts import FACTS, MARGIN, PRINTED, agreement
from skldl.reproduce._metric_words import metric_words
from skldl.reproduce._render import Chapter, Table
from skldl.reproduce._verdicts import greater_is_better
from skldl.reproduce.figures.lwknn import PAIRS, margin_tests

_ALPHA = 0.05
_DATA_SAID = {
    "lwknn": "The mean margin is the mean of the largest degree less the second "
    "largest, rows with several largest labels left out. It agrees if three digits of "
    "it, rounded or cut, are those printed. The printed margins of SJAFFE, SBU_3DFE "
    "and Natural_Scene are those that Natural_Scene, SJAFFE and SBU_3DFE have here, so "
    "the three rows of that column seem to be out of order.",
    "lse-ldl": "The sizes of the data sets.",
}
_DATA_HEADINGS = {
    "lwknn": "Table II: the data sets",
    "lse-ldl": "Table 1: the data sets",
}


def figure_tables(paper: str, folder: str | Path | None) -> list[Chapter]:
    """Give the tables of a paper that are made of rows kept beside its figures.

    Parameters
    ----------
    paper : str
        Key.
    folder : str or Path or None
        Where rows of pictures are.

    Returns
    -------
    chapters : list of Chapter
        Empty if there are no such tables, or no rows.
    """
    if folder is None:
        return []
    files = [
        (Path(folder) / name, make) for name, make in _TABLES.get(paper, {}).items()
    ]
    return [make(pd.read_csv(path)) for path, make in files if path.exists()]


def data_chapter(paper: str, rows: pd.DataFrame) -> Chapter:
    """Give printed and measured facts of a paper's data sets side by side.

    Parameters
    ----------
    paper : str
        Key.
    rows : DataFrame
        What :func:`data_facts` gave.

    Returns
    -------
    chapter : Chapter
    """
    here = rows.set_index("dataset")
    lines = [
        {"data set": name, **_fact_cells(dict(zip(FACTS, given, strict=False)), found)}
        for name, given in PRINTED[paper].items()
        for found in [here.loc[name] if name in here.index else None]
    ]
    caption = "As printed, and whether the files here agree"
    table = Table(pd.DataFrame(lines), caption)
    return Chapter(_DATA_HEADINGS[paper], [_DATA_SAID[paper], table])


def _fact_cells(printed: dict[str, float], found: pd.Series | None) -> dict[str, str]:
    """Sizes once, because they agree as a rule; margins twice."""
    cells = {}
    for fact, value in printed.items():
        if fact != MARGIN:
            cells[fact] = f"{value:,.0f}"
            continue
        cells[f"{fact}, printed"] = f"{value:.3f}"
        cells[f"{fact}, here"] = "" if found is None else f"{found[fact]:.3f}"
    return cells | {"agree": agreement(printed, found)}


def margin_chapter(rows: pd.DataFrame) -> Chapter:
    """Table VII of LWkNN-LDL: what the margin gains.

    Parameters
    ----------
    rows : DataFrame
        Columns dataset, method, metric, split, value.

    Returns
    -------
    chapter : Chapter
    """
    tests = _margin_tests(rows)
    said = (
        "With the large margin (LWkNN-LDL, LDkNN-LDL) and without it (WkNN-LDL, "
        "DkNN-LDL) at k = 11: means ± deviations over the same ten random 90/10 "
        f"splits, and two-sided paired t-tests at the level {_ALPHA:g}. The paper's "
        "Table VII has 17 data sets; here are those at hand."
    )
    counts = margin_tests(rows)
    counts["metric"] = counts["metric"].map(metric_words)
    blocks: list[Any] = [said, Table(counts, "Data sets where the margin wins")]
    for method in PAIRS:
        part = tests[tests["method"] == method].drop(columns="method")
        blocks.append(Table(part, f"{method} against {PAIRS[method]}"))
    return Chapter("Table VII: the margin", blocks)


def _margin_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per data set, pair of methods and metric."""
    lines = []
    for method, plain in PAIRS.items():
        for metric, part in rows.groupby("metric", sort=False):
            own = part[part["method"].isin([method, plain])]
            tests = stats.paired_t_tests(
                own.assign(repetition=0).rename(columns={"split": "fold"}),
                metric=str(metric),
                control=method,
                greater_is_better=greater_is_better(str(metric)),
                alpha=_ALPHA,
            )
            found = own.groupby(["dataset", "method"])["value"].agg(["mean", "std"])
            for test in tests.to_dict("records"):
                lines.append(
                    {
                        "data set": test["dataset"],
                        "method": method,
                        "metric": metric_words(str(metric)),
                        "without margin": _spread(found, test["dataset"], plain),
                        "with margin": _spread(found, test["dataset"], method),
                        "p": f"{test['p_value']:.2g}",
                        "outcome": test["outcome"],
                    }
                )
    return pd.DataFrame(lines)


def _spread(found: pd.DataFrame, dataset: str, method: str) -> str:
    mean, std = found.loc[(dataset, method)]
    return f"{mean:.4f} ± {std:.4f}"


def ranker_chapter(rows: pd.DataFrame) -> Chapter:
    """Table 2 of the poster on other data: rankers behind embeddings.

    Parameters
    ----------
    rows : DataFrame
        Columns dataset, embedding, ranker, split, value.

    Returns
    -------
    chapter : Chapter
    """
    found = rows.groupby(["dataset", "ranker", "embedding"], sort=False)["value"]
    values = found.agg(["mean", "std"])
    texts = (
        values["mean"].map("{:.4f}".format) + " ± " + values["std"].map("{:.4f}".format)
    )
    wide = texts.unstack("embedding")[list(dict.fromkeys(rows["embedding"]))]
    places = list(dict.fromkeys(zip(rows["dataset"], rows["ranker"], strict=True)))
    frame = wide.loc[places].reset_index().rename_axis(columns=None)
    said = (
        "NUS-WIDE, the data of the published table, is not at hand, and RL-kNN has no "
        "public source. Ranking loss of four rankers (k = 10) behind the five "
        "embeddings in four dimensions: means ± deviations over the same ten folds."
    )
    table = Table(frame.rename(columns={"dataset": "data set"}), "Ranking loss")
    return Chapter("Table 2 on other data", [said, table])


_TABLES: dict[str, dict[str, Callable[[pd.DataFrame], Chapter]]] = {
    "lwknn": {
        "lwknn-data-sets.csv": partial(data_chapter, "lwknn"),
        "lwknn-margin-gain.csv": margin_chapter,
    },
    "lse-ldl": {"lse-ldl-data-sets.csv": partial(data_chapter, "lse-ldl")},
    "generalized-hamming": {"generalized-hamming-rankers.csv": ranker_chapter},
}
