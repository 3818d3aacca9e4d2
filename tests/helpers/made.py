"""Made-up results for reports."""

import numpy as np

from skldl.benchmark import Job, Result, Split
from skldl.ldl import AAkNN, MeanDistribution
from skldl.methods import Tuning

METHODS = ("good", "standard+middling(n_neighbors=3)", "MeanDistribution")


def fill(
    store,
    datasets=("first", "second", "third"),
    methods=METHODS,
    folds=5,
    metrics=("chebyshev", "clark", "cosine"),
    spoil=None,
    **facts,
):
    """Made-up results: methods are better the earlier they stand."""
    random = np.random.default_rng(0)
    for dataset in datasets:
        for place, method in enumerate(methods):
            for fold in range(folds):
                job = make_job(dataset, method, fold, folds, **facts)
                values = {m: 0.2 + 0.1 * place + random.normal(0, 0.01)
                          for m in metrics}  # fmt: skip
                if "cosine" in values:
                    values["cosine"] = 1 - values["cosine"]
                result = Result(
                    "ok", metrics=values, params={"n_neighbors": 3 + 2 * (fold % 2)},
                    fit_s=0.1 * (place + 1), predict_s=0.01, peak_mb=3.0,
                    predictions=kept(place) if fold == 0 else {},
                )  # fmt: skip
                store.save(job, (spoil or (lambda job, result: result))(job, result))


def make_job(dataset, method, fold, folds=5, seed=0, tuning=True):
    estimator = MeanDistribution() if method == "MeanDistribution" else AAkNN()
    return Job(
        dataset, f"mark of {dataset}", Split(n_splits=folds), 0, fold, method,
        estimator, grid={"n_neighbors": [3, 5]} if tuning else {},
        tuning=Tuning("clark") if tuning else None, seed=seed,
    )  # fmt: skip


def kept(place):
    predicted = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
    return {
        "samples": [4, 17],
        "labels": ["joy", "fear", "calm"],
        "true": predicted.tolist(),
        "predicted": np.roll(predicted, place, axis=1).tolist(),
    }
