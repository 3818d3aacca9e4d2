"""Jobs in processes of their own, which can be stopped.

The pool knows nothing of what a job is: a function does it, and its result says how it
ended.
"""

import multiprocessing as mp
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol, Self

import cloudpickle
import joblib

from skldl._processes._alive import available_cores, process_exists
from skldl._processes._family import (
    adopt_orphans,
    die_with_parent,
    kill_family,
    kill_group,
)
from skldl._processes._memory import group_mb, resident_mb, tells_memory
from skldl._threads import worker_threads

_POLL_S = 0.1  # between looks at time and memory
_START_S = 120.0  # a worker that is not ready by then never will be
_STARTS, _PAUSE_S = 5, 0.2  # tries, and the time between them
_NO_WORKER = "A worker process could not start; use engine='serial' to see why."
_PREFIX = "skldl-data-"


class Task(Protocol):
    """What the pool must know of a job."""

    @property
    def key(self) -> str:
        """A name that no other job has."""

    @property
    def dataset(self) -> str:
        """Which of the pool's data it works on."""


@dataclass
class _Worker:
    """A process that does one job after the other, and the job it has."""

    process: Any
    connection: Connection
    lifeline: Connection
    job: Task | None = None
    begin: float = 0.0
    limit: float | None = None
    baseline_mb: float = 0.0
    n_done: int = 0
    died: bool = False  # by itself, not stopped by us


