"""Other processes of this machine, and its cores."""

import os


def process_exists(pid: int) -> bool:
    """Look a process up by its number, without disturbing it.

    True where the system offers no such look: there a signal would end the process.
    """
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is there, but somebody else's
        pass
    return True


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
