"""Write the measured tables of the guide from the summaries under results/.

No number of these tables is typed by hand: a summary comes from a store by
``skldl reproduce all --report --store STORE --output results``, the tables from the
summaries by

    python docs/write_tables.py [RESULTS] [DOCS]
"""

import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skldl.benchmark import read_reference
from skldl.metrics import get_metric
from skldl.report import BASELINE, to_rst
from skldl.reproduce import compare_paper, list_papers, read_summary
from skldl.reproduce.tables import (
    ALIKE,
    PREFIX,
    Paper,
    as_text,
    claims_table,
    count_verdicts,
    coverage,
    field_overview,
    field_table,
    fold_values,
    get_papers,
    is_like_mean,
    stored_names,
    verdict_changes,
    verdicts_before,
    worse_groups,
)

Cells = list[tuple[Paper, pd.DataFrame]]
SIX = ["chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection"]
JUDGED = ["better", "same within noise", "worse"]
FIELD = ["SJAFFE", "SBU_3DFE", "Natural_Scene", "Yeast_alpha"]
PERCENT = {
    "zero_one_loss": "zero_one_percent",
    "error_probability": "error_probability_percent",
}
CLASSIFIERS = ["NN", "SVM", "CCF"]
CUBES = {"repaired cube": ", repaired", ", Indian Pines": ", as distributed"}
LSE_FORMS = {
    "SABFGS, as published": "SABFGS",
    "standard+SABFGS": "standard+SABFGS",
    "AAkNN": "AAkNN",
    "standard+AAkNN": "standard+AAkNN",
    "LSELDL, as published": "LSELDL",
    "standard+LSELDL": "standard+LSELDL",
    BASELINE: BASELINE,
}
PTSVM_FORMS = {"draws": "PTSVM(resample=True)", "weights": "PTSVM"}
OWN = {
    "mslp": ["MSLP"],
    "lse-ldl": ["LSE-LDL"],
    "lwknn": ["LWkNN-LDL", "LDkNN-LDL", "WkNN-LDL", "DkNN-LDL"],
    "jplay": [f"J-Play{depth}" for depth in range(1, 8)],
    "generalized-hamming": ["GH"],
}


def number(value: float, spread: float = np.nan, digits: int = 4) -> str:
    """Mean and deviation."""
    if pd.isna(value):
        return ""
    text = f"{value:.{digits}f}"
    return text if pd.isna(spread) else f"{text} ± {spread:.{digits}f}"


def folds(row: Mapping[str, Any] | pd.Series) -> str:
    """A note where folds are missing."""
    done, wanted = row["n_folds"], row["n_expected"]
    return "" if done == wanted else f" [{done} of {wanted} folds]"


def printed(row: Mapping[str, Any] | pd.Series) -> str:
    """A published value with the digits of the paper."""
    return number(row["value"], row["std"], int(row["digits"]))


def mark(row: Mapping[str, Any] | pd.Series) -> str:
    """A sign behind a learner that is hardly different from the mean distribution."""
    return f" {ALIKE}" if row["alike"] else ""


def named(summary: pd.DataFrame, key: str) -> pd.DataFrame:
    """Methods by their names in stores, which say features and form as well."""
    (paper,) = get_papers([key])
    names = stored_names(paper, summary)
    return summary.assign(method=names, alike=is_like_mean(summary))


def mslp(summary: pd.DataFrame) -> str:
    """Every method of the MSLP tables, published rows of MSLP below each data set."""
    lines = []
    summary = named(summary, "mslp")
    published = read_reference(paper="MSLP", method="MSLP")
    for dataset, part in summary.groupby("dataset", sort=False):
        for (method, protocol), rows in part.groupby(
            ["method", "protocol"], sort=False
        ):
            values = rows.set_index("metric")["mean"]
            label = method if protocol == "honest" else f"{method}, best on test folds"
            label += mark(rows.iloc[0]) + folds(rows.iloc[0])
            lines.append([dataset, label, *(number(values[m]) for m in SIX)])
        theirs = published[published["dataset"] == dataset].set_index("metric")
        values = [printed(theirs.loc[m]) for m in SIX]
        lines.append([dataset, "MSLP, published", *values])
    return to_rst(pd.DataFrame(lines, columns=["data set", "method", *SIX]))


