"""Work in processes of its own, with limits of time and memory."""

from skldl._processes._alive import available_cores, process_exists
from skldl._processes._memory import (
    group_mb,
    peak_mb,
    peak_since,
    reset_peak,
    resident_mb,
    tells_memory,
)
from skldl._processes._pool import ProcessPool, no_main_module
from skldl._processes._stdout import diverted_stdout

__all__ = [
    "ProcessPool",
    "available_cores",
    "diverted_stdout",
    "group_mb",
    "no_main_module",
    "peak_mb",
    "peak_since",
    "process_exists",
    "reset_peak",
    "resident_mb",
    "tells_memory",
]