class ProcessPool:
    """Jobs in processes of their own, each with a time and a memory limit.

    A worker that behaves is kept warm; after a crash, a time-out or a memory stop
    a fresh one takes its place.

    Parameters
    ----------
    function : callable
        ``function(job, data)`` does a job; a function of a module, not of a script.
    data : dict of str to object
        What jobs work on; written once to files that the workers map into memory.
    failure : callable
        ``failure(status, message)`` makes the result of a job that was stopped.
    preload : sequence of str, default=()
        Modules that every worker needs, imported once for all of them.
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
        function: Callable[[Any, Any], Any],
        data: Mapping[str, Any],
        failure: Callable[[Any, str], Any],
        *,
        preload: Sequence[str] = (),
        n_jobs: int | None = None,
        threads: int = 1,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> None:
        self.capacity = n_jobs or available_cores()
        self._function = function
        self._data = data
        self._failure = failure
        self._preload = [__name__, *preload]
        self._threads = threads
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        self._require_system()
        _remove_abandoned()
        self._folder = tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-")
        self._paths = {}
        for number, (name, data) in enumerate(self._data.items()):
            path = Path(self._folder.name) / f"{number}.joblib"
            joblib.dump(data, path)
            self._paths[name] = str(path)
        self._context = mp.get_context("forkserver")
        self._context.set_forkserver_preload(self._preload)
        return self

    def __exit__(self, *_: Any) -> None:
        for worker in self._workers:
            _stop(worker)
        self._workers = []
        self._folder.cleanup()

    def _require_system(self) -> None:
        """Refuse what this system cannot do, before anything is started."""
        if "forkserver" not in mp.get_all_start_methods():
            raise ValueError(
                "engine='process' needs a system with fork, such as Linux or macOS; "
                "use engine='serial' or engine='dask'."
            )
        if self._memory_limit is not None and not tells_memory():
            raise ValueError(
                "memory_limit cannot be kept: this system does not say how much memory "
                "a process needs. Leave memory_limit out."
            )

    @property
    def running(self) -> int:
        """Number of jobs under way."""
        return sum(worker.job is not None for worker in self._workers)

    def submit(self, job: Any, *, time_limit: float | None = None) -> None:
        """Give the job to an idle worker, or to a new one.

        Parameters
        ----------
        job : Task
            What to do.
        time_limit : float, default=None
            Seconds that it may take; None takes the pool's limit.
        """
        idle = [w for w in self._workers if w.job is None]
        for dead in [w for w in idle if not w.process.is_alive()]:
            _stop(dead)  # died while idle: no job's fault
            self._workers.remove(dead)
            idle.remove(dead)
        if not idle:
            idle = [self._start()]
            self._workers += idle
        worker = idle[0]
        worker.job = job
        worker.limit = self._time_limit if time_limit is None else time_limit
        worker.begin = time.monotonic()
        worker.baseline_mb = resident_mb(worker.process.pid)
        with suppress(BrokenPipeError):  # died just now: collect will see it
            worker.connection.send_bytes(cloudpickle.dumps(job))

    def collect(self, timeout: float) -> list[tuple[Any, Any]]:
        """Take results; stop jobs that are over a limit."""
        until = time.monotonic() + timeout
        finished: list[tuple[Any, Any]] = []
        while not finished:
            busy = [worker for worker in self._workers if worker.job is not None]
            left = until - time.monotonic()
            if not busy or left <= 0:
                break
            handles = [w.connection for w in busy] + [w.process.sentinel for w in busy]
            wait(handles, timeout=min(left, _POLL_S))
            for worker in busy:
                result = self._look(worker)
                if result is not None:
                    finished += self._finish(worker, result)
            self._workers = [w for w in self._workers if not w.connection.closed]
        return finished

    def _finish(self, worker: _Worker, result: Any) -> list[tuple[Any, Any]]:
        """Hand a result over, unless an earlier job may be to blame for it."""
        job, worker.job = worker.job, None
        assert job is not None
        if worker.died and worker.n_done:
            self._workers.remove(worker)
            self.submit(
                job, time_limit=worker.limit
            )  # once more, in a process of its own
            return []
        worker.n_done += 1
        limit = self._memory_limit
        if limit is not None and result.status == "ok" and result.peak_mb > limit:
            result = self._failure(
                "memory", f"Needed {result.peak_mb:.0f} MB, over {limit:g} MB."
            )
        return [(job, result)]

    def _look(self, worker: _Worker) -> Any:
        """A worker's result, or the reason why there will be none, or nothing yet."""
        assert worker.job is not None
        if worker.connection.poll():
            with suppress(EOFError, ConnectionResetError):
                key, pid, result = pickle.loads(worker.connection.recv_bytes())
                if (key, pid) == (worker.job.key, worker.process.pid):
                    return result
                _stop(worker)  # a copy of the worker speaks: trust neither
                return self._failure(
                    "failed", "The method left a copy of its process behind."
                )
        if not worker.process.is_alive():
            worker.process.join()
            code = worker.process.exitcode
            _stop(worker)
            worker.died = True
            return self._failure("failed", f"The process died ({_exit_text(code)}).")
        limit = worker.limit
        if limit is not None and time.monotonic() > worker.begin + limit:
            _stop(worker)
            return self._failure("timeout", f"Stopped after {limit:.3g} s.")
        if self._memory_limit is not None:
            extra = group_mb(worker.process.pid) - worker.baseline_mb
            if extra > self._memory_limit:
                _stop(worker)
                bound = f"{self._memory_limit:g} MB"
                return self._failure(
                    "memory", f"Stopped at {extra:.0f} MB, over {bound}."
                )
        return None

    def _start(self) -> _Worker:
        """Start a worker; a method may just have killed the server that starts them."""
        for _ in range(_STARTS):
            try:
                return self._start_once()
            except (EOFError, ConnectionError):
                time.sleep(_PAUSE_S)
        raise RuntimeError(_NO_WORKER)

    def _start_once(self) -> _Worker:
        connection, theirs = self._context.Pipe()
        their_lifeline, lifeline = self._context.Pipe(duplex=False)
        from multiprocessing import forkserver, resource_tracker  # not on every system

        process = self._context.Process(
            target=_work,
            args=(
                self._function,
                theirs,
                their_lifeline,
                self._paths,
                self._threads,
            ),
            daemon=False,
        )
        with no_main_module():
            resource_tracker.ensure_running()  # would let interrupts in again
            with _interrupts_wait():
                forkserver.ensure_running()
            process.start()
        theirs.close()
        their_lifeline.close()
        if not connection.poll(_START_S):
            process.kill()
            raise RuntimeError(_NO_WORKER)
        connection.recv_bytes()  # nothing if the process has died
        return _Worker(process, connection, lifeline)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hold Ctrl-C back, here for a moment, in what is started for good.

    A terminal sends it to the server of workers, too, which would answer with the
    traceback of whatever it was just importing.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    function: Callable[[Any, Any], Any],
    connection: Connection,
    lifeline: Connection,
    paths: dict[str, str],
    threads: int,
) -> None:
    """Do jobs until the runner is gone, then end with all that was started here."""
    with suppress(OSError):
        os.setsid()  # so that the whole group can be stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides
    die_with_parent()
    adopt_orphans()
    threading.Thread(target=_die_with_runner, args=(lifeline,), daemon=True).start()
    os.dup2(2, 1)  # what methods print is not the runner's output
    with worker_threads(threads), suppress(EOFError, ConnectionError):
        _do_jobs(function, connection, paths)
    kill_family(os.getpid())


def _do_jobs(
    function: Callable[[Any, Any], Any], connection: Connection, paths: dict[str, str]
) -> None:
    held: dict[str, Any] = {}
    pid = os.getpid()
    connection.send_bytes(b"ready")
    while True:
        job: Task = cloudpickle.loads(connection.recv_bytes())
        if job.dataset not in held:
            held = {job.dataset: joblib.load(paths[job.dataset], mmap_mode="r")}
        result = function(job, held[job.dataset])
        if os.getpid() != pid:  # the method forked and both came back
            os._exit(1)
        connection.send_bytes(pickle.dumps((job.key, pid, result)))


def _die_with_runner(lifeline: Connection) -> None:
    """End, with all that was started here, when the runner is gone."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    kill_family(os.getpid())
    os._exit(1)


def _stop(worker: _Worker) -> None:
    """Kill a worker and everything that it started."""
    end = kill_family if worker.process.is_alive() else kill_group
    end(worker.process.pid)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join(5)
    worker.connection.close()
    worker.lifeline.close()


def _remove_abandoned() -> None:
    """Remove the data of runners that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdigit() and not process_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


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


def _exit_text(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
