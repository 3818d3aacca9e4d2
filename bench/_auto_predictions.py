"""Predictions of AutoLDL's candidates on inner and outer folds, kept in a folder.

One file per data set, outer fold and candidate, so that whatever was stopped goes on
where it was, and candidates can be added later.
"""

import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold

DATASETS = [
    "SJAFFE", "M2B", "Yeast_spoem", "Yeast_spo5", "Yeast_cold", "Yeast_dtt",
    "Yeast_heat", "Yeast_spo", "Yeast_diau", "SCUT_FBP", "Natural_Scene", "SBU_3DFE",
    "Yeast_elu", "Yeast_cdc", "Yeast_alpha", "Movie",
]  # fmt: skip
LARGE = ["Movie"]
SEED = 0
N_FOLDS = 5
MEAN = "mean"
LARGEST = "largest label"


def parts(name, fold):
    """Training and test part of a data set."""
    from skldl.datasets import load

    data = load(name)
    cv = KFold(N_FOLDS, shuffle=True, random_state=SEED)
    train, test = list(cv.split(data.X))[fold]
    return data.X[train], data.D[train], data.X[test], data.D[test]


def last_stage(n_rows):
    """Rows and folds on which AutoLDL fits its pool."""
    from skldl.auto._plan import plan_stages

    return plan_stages(n_rows, 12, 5, SEED)[-1]


def candidates(n_rows):
    """All candidates of the portfolio that a table of this size may try."""
    from skldl.auto._candidates import make_candidates, split_by_size

    # the zero-one loss brings the candidates for the largest label as well
    every = make_candidates(None, "best", "zero_one_loss", SEED)
    return split_by_size(every, n_rows)[0]


def place(folder, name, fold, candidate):
    """File of one candidate."""
    return Path(folder) / f"{name}-{fold}" / f"{candidate}.npz"


def half_prediction(folder, name, fold, candidate):
    """Inner predictions by fits on half of the rows; made if the folder has none."""
    path = place(Path(folder) / "half", name, fold, candidate)
    if not path.exists():
        keep(path, *_fitted_on_half(name, fold, candidate))
    with np.load(path) as file:
        return file["inner"]


def _fitted_on_half(name, fold, candidate):
    """Outcomes of the inner folds, and the CPU time."""
    from skldl.auto._curve import halved
    from skldl.auto._job import Data, Job, do_job

    X, D, _, _ = parts(name, fold)
    estimator = {c.name: c.estimator for c in candidates(len(D))}[candidate]
    begin = time.process_time()
    done = [
        do_job(Job(candidate, estimator, "", "", train, test), Data(X, D))
        for train, test in halved(last_stage(len(D)).folds, SEED)
    ]
    for outcome in done:
        if outcome.status != "ok":
            raise RuntimeError(f"{name}, {candidate}: {outcome.message}")
    return done, time.process_time() - begin


def predict_missing(folder, name, fold, wanted=None):
    """Fit the candidates that the folder does not have.

    ``wanted`` says of a name whether it is asked for; None takes all.
    """
    from skldl.auto._job import Data, Job, do_job

    X, D, X_test, D_test = parts(name, fold)
    chosen = [c for c in candidates(len(D)) if wanted is None or wanted(c.name)]
    chosen = [c for c in chosen if not place(folder, name, fold, c.name).exists()]
    data = Data(np.vstack([X, X_test]), np.vstack([D, D_test]))
    outer = np.arange(len(D)), len(D) + np.arange(len(D_test))
    folds = [*last_stage(len(D)).folds, outer]
    for candidate in chosen:
        begin = time.process_time()
        done = [
            do_job(Job(candidate.name, candidate.estimator, "", "", a, b), data)
            for a, b in folds
        ]
        seconds = time.process_time() - begin
        bad = [o.message for o in done if o.status != "ok"]
        if bad:
            print(f"{name}, fold {fold}, {candidate.name}: {bad}", flush=True)
        else:
            path = place(folder, name, fold, candidate.name)
            keep(path, done[:-1], seconds, outer=done[-1].prediction)
            print(f"{name}, fold {fold}, {candidate.name}: {seconds:.1f} s", flush=True)


def keep(path, done, seconds, **more):
    """Write one file; it is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part.npz")
    inner = np.concatenate([o.prediction for o in done])
    np.savez_compressed(temporary, inner=inner, seconds=seconds, **more)
    temporary.rename(path)


def load_fold(folder, name, fold):
    """What the folder has of one outer fold, or None if that is nothing."""
    files = sorted((Path(folder) / f"{name}-{fold}").glob("*.npz"))
    there = {f.stem: f for f in files if not f.name.endswith(".part.npz")}
    if MEAN not in there:
        return None
    found = {}
    for candidate in sorted(there, key=lambda n: (n != MEAN, n)):
        with np.load(there[candidate]) as file:
            found[candidate] = dict(file)
    return {
        "names": list(found),
        "seconds": {n: float(f["seconds"]) for n, f in found.items()},
        "inner": np.array([f["inner"] for f in found.values()]),
        "outer": np.array([f["outer"] for f in found.values()]),
        **truth(folder, name, fold),
    }


def truth(folder, name, fold):
    """Distributions of the inner rows, where inner folds end, and of the test part."""
    path = Path(folder) / f"{name}-{fold}.truth.npz"
    if not path.exists():
        _, D, _, D_test = parts(name, fold)
        stage = last_stage(len(D))
        ends = np.cumsum([0, *(len(test) for _, test in stage.folds)])
        np.savez_compressed(path, D=D[stage.rows], ends=ends, D_test=D_test)
    with np.load(path) as file:
        return dict(file)


def folds_in(folder, name):
    """Numbers of the outer folds that the folder has something of."""
    return [k for k in range(N_FOLDS) if (Path(folder) / f"{name}-{k}").exists()]
