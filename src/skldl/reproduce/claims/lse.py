"""Claims of LSE-LDL."""

import pandas as pd

from skldl.benchmark import stats
from skldl.reproduce._verdicts import greater_is_better
from skldl.reproduce.claims._claim import (
    Claim,
    Evidence,
    NotMeasuredError,
    count_first,
    judge_cases,
    judge_share,
    wide_tables,
    with_forms,
)
from skldl.reproduce.figures.lse import metric_ranks

_OWN = "LSE-LDL"
_PRINTED_METRICS = ("clark", "canberra")
#: Of the value with all features, that a stable curve may differ.
_STABLE, _FROM = 0.02, 0.6


def _first_place(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("lse-ldl")
    rows = rows[rows["metric"].isin(_PRINTED_METRICS)]
    ours, verdict = judge_share(*count_first(wide_tables(rows), _OWN), 21 / 30)
    first, _ = count_first(_beside_best_forms(evidence, rows), _OWN)
    said = f"{ours}; {first} if the best form of each rival on raw features counts"
    return with_forms((said, verdict), rows)


def _beside_best_forms(
    evidence: Evidence, rows: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """LSE-LDL as it counts, and of each rival the best whole form on raw features."""
    forms = evidence.summary("lse-ldl")
    rivals = forms[
        (forms["features"] == "raw")
        & (forms["protocol"] == "honest")
        & (forms["n_folds"] == forms["n_expected"])
        & forms["published"].isin(set(rows["published"]) - {_OWN})
        & forms["metric"].isin(_PRINTED_METRICS)
    ].sort_values("mean")  # distances: the smallest is the best
    best = rivals.drop_duplicates(["dataset", "metric", "published"])
    return wide_tables(pd.concat([rows[rows["published"] == _OWN], best]))


def _first_or_second(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("lse-ldl")
    rows = rows[rows["metric"].isin(_PRINTED_METRICS)]
    tables = wide_tables(rows)
    first, total = count_first(tables, _OWN)
    places = [table.rank(axis=1, method="min")[_OWN] for table in tables.values()]
    second = sum(int((place == 2).sum()) for place in places)
    ours, verdict = judge_share(first + second, total, 26 / 30)
    return with_forms((f"{ours}, second in {second}", verdict), rows)


def _superior(evidence: Evidence) -> tuple[str, str]:
    tables = metric_ranks(evidence.summary("lse-ldl"))
    most = max(map(len, tables.values()), default=0)
    # fewer data sets have a larger critical difference, so their metrics stand apart
    parts: dict[bool, list[tuple[int, int, int]]] = {True: [], False: []}
    for metric, wide in tables.items():
        parts[len(wide) == most].append(_ahead(metric, wide))
    if not parts[True]:
        raise NotMeasuredError("two methods on two data sets")
    ahead, behind, total = map(sum, zip(*parts[True], strict=True))
    ours, verdict = judge_share(ahead, total, 25 / 36)
    said = f"{ours} on {most} data sets, worse in {behind}"
    if parts[False]:
        ahead, behind, total = map(sum, zip(*parts[False], strict=True))
        said += f"; other metrics, on fewer sets: {ahead} of {total}, worse in {behind}"
    return said, verdict


def _ahead(metric: str, wide: pd.DataFrame) -> tuple[int, int, int]:
    """Methods that LSE-LDL is ahead of, those that it is behind, and all others."""
    if _OWN not in wide or min(wide.shape) < 2:
        raise NotMeasuredError("two methods on two data sets")
    outcome = stats.friedman(wide, greater_is_better=greater_is_better(metric))
    gaps = outcome.ranks.drop(_OWN) - outcome.ranks[_OWN]
    distance = stats.critical_difference(wide.shape[1], len(wide))
    return int((gaps >= distance).sum()), int((gaps <= -distance).sum()), len(gaps)


def _stable(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("lse-ldl-selection")
    if rows["panel"].nunique() < 6:
        raise NotMeasuredError("six metrics")
    stable, total = 0, 0
    for _, part in rows.groupby("panel"):
        end = part.loc[part["x"].idxmax(), "y"]
        later = part[part["x"] >= _FROM - 1e-9]["y"]
        stable += bool(((later - end).abs() <= _STABLE * abs(end)).all())
        total += 1
    ours, verdict = judge_cases(stable, total)
    return f"{ours} metrics within {_STABLE:.0%} of the end", verdict


CLAIMS = [
    Claim("LSE-LDL is first among 7 methods, Clark and Canberra",
          "21 of 30 cells (70 %)", _first_place, "tables 2 and 3"),
    Claim("It is first or second",
          "26 of 30 cells, second in 5 (16.7 %)", _first_or_second, "tables 2 and 3"),
    Claim("Its ranks are better by more than the critical difference",
          "25 of 36 comparisons (69.4 %), worse in 0", _superior,
          "Fig. 1, metrics that are measured"),
    Claim("Performance on SJAFFE is stable from 60 % of the features",
          "six metrics", _stable, "Fig. 2"),
]  # fmt: skip
