"""Measure a call in a process of its own: CPU seconds and extra peak memory."""

import resource
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import psutil


class Cost(NamedTuple):
    """CPU seconds of all threads, peak MB beyond the start, and the result."""

    cpu_s: float
    extra_mb: float
    result: Any = None


def _run(prepare: Callable[[], Any], call: Callable[[Any], Any], answer: Any) -> None:
    data = prepare()
    before = psutil.Process().memory_info().rss
    start = time.process_time()
    result = call(data)
    cpu = time.process_time() - start
    peak = _peak()
    result = result if isinstance(result, int | float | str) else None
    answer.put(Cost(cpu, max(0, peak - before) / 1e6, result))


def _peak() -> int:
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
    prepare: Callable[[], Any], call: Callable[[Any], Any], *, timeout: float = 600
) -> Cost:
    """Run ``call(prepare())`` in a fresh process and measure the call.

    Parameters
    ----------
    prepare : callable
        Makes the data; not measured.
    call : callable
        What to measure; a number or text that it gives is kept.
    timeout : float, default=600
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
    return result
