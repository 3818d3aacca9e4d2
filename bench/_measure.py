"""Measure a call in a process of its own: CPU seconds and extra peak memory."""

import resource
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, NamedTuple

import psutil


class Cost(NamedTuple):
    """CPU seconds of all threads, and peak memory beyond the start in MB."""

    cpu_s: float
    extra_mb: float


def _run(prepare: Callable[[], Any], call: Callable[[Any], Any], answer: Any) -> None:
    data = prepare()
    before = psutil.Process().memory_info().rss
    start = time.process_time()
    call(data)
    cpu = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    answer.put(Cost(cpu, max(0, peak - before) / 1e6))


def cost(prepare: Callable[[], Any], call: Callable[[Any], Any]) -> Cost:
    """Run ``call(prepare())`` in a fresh process and measure the call.

    Parameters
    ----------
    prepare : callable
        Makes the data; not measured.
    call : callable
        What to measure.

    Returns
    -------
    cost : Cost
    """
    context = get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=_run, args=(prepare, call, answer))
    process.start()
    result = answer.get(timeout=600)
    process.join()
    return result
