"""All distribution learners on the 16 open data sets: KL divergence, five shared folds.

Every learner is measured at its defaults on raw and on standardised features, and tuned
over its default grid by KL divergence on three folds inside each training part
(standardised). Results are kept in a store, so that the script goes on where it was
stopped. The table has each learner's KL divergence as a share of that of the mean
distribution on the same folds, its average rank over the data sets, and on how many of
them it beats the mean distribution. A second table sets the best learner at its
defaults against every tuned one, on the data sets that both have.

    python bench/learners.py STORE [--methods=A,B] [--datasets=A,B] [--limit=300]
        [--jobs=1] [--variants=standard,raw,tuned] [--report] [--again] [--write]

``--report`` runs nothing and shows what the store has of the present settings. Cells
that the store does not have are taken from bench/results/learners.csv; ``--again``
leaves these out.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

DATASETS = [
    "SJAFFE", "SBU_3DFE", "M2B", "SCUT_FBP", "Natural_Scene", "Yeast_spo5",
    "Yeast_cold", "Yeast_dtt", "Yeast_heat", "Yeast_diau", "Yeast_spo", "Yeast_spoem",
    "Yeast_elu", "Yeast_cdc", "Yeast_alpha", "Movie",
]  # fmt: skip
METRIC = "kl_divergence"
BASELINE = "MeanDistribution"
#: A learner is in the table if it has all folds of so many data sets.
LEAST = 15
RESULTS = Path(__file__).parent / "results"
#: Ensembles and wrappers, whose members are measured by themselves.
LEFT_OUT = {"BaggedDistribution", "DistributionVoting", BASELINE}


def learners():
    """Names of the learners, in the order of the alphabet."""
    from skldl.discovery import all_estimators

    names = [name for name, _ in all_estimators("ldl") if name not in LEFT_OUT]
    return [*names, "MSLP"]


def plans(names, datasets, variants):
    """A plan for each variant."""
    from skldl.benchmark import Plan, Split
    from skldl.methods import Tuning, make_method

    made = {
        "raw": (names, None),
        "standard": ([f"standard+{name}" for name in names], None),
        "tuned": (
            [n for n in (f"standard+{name}" for name in names) if make_method(n).grid],
            Tuning(METRIC, 3),
        ),
    }
    for variant in variants:
        methods, tuning = made[variant]
        if methods:
            yield (
                variant,
                Plan(datasets, methods, Split(n_splits=5), tuning, (METRIC,)),
            )


def measure(store, names, datasets, variants, limit, jobs):
    """Run what the store does not have; tidy rows of everything asked for."""
    from skldl.benchmark import run

    parts = []
    for dataset in datasets:  # small ones first
        for variant, plan in plans(names, [dataset], variants):
            rows = run(plan, store, n_jobs=jobs, time_limit=limit)
            print(f"{dataset}, {variant}: {rows['job'].nunique()} folds", flush=True)
            parts.append(rows.assign(variant=variant))
    return pd.concat(parts)


def stored(path, names, datasets, variants):
    """Tidy rows of what the store has; nothing is run."""
    from skldl.benchmark import Store

    parts = []
    with Store(path, read_only=True) as store:
        for variant, plan in plans(names, datasets, variants):
            keys = [job.key for job in plan.jobs(plan.load())]
            parts.append(store.rows(keys).assign(variant=variant))
    return pd.concat(parts)


def shares(rows):
    """KL divergence as a share of the mean distribution's: data sets x learners."""
    good = rows[(rows["metric"] == METRIC) & (rows["status"] == "ok")]
    good = good.assign(
        learner=good["method"].str.removeprefix("standard+") + ", " + good["variant"]
    )
    mean = good[good["method"].str.endswith(BASELINE)]
    mean = mean.groupby(["dataset", "fold"])["value"].first()
    good = good[~good["method"].str.endswith(BASELINE)]
    wide = good.set_index(["dataset", "fold"])
    relative = wide["value"] / mean.reindex(wide.index)
    table = relative.groupby([wide["learner"], wide.index.get_level_values(0)])
    whole = table.count().unstack(0) == 5  # a learner counts where it has all folds
    return table.mean().unstack(0).where(whole)


def with_earlier(table):
    """The table, and cells of the committed one where it has nothing."""
    earlier = pd.read_csv(RESULTS / "learners.csv", index_col="learner").T
    return table.combine_first(earlier.rename_axis(table.index.name))


def overview(table):
    """Rank, number of data sets beaten and share of each learner, best first.

    Ranks are taken over the data sets that all learners of the table have.
    """
    ranks = table.dropna().rank(axis=1)
    return pd.DataFrame(
        {
            "average rank": ranks.mean().round(2),
            "beats the mean on": (table < 1).sum(),
            "data sets": table.notna().sum(),
            "share of the mean's KL": np.exp(np.log(table).mean()).round(3),
        }
    ).sort_values("average rank")


def against_tuned(table, best):
    """The best learner at its defaults against tuned ones, on the sets that both have.

    Tuned learners take long, so some have few data sets.
    """
    rows = {}
    for name in [c for c in table if c.endswith(", tuned")]:
        both = table[[name, best]].dropna()
        share = np.exp(np.log(both).mean())
        rows[name.removesuffix(", tuned")] = {
            "data sets": len(both),
            "best is better on": int((both[best] < both[name]).sum()),
            "share": round(share[name], 3),
            "share of the best": round(share[best], 3),
        }
    return (
        pd.DataFrame(rows)
        .T.sort_values("share")
        .astype({"data sets": int, "best is better on": int})
    )


def main(arguments):
    """Measure and print."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    path = next(a for a in arguments if not a.startswith("--"))
    split = lambda key, default: given[key].split(",") if key in given else default  # noqa: E731
    names, datasets = split("methods", learners()), split("datasets", DATASETS)
    variants = split("variants", ["standard", "raw", "tuned"])
    if "report" in given:
        rows = stored(path, names, datasets, variants)
    else:
        limit = float(given.get("limit", 300))
        jobs = int(given.get("jobs", 1))
        rows = measure(path, names, datasets, variants, limit, jobs)
    table = shares(rows) if "again" in given else with_earlier(shares(rows))
    few = table.columns[table.notna().sum() < LEAST]
    if len(few):
        print(f"Not ranked, with fewer than {LEAST} data sets: {', '.join(few)}.")
    summary = overview(table.drop(columns=few))
    print(summary.to_string())
    tuned = against_tuned(table, summary.index[0])
    print(f"{summary.index[0]}, against tuned learners:\n{tuned.to_string()}")
    if "write" in given:
        whole = table.T.sort_index().round(4).rename_axis("learner")
        whole.to_csv(RESULTS / "learners.csv")
        summary.rename_axis("learner").to_csv(RESULTS / "learners_overview.csv")
        tuned.rename_axis("learner").to_csv(RESULTS / "learners_tuned.csv")


if __name__ == "__main__":
    main(sys.argv[1:])
