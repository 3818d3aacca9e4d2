"""Jobs on a Dask cluster: data sent once per data set, every wait bounded."""

import time
import warnings
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from skldl._processes import available_cores, no_main_module
from skldl._threads import worker_threads
from skldl.benchmark._engines import Finished
from skldl.benchmark._job import Job, Result, run_job
from skldl.datasets import Dataset

_POLL_S = 0.05
_ANSWER_S = 10.0  # for a scheduler that lives
_MOST_TRIES = 3


class DaskEngine:
    """Jobs on the workers of a Dask cluster.

    Parameters
    ----------
    datasets : dict of str to Dataset
        The data; sent when a data set's first job comes.
    address : str, default=None
        Address of a scheduler; None starts a cluster on this machine.
    n_jobs : int, default=None
        Workers of a cluster on this machine; None takes the cores.
    threads : int, default=1
        Threads of linear algebra in each job.
    patience : float, default=60
        Seconds to wait for a scheduler or for a first worker to (re)appear.
    """

    def __init__(
        self,
        datasets: Mapping[str, Dataset],
        *,
        address: str | None = None,
        n_jobs: int | None = None,
        threads: int = 1,
        patience: float = 60.0,
    ) -> None:
        self._datasets = datasets
        self._address = address
        self._n_jobs = n_jobs or available_cores()
        self._threads = threads
        self._patience = patience
        self._futures: dict[Any, Job] = {}
        self._scattered: dict[str, Any] = {}
        self._tries: Counter[str] = Counter()
        self._suspects: list[Job] = []
        self.capacity = 2 * self._n_jobs

    def __enter__(self) -> Self:
        try:
            from distributed import Client
        except ImportError as error:
            raise ImportError(
                "The Dask engine needs dask and distributed; install "
                "scikit-ldl[distributed]."
            ) from error
        self._cluster = None if self._address else _start_cluster(self._n_jobs)
        target: Any = self._address or self._cluster
        try:
            self._client = Client(target, timeout=self._patience)
            self._client.wait_for_workers(1, timeout=self._patience)
        except (OSError, TimeoutError) as error:
            self._close_cluster()
            raise OSError(
                f"No Dask worker was found at {self._address or 'the local cluster'} "
                f"within {self._patience:g} s. Start workers there, or use another "
                "engine."
            ) from error
        self.capacity = 2 * max(1, self._threads_of_workers())
        self._last_worker = self._last_start = time.monotonic()
        return self

    def __exit__(self, *_: Any) -> None:
        with suppress(Exception):  # the scheduler may be gone
            self._client.cancel(list(self._futures), force=True)
        with suppress(Exception):
            self._client.close(timeout=5)
        self._close_cluster()

    def _close_cluster(self) -> None:
        if self._cluster is not None:
            with suppress(Exception):
                self._cluster.close(timeout=10)

    def _workers(self) -> dict[str, Any]:
        """What the scheduler knows now; no answer in time counts as no worker."""
        with suppress(Exception):
            scheduler: Any = self._client.scheduler
            info = self._client.sync(scheduler.identity, callback_timeout=_ANSWER_S)
            return info["workers"]
        return {}

    def _threads_of_workers(self) -> int:
        return sum(worker["nthreads"] for worker in self._workers().values())

    @property
    def running(self) -> int:
        """Number of jobs under way, or waiting to be tried alone."""
        return len(self._futures) + len(self._suspects)

    def submit(self, job: Job) -> None:
        """Send the job, and its data if they are not there yet."""
        while True:
            try:
                future = self._send(job)
                break
            except Exception:  # workers are coming and going: wait for one, bounded
                self._scattered.pop(job.dataset, None)
                self._require_workers()
                time.sleep(_POLL_S)
        self._futures[future] = job
        self._tries[job.key] += 1

    def _send(self, job: Job) -> Any:
        if job.dataset not in self._scattered:
            self._scattered[job.dataset] = self._hand_over(self._datasets[job.dataset])
        return self._client.submit(
            _run_limited,
            job,
            self._scattered[job.dataset],
            self._threads,
            pure=False,
            key=f"skldl-{job.key}-{time.monotonic_ns()}",
        )

    def _hand_over(self, dataset: Dataset) -> Any:
        """Send data once, as a task: lost with its workers, it is made again."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            key = f"skldl-{dataset.name}-{time.monotonic_ns()}"
            return self._client.submit(_identity, dataset, pure=False, key=key)

    def collect(self, timeout: float) -> Finished:
        """Take results; lost data are sent again, no worker at all is an error."""
        if self._suspects and not self._futures:
            self.submit(self._suspects.pop())
        until = time.monotonic() + timeout
        while True:
            done = [future for future in self._futures if future.done()]
            if done or time.monotonic() >= until:
                break
            time.sleep(_POLL_S)
        if not done:
            self._require_workers()
        finished: Finished = []
        for future in done:
            job = self._futures.pop(future)
            result = self._take(future, job)
            if result is not None:
                finished.append((job, result))
        return finished

    def _take(self, future: Any, job: Job) -> Result | None:
        if future.status == "finished":
            with suppress(Exception):  # its worker died before we could ask
                return future.result(timeout=self._patience)
        if future.status == "error":
            from distributed import KilledWorker

            error: Any = None
            with suppress(Exception):
                error = future.exception(timeout=self._patience)
            if isinstance(error, KilledWorker) and self._tries[job.key] == 1:
                # it was there when workers died; alone it will show who did it
                self._suspects.append(job)
                return None
            return Result("failed", f"{type(error).__name__}: {error}"[:500])
        if self._tries[job.key] >= _MOST_TRIES:
            return Result("failed", f"Its worker was lost {_MOST_TRIES} times.")
        self._scattered.pop(job.dataset, None)  # perhaps lost, too
        self.submit(job)
        return None

    def _require_workers(self) -> None:
        now = time.monotonic()
        if self._workers():
            self._last_worker = now
        elif self._cluster is not None and now - self._last_start > _ANSWER_S:
            self._last_start = now  # a method killed them all: start others
            self._cluster.scale(0)
            self._cluster.scale(self._n_jobs)
        elif now - self._last_worker > self._patience:
            raise OSError(
                f"No Dask worker was available for {self._patience:g} s. Finished "
                "folds are stored; run the same command again when there are workers."
            )


def _start_cluster(n_workers: int) -> Any:
    """Start a cluster on this machine, again if a worker dies while it starts."""
    from distributed import LocalCluster

    for _ in range(_MOST_TRIES):
        try:
            with no_main_module():
                return LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                )
        except RuntimeError as error:
            reason = error
    raise OSError(
        f"A local Dask cluster of {n_workers} workers did not start in {_MOST_TRIES} "
        f"attempts ({reason}). Lower n_jobs, or use engine='process'."
    ) from reason


def _identity(dataset: Dataset) -> Dataset:
    return dataset


def _run_limited(job: Job, dataset: Dataset, threads: int) -> Result:
    with worker_threads(threads):
        return run_job(job, dataset)
