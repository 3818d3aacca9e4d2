"""Jobs on the workers of a Dask client."""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from skldl.auto._job import Data, Job, Outcome, do_job


class DaskEngine:
    """Jobs on the current client of Dask, each with a time limit.

    Parameters
    ----------
    data : mapping of str to Data
        What jobs work on; sent once to the workers.
    """

    def __init__(self, data: Mapping[str, Data]) -> None:
        self._data = data
        self._jobs: dict[Any, tuple[Job, float, float | None]] = {}

    def __enter__(self) -> Self:
        try:
            from distributed import get_client
        except ImportError as error:
            raise ImportError(
                "backend='dask' needs the optional package dask: pip install "
                "'scikit-ldl[distributed]'."
            ) from error
        try:
            self._client = get_client()
        except ValueError as error:
            raise ValueError(
                "backend='dask' needs a client: make one before fit, such as "
                "dask.distributed.Client()."
            ) from error
        names = list(self._data)
        # without the hash of its content: data of an engine before may just be dropped
        sent = self._client.scatter([self._data[n] for n in names], hash=False)
        self._sent = dict(zip(names, sent, strict=True))
        self.capacity = max(1, sum(self._client.nthreads().values()))
        return self

    def __exit__(self, *_: Any) -> None:
        self._client.cancel(list(self._jobs))
        self._jobs.clear()
        self._sent.clear()

    @property
    def running(self) -> int:
        """Number of jobs under way."""
        return len(self._jobs)

    def submit(self, job: Job, *, time_limit: float | None = None) -> None:
        """Send a job to a worker."""
        future = self._client.submit(do_job, job, self._sent[job.dataset], pure=False)
        self._jobs[future] = job, time.monotonic(), time_limit

    def collect(self, timeout: float) -> list[tuple[Job, Outcome]]:
        """Take outcomes; give up jobs that are over their limit."""
        from distributed import wait

        with suppress(TimeoutError):
            wait(list(self._jobs), timeout=timeout, return_when="FIRST_COMPLETED")
        found = []
        for future, (job, begin, limit) in list(self._jobs.items()):
            if future.done():
                found.append((job, _outcome(future)))
            elif limit is not None and time.monotonic() > begin + limit:
                future.cancel()
                found.append(
                    (job, Outcome("timeout", f"Given up after {limit:.3g} s."))
                )
            else:
                continue
            del self._jobs[future]
        return found


def _outcome(future: Any) -> Outcome:
    if future.status == "finished":
        return future.result()
    return Outcome("failed", f"The worker was lost ({future.status}).")
