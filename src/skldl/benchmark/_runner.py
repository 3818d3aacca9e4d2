"""Run a plan into a store: skip what is there, keep what comes."""

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from skldl._warnings import caller_level
from skldl.benchmark._crowd import noise_floors
from skldl.benchmark._dask import DaskEngine
from skldl.benchmark._engines import Engine, ProcessEngine, SerialEngine
from skldl.benchmark._job import Job, library_versions
from skldl.benchmark._picture import picture_of
from skldl.benchmark._plan import Plan
from skldl.benchmark._records import MOST_PREDICTIONS, this_command
from skldl.benchmark._store import Store
from skldl.benchmark._versions import OtherVersionWarning, takeover_warning
from skldl.datasets import Dataset

_WAIT_S = 0.5  # for results, and for jobs that another process has


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes
    ----------
    total, done, failed, running : int
        Jobs of the plan; of these finished (failed ones included), not ended well,
        and under way here.
    skipped : int
        Done before this run began.
    """

    total: int
    done: int
    failed: int
    running: int
    skipped: int


def run(
    plan: Plan,
    store: Store | str | os.PathLike[str] = ":memory:",
    *,
    engine: Literal["process", "serial", "dask"] = "process",
    n_jobs: int | None = None,
    threads: int = 1,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    dask_address: str | None = None,
    retry_failed: bool = False,
    keep_predictions: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> pd.DataFrame:
    """Run a plan; jobs that the store already has are skipped.

    An :class:`OtherVersionWarning` says so if another version of scikit-ldl did them.

    Parameters
    ----------
    plan : Plan
        What to compare.
    store : Store, str or Path, default=":memory:"
        Where results are kept. Interrupted or killed, the same call goes on where
        it stopped; several processes may run the same plan on one file.
    engine : {"process", "serial", "dask"}, default="process"
        Processes of this machine, this process alone, or a Dask cluster.
    n_jobs : int, default=None
        Jobs at the same time; None takes the cores.
    threads : int, default=1
        Threads of linear algebra in each job. One keeps results bitwise equal on
        every engine.
    time_limit, memory_limit : float, default=None
        Seconds and MB that a job may need, then it is stopped (engine "process").
    dask_address : str, default=None
        Scheduler of a running cluster, for engine "dask".
    retry_failed : bool, default=False
        Whether to run jobs again that are stored as failed, invalid or stopped.
    keep_predictions : int, default=0
        How many samples of each data set's first test part keep their true and
        predicted distributions, for reports (at most 100; distributions only). The
        data set's picture is kept then, too. Jobs done before keep what they have.
    progress : callable, default=None
        Called with a :class:`Progress` whenever something changed.

    Returns
    -------
    rows : DataFrame
        The plan's results, one row per job and metric.

    Examples
    --------
    >>> from skldl.benchmark import Plan, Split, run
    >>> plan = Plan(["synthetic"], ["AAkNN"], Split(n_splits=2))
    >>> rows = run(plan, engine="serial")
    >>> sorted(rows["status"].unique())
    ['ok']
    """
    if not isinstance(store, Store):
        with Store(store) as opened:
            return run(
                plan,
                opened,
                engine=engine,
                n_jobs=n_jobs,
                threads=threads,
                time_limit=time_limit,
                memory_limit=memory_limit,
                dask_address=dask_address,
                retry_failed=retry_failed,
                keep_predictions=keep_predictions,
                progress=progress,
            )
    datasets = plan.load()
    jobs = _with_kept(plan.jobs(datasets), keep_predictions)
    loop = _Loop(store, jobs, retry_failed, progress)
    if loop.takeover:
        warnings.warn(loop.takeover, OtherVersionWarning, stacklevel=caller_level())
    if loop.queue:
        _note(store, loop, datasets, pictures=keep_predictions > 0)
        machine = _make_engine(
            engine,
            datasets,
            n_jobs=n_jobs,
            threads=threads,
            time_limit=time_limit,
            memory_limit=memory_limit,
            dask_address=dask_address,
        )
        with store.working(), machine:
            loop.run(machine)
    loop.report(0)
    return store.rows(job.key for job in jobs)


def _with_kept(jobs: list[Job], n_kept: int) -> list[Job]:
    """The first fold of each method keeps predictions: the same samples for all."""
    if not 0 <= n_kept <= MOST_PREDICTIONS:
        raise ValueError(
            f"keep_predictions must be in 0..{MOST_PREDICTIONS}, got {n_kept}."
        )
    if not n_kept:
        return jobs
    return [
        job if job.repetition or job.fold else replace(job, n_kept=n_kept)
        for job in jobs
    ]


def _note(
    store: Store, loop: "_Loop", datasets: Mapping[str, Dataset], *, pictures: bool
) -> None:
    """Keep what readers of a report will ask: which command, which data."""
    store.note_run(this_command(), library_versions())
    marks = {job.dataset: job.fingerprint for job in loop.queue}
    known = store.datasets()
    for name, mark in marks.items():
        picture = picture_of(datasets[name]) if pictures else None
        floors = known.get(mark, {}).get("noise_floor") or noise_floors(datasets[name])
        store.note_dataset(mark, datasets[name], picture, floors)


def _make_engine(
    name: str,
    datasets: Mapping[str, Dataset],
    *,
    n_jobs: int | None,
    threads: int,
    time_limit: float | None,
    memory_limit: float | None,
    dask_address: str | None,
) -> Engine:
    for option, value in {
        "n_jobs": n_jobs, "time_limit": time_limit, "memory_limit": memory_limit
    }.items():  # fmt: skip
        if value is not None and not value > 0:
            raise ValueError(f"{option} must be positive, got {value}.")
    if name == "process":
        return ProcessEngine(
            datasets,
            n_jobs=n_jobs,
            threads=threads,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
    if time_limit is not None or memory_limit is not None:
        raise ValueError(
            "time_limit and memory_limit need engine='process', because "
            f"engine={name!r} cannot stop a fit."
        )
    if name == "serial":
        return SerialEngine(datasets, threads=threads)
    if name == "dask":
        return DaskEngine(
            datasets, address=dask_address, n_jobs=n_jobs, threads=threads
        )
    raise ValueError(f"engine must be 'process', 'serial' or 'dask', got {name!r}.")


class _Loop:
    """Feed an engine from a queue, and a store from the engine."""

    def __init__(
        self,
        store: Store,
        jobs: list[Job],
        retry_failed: bool,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.store = store
        self.progress = progress
        self.redo_before = time.time() if retry_failed else None
        done = store.done(redo_before=self.redo_before)
        self.queue = deque(job for job in jobs if job.key not in done)
        self.taken: deque[Job] = deque()
        self.total = len(jobs)
        self.skipped = self.done = len(jobs) - len(self.queue)
        old = self._stored(jobs)
        self.failed = int((old["status"] != "ok").sum())
        self.takeover = takeover_warning(old, store.path)

    def _stored(self, jobs: list[Job]) -> pd.DataFrame:
        """Jobs that were done before and are not run again."""
        waiting = {job.key for job in self.queue}
        stored = self.store.statuses(job.key for job in jobs)
        return stored[~stored["job"].isin(waiting)]

    def run(self, engine: Engine) -> None:
        """Until nothing is left to do, here or elsewhere."""
        self.report(0)
        while self.queue or self.taken or engine.running:
            self._fill(engine)
            self.report(engine.running)
            if engine.running:
                for job, result in engine.collect(_WAIT_S):
                    self.store.save(job, result)
                    self.done += 1
                    self.failed += result.status != "ok"
            elif self.taken:
                time.sleep(_WAIT_S)
            if not self.queue:  # look again at what others had
                self.queue, self.taken = self.taken, deque()

    def _fill(self, engine: Engine) -> None:
        while self.queue and engine.running < engine.capacity:
            job = self.queue.popleft()
            answer = self.store.claim(job.key, redo_before=self.redo_before)
            if answer == "claimed":
                engine.submit(job)
            elif answer == "taken":
                self.taken.append(job)
            else:
                self.done += 1

    def report(self, running: int) -> None:
        """Tell whoever listens."""
        if self.progress is not None:
            self.progress(
                Progress(self.total, self.done, self.failed, running, self.skipped)
            )
