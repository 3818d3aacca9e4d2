"""Nothing that a process started outlives the end of its family."""

import signal
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import pytest

from skldl._processes._family import descendants, kill_family, kill_group

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="orphans are found on Linux only"
)

# a leader that adopts orphans, and a process of a session of its own that starts the
# next one and ends, again and again
RELAY = """
import os, sys, time
from skldl._processes._family import adopt_orphans

os.setsid()
adopt_orphans()
if os.fork() == 0:
    os.setsid()
    with open(sys.argv[1], "w") as file:
        file.write(str(os.getpid()))
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if os.fork() > 0:
            os._exit(0)
        time.sleep(float(sys.argv[2]))
    os._exit(0)
while True:  # it takes note of the end of what it adopted
    try:
        os.wait()
    except ChildProcessError:
        time.sleep(0.01)
"""


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.05])
def test_none_escapes_while_others_are_killed(tmp_path, pause):
    path = tmp_path / "session"
    leader = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(RELAY), str(path), str(pause)]
    )
    until = time.monotonic() + 30
    while not (path.exists() and path.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    session = int(path.read_text())
    time.sleep(0.1)  # the relay runs
    kill_family(leader.pid)
    assert leader.wait(10) == -signal.SIGKILL
    left = living(session)
    kill_group(session)
    assert not left


def test_children_of_children_are_found_and_the_ended_are_not():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as child:
        until = time.monotonic() + 30
        while not descendants(child.pid) and time.monotonic() < until:
            time.sleep(0.01)
        (grandchild,) = descendants(child.pid)
        assert grandchild.alive
        kill_family(child.pid)
        assert child.wait(10) == -signal.SIGKILL
        assert not descendants(child.pid)


def living(session):
    """List the processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found