def lse(summary: pd.DataFrame) -> str:
    """One table per metric, a data set per row, published values where there are."""
    text = []
    published = read_reference(paper="LSE-LDL")
    summary = named(summary, "lse-ldl")
    summary = summary[summary["protocol"] == "honest"]
    unknown = set(LSE_FORMS) - set(summary["method"])
    if unknown:
        raise ValueError(f"LSE_FORMS names what has not run: {sorted(unknown)}.")
    for metric in SIX:
        part = summary[summary["metric"] == metric]
        theirs = published[published["metric"] == metric]
        lines = []
        for dataset, rows in part.groupby("dataset", sort=False):
            line = {"data set": dataset}
            known = theirs[theirs["dataset"] == dataset].set_index("method")
            for method in ("SA-BFGS", "LSE-LDL") if len(known) else ():
                value = printed(known.loc[method]) or "did not run"
                line[f"{method} (paper)"] = value
            values = rows.set_index("method")
            for method, heading in LSE_FORMS.items():
                line[heading] = ""
                if method in values.index:
                    row = values.loc[method]
                    value = number(row["mean"], row["std"])
                    line[heading] = value + mark(row) + folds(row)
            lines.append(line)
        frame = pd.DataFrame(lines).fillna("")
        there = frame != ""  # forms that do not count mostly have the printed metrics
        frame = frame.loc[:, there.any() if len(theirs) else there.all()]
        title = f"{get_metric(metric).title}, mean ± standard deviation:"
        text += [title, "", to_rst(frame)]
    return "\n".join(text)


def draws(summary: pd.DataFrame) -> str:
    """PTSVM by draws and by weights, beside the mean distribution: KL divergences."""
    lines = []
    part = summary[summary["metric"] == "kl_divergence"]
    known = part.set_index(["dataset", "method", "features"])
    for dataset in ("SJAFFE", "SBU_3DFE", "Movie"):
        for features in PREFIX:
            line = {"data set": dataset, "features": features}
            for words, method in PTSVM_FORMS.items():
                row = known.loc[(dataset, method, features)]
                line[words] = number(row["mean"], row["std"]) + folds(row)
            mean = known.loc[(dataset, "MeanDistribution", "raw"), "mean"]
            lines.append({**line, "mean distribution": number(mean)})
    return to_rst(pd.DataFrame(lines))


def lwknn(summary: pd.DataFrame) -> str:
    """Tables III and IV in percent, one row per data set and method."""
    classified = summary["part"].str.startswith("classification")
    summary = named(summary[classified], "lwknn")
    summary = summary[summary["protocol"] == "honest"]
    published = read_reference(paper="LWkNN-LDL").set_index(
        ["dataset", "method", "metric"]
    )
    lines = []
    for (dataset, method), rows in summary.groupby(["dataset", "method"], sort=False):
        note = mark(rows.iloc[0]) + folds(rows.iloc[0])
        line = {"data set": dataset, "method": method + note}
        values = rows.set_index("metric")
        for ours, theirs in PERCENT.items():
            row = values.loc[ours]
            line[ours] = number(100 * row["mean"], 100 * row["std"], 2)
            key = (dataset, row["published"], theirs)
            known = key in published.index
            line[f"{ours}, paper"] = (
                printed(published.loc[[key]].iloc[0]) if known else ""
            )
        lines.append(line)
    return to_rst(pd.DataFrame(lines))


def accuracy(row: pd.Series | None) -> str:
    """Measured, then published in brackets."""
    if row is None:
        return ""
    measured = number(row["measured"], digits=2) or "-"
    if pd.notna(row["measured"]) and row["n_folds"] < row["n_expected"]:
        measured += f" [{row['n_folds']:.0f} of {row['n_expected']:.0f}]"
    return f"{measured} ({row['value']:.2f})"


def jplay(cells_of: Cells) -> str:
    """Accuracy in per cent, published in brackets, a dash where it is missing."""
    (cells,) = [cells.copy() for paper, cells in cells_of if paper.key == "jplay"]
    cells = cells[cells["verdict"] != "not run here"]
    cells = cells[cells["column"].str.startswith("honest", na=True)]
    for end, words in CUBES.items():
        there = cells["column"].str.endswith(end, na=False)
        cells.loc[there, "dataset"] += words
    # the first form of each method
    cells = cells.drop_duplicates(["dataset", "method", "classifier"])
    cells = cells.sort_values("dataset", kind="stable")
    lines = []
    for (dataset, method), rows in cells.groupby(["dataset", "method"], sort=False):
        by_kind = {row["classifier"]: row for _, row in rows.iterrows()}
        found = [by_kind.get(kind) for kind in CLASSIFIERS]
        lines.append([dataset, method, *map(accuracy, found)])
    columns = ["data set", "projection", *CLASSIFIERS]
    return to_rst(pd.DataFrame(lines, columns=columns))


