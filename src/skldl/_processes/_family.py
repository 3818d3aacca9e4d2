"""The processes that a worker starts, and their end."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # of Linux's prctl


def die_with_parent() -> None:
    """Ask Linux to kill this process with the one that started it."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Ask Linux to give this process the orphans among its descendants.

    A daemon, which left the group and lost its parent, is found as a child then.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def kill_group(leader: int) -> None:
    """Kill a group of processes, if it is there."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def kill_family(leader: int) -> None:
    """Kill all that a living process started (Linux), and its group."""
    others = descendants(leader)
    if leader != os.getpid():
        kill_group(leader)  # first: it could start more
    for pid in others:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    kill_group(leader)


def descendants(pid: int) -> list[int]:
    """Children of a process, their children, and so on; none without ``/proc``."""
    children = _children()
    found = [pid]
    for parent in found:  # grows while it is read
        found += children.get(parent, [])
    return found[1:]


def _children() -> dict[int, list[int]]:
    """List the children of every process."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    return children


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value)
