"""Pictures and tables of what is in ``bench/results``, for the documentation.

Its build calls this; nothing but matplotlib and numpy is needed.
"""

import os
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from _tables import RESULTS, growth_exponents, read, ten_million, text

LARGE = ("method", "rows", "fit_cpu_s", "predict_cpu_s", "peak_gib", "recall")
FLOOR = ("estimator", "floor", "fit_cpu_s", "floor_cpu_s", "ratio", "reason")
PEERS = ("method", "ours_cpu_s", "theirs_cpu_s", "ratio")
PEERS += ("ours_quality", "theirs_quality")
TARGET = Path(__file__).parents[1] / "docs" / "scaling"
if "SKLDL_BENCH_RESULTS" in os.environ:  # tables from elsewhere: not for the guide
    TARGET = RESULTS / "pictures"


def growth():
    """Time and memory against the number of samples, in double logarithms."""
    rows = [r for r in read("growth") if r["varied"] == "samples"]
    slopes = {
        r["method"]: r["time"] for r in growth_exponents() if r["in"] == "samples"
    }
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name in dict.fromkeys(r["method"] for r in rows):
        own = sorted(
            (r["samples"], r["cpu_s"], max(r["extra_mb"], 1))
            for r in rows
            if r["method"] == name
        )
        n, seconds, memory = zip(*own, strict=True)
        label = f"{name} ({slopes[name]:.2f})" if name in slopes else name
        axes[0].loglog(n, seconds, "o-", label=label)
        axes[1].loglog(n, memory, "o-")
    axes[0].set(xlabel="samples", ylabel="CPU s of fit and 10,000 predictions")
    axes[1].set(xlabel="samples", ylabel="MB beyond the data")
    figure.legend(loc="outside right upper", title="method (exponent)")
    return figure


def large():
    """Fits up to a million rows."""
    rows = read("large")
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name in dict.fromkeys(r["method"] for r in rows):
        own = sorted((r["rows"], r["fit_cpu_s"]) for r in rows if r["method"] == name)
        axes.loglog(*zip(*own, strict=True), "o-", label=name)
    axes.set(xlabel="rows of 64 features", ylabel="CPU s of a fit")
    axes.legend()
    return figure


def bars(table, name, column, title):
    """Ratios of a table as bars beside the line of 1."""
    rows = sorted(read(table), key=lambda r: r[column])
    figure, axes = plt.subplots(
        figsize=(7, 0.8 + 0.26 * len(rows)), layout="constrained"
    )
    axes.barh([str(r[name]) for r in rows], [r[column] for r in rows])
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set(xlabel=title)
    return figure


def main():
    """All pictures for which there are tables."""
    TARGET.mkdir(exist_ok=True)
    makers = {
        "growth": growth,
        "large": large,
        "floor": lambda: bars("floor", "estimator", "ratio", "CPU time over the floor"),
        "sklearn_peers": lambda: bars(
            "sklearn_peers", "method", "ratio", "their CPU time over ours"
        ),
    }
    for name, make in makers.items():
        if read(name):
            figure = make()
            figure.savefig(TARGET / f"{name}.png", dpi=90)
            plt.close(figure)
            print(f"{name}.png")
    tables = {
        "growth": growth_exponents(),
        "large": [{k: r[k] for k in LARGE} for r in read("large")],
        "ten_million": ten_million(),
        "floor": [{k: r[k] for k in FLOOR} for r in read("floor")],
        "sklearn_peers": [{k: r[k] for k in PEERS} for r in read("sklearn_peers")],
    }
    for name, rows in tables.items():
        (TARGET / f"{name}.inc").write_text(text(rows))


if __name__ == "__main__":
    main()
