"""AutoLDL on the 16 open distribution data sets, on outer folds that it never sees.

Each training part of five shared folds is searched as ``AutoLDL(preset="medium")``
does: the same candidates, inner folds, pools and estimates, on the table as it is; only
on Movie, which has more than 4,000 rows, no candidate is dropped early. Every candidate
is also fitted on the whole training part, which gives each of them an outer
score, and the pool of every metric without a second search. Predictions are kept in a
folder, one file per data set and fold, so that the script goes on where it was stopped;
the first fold of all data sets comes first.

    python bench/auto.py FOLDER [--datasets=A,B] [--folds=5] [--report] [--write]
        [--portfolio=bench/results/portfolio.csv]

``--report`` only prints what is in the folder. With ``--portfolio`` each data set takes
the order of candidates that was learned on the other ones (bench/portfolio.py).
"""

import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import KFold

DATASETS = [
    "SJAFFE", "SBU_3DFE", "M2B", "SCUT_FBP", "Natural_Scene", "Yeast_spo5",
    "Yeast_cold", "Yeast_dtt", "Yeast_heat", "Yeast_diau", "Yeast_spo", "Yeast_spoem",
    "Yeast_elu", "Yeast_cdc", "Yeast_alpha", "Movie",
]  # fmt: skip
METRICS = [
    "kl_divergence", "chebyshev", "clark", "canberra", "cosine", "intersection",
    "zero_one_loss",
]  # fmt: skip
SEED = 0
RESULTS = Path(__file__).parent / "results"


def parts(name, fold):
    """Training and test part of a data set."""
    from skldl.datasets import load

    data = load(name)
    cv = KFold(5, shuffle=True, random_state=SEED)
    train, test = list(cv.split(data.X))[fold]
    return data.X[train], data.D[train], data.X[test], data.D[test]


def predict_all(name, fold):
    """Predictions of every candidate: of the inner folds, and of the test part."""
    from skldl.auto._candidates import make_candidates, split_by_size
    from skldl.auto._job import Data, Job, do_job
    from skldl.auto._plan import plan_stages

    X, D, X_test, D_test = parts(name, fold)
    # the zero-one loss brings the candidates for the largest label as well
    candidates = make_candidates(None, "best", "zero_one_loss", SEED)
    candidates, _ = split_by_size(candidates, len(D))
    stage = plan_stages(len(D), len(candidates), 5, SEED)[-1]
    data = Data(np.vstack([X, X_test]), np.vstack([D, D_test]))
    everything = np.arange(len(D))
    tests = len(D) + np.arange(len(D_test))
    found = {"names": [], "seconds": [], "inner": [], "outer": []}
    for candidate in candidates:
        folds = [*stage.folds, (everything, tests)]
        begin = time.process_time()
        done = [
            do_job(Job(candidate.name, candidate.estimator, "", "", a, b), data)
            for a, b in folds
        ]
        seconds = time.process_time() - begin
        if any(o.status != "ok" for o in done):
            print(name, fold, candidate.name, [o.message for o in done if o.message])
            continue
        found["names"].append(candidate.name)
        found["seconds"].append(seconds)
        found["inner"].append(np.concatenate([o.prediction for o in done[:-1]]))
        found["outer"].append(done[-1].prediction)
    return {
        **{key: np.array(value) for key, value in found.items()},
        "D": D[stage.rows],
        "ends": np.cumsum([0, *(len(test) for _, test in stage.folds)]),
        "D_test": D_test,
    }


def medium(names, metric, order=None):
    """Numbers of the candidates that the medium preset has, in a given order."""
    largest = [n for n in names if n.startswith("largest label")]
    plain = [n for n in (order or names) if n in names and n not in ("mean", *largest)]
    chosen = ["mean", *plain[:12]]
    if metric == "zero_one_loss":
        chosen += largest
    return [list(names).index(name) for name in chosen]


def judge(name, fold, found, metric, order):
    """Scores of AutoLDL, of every candidate and of the pick of the best one."""
    from skldl.auto._choice import (
        WAYS,
        choose,
        estimate,
        mean_and_error,
        sample_losses,
    )
    from skldl.ldl import combine

    names = [str(n) for n in found["names"]]
    members = medium(names, metric, order)
    inner, outer = found["inner"][members], found["outer"][members]
    names = [names[i] for i in members]
    D, weight = found["D"], np.ones(len(found["D"]))
    folds = [np.arange(a, b) for a, b in pairwise(found["ends"])]
    guess = estimate(inner, D, weight, metric, folds, list(WAYS))
    choice = choose(guess.way, inner, D, weight, metric, names)
    pooled = combine(
        outer[[names.index(n) for n in choice.weights]],
        list(choice.weights.values()),
        pool=choice.kind,
        bias=choice.bias,
    )
    means = [sample_losses(metric, D, P).mean() for P in inner]
    rows = {"AutoLDL": pooled, "pick": outer[int(np.argmin(means))]}
    rows |= dict(zip(names, outer, strict=True))
    estimated = mean_and_error(guess.losses[guess.way], weight)
    common = {"dataset": name, "fold": fold, "metric": metric}
    return [
        {
            **common,
            "method": method,
            "loss": float(sample_losses(metric, found["D_test"], P).mean()),
            "estimate": estimated[0] if method == "AutoLDL" else np.nan,
            "estimate_error": estimated[1] if method == "AutoLDL" else np.nan,
            "way": guess.way if method == "AutoLDL" else "",
        }
        for method, P in rows.items()
    ]


