"""The processes that a worker starts, and their end."""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # of Linux's prctl
_PATIENCE_S, _PAUSE_S = 5.0, 0.001  # for what starts others while it is killed


class Process(NamedTuple):
    """What the system says of a process."""

    pid: int
    group: int
    alive: bool  # not ended already, waiting for its parent to take note


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
    """Kill all that a living process started (Linux), and its group.

    The leader is killed last: while it lives it adopts orphans, so that a process
    that was started between a look and a kill is found by the next look.
    """
    with suppress(OSError):
        if leader != os.getpid():
            os.kill(leader, signal.SIGSTOP)  # it starts nothing more
        own_group = os.getpgid(leader)
        until = time.monotonic() + _PATIENCE_S
        while (others := descendants(leader)) and time.monotonic() < until:
            for process in others:
                if process.group == own_group:
                    _kill(process.pid)
                else:  # at once, so that none of the group starts another
                    kill_group(process.group)
            time.sleep(_PAUSE_S)
    kill_group(leader)
    _kill(leader)  # it may lead no group


def descendants(pid: int) -> list[Process]:
    """Find living children of a process, their children, and so on.

    None without ``/proc``.
    """
    children = _children()
    found = list(children.get(pid, []))
    for process in found:  # grows while it is read
        found += children.get(process.pid, [])
    return [process for process in found if process.alive]


def _children() -> dict[int, list[Process]]:
    """List the children of every process."""
    children: dict[int, list[Process]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            text = (entry / "stat").read_text().rpartition(")")[2]
            state, parent, group = text.split()[:3]
            process = Process(int(entry.name), int(group), state not in "ZX")
            children.setdefault(int(parent), []).append(process)
    return children


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value)
