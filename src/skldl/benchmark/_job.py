"""One fold of one method on one data set: a pure function from job to result."""

import hashlib
import json
import platform
import random
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from skldl._edges import GridEdgeWarning
from skldl._processes import diverted_stdout, peak_since, reset_peak
from skldl._sklearn import safe_indexing
from skldl._version import __version__
from skldl.base import sample_weight_keys
from skldl.benchmark._identity import describe_object
from skldl.benchmark._records import choose_predictions
from skldl.benchmark._splits import Split
from skldl.crowd import vote_weights
from skldl.datasets import Dataset
from skldl.methods import (
    PerMetricSearch,
    Tuning,
    derive_seed,
    metrics_for,
    search_for,
    with_seed,
)
from skldl.validation import check_distribution

Status = Literal["ok", "failed", "invalid", "timeout", "memory"]
_MESSAGE = 500  # characters of an error or a warning that are kept


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that results depend on."""
    return {
        "python": platform.python_version(),
        "scikit-ldl": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


@dataclass(frozen=True)
class Job:
    """Everything that determines a result.

    Attributes
    ----------
    dataset, fingerprint : str
        Name of the data set, and a hash of its content.
    split, repetition, fold : Split, int, int
        Which rows.
    method : str
        Name in tables.
    estimator : estimator
        Not fitted.
    grid : mapping
        What tuning searches.
    tuning : Tuning or None
        None fits the estimator as it is.
    seed : int
        Base seed.
    n_kept : int
        Samples of the test part whose predictions come with the result; they do not
        change it, so the key does not know of them.
    weights : {"precision", "count", "sqrt"} or None
        How numbers of votes weigh the rows of a fit; None leaves them equal.
    """

    dataset: str
    fingerprint: str
    split: Split
    repetition: int
    fold: int
    method: str
    estimator: BaseEstimator = field(repr=False)
    grid: Mapping[str, list[Any]] = field(default_factory=dict, repr=False)
    tuning: Tuning | None = None
    seed: int = 0
    n_kept: int = 0
    weights: str | None = None

    @cached_property
    def spec(self) -> str:
        """The job as JSON text, the same on every machine."""
        facts: dict[str, Any] = {
            "dataset": self.dataset,
            "fingerprint": self.fingerprint,
            "split": self.split.describe(),
            "repetition": self.repetition,
            "fold": self.fold,
            "method": self.method,
            "estimator": describe_object(self.estimator),
            "seed": self.seed,
        }
        if self.tuning is not None and self.grid:
            facts["grid"] = describe_object(dict(self.grid))
            facts["tuning"] = describe_object(
                [self.tuning.scoring, self.tuning.n_splits]
            )
        if self.weights is not None:
            facts["weights"] = self.weights
        return json.dumps(facts, sort_keys=True)

    @cached_property
    def key(self) -> str:
        """Content hash: equal jobs have equal keys."""
        return hashlib.sha256(self.spec.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Result:
    """What came of a job.

    Attributes
    ----------
    status : {"ok", "failed", "invalid", "timeout", "memory"}
        Whether the numbers may be used, and if not, why.
    message : str
        The error, or the warnings of a fit that ended well.
    metrics : dict of str to float
        Every metric that fits the kind of target; empty unless ok.
    params : dict
        What tuning chose.
    fit_s, predict_s, peak_mb : float
        Seconds to fit (tuning included) and to predict; peak memory in MB beyond
        what the process held before.
    versions : dict of str to str
        Of Python and the libraries.
    predictions : dict
        True and predicted distributions of the samples that the job wants kept.
    """

    status: Status
    message: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    fit_s: float = float("nan")
    predict_s: float = float("nan")
    peak_mb: float = float("nan")
    versions: dict[str, str] = field(default_factory=library_versions)
    predictions: dict[str, Any] = field(default_factory=dict, repr=False)


def run_job(job: Job, dataset: Dataset) -> Result:
    """Fit, predict and judge; an error becomes a result, never an exception.

    Parameters
    ----------
    job : Job
        What to do.
    dataset : Dataset
        The data that the job names.

    Returns
    -------
    result : Result
    """
    with warnings.catch_warnings(record=True) as caught, diverted_stdout(sys.stderr):
        warnings.simplefilter("always")
        try:
            result = _run(job, dataset)
        except KeyboardInterrupt:
            raise
        except MemoryError as error:
            return Result("memory", _error_text(error))
        except BaseException as error:  # sys.exit is a failure of the method, too
            return Result("failed", _error_text(error))
    if result.status == "ok" and caught:
        # edges first: a long text is cut
        caught.sort(key=lambda w: not issubclass(w.category, GridEdgeWarning))
        notes = dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)
        return replace(result, message=_clean("; ".join(notes)))
    return result


def _error_text(error: BaseException) -> str:
    """Type and message, even of an error that cannot say what it is."""
    try:
        return _clean(f"{type(error).__name__}: {error}")
    except Exception:
        return type(error).__name__


def _clean(text: str) -> str:
    """Text that every file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")[:_MESSAGE]