def summary(rows):
    """For each metric: how AutoLDL stands beside the pick and all single learners."""
    lines = []
    for metric, part in rows.groupby("metric", sort=False):
        wide = part.pivot_table(index="dataset", columns="method", values="loss")
        singles = wide.drop(columns=["AutoLDL", "pick"]).dropna(axis=1)
        both = pd.concat([wide[["AutoLDL", "pick"]], singles], axis=1)
        ranks = both.drop(columns="pick").rank(axis=1).mean().sort_values()
        pairs = part.pivot_table(
            index=["dataset", "fold"], columns="method", values="loss"
        )
        error = pairs.groupby("dataset").std() / np.sqrt(
            pairs.groupby("dataset").count()
        )
        p = {
            name: _wilcoxon(wide["AutoLDL"], wide[name])
            for name in singles
            if name != "mean"
        }
        lines.append(
            {
                "metric": metric,
                "data sets": len(wide),
                "not worse than the pick": int(
                    (wide["AutoLDL"] <= wide["pick"] + 1e-9).sum()
                ),
                "average rank": round(ranks["AutoLDL"], 2),
                "next": ranks.index[ranks.index != "AutoLDL"][0],
                "its rank": round(ranks[ranks.index != "AutoLDL"].iloc[0], 2),
                "largest p (Holm)": round(max(_holm(p).values()), 4),
                "worse than the mean by a standard error": int(
                    (wide["AutoLDL"] > wide["mean"] + error["AutoLDL"].fillna(0)).sum()
                ),
            }
        )
    return pd.DataFrame(lines)


def _wilcoxon(one, other):
    if np.allclose(one, other):
        return 1.0
    return float(stats.wilcoxon(one, other, alternative="less").pvalue)


def _holm(p):
    """Holm's correction of p values by name."""
    order = sorted(p, key=p.get)
    found, largest = {}, 0.0
    for place, name in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p[name]))
        found[name] = largest
    return found


def coverage(rows):
    """Mean over data sets of estimate less outer loss, in standard errors."""
    own = rows[rows["method"] == "AutoLDL"]
    own = own.assign(gap=(own["estimate"] - own["loss"]) / own["estimate"].abs())
    lines = []
    for metric, part in own.groupby("metric", sort=False):
        gaps = part.groupby("dataset")["gap"].mean()
        lines.append(
            {
                "metric": metric,
                "mean of (estimate - outer) / estimate": round(gaps.mean(), 4),
                "standard error": round(gaps.std() / np.sqrt(len(gaps)), 4),
            }
        )
    return pd.DataFrame(lines)


def main(arguments):
    """Predict what is not there, judge and print."""
    given = dict(a[2:].partition("=")[::2] for a in arguments if a.startswith("--"))
    folder = Path(next(a for a in arguments if not a.startswith("--")))
    folder.mkdir(parents=True, exist_ok=True)
    names = given["datasets"].split(",") if "datasets" in given else DATASETS
    orders = {}
    if "portfolio" in given:
        table = pd.read_csv(given["portfolio"])
        orders = {n: list(part["candidate"]) for n, part in table.groupby("left_out")}
    rows = []
    for fold in range(int(given.get("folds", 5))):
        for name in names:
            path = folder / f"{name}-{fold}.npz"
            if not path.exists() and "report" not in given:
                found = predict_all(name, fold)
                temporary = path.with_suffix(".part.npz")
                np.savez_compressed(temporary, **found)
                temporary.rename(path)
                print(
                    f"{name}, fold {fold}: {found['seconds'].sum():.0f} s", flush=True
                )
            if path.exists():
                with np.load(path) as file:
                    found = dict(file)
                for metric in METRICS:
                    rows += judge(name, fold, found, metric, orders.get(name))
    rows = pd.DataFrame(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(summary(rows).to_string(index=False))
    print(coverage(rows).to_string(index=False))
    if "write" in given:
        rows.round(6).to_csv(RESULTS / "auto.csv", index=False)
        summary(rows).to_csv(RESULTS / "auto_overview.csv", index=False)
        coverage(rows).to_csv(RESULTS / "auto_estimates.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
