"""Measure a call: CPU and wall seconds, and in a process of its own peak memory."""

import resource
import statistics
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import psutil


class Cost(NamedTuple):
    """CPU seconds of all threads, MB at most beyond the start, wall s, the result."""

    cpu_s: float
    extra_mb: float
    wall_s: float = float("nan")
    result: Any = None


class Time(NamedTuple):
    """Medians of CPU seconds of all threads and of wall seconds."""

    cpu_s: float
    wall_s: float


def times(calls: dict[str, Callable[[], Any]], repeats: int = 3) -> dict[str, Time]:
    """Measure calls in turns, so that what slows the machine slows all of them.

    Parameters
    ----------
    calls : dict of str to callable
        What to measure; each is called once before, unmeasured.
    repeats : int, default=3
        Rounds, of which the median is taken.

    Returns
    -------
    times : dict of str to Time
    """
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for round_ in range(repeats + 1):
        for name, call in calls.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            pair = time.process_time() - cpu, time.perf_counter() - wall
            if round_:
                spent[name].append(pair)
    return {
        name: Time(*(statistics.median(column) for column in zip(*pairs, strict=True)))
        for name, pairs in spent.items()
    }


def _run(prepare: Callable[[], Any], call: Callable[[Any], Any], answer: Any) -> None:
    try:
        answer.put(_cost(prepare, call))
    except Exception as error:  # told where somebody waits
        answer.put(RuntimeError(f"{type(error).__name__}: {error}"))


def _cost(prepare: Callable[[], Any], call: Callable[[Any], Any]) -> Cost:
    data = prepare()
    before = psutil.Process().memory_info().rss
    wall, start = time.perf_counter(), time.process_time()
    result = call(data)
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    most = peak()
    result = result if isinstance(result, int | float | str) else None
    return Cost(cpu, max(0, most - before) / 1e6, wall, result)


def peak() -> int:
    """Peak memory of this process in bytes.

    Linux's ``ru_maxrss`` of a new process begins at its parent's size; the line in
    ``/proc`` does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return int(next(x for x in lines if x.startswith("VmHWM")).split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cost(
    prepare: Callable[[], Any], call: Callable[[Any], Any], *, timeout: float = 7200.0
) -> Cost:
    """Run ``call(prepare())`` in a fresh process and measure the call.

    Parameters
    ----------
    prepare : callable
        Makes the data; not measured.
    call : callable
        What to measure; a number or text that it gives is kept.
    timeout : float, default=7200
        Seconds to wait.

    Returns
    -------
    cost : Cost
    """
    context = get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=_run, args=(prepare, call, answer))
    process.start()
    result = answer.get(timeout=timeout)
    process.join()
    if isinstance(result, Exception):
        raise result
    return result
