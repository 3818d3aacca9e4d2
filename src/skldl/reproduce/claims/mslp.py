"""Claims of MSLP."""

from skldl.reproduce.claims._claim import (
    FAILS,
    HOLDS,
    IN_PART,
    Claim,
    Evidence,
    count_first,
    judge_cases,
    judge_share,
    wide_tables,
    with_forms,
)
from skldl.reproduce.figures.mslp import paired_differences

_FIRST = 28 / 30
#: A change of the KL divergence, in per cent, that nobody would notice.
_SMALL = 1.0


def _first(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("mslp")
    judged = judge_share(*count_first(wide_tables(rows), "MSLP"), _FIRST)
    return with_forms(judged, rows)


def _smallest_share(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("mslp-shares")
    good, best = 0, []
    for name, part in rows[rows["series"] == "MSLP"].groupby("panel", sort=False):
        lowest = part.loc[part["y"].idxmin()]
        first = part.loc[part["x"].idxmin()]
        best.append(f"{name} {lowest['x']:.0%}")
        good += bool(first["y"] <= lowest["y"] + lowest["error"])
    ours, verdict = judge_cases(good, len(best))
    return f"{ours} within a standard error of the best ({', '.join(best)})", verdict


def _shares_of_peers(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("mslp-shares")
    peers = rows[rows["series"] != "MSLP"]
    places = peers.groupby(["panel", "series"])["y"].idxmin()
    best = peers.loc[places, "x"]
    verdict = FAILS
    if best.max() > best.min():
        verdict = HOLDS if best.min() <= 0.1 and best.max() >= 0.9 else IN_PART
    return f"best from {best.min():.0%} to {best.max():.0%}", verdict


def _hetero(evidence: Evidence) -> tuple[str, str]:
    table = paired_differences(evidence.rows("mslp-hetero"))
    change = table["mean"].abs()
    calm = (change <= _SMALL) | (change <= 2 * table["error"])
    ours, verdict = judge_cases(int(calm.sum()), len(table))
    worst = table.loc[change.idxmax()]
    text = f"KL unchanged on {ours}; most on {worst['dataset']}: {worst['mean']:+.1f} %"
    return text, verdict


def _locality(evidence: Evidence) -> tuple[str, str]:
    table = evidence.rows("mslp-locality").pivot(
        index="dataset", columns="method", values="share"
    )
    own = table.pop("MSLP")
    better = table.gt(own, axis=0)
    _, verdict = judge_cases(int(better.to_numpy().sum()), better.size)
    words = [f"{int(better[name].sum())} of {len(better)} ({name})" for name in better]
    return "nearer labels on " + ", ".join(words), verdict


CLAIMS = [
    Claim("MSLP is first among 13 methods", "28 of 30 cells (93.3 %)", _first,
          "tables 1 to 3"),
    Claim("A tenth of the dimensions is best for MSLP", "on all 5 data sets",
          _smallest_share, "effect of u"),
    Claim("The best share of its peers varies", "from 10 % to 90 %",
          _shares_of_peers, "effect of u"),
    Claim("MSLP is insensitive to hetero-neighbours", "by design, not measured",
          _hetero, "hetero-neighbours on and off"),
    Claim("In the plane MSLP keeps alike labels together, LPP mixes them",
          "Figs 5 to 7, by eye", _locality, "Figs 5 to 7 in numbers"),
]  # fmt: skip
