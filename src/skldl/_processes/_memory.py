"""How much memory processes need, as far as the system tells."""

import ctypes
import math
import os
import sys
from contextlib import suppress
from pathlib import Path

_UNKNOWN = float("nan")


def reset_peak() -> float:
    """Start a new peak where the system can (Linux), and say what is held now."""
    _release_free_memory()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak_of_all_time()
    return peak_mb()


def peak_mb() -> float:
    """Peak memory of this process in MB; NaN where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
        line = next(x for x in status.splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    except (OSError, StopIteration):
        return _peak_of_all_time()


def peak_since(held: float) -> float:
    """MB beyond what was held before; NaN where the system does not tell."""
    extra = peak_mb() - held
    return 0.0 if extra < 0 else extra


def tells_memory() -> bool:
    """Whether this system says how much memory a process needs."""
    return not math.isnan(peak_mb())


def _peak_of_all_time() -> float:
    try:
        import resource  # not on every system
    except ImportError:
        return _UNKNOWN
    unit = 2**20 if sys.platform == "darwin" else 1024  # bytes there, else KB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _release_free_memory() -> None:
    """Free memory that earlier jobs left behind, else a job would seem to need none."""
    with suppress(OSError, AttributeError, TypeError):  # not glibc
        ctypes.CDLL(None).malloc_trim(0)


def resident_mb(pid: int) -> float:
    """Memory of a process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def group_mb(leader: int) -> float:
    """Memory of a worker and of the processes that it started."""
    total = 0.0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == leader:
                total += resident_mb(int(entry.name))
    return total
