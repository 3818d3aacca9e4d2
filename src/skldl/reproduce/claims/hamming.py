"""Claims of the poster on the generalised Hamming distance."""

from skldl.reproduce.claims._claim import Claim, Evidence, judge_cases
from skldl.reproduce.figures.hamming import differences_from_pca, mean_losses

_OWN = "GH"


def _dimensions(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.counted("generalized-hamming", "ranking_loss")
    rows = rows[rows["dataset"] == "mulan_yeast"]
    table = rows.pivot_table(index="size", columns="published", values="mean")
    lowest = (table[_OWN] <= table.min(axis=1)).sum()
    ours, verdict = judge_cases(int(lowest), len(table))
    return f"lowest at {ours} dimensions", verdict


def _rankers(evidence: Evidence) -> tuple[str, str]:
    rows = evidence.rows("generalized-hamming-rankers")
    table = mean_losses(rows).pivot(
        index=["dataset", "ranker"], columns="embedding", values="mean"
    )
    lowest = int((table[_OWN] <= table.min(axis=1)).sum())
    change = differences_from_pca(rows)
    change = change[change["embedding"] == _OWN]
    clear = int((change["mean"] < -2 * change["error"]).sum())
    ours, verdict = judge_cases(lowest, len(table))
    return f"lowest in {ours}; below PCA by two standard errors in {clear}", verdict


CLAIMS = [
    Claim("The generalised distance is consistently better, Yeast",
          "lowest or equal at 5 of 5 dimensions", _dimensions, "table 1, ten folds"),
    Claim("It is consistently better with every ranker",
          "lowest or equal with 5 of 5 rankers on NUS-WIDE", _rankers,
          "table 2 on yeast, scene, emotions: 4 rankers"),
]  # fmt: skip