def gh_dimensions(summary: pd.DataFrame) -> str:
    """Ranking loss by dimension, every split, and the published rows."""
    part = summary[summary["metric"] == "ranking_loss"]
    part = part[(part["ranker"] == "ML-kNN") & (part["size"] != "")]
    lines = []
    for (dataset, split, name), rows in part.groupby(
        ["dataset", "part", "embedding"], sort=False
    ):
        values = rows.set_index("size")["mean"]
        lines.append([dataset, split, name, *map(number, values)])
    sizes = list(dict.fromkeys(part["size"]))
    published = read_reference(paper="GH", table="Table 1")
    for method, rows in published.groupby("method", sort=False):
        values = [number(v, digits=3) for v in rows["value"]]
        lines.append(["mulan_yeast", "published", method, *values])
    return to_rst(pd.DataFrame(lines, columns=["data", "split", "embedding", *sizes]))


def gh_paired(summary: pd.DataFrame) -> str:
    """Yeast, ten folds: how much the generalised distance differs from PCA."""
    part = summary[
        (summary["part"] == "ten folds")
        & (summary["metric"] == "ranking_loss")
        & (summary["ranker"] == "ML-kNN")
    ].set_index(["embedding", "size"])
    lines = []
    for size in (1, 2, 4, 8, 16):
        pca, gh = fold_values(part.loc[[("PCA", str(size)), ("GH", str(size))]])
        gap = gh - pca
        error = gap.std(ddof=1) / len(gap) ** 0.5
        better = f"{int((gap < 0).sum())} of {len(gap)}"
        lines.append([size, f"{gap.mean():+.4f}", f"{error:.4f}", better])
    columns = ["dimensions", "GH less PCA", "standard error", "folds better"]
    return to_rst(pd.DataFrame(lines, columns=columns))


def mlknn_whole(summary: pd.DataFrame) -> str:
    """ML-kNN on all features, the data sets' own splits."""
    part = summary[
        (summary["part"] == "own split") & (summary["embedding"] == "all features")
    ]
    wide = part.pivot(index="dataset", columns="metric", values="mean")
    wide = wide.loc[
        list(dict.fromkeys(part["dataset"])), list(dict.fromkeys(part["metric"]))
    ]
    return to_rst(wide.map(number).reset_index(names="data"))


def field(summary: pd.DataFrame) -> str:
    """All learners on some data sets, published rows below."""
    text = []
    for dataset in FIELD:
        if dataset not in set(summary["dataset"]):
            continue
        cells = as_text(field_table(summary, dataset))
        text += [
            f"{dataset}:",
            "",
            to_rst(cells.rename(columns={"kl_divergence": "kl"})),
        ]
    return "\n".join(text)


def glance(summary: pd.DataFrame) -> str:
    """Average ranks, and divergences as shares of the mean distribution's."""
    halves = []
    for features in PREFIX:
        table = field_overview(summary, features)
        shares = table.drop(columns="average rank")
        half = pd.DataFrame(index=table.index)
        half[f"{features}: rank"] = table["average rank"].map("{:.1f}".format)
        half["share"] = shares.median(axis=1).map("{:.3f}".format)
        below, known = (shares < 1).sum(axis=1), shares.notna().sum(axis=1)
        half["below 1"] = below.astype(str) + " of " + known.astype(str)
        halves.append(half)
    return to_rst(pd.concat(halves, axis=1).reset_index(names="learner"))


def verdict_counts(cells_of: Cells) -> str:
    """Papers in rows, verdicts in columns."""
    lines = []
    for paper, cells in cells_of:
        measured, possible = coverage(cells)
        counts = count_verdicts(cells)
        share = f"{measured / possible:.1%}"
        total = int(counts.sum())
        lines.append([paper.name, total, possible, measured, share, *counts])
    heads = ["paper", "cells", "data at hand", "measured", "share"]
    verdicts = list(count_verdicts(cells).index)
    frame = pd.DataFrame(lines, columns=[*heads, *verdicts])
    sums = frame.drop(columns=["paper", "share"]).sum()
    share = f"{sums['measured'] / sums['data at hand']:.1%}"
    frame.loc[len(frame)] = {"paper": "all", "share": share, **sums.to_dict()}
    return to_rst(frame)


