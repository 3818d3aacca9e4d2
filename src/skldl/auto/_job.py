"""One fit of one candidate: a function from a job to its outcome; it never raises."""

import hashlib
import time
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import clone

from skldl._processes import diverted_stdout, peak_since, reset_peak
from skldl._typing import FloatArray
from skldl._version import __version__
from skldl.base import sample_weight_keys
from skldl.validation import check_distribution

_MESSAGE = 300  # characters of an error that are kept


@dataclass(frozen=True, eq=False)
class Data:
    """What jobs work on: features as numbers, distributions, weights of samples."""

    X: FloatArray
    D: FloatArray
    weight: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Job:
    """Everything that determines an outcome.

    Attributes
    ----------
    candidate : str
        Name of the candidate.
    estimator : estimator
        Not fitted.
    dataset : str
        Which data, by name.
    fingerprint : str
        Hash of their content.
    train : ndarray of int
        Rows to fit on.
    test : ndarray of int or None
        Rows to predict; None gives back the fitted model instead.
    fold : int
        Number of the fold; it does not change the outcome.
    """

    candidate: str
    estimator: Any
    dataset: str
    fingerprint: str
    train: Any = field(repr=False)
    test: Any = field(repr=False)
    fold: int = 0

    @cached_property
    def key(self) -> str:
        """Hash of all that the outcome depends on, versions included."""
        model = type(self.estimator).__name__ + str(_settings(self.estimator))
        parts = [
            __version__, sklearn.__version__, np.__version__, scipy.__version__,
            self.candidate, model, self.fingerprint, self.train.tobytes(),
            b"" if self.test is None else self.test.tobytes(),
        ]  # fmt: skip
        found = hashlib.sha256()
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            found.update(len(data).to_bytes(8, "little") + data)
        return found.hexdigest()


def _settings(estimator: Any) -> list[tuple[str, str]]:
    return sorted((name, repr(v)) for name, v in estimator.get_params().items())


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a job ended: "ok", "failed", "timeout", "memory" or "skipped"."""

    status: str
    message: str = ""
    prediction: FloatArray | None = field(default=None, repr=False)
    model: Any = field(default=None, repr=False)
    fit_s: float = float("nan")
    predict_s: float = float("nan")
    peak_mb: float = float("nan")


def do_job(job: Job, data: Data) -> Outcome:
    """Fit a candidate, and predict or give back the model.

    Parameters
    ----------
    job : Job
        What to do.
    data : Data
        With what.

    Returns
    -------
    outcome : Outcome
    """
    try:
        with warnings.catch_warnings(), diverted_stdout():
            warnings.simplefilter("ignore")
            return _fit_and_predict(job, data)
    except MemoryError:
        return Outcome("memory", "There was not enough memory.")
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return Outcome("failed", text[:_MESSAGE])


def _fit_and_predict(job: Job, data: Data) -> Outcome:
    held = reset_peak()
    model = clone(job.estimator)
    X, D = data.X[job.train], data.D[job.train]
    begin = time.perf_counter()
    model.fit(X, D, **_weights(model, data.weight, job.train))
    fit_s = time.perf_counter() - begin
    if job.test is None:
        return Outcome("ok", model=model, fit_s=fit_s, peak_mb=peak_since(held))
    begin = time.perf_counter()
    P = np.asarray(model.predict(data.X[job.test]), dtype=np.float64)
    predict_s = time.perf_counter() - begin
    if P.shape != (len(job.test), D.shape[1]):
        expected = (len(job.test), D.shape[1])
        raise ValueError(f"The prediction has shape {P.shape}, expected {expected}.")
    P = check_distribution(P, on_unnormalized="raise", name="The prediction")
    return Outcome("ok", "", P, None, fit_s, predict_s, peak_since(held))


def _weights(model: Any, weight: FloatArray | None, rows: Any) -> dict[str, Any]:
    """Weights under the names by which the model takes them."""
    if weight is None:
        return {}
    return dict.fromkeys(sample_weight_keys(model), weight[rows])
