"""The search: stages of candidates on shared folds, within the time."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skldl._sklearn import safe_indexing
from skldl._typing import FloatArray
from skldl.auto._candidates import BASELINE, Candidate
from skldl.auto._choice import sample_losses
from skldl.auto._engines import make_engine, run_jobs
from skldl.auto._job import Data, Job, Outcome
from skldl.auto._plan import Fold, Stage
from skldl.auto._store import Store
from skldl.preprocessing import TableEncoder


@dataclass
class Record:
    """What is known of a candidate.

    Attributes
    ----------
    name : str
        Of the candidate.
    status : str
        "ok", "failed", "timeout", "memory", "left out" (too many rows for it),
        "dropped" (after an earlier stage) or "waiting".
    message : str
        Why.
    folds : dict of int to Outcome
        Outcomes of the last stage that it was in.
    """

    name: str
    status: str = "waiting"
    message: str = ""
    folds: dict[int, Outcome] = field(default_factory=dict)

    def prediction(self) -> FloatArray:
        """Predictions of all folds, one below the other."""
        parts = [outcome.prediction for _, outcome in sorted(self.folds.items())]
        return np.concatenate([part for part in parts if part is not None])

    def time_of(self, what: str) -> float:
        """Mean of ``fit_s`` or ``predict_s`` over the folds that ended well."""
        found = [getattr(o, what) for o in self.folds.values() if o.status == "ok"]
        return float(np.mean(found)) if found else float("nan")


@dataclass(frozen=True)
class Budget:
    """Where jobs run, and how long.

    Attributes
    ----------
    backend : {"serial", "process", "dask"}
        Where.
    n_jobs : int
        At the same time.
    memory_limit : float or None
        MB per job.
    deadline : float
        Time of the monotonic clock at which the search ends.
    job_limit : float
        Seconds per job.
    """

    backend: str
    n_jobs: int
    memory_limit: float | None
    deadline: float
    job_limit: float


class Features:
    """Features as numbers, for each fold learned from its training rows.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_samples, n_columns)
        As given.
    encoder : TableEncoder or None
        Not fitted; None if X is an array of numbers.
    """

    def __init__(self, X: Any, encoder: TableEncoder | None) -> None:
        self.X = X
        self.encoder = encoder

    def learned_from(self, rows: Any) -> FloatArray:
        """All rows as numbers; what encoding learns it learns from some rows."""
        if self.encoder is None:
            return self.X
        fitted = self.encoder.fit(safe_indexing(self.X, rows))
        return fitted.transform(self.X)


@dataclass(eq=False)
class Search:
    """Predict every fold with every candidate, stage by stage.

    Attributes
    ----------
    candidates : sequence of Candidate
        In their order; the first is the mean distribution, which is never dropped.
    stages : sequence of Stage
        Rows and folds.
    features : Features
        The samples.
    D : ndarray of shape (n_samples, n_labels)
        Their distributions.
    weight : ndarray of shape (n_samples,) or None
        Their weights.
    metric : str
        By which stages drop candidates.
    budget : Budget
        Where and how long.
    store : Store
        Outcomes of earlier runs.
    records : list of Record
        One per candidate.
    last : int
        Number of the last stage in which some candidate has all folds.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    candidates: Sequence[Candidate]
    stages: Sequence[Stage]
    features: Features
    D: FloatArray
    weight: FloatArray | None
    metric: str
    budget: Budget
    store: Store
    records: list[Record] = field(init=False)
    last: int = 0
    interrupted: bool = False
    _encoding_s: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.records = [Record(candidate.name) for candidate in self.candidates]

    def run(self) -> None:
        """Go through the stages, until the time is over or Ctrl-C is pressed."""
        alive = list(range(len(self.candidates)))
        for number, stage in enumerate(self.stages):
            before = {i: dict(self.records[i].folds) for i in alive}
            try:
                self._run_stage(number, alive)
            except KeyboardInterrupt:
                self.interrupted = True
            whole = [i for i in alive if _is_whole(self.records[i], len(stage.folds))]
            if len(whole) <= 1 and number:  # too late: the stage before counts
                for i in alive:
                    self.records[i].folds = before[i]
                return
            self.last = number
            self._close(alive, whole)
            alive = self._best(whole, stage)
            for i in set(whole) - set(alive):
                self.records[i].status = "dropped"
                self.records[i].message = f"Others were better on {stage.n_rows} rows."
            if self.interrupted or time.monotonic() > self.budget.deadline:
                return

    def notes(self) -> list[str]:
        """What the user should know of the search."""
        if self.interrupted:
            return ["The search was interrupted; what was finished is the model."]
        late = [r.name for r in self.records if r.status == "timeout"]
        if not late:
            return []
        return [
            f"The time was over for {', '.join(late)}. A larger time_limit lets them "
            "take part."
        ]

    def finished(self) -> list[int]:
        """Numbers of the candidates that have all folds of the last stage."""
        stage = self.stages[self.last]
        return [
            i
            for i, record in enumerate(self.records)
            if record.status == "ok" and _is_whole(self.records[i], len(stage.folds))
        ]

    def predictions(self, names: Sequence[str]) -> FloatArray:
        """Predictions of candidates for the rows of the last stage."""
        by_name = {record.name: record for record in self.records}
        return np.stack([by_name[name].prediction() for name in names])

    def weight_of(self, rows: NDArray[np.intp]) -> FloatArray:
        """Weights of rows; 1 if there are none."""
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]

    def predict_again(
        self, names: Sequence[str], folds: Sequence[Fold], budget: Budget
    ) -> dict[str, FloatArray] | None:
        """Predict the folds of the last stage by fits on fewer of their rows.

        Parameters
        ----------
        names : sequence of str
            Candidates that have all folds of the last stage.
        folds : sequence of (train, test)
            Those of the last stage with fewer training rows. Tables are encoded by what
            was learned from all of them.
        budget : Budget
            Where and how long.

        Returns
        -------
        predictions : dict of str to ndarray of shape (n_samples, n_labels), or None
            None if some fit did not end well, or is not likely to end in time.
        """
        records = [record for record in self.records if record.name in names]
        seconds = [r.time_of("fit_s") + r.time_of("predict_s") for r in records]
        longest = max(max(seconds), sum(seconds) * len(folds) / budget.n_jobs)
        end = time.monotonic() + longest + self._encoding_s
        if self.interrupted or end > budget.deadline:
            return None
        found = {name: Record(name) for name in names}
        which = [i for i, record in enumerate(self.records) if record.name in found]

        def done(job: Job, outcome: Outcome) -> None:
            found[job.candidate].folds[job.fold] = outcome

        try:
            data = self._encoded(self.stages[self.last].folds)
            self._predict(which, folds, data, budget, done)
        except KeyboardInterrupt:
            return None
        if not all(_is_whole(record, len(folds)) for record in found.values()):
            return None
        return {name: record.prediction() for name, record in found.items()}

    def _run_stage(self, number: int, alive: list[int]) -> None:
        by_name = {self.records[i].name: self.records[i] for i in alive}
        for record in by_name.values():
            record.folds = {}

        def done(job: Job, outcome: Outcome) -> None:
            by_name[job.candidate].folds[job.fold] = outcome

        folds = self.stages[number].folds
        self._predict(alive, folds, self._encoded(folds), self.budget, done)

    def _encoded(self, folds: Sequence[Fold]) -> dict[str, Data]:
        begin = time.monotonic()
        data = fold_data(folds, self.features, self.D, self.weight)
        self._encoding_s = time.monotonic() - begin
        return data

    def _predict(
        self,
        which: Sequence[int],
        folds: Sequence[Fold],
        data: dict[str, Data],
        budget: Budget,
        done: Callable[[Job, Outcome], None],
    ) -> None:
        """Predict folds with candidates; what the store knows is not done again."""
        marks = {name: fingerprint(part) for name, part in data.items()}
        jobs = []
        for i in which:
            name, estimator = self.candidates[i].name, self.candidates[i].estimator
            for k, (train, test) in enumerate(folds):
                place = _place(self.features, k)
                job = Job(name, estimator, place, marks[place], train, test, k)
                known = self.store.get(job)
                if known is None:
                    jobs.append(job)
                else:
                    done(job, known)

        def done_and_kept(job: Job, outcome: Outcome) -> None:
            done(job, outcome)
            self.store.put(job, outcome)

        # the mean distribution takes no time, and without it there is no model
        own = [job for job in jobs if job.candidate == BASELINE]
        endless = replace(budget, backend="serial", deadline=inf)
        do_all(own, data, endless, done_and_kept)
        rest = [job for job in jobs if job.candidate != BASELINE]
        do_all(rest, data, budget, done_and_kept)

    def _close(self, alive: list[int], whole: list[int]) -> None:
        """Say how the candidates of a stage ended."""
        for i in alive:
            record = self.records[i]
            if i in whole:
                record.status, record.message = "ok", ""
                continue
            ends = [o for _, o in sorted(record.folds.items()) if o.status != "ok"]
            told = [o for o in ends if o.status != "skipped"]
            record.status = told[0].status if told else "timeout"
            record.message = told[0].message if told else "The search ended before."

    def _best(self, whole: list[int], stage: Stage) -> list[int]:
        """The better ones, the best first; the mean distribution stays.

        The time may be over before the next stage ends, so the best have their turn
        first.
        """
        rows, weight = stage.rows, self.weight_of(stage.rows)
        losses = {
            i: np.average(
                sample_losses(self.metric, self.D[rows], self.records[i].prediction()),
                weights=weight,
            )
            for i in whole
        }
        ranked = sorted(whole, key=lambda i: (losses[i], i))
        base = [i for i in ranked[stage.keep :] if self.records[i].name == BASELINE]
        return ranked[: stage.keep] + base


