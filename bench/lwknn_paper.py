"""0/1 loss and error probability of the large-margin neighbours, beside the paper's.

The paper's protocol: ten random 90/10 splits, the number of neighbours chosen by five
folds of the training part. Raw and standardised features. LDkNN stands in two forms:
the paper's (raw distances, ridge 0.001) and normalised by row with a ridge of 10.

    python bench/lwknn_paper.py STORE PUBLISHED.csv [DATASET ...] [--write]

PUBLISHED.csv has the columns dataset, method, metric, value, std.
"""

import sys
from pathlib import Path

import pandas as pd

from skldl.benchmark import Plan, Split, Tuning, make_method, run, summarize

DATASETS = [
    "SJAFFE", "SBU_3DFE", "Natural_Scene", "M2B", "SCUT_FBP", "Yeast_cold",
    "Yeast_spo5", "Yeast_spo", "Yeast_dtt", "Yeast_heat", "Yeast_diau", "Yeast_elu",
    "Yeast_cdc", "Yeast_alpha", "Movie",
]  # fmt: skip
METRICS = {
    "zero_one_loss": "zero_one_percent",
    "error_probability": "error_probability_percent",
}
PUBLISHED = {
    "AA-kNN": "AA-kNN",
    "DAA-kNN": "DAA-kNN",
    "LWkNN": "LWkNN-LDL",
    "LDkNN, paper": "LDkNN-LDL",
    "LDkNN, row": "LDkNN-LDL",
}
AVERAGED = {"n_neighbors": [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21]}
COMMON = {"n_neighbors": [11, 13, 15, 17, 19, 21]}
MAPPED = {"n_neighbors": [11, 15, 21]}


def methods():
    """Every method on raw and on standardised features."""
    made = []
    for prefix, name in (("", "raw"), ("standard+", "standard")):
        paper = "LDkNN(distance_norm='none', tol=0.001)"
        for label, spec, grid in (
            ("AA-kNN", "AAkNN", AVERAGED),
            ("DAA-kNN", "AAkNN(weights='dudani')", AVERAGED),
            ("LWkNN", "LWkNN(tol=0.0001)", COMMON),
            ("LDkNN, paper", paper, MAPPED),
            ("LDkNN, row", "LDkNN(reg=10.0, tol=0.001)", MAPPED),
        ):
            made.append(make_method(prefix + spec, label=f"{label}, {name}", grid=grid))
    return made


def main(store, published, names):
    """One row per data set and method: both metrics in percent, and the paper's."""
    split = Split("shuffle", n_repeats=10, test_size=0.1)
    plan = Plan(names, methods(), split, Tuning("zero_one_loss", 5))
    rows = run(plan, store)
    bad = rows[rows["status"] != "ok"].drop_duplicates("job")
    print(bad.groupby(["dataset", "method", "message"]).size().to_string())
    found = summarize(rows, metrics=list(METRICS))
    theirs = pd.read_csv(published)
    theirs = theirs[theirs["metric"].isin(METRICS.values())]
    theirs = theirs.set_index(["dataset", "method", "metric"])
    lines = []
    for (dataset, method), part in found.groupby(["dataset", "method"], sort=False):
        line = {"data set": dataset, "method": method}
        values = part.set_index("metric")
        for metric, name in METRICS.items():
            mean, std = 100 * values.loc[metric, ["mean", "std"]]
            line[metric] = f"{mean:.1f} ± {std:.1f}"
            key = (dataset, PUBLISHED.get(method.rsplit(", ", 1)[0]), name)
            line[f"{metric}, paper"] = ""
            if key in theirs.index:
                value = theirs.loc[key]
                line[f"{metric}, paper"] = f"{value['value']:.1f} ± {value['std']:.1f}"
        lines.append(line)
    table = pd.DataFrame(lines)
    order = {name: i for i, name in enumerate(names)}
    return table.sort_values("data set", key=lambda c: c.map(order), kind="stable")


def rst(table):
    """A simple table for the guide."""
    cells = [list(table.columns), *table.astype(str).to_numpy().tolist()]
    cells = [[cell or "\\-" for cell in row] for row in cells]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    rule = " ".join("=" * width for width in widths)
    text = [" ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in cells]
    return "\n".join([rule, text[0], rule, *text[1:], rule, ""])


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    result = main(arguments[0], arguments[1], arguments[2:] or DATASETS)
    print(rst(result))
    if "--write" in sys.argv:
        target = Path(__file__).parents[1] / "docs" / "guide" / "lwknn_results.inc"
        target.write_text(rst(result))
