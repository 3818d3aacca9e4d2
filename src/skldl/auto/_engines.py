"""Where jobs run, and until when."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, Self

from skldl._processes import ProcessPool
from skldl._progress import Step, listening, progress, report
from skldl._threads import worker_threads
from skldl.auto._job import Data, Job, Outcome, do_job

_PRELOAD = ["skldl.auto", "skldl.ldl", "sklearn.pipeline"]
_LOOK_S = 0.5  # between looks at the clock while jobs run


class Engine(Protocol):
    """What does jobs, at most ``capacity`` at a time."""

    capacity: int

    def __enter__(self) -> Self:
        """Start."""

    def __exit__(self, *_: Any) -> None:
        """Stop everything that still runs."""

    @property
    def running(self) -> int:
        """Number of jobs under way."""

    def submit(self, job: Job, *, time_limit: float | None = None) -> None:
        """Begin a job."""

    def collect(self, timeout: float) -> list[tuple[Job, Outcome]]:
        """Wait for outcomes, but no longer than the timeout."""


class _TimeUp(BaseException):  # not an error of the learner
    """The time of a job in this process is over."""


class SerialEngine:
    """Jobs in this process, one after the other.

    A learner that reports its progress is stopped at the limit; another one ends first.

    Parameters
    ----------
    data : mapping of str to Data
        What jobs work on.
    """

    capacity = 1

    def __init__(self, data: Mapping[str, Data]) -> None:
        self._data = data
        self._job: tuple[Job, float | None] | None = None

    def __enter__(self) -> Self:
        self._limits = worker_threads(1)
        self._limits.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self._limits.__exit__(None, None, None)

    @property
    def running(self) -> int:
        """Number of jobs under way."""
        return int(self._job is not None)

    def submit(self, job: Job, *, time_limit: float | None = None) -> None:
        """Keep the job for :meth:`collect`."""
        self._job = job, time_limit

    def collect(self, timeout: float) -> list[tuple[Job, Outcome]]:
        """Do the job now."""
        if self._job is None:
            return []
        (job, limit), self._job = self._job, None
        end = time.monotonic() + (float("inf") if limit is None else limit)

        def stop_in_time(step: Step) -> None:
            if time.monotonic() > end:
                raise _TimeUp

        try:
            with progress(stop_in_time):
                outcome = do_job(job, self._data[job.dataset])
        except _TimeUp:
            outcome = Outcome("timeout", f"Stopped after {limit:.3g} s.")
        return [(job, outcome)]


def make_engine(
    backend: str, data: Mapping[str, Data], n_jobs: int, memory_limit: float | None
) -> Engine:
    """Engine of a name.

    Parameters
    ----------
    backend : {"serial", "process", "dask"}
        Where jobs run.
    data : mapping of str to Data
        What jobs work on.
    n_jobs : int
        Jobs at the same time.
    memory_limit : float or None
        MB that a job may need, in processes.

    Returns
    -------
    engine : Engine
    """
    if backend == "serial":
        return SerialEngine(data)
    if backend == "dask":
        from skldl.auto._dask import DaskEngine

        return DaskEngine(data)
    return ProcessPool(
        do_job,
        data,
        Outcome,
        preload=_PRELOAD,
        n_jobs=n_jobs,
        memory_limit=memory_limit,
    )


def run_jobs(
    engine: Engine,
    jobs: Iterable[Job],
    deadline: float,
    job_limit: float,
    done: Callable[[Job, Outcome], None],
) -> None:
    """Do jobs in their order until the deadline.

    A candidate of which one job did not end well gets no further jobs.

    Parameters
    ----------
    engine : Engine
        Started.
    jobs : iterable of Job
        What to do.
    deadline : float
        Time of the monotonic clock at which everything stops.
    job_limit : float
        Seconds that one job may take.
    done : callable
        ``done(job, outcome)`` for every job, also for those that were not begun.
    """
    queue = deque(jobs)
    total, bad = len(queue), set()
    while queue or engine.running:
        left = deadline - time.monotonic()
        while queue and (engine.running < engine.capacity or left <= 0):
            job = queue.popleft()
            if left <= 0:
                done(job, Outcome("timeout", "The time was over before its turn."))
            elif job.candidate in bad:
                done(job, Outcome("skipped", "Not tried: another fold failed."))
            else:
                engine.submit(job, time_limit=min(left, job_limit))
        for job, outcome in engine.collect(min(_LOOK_S, max(left, 0.01))):
            if outcome.status != "ok":
                bad.add(job.candidate)
            done(job, outcome)
        if listening():
            report("AutoLDL", total - len(queue) - engine.running, total)
