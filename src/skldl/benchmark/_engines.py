"""Where jobs run: in this process, or in processes that can be stopped.

An engine takes jobs up to its capacity and gives results back; it knows nothing of
stores and plans.
"""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from skldl._processes import ProcessPool
from skldl._threads import worker_threads
from skldl.benchmark._job import Job, Result, run_job
from skldl.datasets import Dataset

Finished = list[tuple[Job, Result]]

_PRELOAD = ["skldl.benchmark._engines", "skldl.ldl", "sklearn.pipeline"]


class Engine(Protocol):
    """What the runner asks of an engine."""

    capacity: int

    def __enter__(self) -> Self:
        """Start."""

    def __exit__(self, *_: Any) -> None:
        """Stop everything that still runs."""

    @property
    def running(self) -> int:
        """Number of jobs under way."""

    def submit(self, job: Job) -> None:
        """Begin a job."""

    def collect(self, timeout: float) -> Finished:
        """Wait for results, but no longer than the timeout."""


class SerialEngine:
    """Jobs one after the other in this process; limits cannot be kept here.

    Parameters
    ----------
    datasets : dict of str to Dataset
        The data.
    threads : int, default=1
        Threads of linear algebra in a job.
    """

    capacity = 1

    def __init__(self, datasets: Mapping[str, Dataset], *, threads: int = 1) -> None:
        self._datasets = datasets
        self._threads = threads
        self._job: Job | None = None

    def __enter__(self) -> Self:
        self._limits = worker_threads(self._threads)
        self._limits.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self._limits.__exit__(None, None, None)

    @property
    def running(self) -> int:
        """Number of jobs under way."""
        return int(self._job is not None)

    def submit(self, job: Job) -> None:
        """Keep the job for :meth:`collect`."""
        self._job = job

    def collect(self, timeout: float) -> Finished:
        """Do the job now."""
        job, self._job = self._job, None
        return [] if job is None else [(job, run_job(job, self._datasets[job.dataset]))]


class ProcessEngine(ProcessPool):
    """Jobs in processes of their own, each with a time and a memory limit.

    Parameters
    ----------
    datasets : dict of str to Dataset
        The data; written once to files that the workers map into memory.
    **limits : object
        ``n_jobs``, ``threads``, ``time_limit`` and ``memory_limit`` of the pool.
    """

    def __init__(self, datasets: Mapping[str, Dataset], **limits: Any) -> None:
        super().__init__(run_job, datasets, Result, preload=_PRELOAD, **limits)