def own_methods(cells_of: Cells) -> str:
    """The papers' own methods: verdicts in each column of numbers."""
    lines = []
    for paper, cells in cells_of:
        own = cells[cells["method"].isin(OWN[paper.key]) & cells["column"].notna()]
        for (method, column), rows in own.groupby(["method", "column"], sort=False):
            counts = rows["verdict"].value_counts()
            names = ("better", "same within noise", "worse")
            lines.append(
                [paper.name, method, column, *(counts.get(n, 0) for n in names)]
            )
    heads = ["paper", "method", "column", "better", "same within noise", "worse"]
    return to_rst(pd.DataFrame(lines, columns=heads))


def other_methods(cells_of: Cells) -> str:
    """What the papers compared with: verdicts of the honest numbers on raw features."""
    lines = []
    for paper, cells in cells_of:
        rest = cells[~cells["method"].isin(OWN[paper.key]) & cells["main"]]
        for method, rows in rest.groupby("method", sort=False):
            counts = rows["verdict"].value_counts()
            found = [counts.get(name, 0) for name in JUDGED]
            lines.append([paper.name, method, *found])
    heads = ["paper", "method", *JUDGED]
    return to_rst(pd.DataFrame(lines, columns=heads))


def impossible(cells_of: Cells) -> str:
    """What cannot be measured, or did not run, and why."""
    lines = []
    for paper, cells in cells_of:
        main = cells[cells["main"]]
        for verdict in ("not run here", "did not run"):
            part = main[main["verdict"] == verdict]
            for (dataset, reason), rows in part.groupby(
                ["dataset", "reason"], sort=False
            ):
                methods = list(dict.fromkeys(rows["method"]))
                who = ", ".join(methods) if verdict == "did not run" else "all"
                lines.append([paper.name, dataset, who, len(rows), verdict, reason])
    heads = ["paper", "data set", "methods", "cells", "verdict", "reason"]
    return to_rst(pd.DataFrame(lines, columns=heads))


def changes(cells_of: Cells, results: Path) -> str:
    """Verdicts of the first runs, and what became of them."""
    before = verdicts_before(results / "verdicts_before.csv")
    return to_rst(verdict_changes(cells_of, before))


def still_worse(cells_of: Cells) -> str:
    """Groups of cells that are worse, with what is known of the reason."""
    path = Path(__file__).resolve().parent / "reproducibility_reasons.toml"
    groups = tomllib.loads(path.read_text(encoding="utf-8"))["group"]
    return to_rst(worse_groups(cells_of, groups))


GUIDE: dict[str, tuple[str, Callable[[pd.DataFrame], str]]] = {
    "measured_mslp.inc": ("mslp", mslp),
    "guide/lse_results.inc": ("lse-ldl", lse),
    "guide/ptsvm_results.inc": ("lse-ldl", draws),
    "measured_lwknn.inc": ("lwknn", lwknn),
    "guide/gh_dimensions.inc": ("generalized-hamming", gh_dimensions),
    "guide/gh_paired.inc": ("generalized-hamming", gh_paired),
    "guide/mlknn_whole.inc": ("generalized-hamming", mlknn_whole),
    "guide/field_overview.inc": ("field", glance),
    "measured_field.inc": ("field", field),
}
ALL: dict[str, Callable[[Cells], str]] = {
    "guide/jplay_results.inc": jplay,
    "reproducibility_counts.inc": verdict_counts,
    "reproducibility_own.inc": own_methods,
    "reproducibility_others.inc": other_methods,
    "reproducibility_missing.inc": impossible,
    "reproducibility_worse.inc": still_worse,
}


def tables(results: Path) -> dict[str, str]:
    """Text of every include by its name."""
    keys = list_papers()
    summaries = {key: read_summary(results / f"{key}.csv") for key in keys}
    made = {name: make(summaries[key]) for name, (key, make) in GUIDE.items()}
    claims = claims_table(summaries, results / "figures")
    made["reproducibility_claims.inc"] = to_rst(claims)
    cells = [
        (paper, compare_paper(paper, summaries[paper.key]))
        for paper in get_papers(keys)
        if paper.name
    ]
    made |= {name: make(cells) for name, make in ALL.items()}
    return made | {"reproducibility_changes.inc": changes(cells, results)}


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    given = [Path(argument) for argument in sys.argv[1:]]
    source = given[0] if given else here.parent / "results"
    target = given[1] if len(given) > 1 else here
    for name, text in tables(source).items():
        (target / name).write_text(text, encoding="utf-8")
