"""Processes that tests start: whether they live, and waiting for what they do."""

import time
from contextlib import suppress
from pathlib import Path


def alive(pid):
    """Whether a process has not ended; Linux only."""
    with suppress(OSError):
        text = Path(f"/proc/{pid}/stat").read_text()
        return text.rpartition(")")[2].split()[0] not in "ZX"
    return False


def wait_until(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.01)