def _run(job: Job, dataset: Dataset) -> Result:
    train, test = job.split.rows(dataset, job.seed, job.repetition, job.fold)
    target = dataset.target
    seen, new = safe_indexing(dataset.X, train), safe_indexing(dataset.X, test)
    model = _seeded(clone(job.estimator), job)
    if job.tuning is not None and job.grid:
        model = _search(model, job, dataset)
    held = reset_peak()
    start = time.perf_counter()
    model.fit(seen, target[train], **_weights(model, job, dataset, train))
    middle = time.perf_counter()
    responses = _responses(model, new, dataset.kind)
    end = time.perf_counter()
    peak = peak_since(held)
    fault = _fault(responses, target[test], dataset.kind)
    if fault:
        return Result("invalid", _clean(fault))
    return Result(
        "ok",
        metrics=_metrics(model, new, dataset, target[test], responses),
        params=_plain_params(_chosen(model)),
        fit_s=middle - start,
        predict_s=end - middle,
        peak_mb=peak,
        predictions=choose_predictions(job.n_kept, dataset, test, responses["predict"]),
    )


def _weights(model: Any, job: Job, dataset: Dataset, rows: Any) -> dict[str, Any]:
    """Weights by numbers of votes, under the names by which the model takes them."""
    if job.weights is None:
        return {}
    weights = vote_weights(dataset.extra["n_votes"][rows], job.weights)
    return dict.fromkeys(sample_weight_keys(model), weights)


def _seeded(model: Any, job: Job) -> Any:
    """Give every random_state a seed of its own job, and the global generators, too."""
    seed = derive_seed(
        "model", job.seed, job.dataset, job.repetition, job.fold, job.method
    )
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 methods of others may use it
    return with_seed(model, seed)


def _search(model: Any, job: Job, dataset: Dataset) -> Any:
    assert job.tuning is not None
    seed = derive_seed("tuning", job.seed, job.dataset, job.repetition, job.fold)
    weighted = job.weights is not None
    return search_for(
        model, job.grid, job.tuning, dataset.kind, seed, weighted=weighted
    )


def _chosen(model: Any) -> Mapping[str, Any]:
    """What searches chose; of one before the end of a pipeline with its step's name."""
    if not isinstance(model, Pipeline):
        return getattr(model, "best_params_", {})
    chosen = dict(_chosen(model[-1]))
    for name, step in model.steps[:-1]:
        own = getattr(step, "best_params_", {})
        chosen |= {f"{name}__{key}": value for key, value in own.items()}
    return chosen


def _responses(model: Any, X: Any, kind: str) -> dict[str, Any]:
    responses = {"predict": model.predict(X)}
    if kind == "indicator":
        responses["predict_proba"] = model.predict_proba(X)
    return responses


def _metrics(
    model: Any, X: Any, dataset: Dataset, target: Any, responses: dict[str, Any]
) -> dict[str, float]:
    """All metrics; each with the model that was chosen for it, if there are several."""
    own = model.estimators_ if isinstance(model, PerMetricSearch) else {}
    made = {id(each): _responses(each, X, dataset.kind) for each in own.values()}
    values = {}
    for metric in metrics_for(dataset):
        given = made[id(own[metric.name])] if metric.name in own else responses
        values[metric.name] = float(metric.fn(target, given[metric.response]))
    return values


def _fault(responses: dict[str, Any], target: Any, kind: str) -> str:
    """What is wrong with the predictions, or nothing."""
    for name, response in responses.items():
        if np.shape(response) != target.shape:
            return f"{name} has shape {np.shape(response)}, expected {target.shape}."
        numeric = np.asarray(response).dtype.kind in "fiub"
        if kind != "classes" and not (numeric and np.isfinite(response).all()):
            return f"{name} contains values that are not finite numbers."
    if kind == "distribution":
        try:
            check_distribution(responses["predict"], on_unnormalized="raise", name="P")
        except ValueError as error:
            return str(error)
    return ""


def _plain_params(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: describe_object(value) for key, value in params.items()}