def _is_whole(record: Record, n_folds: int) -> bool:
    ended = [record.folds[k].status for k in range(n_folds) if k in record.folds]
    return ended == ["ok"] * n_folds


def do_all(
    jobs: list[Job],
    data: dict[str, Data],
    budget: Budget,
    done: Callable[[Job, Outcome], None],
) -> None:
    """Do jobs on an engine of their own, within the budget."""
    if not jobs:
        return
    n_jobs = min(budget.n_jobs, len(jobs))
    with make_engine(budget.backend, data, n_jobs, budget.memory_limit) as engine:
        run_jobs(engine, jobs, budget.deadline, budget.job_limit, done)


def fit_members(
    members: Mapping[str, Any], data: Data, budget: Budget
) -> dict[str, Outcome]:
    """Fit candidates on all rows, the first ones first.

    Parameters
    ----------
    members : mapping of str to estimator
        Not fitted.
    data : Data
        All rows.
    budget : Budget
        Where and how long.

    Returns
    -------
    outcomes : dict of str to Outcome
        With fitted models where all went well.
    """
    rows = np.arange(len(data.D))
    jobs = [Job(name, model, "all", "", rows, None) for name, model in members.items()]
    found: dict[str, Outcome] = {}
    do_all(jobs, {"all": data}, budget, lambda job, o: found.update({job.candidate: o}))
    return found


def fold_data(
    folds: Sequence[Fold], features: Features, D: FloatArray, weight: FloatArray | None
) -> dict[str, Data]:
    """Data of the folds: one for all if nothing is learned in encoding."""
    if features.encoder is None:
        return {_place(features, 0): Data(features.X, D, weight)}
    return {
        _place(features, k): Data(features.learned_from(train), D, weight)
        for k, (train, _) in enumerate(folds)
    }


def _place(features: Features, fold: int) -> str:
    """Name of the data of a fold."""
    return "all" if features.encoder is None else f"fold {fold}"


def fingerprint(data: Data) -> str:
    """Hash of the content of data."""
    found = hashlib.sha256()
    for part in (data.X, data.D, data.weight):
        if part is not None:
            array = np.ascontiguousarray(part)
            found.update(f"{array.shape} {array.dtype}".encode())
            found.update(array.data)
    return found.hexdigest()
