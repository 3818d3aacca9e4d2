"""Claims of LSE-LDL."""

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
    judged = judge_share(*count_first(wide_tables(rows), _OWN), 21 / 30)
    return with_forms(judged, rows)


def _superior(evidence: Evidence) -> tuple[str, str]:
    ahead, behind, total = 0, 0, 0
    for metric, wide in metric_ranks(evidence.summary("lse-ldl")).items():
        if _OWN not in wide or min(wide.shape) < 2:
            raise NotMeasuredError("two methods on two data sets")
        outcome = stats.friedman(wide, greater_is_better=greater_is_better(metric))
        gaps = outcome.ranks.drop(_OWN) - outcome.ranks[_OWN]
        distance = stats.critical_difference(wide.shape[1], len(wide))
        ahead += int((gaps >= distance).sum())
        behind += int((gaps <= -distance).sum())
        total += len(gaps)
    ours, verdict = judge_share(ahead, total, 25 / 36)
    return f"{ours}, worse in {behind}", verdict


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
    Claim("Its ranks are better by more than the critical difference",
          "25 of 36 comparisons (69.4 %), worse in 0", _superior,
          "Fig. 1, metrics that are measured"),
    Claim("Performance on SJAFFE is stable from 60 % of the features",
          "six metrics", _stable, "Fig. 2"),
]  # fmt: skip
