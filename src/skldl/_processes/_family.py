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
_PATIENCE_S, _PAUSE_S = 5.0, 0.001  # looks for what is left after a kill


class Process(NamedTuple):
    """What the system says of a process."""

    pid: int
    group: int
    alive: bool  # False for a zombie


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
    try:
        with suppress(OSError):
            if leader != os.getpid():
                os.kill(leader, signal.SIGSTOP)  # it starts nothing more
            _kill_descendants(leader, os.getpgid(leader))
    finally:  # or it would stay stopped
        kill_group(leader)
        _kill(leader)  # it may lead no group


def _kill_descendants(leader: int, own_group: int) -> None:
    """Kill what a leader started, until two looks find the same and nobody alive.

    One look is not enough. It lists processes first and reads of each one later: what
    started another process in between and ended is read as dead, and the other one is
    not listed. The leader keeps the dead ones, so the next look differs.
    """
    before = None
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        found = descendants(leader)
        if found == before and not any(process.alive for process in found):
            return
        before = found
        # groups at once, so that none of them starts another; also those of the dead,
        # in which somebody new may be
        for group in {process.group for process in found} - {own_group}:
            kill_group(group)
        for process in found:
            if process.alive and process.group == own_group:
                _kill(process.pid)
        time.sleep(_PAUSE_S)


def descendants(pid: int) -> list[Process]:
    """Find the children of a process, their children, and so on.

    None without ``/proc``.
    """
    children = _children()
    found = list(children.get(pid, []))
    for process in found:  # grows while it is read
        found += children.get(process.pid, [])
    return found


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
