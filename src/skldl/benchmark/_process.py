"""Whether another process of this machine lives."""

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
