"""Refuses work that cannot fit into memory, before it starts."""

import os
from contextlib import suppress
from pathlib import Path

_CGROUP = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def total_memory() -> float:
    """Bytes that this process may use: of the machine, its container, its limit.

    Infinite where the system does not tell.
    """
    found = [float("inf")]
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _CGROUP:
        with suppress(OSError, ValueError):  # "max" is not a number
            found.append(float(path.read_text()))
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on every system

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            found.append(soft)
    return min(found)


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Raise MemoryError if so many bytes are more than there are.

    Parameters
    ----------
    n_bytes : float
        What the work takes at least.
    what : str
        Beginning of the sentence: what takes it.
    remedy : str
        What to do, in a sentence.
    """
    most = total_memory()
    if n_bytes > most:
        raise MemoryError(
            f"{what} would take {n_bytes / 2**30:.1f} GiB of memory, and there are "
            f"{most / 2**30:.1f} GiB. {remedy}"
        )
