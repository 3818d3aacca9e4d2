"""Where jobs run: in this process, or in processes that can be stopped.

An engine takes jobs up to its capacity and gives results back; it knows nothing of
stores and plans.
"""

import multiprocessing as mp
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol, Self

import cloudpickle
import joblib
from threadpoolctl import threadpool_limits

from skldl.benchmark._job import Job, Result, available_cores, run_job
from skldl.datasets import Dataset

Finished = list[tuple[Job, Result]]

_POLL_S = 0.1  # between looks at time and memory
_START_S = 120.0  # a worker that is not ready by then never will be
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
        self._limits = threadpool_limits(self._threads)
        return self

    def __exit__(self, *_: Any) -> None:
        self._limits.restore_original_limits()

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


@dataclass
class _Worker:
    """A process that does one job after the other, and the job it has."""

    process: Any
    connection: Connection
    lifeline: Connection
    job: Job | None = None
    deadline: float = float("inf")
    baseline_mb: float = field(default=0.0)


class ProcessEngine:
    """Jobs in processes of their own, each with a time and a memory limit.

    A worker that behaves is kept warm; after a crash, a time-out or a memory stop
    a fresh one takes its place.

    Parameters
    ----------
    datasets : dict of str to Dataset
        The data; written once to files that the workers map into memory.
    n_jobs : int, default=None
        Jobs at the same time; None takes the cores.
    threads : int, default=1
        Threads of linear algebra in each job. More than one may change the last
        bits of results.
    time_limit : float, default=None
        Seconds that a job may take.
    memory_limit : float, default=None
        MB that a job may need beyond what its worker held before (Linux).
    """

    def __init__(
        self,
        datasets: Mapping[str, Dataset],
        *,
        n_jobs: int | None = None,
        threads: int = 1,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> None:
        self.capacity = n_jobs or available_cores()
        self._datasets = datasets
        self._threads = threads
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="skldl-")
        self._paths = {}
        for number, (name, dataset) in enumerate(self._datasets.items()):
            path = Path(self._folder.name) / f"{number}.joblib"
            joblib.dump(dataset, path)
            self._paths[name] = str(path)
        self._context = mp.get_context("forkserver")
        self._context.set_forkserver_preload(_PRELOAD)
        return self

    def __exit__(self, *_: Any) -> None:
        for worker in self._workers:
            _stop(worker)
        self._workers = []
        self._folder.cleanup()

    @property
    def running(self) -> int:
        """Number of jobs under way."""
        return sum(worker.job is not None for worker in self._workers)

    def submit(self, job: Job) -> None:
        """Give the job to an idle worker, or to a new one."""
        worker = next((w for w in self._workers if w.job is None), None)
        if worker is None:
            worker = self._start()
            self._workers.append(worker)
        worker.job = job
        worker.deadline = time.monotonic() + (self._time_limit or float("inf"))
        worker.baseline_mb = _resident_mb(worker.process.pid)
        with suppress(BrokenPipeError):  # died while idle: collect will see it
            worker.connection.send_bytes(cloudpickle.dumps(job))

    def collect(self, timeout: float) -> Finished:
        """Take results; stop jobs that are over a limit."""
        busy = [worker for worker in self._workers if worker.job is not None]
        until = time.monotonic() + timeout
        finished: Finished = []
        while busy and not finished:
            left = until - time.monotonic()
            if left <= 0:
                break
            handles = [w.connection for w in busy] + [w.process.sentinel for w in busy]
            wait(handles, timeout=min(left, _POLL_S))
            for worker in busy:
                result = self._look(worker)
                if result is not None:
                    assert worker.job is not None
                    finished.append((worker.job, result))
                    worker.job = None
        self._workers = [w for w in self._workers if w.process.is_alive()]
        return finished

    def _look(self, worker: _Worker) -> Result | None:
        """A worker's result, or the reason why there will be none, or nothing yet."""
        if worker.connection.poll():
            with suppress(EOFError, ConnectionResetError):
                return pickle.loads(worker.connection.recv_bytes())
        if not worker.process.is_alive():
            worker.process.join()
            code = worker.process.exitcode
            _stop(worker)
            return Result("failed", f"The process died ({_exit_text(code)}).")
        if time.monotonic() > worker.deadline:
            _stop(worker)
            return Result("timeout", f"Stopped after {self._time_limit:g} s.")
        if self._memory_limit is not None:
            extra = _resident_mb(worker.process.pid) - worker.baseline_mb
            if extra > self._memory_limit:
                _stop(worker)
                limit = f"{self._memory_limit:g} MB"
                return Result("memory", f"Stopped at {extra:.0f} MB, over {limit}.")
        return None

    def _start(self) -> _Worker:
        connection, theirs = self._context.Pipe()
        their_lifeline, lifeline = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_work,
            args=(theirs, their_lifeline, self._paths, self._threads),
            daemon=False,
        )
        with no_main_module():
            process.start()
        theirs.close()
        their_lifeline.close()
        if not connection.poll(_START_S) or not process.is_alive():
            process.kill()
            raise RuntimeError(
                "A worker process could not start; use engine='serial' to see why."
            )
        connection.recv_bytes()
        return _Worker(process, connection, lifeline)


def _work(
    connection: Connection, lifeline: Connection, paths: dict[str, str], threads: int
) -> None:
    """Do jobs until the connection closes."""
    with suppress(OSError):
        os.setsid()  # so that the whole group can be stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides
    threading.Thread(target=_die_with_runner, args=(lifeline,), daemon=True).start()
    held: dict[str, Dataset] = {}
    with threadpool_limits(threads):
        connection.send_bytes(b"ready")
        while True:
            try:
                job: Job = cloudpickle.loads(connection.recv_bytes())
            except EOFError:
                return
            if job.dataset not in held:
                held = {job.dataset: joblib.load(paths[job.dataset], mmap_mode="r")}
            result = run_job(job, held[job.dataset])
            connection.send_bytes(pickle.dumps(result))


def _die_with_runner(lifeline: Connection) -> None:
    """End when the runner is gone, however it went."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(1)


def _stop(worker: _Worker) -> None:
    """Kill a worker and everything that it started."""
    if worker.process.is_alive():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(worker.process.pid, signal.SIGKILL)
        worker.process.kill()
        worker.process.join(5)
    worker.connection.close()
    worker.lifeline.close()


@contextmanager
def no_main_module() -> Iterator[None]:
    """Keep new processes from running the user's script: jobs bring what they need."""
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    main.__spec__ = None
    if file is not None:
        del main.__file__
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file


def _resident_mb(pid: int) -> float:
    """Memory of a process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _exit_text(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
